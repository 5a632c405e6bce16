//===- Unproven.cpp - Edits that nothing would show to be wrong -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Reach and Synchronisation find is held against edits, and against what
// they leave of a function.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/CleanUp.h"
#include "passes/ir/Describe.h"
#include "passes/ir/EditedFunction.h"
#include "search/ir/IrProgram.h"

using namespace llvm;
using namespace gevo;

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

void IrProgram::findSynchronisation() {
  Synchronising.assign(Functions.size(), {});
  Orders.assign(Functions.size(), {});
  for (unsigned Index = 0; Index < Functions.size(); ++Index) {
    const Target &T = Functions[Index];
    Synchronising[Index] = findSynchronising(*T.F);
    if (Synchronising[Index].Effects.empty())
      continue;
    ValueToValueMapTy Map;
    std::unique_ptr<Module> Copy = copyOf(T.Module, Map, T.F);
    auto *F = cast<Function>(&*Map[T.F]);
    KeptEffects Kept(*F, Synchronising[Index]);
    FenceOrder Order(*F);
    CleanUp(*Copy, ToolsOf[T.Module]->Clean).run(F);
    Synchronising[Index].Effects = Kept.left();
    Orders[Index] = Order.orders();
  }
}

void IrProgram::forgetReached() {
  NotReached.clear();
  Synchronising.clear();
  Orders.clear();
}

IrProgram::Kept::Kept(const IrProgram &P, unsigned Index, Function &Copy)
    : P(P), Index(Index), Order(Copy) {
  for (const std::vector<Unreached> *Of : {&P.NotReached, &P.Synchronising})
    if (Index < Of->size())
      Effects.emplace_back(Copy, (*Of)[Index]);
}

Fitness IrProgram::Kept::judge() const {
  for (const KeptEffects &E : Effects)
    if (std::optional<unsigned> Lost = E.firstLost())
      return P.unproven(Index, "i" + std::to_string(*Lost), "removed");
  if (Index < P.Orders.size())
    if (std::optional<unsigned> Moved = Order.firstBroken(P.Orders[Index]))
      return P.unproven(Index, "i" + std::to_string(*Moved),
                        "moved across a fence", Doubt::Order);
  return Fitness();
}

bool IrProgram::isUnreached(unsigned Function,
                            std::optional<unsigned> Number) const {
  auto Has = [&](const std::vector<Unreached> &In) {
    return Number && Function < In.size() && In[Function].contains(*Number);
  };
  return Has(NotReached) || Has(Synchronising);
}

Fitness IrProgram::unproven(unsigned Function, const std::string &Anchor,
                            StringRef How, Doubt Why) const {
  Edit Of;
  Of.At = Anchor;
  EditedFunction Original(*Functions[Function].F);
  describe(Original, Of);
  std::string Where = Of.Location ? " at " + Of.Location.str() : "";
  Expected<Instruction *> I = Original.instruction(Anchor);
  bool Computes = I && decides(**I) && !(*I)->getType()->isIntegerTy(1);
  if (!I)
    consumeError(I.takeError());
  unsigned Number = numberOf(Anchor).value_or(0);
  bool IsHere =
      Function < NotReached.size() && NotReached[Function].contains(Number);
  StringRef Reason = ", which no input comes to";
  if (Why == Doubt::Order)
    Reason = "";
  else if (Why == Doubt::Use)
    Reason = ", and was given what comes out the same on all inputs";
  else if (!IsHere)
    Reason = ", which keeps threads in order";
  else if (NotReached[Function].isUndecided(Number))
    Reason = Computes ? ", which does nothing on all inputs"
                      : ", of a test that comes out the same on all inputs";
  return Fitness::failed(Stage::Reach,
                         (Anchor + " (" + Of.Note + ")" + Where + " is " + How +
                          Reason + ": nothing would show whether that is right")
                             .str());
}

// Fields that name what an edit changes; others say where a value comes from.
Fitness IrProgram::changesUnreached(const PlacedEdit &E) const {
  const Edit &Change = E.Change;
  for (const std::string *Anchor : {&Change.At, &Change.Other}) {
    bool Source = Anchor == &Change.Other && Change.Kind == EditKind::Replace;
    if (!Source && isUnreached(E.Function, numberOf(*Anchor)))
      return unproven(E.Function, *Anchor, "changed");
  }
  if (E.Function >= NotReached.size())
    return Fitness();
  auto Passes = [&](const std::string &Anchor, unsigned Operand) {
    std::optional<unsigned> Number = numberOf(Anchor);
    return Number && NotReached[E.Function].Uses.count({*Number, Operand});
  };
  bool Is =
      (Change.Kind == EditKind::Operand && Passes(Change.At, Change.Index)) ||
      (Change.Into && Passes(Change.Into->At, Change.Into->Operand));
  if (Is)
    return unproven(E.Function, Change.Into ? Change.Into->At : Change.At,
                    "changed", Doubt::Use);
  return Fitness();
}
