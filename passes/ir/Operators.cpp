//===- Operators.cpp - The kinds of edit on LLVM IR -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatch from kinds to operators, and the draw of a random edit.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Operators.h"
#include "passes/ir/Describe.h"

using namespace llvm;
using namespace gevo;

static Error applyKind(EditedFunction &F, Edit &E, Draw *D) {
  switch (E.Kind) {
#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary)          \
  case EditKind::Id:                                                           \
    return apply##Id(F, E, D);
#include "passes/edit/EditKinds.def"
  }
  llvm_unreachable("a kind without a row");
}

static bool chooseKind(const EditedFunction &F, Edit &E, Draw &D) {
  switch (E.Kind) {
#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary)          \
  case EditKind::Id:                                                           \
    return choose##Id(F, E, D);
#include "passes/edit/EditKinds.def"
  }
  llvm_unreachable("a kind without a row");
}

static EditKind drawKind(Random &Dice) {
  uint64_t Total = 0;
  for (const EditKindInfo &K : editKinds())
    Total += K.Weight;
  uint64_t Ticket = Dice.below(Total);
  for (const EditKindInfo &K : editKinds()) {
    if (Ticket < K.Weight)
      return K.Kind;
    Ticket -= K.Weight;
  }
  llvm_unreachable("the ticket is below the total");
}

Error gevo::applyEdit(EditedFunction &F, const Edit &E) {
  Edit Copy = E;
  return applyKind(F, Copy, nullptr);
}

std::optional<Edit> gevo::chooseEdit(const EditedFunction &F, Draw &D,
                                     std::optional<EditKind> Kind) {
  Edit E;
  E.Kind = Kind ? *Kind : drawKind(D.Dice);
  if (!chooseKind(F, E, D))
    return std::nullopt;
  describe(F, E);
  return E;
}

bool gevo::isComplete(const EditedFunction &F, const Edit &E) {
  const EditKindInfo &K = info(E.Kind);
  if (E.Kind == EditKind::Delete)
    return cantFail(F.instruction(E.At), "it was chosen")->use_empty();
  return !K.Optional && !K.needs(EditField::Value);
}

bool gevo::drawRest(EditedFunction &F, Edit &E, Draw &D) {
  Error Refused = applyKind(F, E, &D);
  bool Applied = !Refused;
  consumeError(std::move(Refused));
  return Applied;
}

std::optional<Edit> gevo::drawEdit(EditedFunction &F, Draw &D, bool &Dirty,
                                   std::optional<EditKind> Kind) {
  Dirty = false;
  std::optional<Edit> E = chooseEdit(F, D, Kind);
  if (!E)
    return std::nullopt;
  Dirty = !drawRest(F, *E, D);
  return Dirty ? std::nullopt : E;
}

Instruction *gevo::cloneBefore(const Instruction &I, Instruction &Place) {
  Instruction *Clone = I.clone();
  Clone->insertBefore(&Place);
  // What held for the original at its place need not hold for the clone.
  Clone->dropUnknownNonDebugMetadata();
  return Clone;
}
