//===- Synchronisation.cpp - What keeps threads in order ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Synchronisation.h"
#include "passes/ir/EditedFunction.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gevo;

static bool isFence(const Instruction &I) {
  if (isa<FenceInst>(I))
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    StringRef Text = Asm->getAsmString();
    return any_of(ArrayRef<StringRef>{"membar", "fence", ".acquire", ".release",
                                      ".acq_rel"},
                  [&](StringRef Word) { return Text.contains(Word); });
  }
  switch (Call->getIntrinsicID()) {
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
    return true;
  default:
    return Call->getCalledFunction() && isa<IntrinsicInst>(Call) &&
           Call->getCalledFunction()->getName().starts_with("llvm.nvvm.fence");
  }
}

static bool isExchange(const Instruction &I) {
  const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  return isa<AtomicCmpXchgInst>(I) ||
         (Atomic && Atomic->getOperation() == AtomicRMWInst::Xchg);
}

static const Value *conditionOf(const Instruction &I) {
  if (const auto *Branch = dyn_cast<BranchInst>(&I))
    return Branch->isConditional() ? Branch->getCondition() : nullptr;
  if (const auto *Select = dyn_cast<SelectInst>(&I))
    return Select->getCondition();
  if (const auto *Switch = dyn_cast<SwitchInst>(&I))
    return Switch->getCondition();
  return nullptr;
}

namespace {
/// What is computed from the results of exchanges.
class FromExchanges {
public:
  explicit FromExchanges(Function &F) : F(F), Dominators(F) {
    for (Instruction &I : instructions(F))
      if (isExchange(I) && Dominators.isReachableFromEntry(I.getParent()))
        All.insert(&I);
    for (size_t Next = 0; Next < All.size(); ++Next)
      addUsersOf(*All[Next]);
    keepDeciding();
  }
  const SmallPtrSet<const Instruction *, 16> &deciding() const {
    return Needed;
  }

private:
  void addUsersOf(Instruction &I);
  void keepDeciding();

  Function &F;
  DominatorTree Dominators;
  SetVector<Instruction *> All;
  SmallPtrSet<const Instruction *, 16> Needed;
};
} // namespace

void FromExchanges::addUsersOf(Instruction &I) {
  for (User *U : I.users()) {
    auto *User = cast<Instruction>(U);
    if (User->isTerminator() || !User->mayReadOrWriteMemory())
      All.insert(User);
  }
  // "Done" is a constant on each way.
  if (!isa<BranchInst>(I))
    return;
  for (BasicBlock &BB : F)
    for (PHINode &Phi : BB.phis())
      if (Phi.getType()->isIntegerTy(1) &&
          any_of(Phi.incoming_values(),
                 [](const Use &V) { return isa<Constant>(V); }) &&
          any_of(Phi.blocks(), [&](const BasicBlock *From) {
            return Dominators.dominates(I.getParent(), From);
          }))
        All.insert(&Phi);
}

void FromExchanges::keepDeciding() {
  SmallVector<const Instruction *, 16> List;
  auto Add = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (I && is_contained(All, I) && Needed.insert(I).second)
      List.push_back(I);
  };
  for (const Instruction *I : All)
    if (const Value *Condition = conditionOf(*I))
      if (const auto *From = dyn_cast<Instruction>(Condition);
          From && is_contained(All, From))
        Add(I), Add(From);
  while (!List.empty()) {
    const Instruction *I = List.pop_back_val();
    // What an exchange gets is for others to see.
    if (isExchange(*I))
      continue;
    for (const Value *V : I->operands())
      Add(V);
  }
}

Unreached gevo::findSynchronising(Function &F) {
  FromExchanges From(F);
  Unreached Result;
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    bool Deciding = From.deciding().contains(&I);
    bool Is = Deciding || isFence(I);
    Result.Synchronising.push_back(Is);
    // Branches are made anew by the clean-up; their conditions are not.
    if (Is && !I.isTerminator() &&
        (!Deciding || isExchange(I) || I.getType()->isIntegerTy(1)))
      Result.Effects.push_back(Number);
  });
  return Result;
}

// Memory that others know of.
static bool isAccess(const Instruction &I) {
  if (!I.mayReadOrWriteMemory() || isFence(I))
    return false;
  if (!isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I)) {
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && !Call->isAssumeLikeIntrinsic() && !Call->isConvergent() &&
           any_of(Call->args(),
                  [](const Use &A) { return A->getType()->isPointerTy(); });
  }
  std::optional<MemoryLocation> At = MemoryLocation::getOrNone(&I);
  return !I.hasMetadata(LLVMContext::MD_invariant_load) && At &&
         !isa<AllocaInst>(getUnderlyingObject(At->Ptr, /*MaxLookup=*/0));
}

FenceOrder::FenceOrder(Function &F) : F(F) {
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    if (isFence(I))
      Fences.emplace_back(Number, &I);
    else if (isAccess(I))
      Accesses.emplace_back(Number, &I);
  });
}

std::vector<FenceOrder::Order> FenceOrder::orders() const {
  std::vector<Order> All;
  // A function that lost its last use is gone with its fences.
  if (none_of(Fences, [](const auto &N) { return bool(N.second); }))
    return All;
  DominatorTree Dominators(F);
  for (const auto &[Access, AccessHandle] : Accesses)
    for (const auto &[Fence, FenceHandle] : Fences) {
      const auto *A = dyn_cast_or_null<Instruction>(AccessHandle);
      const auto *B = dyn_cast_or_null<Instruction>(FenceHandle);
      if (!A || !B || !isAccess(*A))
        continue;
      if (Dominators.dominates(A, B))
        All.emplace_back(Access, Fence, true);
      if (Dominators.dominates(B, A))
        All.emplace_back(Access, Fence, false);
    }
  return All;
}

std::optional<unsigned> FenceOrder::firstBroken(ArrayRef<Order> Wanted) const {
  if (Wanted.empty())
    return std::nullopt;
  std::vector<Order> Now = orders();
  auto IsThere = [](const Numbered &All, unsigned Number) {
    auto It = find_if(All, [&](const auto &N) { return N.first == Number; });
    if (It == All.end())
      return false;
    const Value *V = It->second;
    const auto *I = dyn_cast_or_null<Instruction>(V);
    return I && (isFence(*I) || isAccess(*I));
  };
  for (const Order &O : Wanted)
    if (!std::binary_search(Now.begin(), Now.end(), O) &&
        IsThere(Accesses, std::get<0>(O)) && IsThere(Fences, std::get<1>(O)))
      return std::get<0>(O);
  return std::nullopt;
}
