//===- Math.cpp - Relaxes one floating-point operation --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %q = fdiv float %a, %b   =>   %q = call float @llvm.nvvm.div.approx.f(
//                                                float %a, float %b)
//
// What becomes what stands in MathRelaxations.def.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace gevo;

namespace {

enum class OperandShape { Same, Reciprocal, Subtract };

// Opcodes and intrinsics are numbered apart; rows say which they mean by type.
struct Source {
  unsigned Opcode = 0;
  Intrinsic::ID ID = Intrinsic::not_intrinsic;
  constexpr Source(Instruction::BinaryOps Op) : Opcode(Op) {}
  constexpr Source(Intrinsic::IndependentIntrinsics ID) : ID(ID) {}
  constexpr Source(Intrinsic::NVVMIntrinsics ID) : ID(ID) {}

  bool matches(const Instruction &I) const {
    if (ID == Intrinsic::not_intrinsic)
      return I.getOpcode() == Opcode;
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && Call->getIntrinsicID() == ID;
  }
};

struct Relaxation {
  StringLiteral Name;
  Source From;
  Intrinsic::ID To;
  OperandShape Shape;
};

} // namespace

static constexpr Relaxation Relaxations[] = {
#define GEVO_MATH_RELAXATION(Name, From, To, Shape)                            \
  {Name, From, Intrinsic::To, OperandShape::Shape},
#include "passes/ir/MathRelaxations.def"
};

static constexpr StringLiteral Flags[] = {
#define GEVO_MATH_FLAG(Name, Summary) Name,
#include "passes/ir/MathRelaxations.def"
};

static bool isRow(const Relaxation &R, const Instruction &I) {
  if (!R.From.matches(I))
    return false;
  // The intrinsics are scalar and of one width; the row's must be this one's.
  if (I.getType() != Intrinsic::getType(I.getContext(), R.To)->getReturnType())
    return false;
  if (R.Shape != OperandShape::Reciprocal)
    return true;
  const auto *One = dyn_cast<ConstantFP>(I.getOperand(0));
  return One && One->isExactlyValue(1.0);
}

static bool takesFlag(StringRef Name, const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return Name == "reassoc" ? !I.hasAllowReassoc() : !I.hasAllowContract();
  default:
    return false;
  }
}

SmallVector<StringRef, 4> gevo::relaxationsOf(const Instruction &I) {
  SmallVector<StringRef, 4> Choices;
  for (StringRef Flag : Flags)
    if (takesFlag(Flag, I))
      Choices.push_back(Flag);
  for (const Relaxation &R : Relaxations)
    if (isRow(R, I) && !is_contained(Choices, R.Name))
      Choices.push_back(R.Name);
  return Choices;
}

bool gevo::chooseMath(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I =
      D.pick(F, [](Instruction &I) { return !relaxationsOf(I).empty(); });
  if (!I)
    return false;
  SmallVector<StringRef, 4> Choices = relaxationsOf(*I);
  E.At = F.nameOf(*I);
  E.Choice = D.Dice.pick(Choices).str();
  return true;
}

static Instruction *relaxed(const Relaxation &R, Instruction &I) {
  IRBuilder<> B(&I);
  SmallVector<Value *, 3> Arguments;
  switch (R.Shape) {
  case OperandShape::Same:
    if (auto *Call = dyn_cast<CallBase>(&I))
      Arguments.append(Call->arg_begin(), Call->arg_end());
    else
      Arguments.append(I.value_op_begin(), I.value_op_end());
    break;
  case OperandShape::Reciprocal:
    Arguments = {I.getOperand(1)};
    break;
  case OperandShape::Subtract:
    Arguments = {I.getOperand(0), B.CreateFNeg(I.getOperand(1))};
    break;
  }
  return B.CreateIntrinsic(R.To, {}, Arguments);
}

Error gevo::applyMath(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (is_contained(Flags, E.Choice) && takesFlag(E.Choice, **I)) {
    if (E.Choice == "contract") {
      (*I)->setHasAllowContract(true);
    } else {
      (*I)->setHasAllowReassoc(true);
      // Regrouping cannot keep the sign of a zero.
      (*I)->setHasNoSignedZeros(true);
    }
    return Error::success();
  }
  for (const Relaxation &R : Relaxations)
    if (R.Name == E.Choice && isRow(R, **I)) {
      F.substitute(**I, *relaxed(R, **I));
      return Error::success();
    }
  std::string Others = join(relaxationsOf(**I), ", ");
  return refuse("'" + E.Choice + "' does not relax " + E.At + " (" +
                shapeOf(**I) + "); " +
                (Others.empty() ? "nothing does" : "what does: " + Others));
}
