//===- Branch.cpp - Makes a conditional branch always go one way ----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   br i1 %c, label %a, label %b    =>    br label %a
//
// The blocks that can no longer be reached stay until the clean-up, so that
// their anchors keep their meaning for later edits.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Operators.h"

using namespace llvm;
using namespace gevo;

static bool isConditional(const Instruction &I) {
  const auto *Branch = dyn_cast<BranchInst>(&I);
  return Branch && Branch->isConditional();
}

bool gevo::chooseBranch(const EditedFunction &F, Edit &E, Draw &D) {
  Instruction *I = D.pick(F, isConditional);
  if (!I)
    return false;
  E.At = F.nameOf(*I);
  E.Choice = D.Dice.below(2) ? "true" : "false";
  return true;
}

Error gevo::applyBranch(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (!isConditional(**I))
    return refuse(E.At + " is not a conditional branch");
  if (E.Choice != "true" && E.Choice != "false")
    return refuse("a branch takes \"true\" or \"false\", not '" + E.Choice +
                  "'");
  auto *Branch = cast<BranchInst>(*I);
  unsigned Taken = E.Choice == "true" ? 0 : 1;
  BasicBlock *Lost = Branch->getSuccessor(1 - Taken);
  auto *Always = BranchInst::Create(Branch->getSuccessor(Taken), Branch);
  Lost->removePredecessor(Branch->getParent(), /*KeepOneInputPHIs=*/true);
  F.substitute(*Branch, *Always);
  F.controlFlowChanged();
  return Error::success();
}
