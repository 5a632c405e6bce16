//===- Swap.cpp - Exchanges the places of two instructions ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   store float %x, ptr %p              call void @barrier()
//   call void @barrier()        =>      store float %x, ptr %p
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"
#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseSwap(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, isMovable);
  if (!I)
    return false;
  Instruction *With =
      D.pick(F, [&](Instruction &W) { return isMovable(W) && &W != I; });
  if (!With)
    return false;
  E.At = F.nameOf(*I);
  E.Other = F.nameOf(*With);
  return true;
}

static void exchange(Instruction &A, Instruction &B) {
  auto *Here =
      new FreezeInst(PoisonValue::get(Type::getInt1Ty(A.getContext())), "", &A);
  A.moveBefore(&B);
  B.moveBefore(Here);
  Here->eraseFromParent();
}

Error gevo::applySwap(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  Expected<Instruction *> With = F.instruction(E.Other);
  if (!With)
    return With.takeError();
  if (!isMovable(**I) || !isMovable(**With) || *I == *With)
    return refuse(E.At + " (" + shapeOf(**I) + ") and " + E.Other + " (" +
                  shapeOf(**With) + ") cannot change places");
  exchange(**I, **With);
  if (Error Refused = repairOperands(F, **I, E.Operands, D))
    return Refused;
  if (Error Refused = repairOperands(F, **With, E.WithOperands, D))
    return Refused;
  if (Error Refused = repairUses(F, **I, E.Uses, D))
    return Refused;
  return repairUses(F, **With, E.WithUses, D);
}
