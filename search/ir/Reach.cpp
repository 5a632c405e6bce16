//===- Reach.cpp - What no input comes to or decides ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Reach.h"
#include "passes/ir/EditedFunction.h"
#include "search/ir/Marks.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gevo;

void gevo::watchReach(Module &M, ArrayRef<Function *> Functions) {
  size_t Count = 0, Next = 0;
  std::vector<Decision> Decisions;
  for (Function *F : Functions) {
    Count += F->size();
    append_range(Decisions, decisionsOf(*F));
  }
  Marks Reached(M, ReachVariable, Count + 2 * Decisions.size());
  for (Function *F : Functions)
    for (BasicBlock &BB : *F) {
      IRBuilder<> At(&BB, BB.getFirstInsertionPt());
      Reached.set(At, Next++);
    }
  for (const Decision &D : Decisions) {
    BasicBlock *BB = D.Of->getParent();
    IRBuilder<> At(BB, isa<PHINode>(D.Of) ? BB->getFirstInsertionPt()
                                          : std::next(D.Of->getIterator()));
    Reached.setOne(At, cameOutSo(D, At), /*IfTrue=*/Next + 1,
                   /*IfFalse=*/Next);
    Next += 2;
  }
}

// A thread's own memory says nothing to others, and what is computed in it ends
// in what does. Functions may print, fail or not return; barriers hold others.
static bool hasEffect(const Instruction &I) {
  constexpr unsigned LocalSpace = 5;
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isConvergent())
    return true;
  if (!I.mayHaveSideEffects() || isa<LoadInst>(I))
    return false;
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && Call->isAssumeLikeIntrinsic())
    return false;
  std::optional<MemoryLocation> At = MemoryLocation::getOrNone(&I);
  return !At || !(At->Ptr->getType()->getPointerAddressSpace() == LocalSpace ||
                  isa<AllocaInst>(getUnderlyingObject(At->Ptr,
                                                      /*MaxLookup=*/0)));
}

namespace {
/// Decisions that were seen to be made in one way only, and how.
using UndecidedMap = DenseMap<const Value *, SmallVector<Answer, 2>>;
} // namespace

static UndecidedMap
findUndecided(Function &F, StringRef Bytes,
              function_ref<bool(const Instruction &)> IsReached) {
  UndecidedMap Result;
  for (const Decision &D : decisionsOf(F)) {
    StringRef Seen = Bytes.take_front(2);
    Bytes = Bytes.drop_front(Seen.size());
    // Arithmetic that always does something is as good as any other.
    bool Is = D.Asked == Answer::True ? Seen != "11" : Seen == "01";
    if (Seen.size() == 2 && Is && IsReached(*D.Of))
      Result[D.Of].push_back(D.Asked);
  }
  return Result;
}

// With what they alone decide, and what nothing else is computed from.
static DenseSet<const Value *> dependents(Function &F,
                                          const UndecidedMap &Undecided) {
  DenseSet<const Value *> All;
  for (const auto &[V, Asked] : Undecided)
    All.insert(V);
  for (const Instruction &I : instructions(F)) {
    const auto *Branch = dyn_cast<BranchInst>(&I);
    if ((Branch && Branch->isConditional()) || isa<SelectInst>(I))
      if (Undecided.contains(Branch ? Branch->getCondition() : I.getOperand(0)))
        All.insert(&I);
  }
  auto IsUnseen = [&](const Use &U) {
    auto Known = Undecided.find(U.getUser());
    if (Known == Undecided.end())
      return All.contains(U.getUser()) && !isa<SelectInst>(U.getUser());
    return none_of(Known->second, [&](Answer Asked) {
      return isOperandSeen(Asked, U.getOperandNo());
    });
  };
  for (bool Grown = true; Grown;) {
    Grown = false;
    for (const Instruction &I : instructions(F))
      if (!I.use_empty() && !I.mayHaveSideEffects() &&
          all_of(I.uses(), IsUnseen))
        Grown |= All.insert(&I).second;
  }
  return All;
}

Unreached gevo::findUnreached(Function &F, StringRef Blocks,
                              StringRef Decisions) {
  DenseMap<const BasicBlock *, bool> Reached;
  for (const BasicBlock &BB : F)
    Reached[&BB] =
        Reached.size() < Blocks.size() && Blocks[Reached.size()] != '0';
  UndecidedMap Undecided =
      findUndecided(F, Decisions, [&](const Instruction &I) {
        return Reached.lookup(I.getParent());
      });
  DenseSet<const Value *> Depend = dependents(F, Undecided);
  Unreached Result;
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    bool Is = !Reached.lookup(I.getParent());
    Result.All.push_back(Is);
    Result.Undecided.push_back(!Is && Depend.contains(&I));
    if ((Is && hasEffect(I)) || Undecided.contains(&I))
      Result.Effects.push_back(Number);
    for (const Use &U : I.operands())
      if (Undecided.contains(U))
        Result.Uses.emplace(Number, U.getOperandNo());
  });
  return Result;
}

KeptEffects::KeptEffects(Function &Copy, const Unreached &Which) {
  if (Which.Effects.empty())
    return;
  auto Next = Which.Effects.begin();
  forEachAnchored(Copy, [&](Instruction &I, unsigned Number) {
    if (Next == Which.Effects.end() || Number != *Next)
      return;
    Effects.push_back({Number, &I, decides(I)});
    ++Next;
  });
}

bool KeptEffects::Effect::isThere() const {
  const Value *V = Now;
  const auto *I = dyn_cast_or_null<Instruction>(V);
  return Decides ? I && decides(*I) : V != nullptr;
}

std::optional<unsigned> KeptEffects::firstLost() const {
  for (const Effect &E : Effects)
    if (!E.isThere())
      return E.Number;
  return std::nullopt;
}

std::vector<unsigned> KeptEffects::left() const {
  std::vector<unsigned> Numbers;
  for (const Effect &E : Effects)
    if (E.isThere())
      Numbers.push_back(E.Number);
  return Numbers;
}
