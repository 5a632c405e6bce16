//===- Sweep.cpp - Single edits, the most promising first -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a class the order never changes, so that a position in each is all
// that there is to remember.
//
//===----------------------------------------------------------------------===//

#include "search/algorithms/Sweep.h"
#include "search/algorithms/Families.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace gevo;

// How much of the heat is covered.
static constexpr double SweepHeat = 0.995;

namespace {
/// One single edit to try: of a kind, or this one.
struct Item {
  const Place *At;
  EditKind Kind;
  const Edit *Suggested;
  uint64_t Promise;
};
using Class = std::vector<Item>;
} // namespace

// Edits of one kind that are as likely to be of use, the most promising first.
static std::vector<Class> classesOf(const std::vector<Place> &Places) {
  std::vector<const Place *> Order;
  uint64_t Total = 0, Sum = 0;
  for (const Place &P : Places) {
    Order.push_back(&P);
    Total += P.Heat + P.Around;
  }
  llvm::stable_sort(Order, [](const Place *A, const Place *B) {
    return A->Heat + A->Around > B->Heat + B->Around;
  });
  std::map<std::tuple<bool, EditKind, unsigned>, Class> Classes;
  for (const Place *P : Order) {
    if (Total && Sum >= Total * SweepHeat)
      break;
    Sum += P->Heat + P->Around;
    for (const Edit &E : P->Suggested)
      Classes[{true, E.Kind, 0}].push_back(
          {P, E.Kind, &E, P->promise({E.Kind, SuggestedWeight})});
    for (const PlaceKind &K : P->Kinds)
      Classes[{false, K.Kind, K.Weight}].push_back(
          {P, K.Kind, nullptr, P->promise(K)});
  }
  std::vector<Class> Result;
  for (auto &[Key, Items] : Classes) {
    llvm::stable_sort(Items, [](const Item &A, const Item &B) {
      return A.Promise > B.Promise;
    });
    Result.push_back(std::move(Items));
  }
  return Result;
}

// The class whose next edit promises most, by what its edits were good for so
// far: one of four that is of use keeps it where it began.
static std::optional<size_t> next(const std::vector<Class> &Classes,
                                  const std::vector<SweepScore> &Scores) {
  constexpr double Doubt = 4;
  std::optional<size_t> Best;
  double Most = -1;
  for (size_t I = 0; I < Classes.size(); ++I) {
    if (Scores[I].Position >= Classes[I].size())
      continue;
    const KindScore &Score = Scores[I].Score;
    double Promise = Classes[I][Scores[I].Position].Promise * Doubt *
                     (1 + Score.Useful) / (Doubt + Score.Tried);
    if (Promise > Most) {
      Most = Promise;
      Best = I;
    }
  }
  return Best;
}

// An edit that was not tried yet, if a few draws find it: the two ways of a
// branch are both tried.
static std::optional<EditList> draw(Search &S, const Item &What,
                                    const std::vector<EditList> &Others,
                                    Random Dice) {
  constexpr unsigned Tries = 6;
  Proposal Wanted;
  Wanted.Kind = What.Kind;
  Wanted.At = What.At;
  for (unsigned Try = 0; Try < (What.Suggested ? 1 : Tries); ++Try) {
    std::optional<PlacedEdit> E =
        What.Suggested ? PlacedEdit{What.At->Function, *What.Suggested}
                       : S.program().propose({}, Wanted, Dice);
    if (E && !S.seen({*E}) && !is_contained(Others, EditList{*E}))
      return EditList{*E};
  }
  return std::nullopt;
}

bool gevo::sweep(Search &S, size_t Count) {
  SearchState &State = S.state();
  std::vector<Place> Places = S.program().places();
  std::vector<Class> Classes = classesOf(Places);
  State.Sweep.resize(Classes.size());
  std::vector<EditList> Batch;
  std::vector<size_t> From;
  std::optional<size_t> Now = next(Classes, State.Sweep);
  for (; Now && Batch.size() < Count; Now = next(Classes, State.Sweep)) {
    SweepScore &Score = State.Sweep[*Now];
    const Item &What = Classes[*Now][Score.Position];
    if (auto Edits = draw(S, What, Batch,
                          S.dice(uint64_t(*Now) << 32 | Score.Position))) {
      Batch.push_back(std::move(*Edits));
      From.push_back(*Now);
    }
    ++Score.Position;
  }
  std::vector<Individual> Tried = S.evaluate(Batch);
  for (size_t I = 0; I < Tried.size(); ++I) {
    KindScore &Score = State.Sweep[From[I]].Score;
    ++Score.Tried;
    Individual &Single = Tried[I];
    if (Single.valid() && Single.PayloadHash != State.BaselineHash) {
      Score.Useful += Single.Result.Time < State.Baseline.Time;
      State.Singles.push_back(std::move(Single));
    } else if (Single.Result.End >= Stage::Run && !Single.valid()) {
      State.Failures.push_back(std::move(Single.Edits));
    }
  }
  return Now.has_value();
}
