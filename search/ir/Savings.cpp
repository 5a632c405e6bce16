//===- Savings.cpp - What goes with an instruction ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are not followed round: a value that needs itself counts as needed.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Savings.h"
#include "passes/ir/EditedFunction.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;
using namespace gevo;

Savings::Savings(Function &F, ArrayRef<uint64_t> Heat,
                 const DominatorTree &Dominators)
    : Dominators(Dominators) {
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    if (Number < Heat.size())
      HeatOf[&I] = Heat[Number];
  });
}

uint64_t Savings::ofDeletion(const Instruction &I) const {
  SmallPtrSet<const Instruction *, 16> Gone{&I};
  SmallVector<const Instruction *, 16> Left{&I};
  uint64_t Sum = 0;
  while (!Left.empty())
    for (const Use &U : Left.pop_back_val()->operands()) {
      const auto *Needed = dyn_cast<Instruction>(U);
      if (!Needed || Gone.contains(Needed) || Needed->mayHaveSideEffects() ||
          Needed->isTerminator() ||
          !all_of(Needed->users(), [&](const User *By) {
            return Gone.contains(dyn_cast<Instruction>(By));
          }))
        continue;
      Gone.insert(Needed);
      Left.push_back(Needed);
      Sum += HeatOf.lookup(Needed);
    }
  return Sum;
}

uint64_t Savings::below(const BasicBlock *BB) const {
  uint64_t Sum = 0;
  for (const DomTreeNode *Node : depth_first(Dominators.getNode(BB)))
    for (const Instruction &I : *Node->getBlock())
      Sum += HeatOf.lookup(&I);
  return Sum;
}

uint64_t Savings::ofDecision(const BranchInst &Branch) const {
  uint64_t Most = 0;
  for (const BasicBlock *To : Branch.successors())
    if (To->getSinglePredecessor())
      Most = std::max(Most, below(To));
  return Most + ofDeletion(Branch);
}
