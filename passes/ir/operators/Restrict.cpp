//===- Restrict.cpp - Takes a pointer for the only way to its memory ------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   define void @k(ptr %sum, ptr %in)
//   loop: %s = load %sum; %v = load %in[i]; store %s + %v, %sum; br ...
//
//   =>  define void @k(ptr noalias %sum, ptr %in)          restrict i4
//       loop: %v = load %in[i]; %s = %s + %v; br ...
//       done: store %s, %sum
//
// What a programmer says with __restrict__, of the argument that an access goes
// through: what is read through it stays in a register whatever is written
// through others. The edit puts the promise on the argument; the clean-up makes
// use of it. Runs prove it for their inputs only, as they do all other edits.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/CleanUp.h"
#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gevo;

bool gevo::chooseRestrict(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, [](Instruction &I) {
    const Argument *A = argumentOf(I);
    return A && !A->hasNoAliasAttr();
  });
  if (!I)
    return false;
  E.At = F.nameOf(*I);
  return true;
}

Error gevo::applyRestrict(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (!getLoadStorePointerOperand(*I))
    return refuse(E.At + " is neither a load nor a store");
  Argument *A = argumentOf(**I);
  if (!A)
    return refuse(E.At + " does not go through a pointer argument");
  A->addAttr(Attribute::NoAlias);
  wantRestricted(F.function());
  return Error::success();
}
