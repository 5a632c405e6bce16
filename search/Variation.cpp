//===- Variation.cpp - Offspring ------------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Crossover, units and mutation, none of which knows what an edit does.
//
//===----------------------------------------------------------------------===//

#include "search/Variation.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// B names a clone that A makes.
static bool needs(const PlacedEdit &B, const PlacedEdit &A) {
  if (A.Change.As.empty() || A.Function != B.Function)
    return false;
  bool Named = false;
  B.Change.forEachName(
      [&](const std::string &Name) { Named |= Name == A.Change.As; });
  return Named;
}

std::vector<std::vector<size_t>> gevo::unitsOf(const EditList &Edits,
                                               const Links &Linked) {
  EquivalenceClasses<size_t> Classes;
  std::vector<std::string> Keys;
  for (const PlacedEdit &E : Edits)
    Keys.push_back(E.key());
  for (size_t I = 0; I < Edits.size(); ++I) {
    Classes.insert(I);
    for (size_t J = 0; J < I; ++J)
      if (needs(Edits[I], Edits[J]) || Linked.count({Keys[I], Keys[J]}) ||
          Linked.count({Keys[J], Keys[I]}))
        Classes.unionSets(I, J);
  }
  std::vector<std::vector<size_t>> Units;
  for (size_t I = 0; I < Edits.size(); ++I) {
    size_t Leader = Classes.getLeaderValue(I);
    auto Unit = find_if(Units, [&](const std::vector<size_t> &U) {
      return Classes.getLeaderValue(U.front()) == Leader;
    });
    if (Unit == Units.end())
      Units.push_back({I});
    else
      Unit->push_back(I);
  }
  return Units;
}

EditList gevo::unite(const EditList &A, const EditList &B) {
  EditList All = A;
  for (const PlacedEdit &E : B)
    if (!is_contained(All, E))
      All.push_back(E);
  return All;
}

std::pair<EditList, EditList> gevo::crossOver(const EditList &A,
                                              const EditList &B,
                                              const Links &Linked,
                                              Random &Dice) {
  EditList All = unite(A, B);
  // 1, 2 or 3: in the first child, in the second, in both.
  std::vector<unsigned> Children(All.size());
  for (const std::vector<size_t> &Unit : unitsOf(All, Linked)) {
    unsigned Child = 1 + Dice.below(2);
    for (size_t I : Unit) {
      bool Common = is_contained(A, All[I]) && is_contained(B, All[I]);
      Children[I] = Common ? 3 : Child;
    }
  }
  std::pair<EditList, EditList> Result;
  for (size_t I = 0; I < All.size(); ++I) {
    if (Children[I] & 1)
      Result.first.push_back(All[I]);
    if (Children[I] & 2)
      Result.second.push_back(All[I]);
  }
  return Result;
}

static void shuffle(EditList &Edits, Random &Dice) {
  for (size_t I = Edits.size(); I > 1; --I)
    std::swap(Edits[I - 1], Edits[Dice.below(I)]);
}

std::pair<EditList, EditList>
gevo::crossOverByCut(const EditList &A, const EditList &B, Random &Dice) {
  EditList Common, Apart;
  for (const PlacedEdit &E : unite(A, B))
    (is_contained(A, E) && is_contained(B, E) ? Common : Apart).push_back(E);
  shuffle(Apart, Dice);
  auto Cut = Apart.begin() + Dice.below(Apart.size() + 1);
  std::pair<EditList, EditList> Children(Common, Common);
  Children.first.insert(Children.first.end(), Apart.begin(), Cut);
  Children.second.insert(Children.second.end(), Cut, Apart.end());
  return Children;
}

EditList gevo::dropUnit(const EditList &Edits, const Links &Linked,
                        Random &Dice) {
  if (Edits.empty())
    return {};
  std::vector<std::vector<size_t>> Units = unitsOf(Edits, Linked);
  const std::vector<size_t> &Unit = Dice.pick(Units);
  EditList Rest;
  for (size_t I = 0; I < Edits.size(); ++I)
    if (!is_contained(Unit, I))
      Rest.push_back(Edits[I]);
  return Rest;
}

std::optional<EditList> gevo::append(Program &P, const EditList &Base,
                                     const Proposal &What, Random &Dice) {
  constexpr unsigned Tries = 4;
  for (unsigned Try = 0; Try < Tries; ++Try)
    if (std::optional<PlacedEdit> E = P.propose(Base, What, Dice)) {
      EditList Longer = Base;
      Longer.push_back(std::move(*E));
      return Longer;
    }
  return std::nullopt;
}

size_t gevo::tournament(const std::vector<size_t> &Order, Random &Dice) {
  size_t A = Dice.below(Order.size()), B = Dice.below(Order.size());
  return Order[std::min(A, B)];
}
