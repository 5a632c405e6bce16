//===- Pointers.cpp - Which arguments may meet ----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an argument is used for is told by the accesses that go through it; one
// whose address goes elsewhere may be used for anything.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Pointers.h"
#include "search/ir/IrProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include <map>

using namespace llvm;
using namespace gevo;

namespace {
/// What is done through an argument.
struct Through {
  bool Read = false, Written = false;
  /// It is read by loads that promise that nobody writes there.
  bool Constant = false;
  /// Elements of any type.
  bool Any = false;
  SmallPtrSet<Type *, 2> Types;

  bool isUsed() const { return Read || Written; }
};

using ByArgument = std::map<const Argument *, Through>;
} // namespace

template <typename T> static void eachArgument(const Value *Pointer, T Do) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  for (const Value *Object : Objects)
    if (const auto *A = dyn_cast<Argument>(Object))
      Do(A);
}

static bool isConstantLoad(const Instruction &I) {
  if (I.hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && is_contained({Intrinsic::nvvm_ldg_global_f,
                               Intrinsic::nvvm_ldg_global_i,
                               Intrinsic::nvvm_ldg_global_p},
                              Call->getIntrinsicID());
}

// What calls do with memory, such as memcpy, they may do with any element.
static void addCall(const CallBase &Call, ByArgument &All) {
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType()->isPointerTy())
      eachArgument(Call.getArgOperand(I), [&](const Argument *A) {
        Through &T = All[A];
        T.Any = true;
        T.Read |= !Call.onlyWritesMemory(I);
        T.Written |= !Call.onlyReadsMemory() && !Call.onlyReadsMemory(I);
      });
}

static void addAccess(const Instruction &I, ByArgument &All) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  Type *Of =
      Pointer ? getLoadStoreType(const_cast<Instruction *>(&I)) : I.getType();
  bool Reads = isa<LoadInst>(I), Writes = isa<StoreInst>(I);
  if (isConstantLoad(I) && !Pointer) {
    Pointer = I.getOperand(0);
    Reads = true;
  } else if (const auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    Pointer = Atomic->getPointerOperand();
    Reads = Writes = true;
  } else if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Pointer = Exchange->getPointerOperand();
    Of = Exchange->getNewValOperand()->getType();
    Reads = Writes = true;
  }
  if (!Pointer) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
      addCall(*Call, All);
    return;
  }
  eachArgument(Pointer, [&](const Argument *A) {
    Through &T = All[A];
    T.Read |= Reads;
    T.Written |= Writes;
    T.Constant |= isConstantLoad(I);
    T.Types.insert(Of->getScalarType());
  });
}

static ByArgument usesOf(const Function &F) {
  ByArgument All;
  for (const Instruction &I : instructions(F))
    addAccess(I, All);
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy() && !A.hasByValAttr() &&
        PointerMayBeCaptured(&A, /*ReturnCaptures=*/true,
                             /*StoreCaptures=*/true)) {
      Through &T = All[&A];
      T.Any = T.Read = T.Written = true;
    }
  return All;
}

static bool mayMeet(const Through &A, const Through &B) {
  if (!A.isUsed() || !B.isUsed() || (!A.Written && !B.Written))
    return false;
  if ((A.Constant && B.Written) || (B.Constant && A.Written))
    return false;
  return A.Any || B.Any ||
         any_of(A.Types, [&](Type *Of) { return B.Types.contains(Of); });
}

std::vector<PointerPair> gevo::pairsThatMayMeet(const Function &F) {
  ByArgument All = usesOf(F);
  std::vector<const Argument *> Pointers;
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy() && !A.hasByValAttr() &&
        !A.hasNoAliasAttr() && All.count(&A))
      Pointers.push_back(&A);
  std::vector<PointerPair> Pairs;
  for (size_t I = 0; I < Pointers.size(); ++I)
    for (size_t J = I + 1; J < Pointers.size(); ++J)
      if (mayMeet(All[Pointers[I]], All[Pointers[J]]))
        Pairs.push_back({Pointers[I]->getArgNo(), Pointers[J]->getArgNo()});
  return Pairs;
}

std::vector<PointerPair> IrProgram::pairsOf(unsigned Module,
                                            StringRef Kernel) const {
  const Function *F = Modules[Module]->getFunction(Kernel);
  return F ? pairsThatMayMeet(*F) : std::vector<PointerPair>();
}
