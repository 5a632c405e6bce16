//===- Legality.cpp - What an edit may touch in LLVM IR -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule that is not the verifier's own says what it protects.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/StableName.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

bool gevo::isTarget(const Instruction &I) {
  if (I.isTerminator() || isa<PHINode>(I) || I.isEHPad() ||
      I.isDebugOrPseudoInst())
    return false;
  if (I.getType()->isTokenTy() || any_of(I.operands(), [](const Use &U) {
        return U->getType()->isTokenTy();
      }))
    return false;
  // A musttail call and its return are one thing.
  if (const auto *Call = dyn_cast<CallInst>(&I))
    return !Call->isMustTailCall();
  return true;
}

bool gevo::isMovable(const Instruction &I) {
  // An alloca elsewhere than in the entry block grows the stack dynamically,
  // and a misplaced lifetime marker turns every later load into poison.
  if (!isTarget(I) || isa<AllocaInst>(I) || I.isLifetimeStartOrEnd())
    return false;
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (Call->cannotDuplicate() || Call->hasOperandBundles())
      return false;
  // Every operand that could lose its definition must have a substitute.
  return all_of(I.operands(), [](const Use &U) {
    return !isa<Instruction>(U) || isRepairable(U->getType());
  });
}

bool gevo::isPlace(const Instruction &I) {
  if (isa<PHINode>(I) || I.isEHPad())
    return false;
  // Nothing may come between a musttail call and its return.
  const Instruction *Previous = I.getPrevNode();
  const auto *Call = dyn_cast_or_null<CallInst>(Previous);
  return !Call || !Call->isMustTailCall();
}

bool gevo::isRepairable(const Type *T) {
  T = T->getScalarType();
  return T->isIntegerTy() || T->isFloatingPointTy() || T->isPointerTy();
}

// Where every index of a struct stands, it must stay the constant it is.
static bool indexesStruct(const GetElementPtrInst &GEP, unsigned Index) {
  if (Index == 0)
    return false;
  gep_type_iterator It = gep_type_begin(GEP);
  std::advance(It, Index - 1);
  return It.isStruct();
}

// What the code generator reads as a literal although the intrinsic does not
// say so: the alignment of NVPTX's read-only loads.
static bool isAlignment(const CallBase &Call, unsigned Index) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::nvvm_ldg_global_f:
  case Intrinsic::nvvm_ldg_global_i:
  case Intrinsic::nvvm_ldg_global_p:
  case Intrinsic::nvvm_ldu_global_f:
  case Intrinsic::nvvm_ldu_global_i:
  case Intrinsic::nvvm_ldu_global_p:
    return Index == 1;
  default:
    return false;
  }
}

bool gevo::isReplaceable(const Instruction &I, unsigned Index, bool Variable) {
  if (Index >= I.getNumOperands() ||
      !isRepairable(I.getOperand(Index)->getType()))
    return false;
  // Labels and cases are control flow; branch edits have their own kind, but
  // the condition is a value like any other.
  if (I.isTerminator())
    return Index == 0 &&
           (isa<ReturnInst>(I) || isa<SwitchInst>(I) ||
            (isa<BranchInst>(I) && cast<BranchInst>(I).isConditional()));
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    if (!Call->isDataOperand(&I.getOperandUse(Index)) ||
        Call->isBundleOperand(Index) ||
        Call->paramHasAttr(Index, Attribute::ImmArg) ||
        Call->paramHasAttr(Index, Attribute::ByVal) ||
        isAlignment(*Call, Index))
      return false;
    // "n" and "i" constraints want the literal they have.
    if (Call->isInlineAsm() && isa<Constant>(I.getOperand(Index)))
      return false;
    if (I.isLifetimeStartOrEnd())
      return false;
  }
  if (const auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    if (indexesStruct(*GEP, Index))
      return false;
  if (isa<AllocaInst>(I))
    return false;
  return !Variable || canReplaceOperandWithVariable(&I, Index);
}

Argument *gevo::argumentOf(Instruction &I) {
  Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer)
    return nullptr;
  auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
  return A && !A->hasPassPointeeByValueCopyAttr() ? A : nullptr;
}

std::string gevo::typeText(const Type *T) {
  std::string Text;
  raw_string_ostream OS(Text);
  T->print(OS, /*IsForDebug=*/false, /*NoDetails=*/true);
  return Text;
}

std::string gevo::shapeOf(const Instruction &I) {
  std::string Shape = I.getOpcodeName();
  raw_string_ostream OS(Shape);
  const Type *T = isa<StoreInst>(I) ? I.getOperand(0)->getType() : I.getType();
  if (!T->isVoidTy() || isa<CallBase>(I))
    OS << ' ' << typeText(T);
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    if (const Function *Callee = Call->getCalledFunction())
      OS << " @" << stableName(Callee->getName());
    else
      OS << (Call->isInlineAsm() ? " asm" : " indirect");
  }
  return Shape;
}
