//===- Decisions.cpp - What can come out one way or another ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Decisions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gevo;

static ArrayRef<Answer> answersOfCall(const IntrinsicInst &Call) {
  static constexpr Answer Either[] = {Answer::First, Answer::Second};
  static constexpr Answer First[] = {Answer::First};
  static constexpr Answer Plain[] = {Answer::Plain};
  switch (Call.getIntrinsicID()) {
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::nvvm_fmin_f:
  case Intrinsic::nvvm_fmin_ftz_f:
  case Intrinsic::nvvm_fmin_d:
  case Intrinsic::nvvm_fmax_f:
  case Intrinsic::nvvm_fmax_ftz_f:
  case Intrinsic::nvvm_fmax_d:
    return Either;
  case Intrinsic::abs:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::nvvm_fabs_f:
  case Intrinsic::nvvm_fabs_ftz_f:
  case Intrinsic::nvvm_fabs_d:
  case Intrinsic::nvvm_saturate_f:
  case Intrinsic::nvvm_saturate_ftz_f:
  case Intrinsic::nvvm_saturate_d:
    return First;
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
    return Plain;
  default:
    return {};
  }
}

static ArrayRef<Answer> answersOf(const Instruction &I) {
  static constexpr Answer Truth[] = {Answer::True};
  static constexpr Answer First[] = {Answer::First};
  static constexpr Answer Zero[] = {Answer::Zero};
  const Type *T = I.getType();
  if (T->isIntegerTy(1))
    return Truth;
  if (!T->isIntegerTy() && !T->isFloatingPointTy())
    return {};
  switch (I.getOpcode()) {
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::FRem:
    return First;
  case Instruction::UDiv:
  case Instruction::SDiv:
    return Zero;
  // What a compiler makes of remainders and quotients of powers of two.
  case Instruction::And:
  // Of what is zero as long as a loop's first turn is its last.
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<ConstantInt>(I.getOperand(1)) ? First : ArrayRef<Answer>();
  case Instruction::LShr:
    return isa<ConstantInt>(I.getOperand(1)) ? Zero : ArrayRef<Answer>();
  case Instruction::Call:
    if (const auto *Call = dyn_cast<IntrinsicInst>(&I))
      return answersOfCall(*Call);
    return {};
  default:
    return {};
  }
}

std::vector<Decision> gevo::decisionsOf(Function &F) {
  std::vector<Decision> All;
  for (Instruction &I : instructions(F))
    for (Answer Asked : answersOf(I))
      All.push_back({&I, Asked});
  return All;
}

bool gevo::decides(const Instruction &I) { return !answersOf(I).empty(); }

// Zeros differ by their sign, and what is no number has bits, too.
static Value *bitsOf(Value *V, IRBuilder<> &At) {
  Type *T = V->getType();
  if (T->isFloatingPointTy())
    V = At.CreateBitCast(V, At.getIntNTy(T->getPrimitiveSizeInBits()));
  return At.CreateFreeze(V);
}

static Value *plainOf(const Instruction &I, IRBuilder<> &At) {
  Value *A = I.getOperand(0), *B = I.getOperand(1);
  switch (cast<IntrinsicInst>(I).getIntrinsicID()) {
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
    return At.CreateAdd(A, B);
  default:
    return At.CreateSub(A, B);
  }
}

Value *gevo::cameOutSo(const Decision &D, IRBuilder<> &At) {
  Instruction &I = *D.Of;
  switch (D.Asked) {
  case Answer::True:
    return At.CreateFreeze(&I);
  case Answer::First:
  case Answer::Second:
    return At.CreateICmpEQ(bitsOf(&I, At),
                           bitsOf(I.getOperand(D.Asked == Answer::Second), At));
  case Answer::Zero:
    return At.CreateICmpEQ(bitsOf(&I, At), ConstantInt::get(I.getType(), 0));
  case Answer::Plain:
    return At.CreateICmpEQ(bitsOf(&I, At), bitsOf(plainOf(I, At), At));
  }
  llvm_unreachable("all answers are above");
}

bool gevo::isOperandSeen(Answer Asked, unsigned Index) {
  switch (Asked) {
  case Answer::First:
    return Index == 0;
  case Answer::Second:
    return Index == 1;
  case Answer::Plain:
    return true;
  case Answer::True:
  case Answer::Zero:
    return false;
  }
  llvm_unreachable("all answers are above");
}
