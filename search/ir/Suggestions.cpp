//===- Suggestions.cpp - Edits that often help ----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   store v, p                            store v, p
//   barrier                     =>        barrier
//   x = load p; use x                     use v
//
//   loop: s = ...; store s, p   =>        loop: s = ...
//   exit:                                 exit: store s, p
//
//===----------------------------------------------------------------------===//

#include "search/ir/Suggestions.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Legality.h"
#include "passes/ir/Operators.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace gevo;

namespace {

class Suggester {
public:
  explicit Suggester(Function &F) : Anchors(F), Loops(Anchors.dominators()) {}

  std::vector<Edit> of(Instruction &I) const {
    std::vector<Edit> All;
    if (!Anchors.isReachable(I))
      return All;
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple()) {
      add(forward(*Load), All);
      add(hoist(*Load), All);
      add(pullAhead(*Load), All);
    } else if (auto *Store = dyn_cast<StoreInst>(&I);
               Store && Store->isSimple()) {
      add(sink(*Store), All);
      add(delay(*Store), All);
    }
    add(approximate(I), All);
    return All;
  }

private:
  static void add(std::optional<Edit> E, std::vector<Edit> &To) {
    if (E && !is_contained(To, *E))
      To.push_back(std::move(*E));
  }
  std::optional<Edit> moveBefore(Instruction &I, Instruction *Place) const;
  std::optional<Edit> forward(LoadInst &Load) const;
  std::optional<Edit> hoist(LoadInst &Load) const;
  std::optional<Edit> sink(StoreInst &Store) const;
  std::optional<Edit> pullAhead(LoadInst &Load) const;
  std::optional<Edit> delay(StoreInst &Store) const;
  std::optional<Edit> approximate(Instruction &I) const;

  EditedFunction Anchors;
  LoopInfo Loops;
};

} // namespace

// All that \p I needs must be there; what uses it is for others to see to.
std::optional<Edit> Suggester::moveBefore(Instruction &I,
                                          Instruction *Place) const {
  if (!Place || Place == &I || Place == I.getNextNode() || !isMovable(I) ||
      !isPlace(*Place) || any_of(I.operands(), [&](const Use &U) {
        return !Anchors.isAvailable(*U, *Place);
      }))
    return std::nullopt;
  Edit E;
  E.Kind = EditKind::Move;
  E.At = Anchors.nameOf(I);
  E.Other = Anchors.nameOf(*Place);
  return E;
}

// The last value that went through the address on every way to the load.
std::optional<Edit> Suggester::forward(LoadInst &Load) const {
  const DominatorTree &Dominators = Anchors.dominators();
  Instruction *Last = nullptr;
  for (User *U : Load.getPointerOperand()->users()) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I || I == &Load || I->getFunction() != Load.getFunction() ||
        getLoadStorePointerOperand(I) != Load.getPointerOperand() ||
        getLoadStoreType(I) != Load.getType() ||
        !Dominators.dominates(I, &Load))
      continue;
    if (!Last || Dominators.dominates(Last, I))
      Last = I;
  }
  if (!Last || !isTarget(Load))
    return std::nullopt;
  Edit E;
  E.Kind = EditKind::Delete;
  E.At = Anchors.nameOf(Load);
  E.Uses = Anchors.nameOf(isa<StoreInst>(Last) ? *Last->getOperand(0) : *Last);
  return E;
}

std::optional<Edit> Suggester::hoist(LoadInst &Load) const {
  std::optional<Edit> Best;
  for (const Loop *L = Loops.getLoopFor(Load.getParent()); L;
       L = L->getParentLoop())
    if (BasicBlock *Before = L->getLoopPreheader())
      if (auto E = moveBefore(Load, Before->getTerminator()))
        Best = std::move(E);
  return Best;
}

std::optional<Edit> Suggester::sink(StoreInst &Store) const {
  std::optional<Edit> Best;
  for (const Loop *L = Loops.getLoopFor(Store.getParent()); L;
       L = L->getParentLoop())
    if (BasicBlock *After = L->getUniqueExitBlock())
      if (L->isLoopInvariant(Store.getPointerOperand()))
        if (auto E = moveBefore(Store, &*After->getFirstInsertionPt()))
          Best = std::move(E);
  return Best;
}

// To where its address is known, past the last thing in its block that keeps
// the code generator from doing so.
std::optional<Edit> Suggester::pullAhead(LoadInst &Load) const {
  Instruction *To = nullptr;
  for (Instruction *I = Load.getPrevNode(); I && !isa<PHINode>(I);
       I = I->getPrevNode()) {
    if (I == Load.getPointerOperand())
      break;
    if (I->mayWriteToMemory())
      To = I;
  }
  return moveBefore(Load, To);
}

// To where the next access of its address is, or to where ways to it part: next
// to that, the clean-up can make one of both.
std::optional<Edit> Suggester::delay(StoreInst &Store) const {
  const DominatorTree &Dominators = Anchors.dominators();
  Instruction *Next = nullptr;
  for (User *U : Store.getPointerOperand()->users()) {
    auto *I = dyn_cast<Instruction>(U);
    if (!I || I == &Store || I->getFunction() != Store.getFunction() ||
        getLoadStorePointerOperand(I) != Store.getPointerOperand() ||
        !Anchors.isReachable(*I) || !Dominators.dominates(&Store, I))
      continue;
    if (!Next || Dominators.dominates(I, Next))
      Next = I;
  }
  if (!Next)
    return std::nullopt;
  if (Next->getParent() != Store.getParent())
    Next = Dominators.getNode(Next->getParent())
               ->getIDom()
               ->getBlock()
               ->getTerminator();
  // Once is enough.
  if (Loops.getLoopFor(Next->getParent()) !=
      Loops.getLoopFor(Store.getParent()))
    return std::nullopt;
  return moveBefore(Store, Next);
}

// Exact divisions and roots take many instructions; the other relaxations
// change one instruction into another.
std::optional<Edit> Suggester::approximate(Instruction &I) const {
  for (StringRef Name : relaxationsOf(I))
    if (Name == "div" || Name == "rcp" || Name == "sqrt") {
      Edit E;
      E.Kind = EditKind::Math;
      E.At = Anchors.nameOf(I);
      E.Choice = Name.str();
      return E;
    }
  return std::nullopt;
}

std::vector<std::vector<Edit>> gevo::suggestEdits(Function &F) {
  Suggester S(F);
  std::vector<std::vector<Edit>> All;
  forEachAnchored(F, [&](Instruction &I, unsigned) { All.push_back(S.of(I)); });
  return All;
}
