//===- Delete.cpp - Removes an instruction --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %p = fmul float %a, %b
//   %q = fadd float %p, %c      =>      %q = fadd float %a, %c
//
// delete i0, uses a0. A value without uses needs no substitute.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseDelete(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, [](Instruction &I) {
    return isTarget(I) && (I.use_empty() || isRepairable(I.getType()));
  });
  if (!I)
    return false;
  E.At = F.nameOf(*I);
  return true;
}

Error gevo::applyDelete(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (!isTarget(**I))
    return refuse(E.At + " (" + shapeOf(**I) + ") cannot be deleted");
  if (Error Refused = repairUses(F, **I, E.Uses, D, /*All=*/true))
    return Refused;
  F.remove(**I);
  return Error::success();
}
