//===- DeadMemory.cpp - Memory that decides nothing -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Aggressive dead-code elimination with memory in it: everything counts as
// dead until something with an effect needs it, and a write has an effect only
// if a live instruction reads the variable that it goes to.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/DeadMemory.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

// The pointer that I writes through, if writing there is all that it does
// beside its result; or null.
static const Use *writtenThrough(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple()
               ? &Store->getOperandUse(StoreInst::getPointerOperandIndex())
               : nullptr;
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return RMW->isVolatile()
               ? nullptr
               : &RMW->getOperandUse(AtomicRMWInst::getPointerOperandIndex());
  if (const auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
    return CAS->isVolatile() ? nullptr
                             : &CAS->getOperandUse(
                                   AtomicCmpXchgInst::getPointerOperandIndex());
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->isVolatile() ? nullptr : &Memory->getRawDestUse();
  return nullptr;
}

// The pointer to what decides I's result, or what I writes; or null.
static const Use *readThrough(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return &Load->getOperandUse(LoadInst::getPointerOperandIndex());
  if (const auto *Copy = dyn_cast<MemTransferInst>(&I))
    return &Copy->getRawSourceUse();
  return isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I) ? writtenThrough(I)
                                                            : nullptr;
}

static bool passesPointerOn(const User &U) {
  return isa<GEPOperator>(U) || isa<AddrSpaceCastOperator>(U) ||
         isa<PHINode>(U) || isa<SelectInst>(U);
}

// All that happens to the variable is reading and writing, and F does it.
static bool isPrivate(const Value &Variable, const Function &F) {
  SmallSetVector<const Value *, 8> Pointers;
  Pointers.insert(&Variable);
  for (size_t Next = 0; Next < Pointers.size(); ++Next)
    for (const Use &U : Pointers[Next]->uses()) {
      const auto *I = dyn_cast<Instruction>(U.getUser());
      if (I && I->getFunction() != &F)
        return false;
      if (passesPointerOn(*U.getUser()))
        Pointers.insert(U.getUser());
      else if (!I || (writtenThrough(*I) != &U && readThrough(*I) != &U &&
                      !I->isLifetimeStartOrEnd()))
        return false;
    }
  return true;
}

// What a pointer can lead to. No limit on the way back: where it ends is what
// counts.
static SmallVector<const Value *, 4> objectsOf(const Use *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer->get(), Objects, /*LI=*/nullptr,
                       /*MaxLookup=*/0);
  return Objects;
}

namespace {

class Liveness {
public:
  explicit Liveness(Function &F);
  bool removeDead();

private:
  void findVariables();
  void need(const Value *V);
  bool isDead(const Instruction &I) const;

  Function &F;
  DenseSet<const Value *> Private;
  /// What would write to each private variable, were it read.
  DenseMap<const Value *, SmallVector<const Instruction *, 8>> Writes;
  DenseSet<const Value *> Read;
  DenseSet<const Instruction *> Live;
  SmallVector<const Instruction *, 64> Work;
};

} // namespace

void Liveness::findVariables() {
  SmallSetVector<Value *, 16> Variables;
  for (Instruction &I : instructions(F)) {
    if (isa<AllocaInst>(I))
      Variables.insert(&I);
    for (Value *V : I.operand_values())
      if (auto *G = dyn_cast<GlobalVariable>(getUnderlyingObject(V)))
        if (G->hasLocalLinkage())
          Variables.insert(G);
  }
  for (Value *V : Variables) {
    if (auto *G = dyn_cast<GlobalVariable>(V))
      G->removeDeadConstantUsers();
    if (isPrivate(*V, F))
      Private.insert(V);
  }
}

void Liveness::need(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (I && Live.insert(I).second)
    Work.push_back(I);
}

Liveness::Liveness(Function &F) : F(F) {
  findVariables();
  for (const Instruction &I : instructions(F)) {
    const Use *Pointer = writtenThrough(I);
    SmallVector<const Value *, 4> Objects;
    if (Pointer)
      Objects = objectsOf(Pointer);
    if (Pointer &&
        all_of(Objects, [&](const Value *V) { return Private.contains(V); }))
      for (const Value *V : Objects)
        Writes[V].push_back(&I);
    else if (I.isTerminator() ||
             (I.mayHaveSideEffects() && !I.isLifetimeStartOrEnd()))
      need(&I);
  }
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    for (const Value *V : I->operand_values())
      need(V);
    if (const Use *Pointer = readThrough(*I))
      for (const Value *V : objectsOf(Pointer))
        if (Read.insert(V).second)
          for (const Instruction *Write : Writes.lookup(V))
            need(Write);
  }
}

bool Liveness::isDead(const Instruction &I) const {
  if (Live.contains(&I))
    return false;
  if (!I.isLifetimeStartOrEnd())
    return writtenThrough(I);
  const Value *V = getUnderlyingObject(I.getOperand(1));
  return Private.contains(V) && !Read.contains(V);
}

bool Liveness::removeDead() {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isDead(I)) {
      // Only the dead use what it returns.
      if (!I.getType()->isVoidTy())
        I.replaceAllUsesWith(PoisonValue::get(I.getType()));
      I.eraseFromParent();
      Any = true;
    }
  return Any;
}

bool gevo::removeDeadMemory(Function &F) { return Liveness(F).removeDead(); }
