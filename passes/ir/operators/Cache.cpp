//===- Cache.cpp - Changes the cache policy of a load ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %v = load float, ptr %p   =>   %v = call float asm "ld.global.cg.f32 ..."
//
// LLVM's IR has no word for PTX's cache operators, so the load becomes inline
// PTX; only the read-only cache can be said with metadata, which leaves
// address folding to the code generator.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gevo;

static constexpr unsigned GenericSpace = 0;
static constexpr unsigned GlobalSpace = 1;

static constexpr StringLiteral Policies[] = {
#define GEVO_CACHE_POLICY(Name, Summary) Name,
#include "passes/ir/CachePolicies.def"
};

namespace {
/// How PTX writes a load of a type: suffix and inline-asm register class.
struct LoadForm {
  StringRef Suffix;
  char Register = 0;
  unsigned Lanes = 1;
};
} // namespace

static std::optional<LoadForm> loadForm(Type *T) {
  LoadForm Form;
  if (auto *Vector = dyn_cast<FixedVectorType>(T)) {
    // One lane would come back as a scalar.
    if (Vector->getNumElements() == 1)
      return std::nullopt;
    Form.Lanes = Vector->getNumElements();
    T = Vector->getElementType();
  }
  if (T->isFloatTy())
    Form.Suffix = "f32", Form.Register = 'f';
  else if (T->isDoubleTy())
    Form.Suffix = "f64", Form.Register = 'd';
  else if (T->isIntegerTy(32))
    Form.Suffix = "u32", Form.Register = 'r';
  else if (T->isIntegerTy(64))
    Form.Suffix = "u64", Form.Register = 'l';
  else
    return std::nullopt;
  unsigned Bytes = Form.Lanes * (T->getScalarSizeInBits() / 8);
  if (Bytes > 16 || (Form.Lanes != 1 && Form.Lanes != 2 && Form.Lanes != 4))
    return std::nullopt;
  return Form;
}

// CUDA passes only global memory to a kernel; the code generator relies on the
// same.
static bool isGlobal(const Value *Pointer, const Function &F) {
  if (Pointer->getType()->getPointerAddressSpace() == GlobalSpace)
    return true;
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer));
  if (!A || A->hasByValAttr())
    return false;
  if (F.getCallingConv() == CallingConv::PTX_Kernel)
    return true;
  // LLVM 19's clang marks kernels in module metadata.
  const NamedMDNode *Annotations =
      F.getParent()->getNamedMetadata("nvvm.annotations");
  if (!Annotations)
    return false;
  return any_of(Annotations->operands(), [&](const MDNode *N) {
    return N->getNumOperands() >= 2 &&
           mdconst::dyn_extract_or_null<Function>(N->getOperand(0)) == &F &&
           isa<MDString>(N->getOperand(1)) &&
           cast<MDString>(N->getOperand(1))->getString() == "kernel";
  });
}

static bool isEligible(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->isSimple() || !loadForm(Load->getType()))
    return false;
  // PTX wants natural alignment of the whole vector.
  const DataLayout &Layout = Load->getModule()->getDataLayout();
  if (Load->getAlign().value() < Layout.getTypeStoreSize(Load->getType()))
    return false;
  unsigned Space = Load->getPointerAddressSpace();
  if (Space == GlobalSpace)
    return true;
  return Space == GenericSpace &&
         !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand())) &&
         !isa<GlobalVariable>(getUnderlyingObject(Load->getPointerOperand()));
}

bool gevo::chooseCache(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, isEligible);
  if (!I)
    return false;
  E.At = F.nameOf(*I);
  E.Choice = D.Dice.pick(Policies).str();
  const auto *Load = cast<LoadInst>(I);
  return E.Choice != "nc" || isGlobal(Load->getPointerOperand(), F.function());
}

static Value *readOnlyLoad(IRBuilder<> &B, LoadInst &Load, Value *Pointer) {
  auto *New = B.CreateAlignedLoad(Load.getType(), Pointer, Load.getAlign());
  New->setMetadata(LLVMContext::MD_invariant_load,
                   MDNode::get(Load.getContext(), {}));
  return New;
}

// "ld.global.cg.v2.f32 {$0, $1}, [$2];" and the vector made of its results.
static Value *inlineLoad(IRBuilder<> &B, LoadInst &Load, Value *Pointer,
                         bool Global, StringRef Policy) {
  LoadForm Form = *loadForm(Load.getType());
  std::string Code = "ld" + std::string(Global ? ".global." : ".");
  std::string Constraints;
  Code += Policy.str() + ".";
  if (Form.Lanes > 1)
    Code += "v" + std::to_string(Form.Lanes) + ".";
  Code += Form.Suffix.str() + (Form.Lanes > 1 ? " {" : " ");
  for (unsigned Lane = 0; Lane < Form.Lanes; ++Lane) {
    Code += (Lane ? ", $" : "$") + std::to_string(Lane);
    Constraints += std::string("=") + Form.Register + ",";
  }
  Code +=
      (Form.Lanes > 1 ? "}, [$" : ", [$") + std::to_string(Form.Lanes) + "];";
  Constraints += "l";
  Type *Scalar = Load.getType()->getScalarType();
  SmallVector<Type *, 4> Results(Form.Lanes, Scalar);
  Type *Result =
      Form.Lanes == 1 ? Scalar : StructType::get(Load.getContext(), Results);
  auto *Asm =
      InlineAsm::get(FunctionType::get(Result, {Pointer->getType()}, false),
                     Code, Constraints, /*hasSideEffects=*/Policy == "cv");
  CallInst *Call = B.CreateCall(Asm, {Pointer});
  if (Policy != "cv") {
    Call->setOnlyReadsMemory();
    Call->setDoesNotThrow();
    Call->addFnAttr(Attribute::WillReturn);
  }
  if (Form.Lanes == 1)
    return Call;
  Value *Vector = PoisonValue::get(Load.getType());
  for (unsigned Lane = 0; Lane < Form.Lanes; ++Lane)
    Vector = B.CreateInsertElement(Vector, B.CreateExtractValue(Call, Lane),
                                   uint64_t(Lane));
  return Vector;
}

Error gevo::applyCache(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (!isEligible(**I))
    return refuse(E.At + " is not a plain load from global memory");
  if (!is_contained(Policies, E.Choice))
    return refuse("there is no cache policy '" + E.Choice + "'; there are " +
                  join(ArrayRef(Policies), ", "));
  auto &Load = cast<LoadInst>(**I);
  Value *Pointer = Load.getPointerOperand();
  bool Global = isGlobal(Pointer, F.function());
  if (E.Choice == "nc" && !Global)
    return refuse(E.At + " may read memory that is not global, which has no "
                         "read-only cache");
  IRBuilder<> B(&Load);
  if (Global && Pointer->getType()->getPointerAddressSpace() != GlobalSpace)
    Pointer = B.CreateAddrSpaceCast(
        Pointer, PointerType::get(Load.getContext(), GlobalSpace));
  Value *New = E.Choice == "nc"
                   ? readOnlyLoad(B, Load, Pointer)
                   : inlineLoad(B, Load, Pointer, Global, E.Choice);
  F.substitute(Load, *cast<Instruction>(New));
  return Error::success();
}
