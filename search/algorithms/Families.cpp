//===- Families.cpp - The same edit at places that are alike --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves of what failed promise less than their share of the heat, so that
// every family is tried as a whole before any is looked at closely.
//
//===----------------------------------------------------------------------===//

#include "search/algorithms/Families.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace gevo;

// The ways in which a kind of edit can be made at a place alike in all others:
// those that name nothing but a choice.
static std::vector<PlacedEdit> drawAlike(Search &S, const Place &At,
                                         EditKind Kind, Random Dice) {
  constexpr unsigned Tries = 6;
  std::vector<PlacedEdit> All;
  Proposal What;
  What.Kind = Kind;
  What.At = &At;
  What.Plain = true;
  for (unsigned Try = 0; Try < Tries; ++Try) {
    std::optional<PlacedEdit> E = S.program().propose({}, What, Dice);
    if (E && !is_contained(All, *E))
      All.push_back(std::move(*E));
  }
  return All;
}

std::vector<EditGroup> gevo::findFamilies(Search &S,
                                          const std::vector<Place> &Places) {
  constexpr size_t Most = 256;
  // In the order of the code, which halves keep together; without that which
  // takes no time.
  bool Profiled = !Places.empty() && Places[0].Heat;
  std::vector<const Place *> Order;
  for (const Place &P : Places)
    if ((P.Family || P.Twin) && (P.Heat || P.Around || !Profiled))
      Order.push_back(&P);
  llvm::sort(Order, [](const Place *A, const Place *B) {
    return std::pair(A->Function, A->Number) <
           std::pair(B->Function, B->Number);
  });
  std::map<std::tuple<unsigned, uint64_t, std::string>, EditGroup> Families;
  auto Join = [&](const Place &P, const std::string &Way, PlacedEdit E,
                  const PlaceKind &K) {
    // Pointers promise most if none of them is any other's.
    bool IsAlone = K.Kind != EditKind::Restrict;
    EditGroup &G = Families[{P.Function, IsAlone ? P.Family : 0, Way}];
    // Each place once.
    if (G.Edits.size() == Most ||
        (!G.Edits.empty() && G.Edits.back().Change.At == E.Change.At))
      return;
    G.Edits.push_back(std::move(E));
    G.Promise += P.promise(K);
  };
  std::map<unsigned, EditGroup> Twins;
  for (const Place *P : Order) {
    if (P->Twin) {
      EditGroup &G = Twins[P->Function];
      G.Edits.push_back({P->Function, *P->Twin});
      G.Promise += (P->Heat + P->Around) * SuggestedWeight;
    }
    if (!P->Family)
      continue;
    for (size_t I = 0; I < P->Suggested.size(); ++I)
      Join(*P, "suggested " + info(P->Suggested[I].Kind).Name.str(),
           {P->Function, P->Suggested[I]},
           {P->Suggested[I].Kind, SuggestedWeight});
    std::map<EditKind, PlaceKind> Kinds;
    for (const PlaceKind &K : P->Kinds)
      Kinds.insert({K.Kind, K});
    for (const auto &[Kind, K] : Kinds)
      for (PlacedEdit &E : drawAlike(
               S, *P, Kind, S.dice(uint64_t(P->Function) << 32 | P->Number)))
        Join(*P, info(Kind).Name.str() + " " + E.Change.Choice, E, K);
  }
  std::vector<EditGroup> Groups;
  for (auto &[Function, G] : Twins)
    Groups.push_back(std::move(G));
  for (auto &[Key, G] : Families)
    if (G.Edits.size() > 1)
      Groups.push_back(std::move(G));
  return Groups;
}

static void split(const EditGroup &G, std::vector<EditGroup> &To) {
  constexpr uint64_t Doubt = 2;
  size_t Half = G.Edits.size() / 2;
  ArrayRef<PlacedEdit> All(G.Edits);
  for (ArrayRef<PlacedEdit> Part : {All.take_front(Half), All.drop_front(Half)})
    To.push_back(
        {EditList(Part), G.Promise * Part.size() / All.size() / Doubt});
}

void gevo::tryGroups(Search &S, size_t Count) {
  SearchState &State = S.state();
  std::vector<EditGroup> &Groups = State.Groups;
  // Of equals, those that were found first.
  llvm::stable_sort(Groups, [](const EditGroup &A, const EditGroup &B) {
    return A.Promise > B.Promise;
  });
  Count = std::min(Count, Groups.size());
  std::vector<EditGroup> Now(Groups.begin(), Groups.begin() + Count);
  Groups.erase(Groups.begin(), Groups.begin() + Count);
  std::vector<EditList> Batch;
  for (const EditGroup &G : Now)
    Batch.push_back(G.Edits);
  std::vector<Individual> Tried = S.evaluate(Batch);
  for (size_t I = 0; I < Tried.size(); ++I) {
    if (Tried[I].valid()) {
      if (Tried[I].Result.Time < State.Baseline.Time)
        State.Singles.push_back(std::move(Tried[I]));
      continue;
    }
    bool Single = Now[I].Edits.size() == 1;
    if (!Single)
      split(Now[I], Groups);
    // Barriers may all go once what they guard is gone.
    Stage End = Tried[I].Result.End;
    if (Single ? End >= Stage::Run : End == Stage::Check)
      State.Failures.push_back(std::move(Tried[I].Edits));
  }
}
