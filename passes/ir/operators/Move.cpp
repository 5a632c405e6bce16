//===- Move.cpp - Moves an instruction before another place ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %v = load float, ptr %p
//   br label %loop
// loop:                         =>    loop:
//   use %v                              %v = load float, ptr %p
//                                       use %v
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseMove(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, isMovable);
  if (!I)
    return false;
  Instruction *Place = D.pick(F, [&](Instruction &P) {
    return isPlace(P) && &P != I && &P != I->getNextNode();
  });
  if (!Place)
    return false;
  E.At = F.nameOf(*I);
  E.Other = F.nameOf(*Place);
  return true;
}

Error gevo::applyMove(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  Expected<Instruction *> Place = F.place(E.Other);
  if (!Place)
    return Place.takeError();
  if (!isMovable(**I))
    return refuse(E.At + " (" + shapeOf(**I) + ") cannot be moved");
  if (!isPlace(**Place) || *Place == *I)
    return refuse(E.At + " cannot be put before " + E.Other);
  (*I)->moveBefore(*Place);
  if (Error Refused = repairOperands(F, **I, E.Operands, D))
    return Refused;
  return repairUses(F, **I, E.Uses, D);
}
