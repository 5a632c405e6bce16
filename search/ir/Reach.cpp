//===- Reach.cpp - What no input comes to or decides ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Reach.h"
#include "passes/ir/CleanUp.h"
#include "passes/ir/Describe.h"
#include "passes/ir/EditedFunction.h"
#include "search/ir/IrProgram.h"
#include "search/ir/Marks.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gevo;

std::vector<Instruction *> gevo::decisionsOf(Function &F) {
  std::vector<Instruction *> All;
  for (Instruction &I : instructions(F))
    if (I.getType()->isIntegerTy(1))
      All.push_back(&I);
  return All;
}

void gevo::watchReach(Module &M, ArrayRef<Function *> Functions) {
  size_t Count = 0, Next = 0;
  std::vector<Instruction *> Decisions;
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
  for (Instruction *I : Decisions) {
    BasicBlock *BB = I->getParent();
    IRBuilder<> At(BB, isa<PHINode>(I) ? BB->getFirstInsertionPt()
                                       : std::next(I->getIterator()));
    Reached.setOne(At, At.CreateFreeze(I), /*IfTrue=*/Next + 1,
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

// Decisions that were seen to be made in one way only.
static DenseSet<const Value *>
findUndecided(Function &F, StringRef Bytes,
              function_ref<bool(const Instruction &)> IsReached) {
  DenseSet<const Value *> Result;
  for (const Instruction *I : decisionsOf(F)) {
    StringRef Seen = Bytes.take_front(2);
    Bytes = Bytes.drop_front(Seen.size());
    if (Seen.size() == 2 && Seen != "11" && IsReached(*I))
      Result.insert(I);
  }
  return Result;
}

// With what they alone decide, and what nothing else is computed from.
static DenseSet<const Value *>
dependents(Function &F, const DenseSet<const Value *> &Undecided) {
  DenseSet<const Value *> All = Undecided;
  for (const Instruction &I : instructions(F)) {
    const auto *Branch = dyn_cast<BranchInst>(&I);
    if ((Branch && Branch->isConditional()) || isa<SelectInst>(I))
      if (Undecided.contains(Branch ? Branch->getCondition() : I.getOperand(0)))
        All.insert(&I);
  }
  for (bool Grown = true; Grown;) {
    Grown = false;
    for (const Instruction &I : instructions(F))
      if (!I.use_empty() && !I.mayHaveSideEffects() &&
          all_of(I.users(), [&](const User *U) {
            return Undecided.contains(U) ||
                   (All.contains(U) && !isa<SelectInst>(U));
          }))
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
  DenseSet<const Value *> Undecided =
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
    Effects.emplace_back(Number, &I);
    ++Next;
  });
}

std::optional<unsigned> KeptEffects::firstLost() const {
  for (const auto &[Number, Handle] : Effects)
    if (!Handle)
      return Number;
  return std::nullopt;
}

std::vector<unsigned> KeptEffects::left() const {
  std::vector<unsigned> Numbers;
  for (const auto &[Number, Handle] : Effects)
    if (Handle)
      Numbers.push_back(Number);
  return Numbers;
}

std::map<unsigned, Function *> IrProgram::targetsOf(unsigned M) const {
  std::map<unsigned, Function *> All;
  for (unsigned Index = 0; Index < Functions.size(); ++Index)
    if (Function *F = Functions[Index].in(M))
      All[Index] = F;
  return All;
}

Built IrProgram::buildMarked() const {
  return buildChanged(
      [&](unsigned M, Module &Copy, const ValueToValueMapTy &Map) {
        std::vector<Function *> Copies;
        for (auto [Index, F] : targetsOf(M))
          Copies.push_back(cast<Function>(Map.lookup(F)));
        watchReach(Copy, Copies);
      });
}

void IrProgram::setReached(ArrayRef<std::string> Marks) {
  NotReached.assign(Functions.size(), {});
  // What one module comes to or decides is so in all.
  std::vector<std::string> Reached(Functions.size()), Decided(Functions.size());
  for (unsigned M = 0; M < Modules.size(); ++M) {
    StringRef Rest = Marks[M];
    auto Take = [&Rest](std::string &To, size_t Count) {
      StringRef Here = Rest.take_front(Count);
      Rest = Rest.drop_front(Here.size());
      To.resize(std::max(To.size(), Here.size()), '0');
      for (size_t I = 0; I < Here.size(); ++I)
        To[I] = std::max(To[I], Here[I]);
    };
    for (auto [Index, F] : targetsOf(M))
      Take(Reached[Index], F->size());
    for (auto [Index, F] : targetsOf(M))
      Take(Decided[Index], 2 * decisionsOf(*F).size());
  }
  for (unsigned Index = 0; Index < Functions.size(); ++Index) {
    const Target &T = Functions[Index];
    NotReached[Index] = findUnreached(*T.F, Reached[Index], Decided[Index]);
    if (NotReached[Index].Effects.empty())
      continue;
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy = copyOf(T.Module, Map, T.F);
    auto *F = cast<Function>(&*Map[T.F]);
    KeptEffects Kept(*F, NotReached[Index]);
    CleanUp(*Copy, ToolsOf[T.Module]->Clean).run(F);
    NotReached[Index].Effects = Kept.left();
  }
}

bool IrProgram::isUnreached(unsigned Function,
                            std::optional<unsigned> Number) const {
  return Number && Function < NotReached.size() &&
         NotReached[Function].contains(*Number);
}

Fitness IrProgram::unproven(unsigned Function, const std::string &Anchor,
                            StringRef How) const {
  Edit Of;
  Of.At = Anchor;
  describe(EditedFunction(*Functions[Function].F), Of);
  std::string Where = Of.Location ? " at " + Of.Location.str() : "";
  std::optional<unsigned> Number = numberOf(Anchor);
  bool Undecided = Number && NotReached[Function].isUndecided(*Number);
  return Fitness::failed(
      Stage::Reach,
      Anchor + " (" + Of.Note + ")" + Where + " is " + How.str() +
          (Undecided ? ", of a test that comes out the same on all inputs"
                     : ", which no input comes to") +
          ": nothing would show whether that is right");
}

// Fields that name what an edit changes; others say where a value comes from.
std::string IrProgram::changesUnreached(const PlacedEdit &E) const {
  const Edit &Change = E.Change;
  for (const std::string *Anchor : {&Change.At, &Change.Other}) {
    bool Source = Anchor == &Change.Other && Change.Kind == EditKind::Replace;
    if (!Source && isUnreached(E.Function, numberOf(*Anchor)))
      return *Anchor;
  }
  return "";
}
