//===- Operand.cpp - Gives an operand another value of its type -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %s = add i32 %i, %stride    =>      %s = add i32 %i, 1
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseOperand(const EditedFunction &F, Edit &E, Draw &D) {
  auto Replaceable = [](const Instruction &I) {
    SmallVector<unsigned, 4> Operands;
    for (unsigned Index = 0; Index < I.getNumOperands(); ++Index)
      if (isReplaceable(I, Index, /*Variable=*/true))
        Operands.push_back(Index);
    return Operands;
  };
  Instruction *I = D.pick(F, [&](Instruction &I) {
    return (!D.OnlyTargets || isTarget(I)) && !Replaceable(I).empty();
  });
  if (!I)
    return false;
  SmallVector<unsigned, 4> Operands = Replaceable(*I);
  E.At = F.nameOf(*I);
  E.Index = D.Dice.pick(Operands);
  return true;
}

// What an operand is read before: a phi reads at the end of the block that the
// value comes from.
static const Instruction &readPoint(const Instruction &I, unsigned Index) {
  if (const auto *Phi = dyn_cast<PHINode>(&I))
    return *Phi->getIncomingBlock(Index)->getTerminator();
  return I;
}

Error gevo::applyOperand(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (E.Index >= (*I)->getNumOperands())
    return refuse(E.At + " has no operand " + Twine(E.Index));
  Value *Old = (*I)->getOperand(E.Index);
  if (D)
    E.Value = F.nameOf(
        *drawValue(F, *D, Old->getType(), readPoint(**I, E.Index), Old));
  Expected<Value *> New = F.value(E.Value, Old->getType());
  if (!New)
    return New.takeError();
  if (D && *New == Old)
    return refuse("the operand has this value already");
  return setOperand(F, **I, E.Index, *New);
}
