//===- Reach.cpp - Code that no input comes to ----------------------------===//
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
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gevo;

void gevo::watchBlocks(Module &M, ArrayRef<Function *> Functions) {
  constexpr unsigned GlobalSpace = 1;
  size_t Count = 0;
  for (const Function *F : Functions)
    Count += F->size();
  Type *Byte = Type::getInt8Ty(M.getContext());
  // An empty variable would be none.
  ArrayType *Bytes = ArrayType::get(Byte, Count + 1);
  auto *Reached = new GlobalVariable(
      M, Bytes, /*isConstant=*/false, GlobalValue::ExternalLinkage,
      Constant::getNullValue(Bytes), ReachVariable, nullptr,
      GlobalValue::NotThreadLocal, GlobalSpace);
  size_t Next = 0;
  for (Function *F : Functions)
    for (BasicBlock &BB : *F) {
      IRBuilder<> At(&BB, BB.getFirstInsertionPt());
      At.CreateStore(At.getInt8(1),
                     At.CreateConstInBoundsGEP1_64(Byte, Reached, Next++),
                     /*isVolatile=*/true);
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

Unreached gevo::findUnreached(Function &F, StringRef Bytes) {
  DenseMap<const BasicBlock *, bool> Reached;
  for (const BasicBlock &BB : F)
    Reached[&BB] =
        Reached.size() < Bytes.size() && Bytes[Reached.size()] != '0';
  Unreached Result;
  forEachAnchored(F, [&](Instruction &I, unsigned Number) {
    bool Is = !Reached.lookup(I.getParent());
    Result.All.push_back(Is);
    if (Is && hasEffect(I))
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
        watchBlocks(Copy, Copies);
      });
}

void IrProgram::setReached(ArrayRef<std::string> Marks) {
  NotReached.assign(Functions.size(), {});
  // What one module comes to is reached in all.
  std::vector<std::string> Reached(Functions.size());
  for (unsigned M = 0; M < Modules.size(); ++M) {
    StringRef Rest = Marks[M];
    for (auto [Index, F] : targetsOf(M)) {
      StringRef Here = Rest.take_front(F->size());
      Rest = Rest.drop_front(Here.size());
      Reached[Index].resize(F->size(), '0');
      for (size_t I = 0; I < Here.size(); ++I)
        Reached[Index][I] = std::max(Reached[Index][I], Here[I]);
    }
  }
  for (unsigned Index = 0; Index < Functions.size(); ++Index) {
    const Target &T = Functions[Index];
    NotReached[Index] = findUnreached(*T.F, Reached[Index]);
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
  return Fitness::failed(
      Stage::Reach, Anchor + " (" + Of.Note + ")" + Where + " is " + How.str() +
                        ", which no input comes to: nothing would show whether "
                        "that is right");
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
