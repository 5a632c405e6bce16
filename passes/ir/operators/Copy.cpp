//===- Copy.cpp - Clones an instruction before another place --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   store float %x, ptr %p
//   call void @barrier()        =>      call void @barrier()
//                                       store float %x, ptr %p   (again)
//
// A clone with a value is wired into some operand of its type that it
// dominates, as otherwise it would be dead.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseCopy(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, isMovable);
  Instruction *Place = D.pick(F, isPlace);
  if (!I || !Place)
    return false;
  E.At = F.nameOf(*I);
  E.Other = F.nameOf(*Place);
  return true;
}

Error gevo::applyCopy(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  Expected<Instruction *> Place = F.place(E.Other);
  if (!Place)
    return Place.takeError();
  if (!isMovable(**I))
    return refuse(E.At + " (" + shapeOf(**I) + ") cannot be copied");
  if (!isPlace(**Place))
    return refuse("nothing can be put before " + E.Other);
  Instruction *Clone = cloneBefore(**I, **Place);
  if (Error Refused = repairOperands(F, *Clone, E.Operands, D))
    return Refused;
  if (Error Refused = wireClone(F, *Clone, E.Into, D))
    return Refused;
  if (D)
    E.nameClone();
  return F.define(E.As, *Clone);
}
