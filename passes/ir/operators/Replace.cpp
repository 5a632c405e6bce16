//===- Replace.cpp - A clone of one instruction in the place of another ---===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %q = fdiv float %a, %b      =>      %q' = fmul float %a, %b
//   use %q                              use %q'
//
// replace i5 by i2 as c1. If the types differ, the uses of the replaced one
// get a substitute, and the clone is wired into some operand.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseReplace(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, [](Instruction &I) {
    return isTarget(I) && (I.use_empty() || isRepairable(I.getType()));
  });
  if (!I)
    return false;
  Instruction *By =
      D.pick(F, [&](Instruction &B) { return isMovable(B) && &B != I; });
  if (!By)
    return false;
  E.At = F.nameOf(*I);
  E.Other = F.nameOf(*By);
  return true;
}

Error gevo::applyReplace(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  Expected<Instruction *> By = F.instruction(E.Other);
  if (!By)
    return By.takeError();
  if (!isTarget(**I) || !isMovable(**By) || *I == *By)
    return refuse(E.At + " (" + shapeOf(**I) + ") cannot be replaced by " +
                  E.Other + " (" + shapeOf(**By) + ")");
  Instruction *Clone = cloneBefore(**By, **I);
  if (Error Refused = repairOperands(F, *Clone, E.Operands, D, *I))
    return Refused;
  bool SameType = Clone->getType() == (*I)->getType();
  if (SameType && !Clone->getType()->isVoidTy())
    (*I)->replaceUsesWithIf(Clone, [](const Use &) { return true; });
  else if (Error Refused = repairUses(F, **I, E.Uses, D, /*All=*/true))
    return Refused;
  if (Error Refused = wireClone(F, *Clone, E.Into, D))
    return Refused;
  F.remove(**I);
  if (D)
    E.nameClone();
  return F.define(E.As, *Clone);
}
