//===- Default.cpp - The search that a newcomer gets ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds, each with twice as many evaluations as all before it, so that what is
// done does not depend on the budget: a longer search does all that a shorter
// one does, and then more. The phases of a round, a checkpoint after each step:
//
//   families the same edit at all places that are alike, and at parts of them
//   sweep    single deletions, branches and operand edits, the hottest code
//            first
//   pile     the useful ones on top of each other, or of the best so far, the
//            best first; then all others on top of that, again and again: an
//            edit may fail only for want of another, as a barrier is needed
//            until what it guards is gone
//   evolve   islands; places by heat, kinds of edit by what they were good for
//            so far, linked edits together, no two with the same code, restarts
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/algorithms/Families.h"
#include "search/algorithms/Islands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// How many evaluations the first round ends with, how many of those until the
// end of a round families, and families and sweeps, may take, after how many of
// them piling must end, and how much of the heat the sweep covers.
static constexpr uint64_t FirstRound = 100;
static constexpr double FamilyBudget = 0.25, SweepBudget = 0.5,
                        PileBudget = 0.8, SweepHeat = 0.995;
static constexpr unsigned BatchSize = 64;

static uint64_t endOfRound(const SearchState &State) {
  return FirstRound << State.Round;
}

// How many of \p Share of this round's evaluations are left to families and
// sweeps, at most a batch; earlier rounds had theirs.
static size_t left(const SearchState &State, double Share) {
  double End = endOfRound(State), Begin = State.Round ? End / 2 : 0;
  double Left = SweepBudget * Begin + Share * (End - Begin) - State.Swept;
  return Left <= 0 ? 0 : std::min<size_t>(BatchSize, std::ceil(Left));
}

static void tryFamilies(Search &S) {
  // Few at a time: what one finds tells what the next are to try.
  constexpr size_t AtOnce = 16;
  SearchState &State = S.state();
  if (!State.Generation)
    State.Groups = findFamilies(S, S.program().places());
  uint64_t Before = State.Evaluations;
  if (size_t Count = std::min(AtOnce, left(State, FamilyBudget)))
    tryGroups(S, Count);
  State.Swept += State.Evaluations - Before;
  if (State.Groups.empty() || !left(State, FamilyBudget))
    State.Phase = SearchPhase::Sweep;
}

namespace {
/// One single edit to try: of a kind, or this one.
struct SweepItem {
  const Place *At;
  EditKind Kind;
  const Edit *Suggested;
  uint64_t Promise;
};
} // namespace

// What is hot and often of use first.
static std::vector<SweepItem> sweepItems(const std::vector<Place> &Places) {
  std::vector<const Place *> Order;
  uint64_t Total = 0, Sum = 0;
  for (const Place &P : Places) {
    Order.push_back(&P);
    Total += P.Heat + P.Around;
  }
  llvm::stable_sort(Order, [](const Place *A, const Place *B) {
    return A->Heat + A->Around > B->Heat + B->Around;
  });
  std::vector<SweepItem> Items;
  for (const Place *P : Order) {
    if (Total && Sum >= Total * SweepHeat)
      break;
    uint64_t Heat = P->Heat + P->Around;
    Sum += Heat;
    for (const Edit &E : P->Suggested)
      Items.push_back({P, E.Kind, &E, Heat * SuggestedWeight});
    for (const PlaceKind &K : P->Kinds)
      Items.push_back({P, K.Kind, nullptr, Heat * K.Weight});
  }
  llvm::stable_sort(Items, [](const SweepItem &A, const SweepItem &B) {
    return A.Promise > B.Promise;
  });
  return Items;
}

// An edit that was not tried yet, if a few draws find it: the two ways of a
// branch are both tried.
static std::optional<EditList> draw(Search &S, const SweepItem &Item,
                                    const std::vector<EditList> &Others,
                                    Random Dice) {
  constexpr unsigned Tries = 6;
  Proposal What;
  What.Kind = Item.Kind;
  What.At = Item.At;
  for (unsigned Try = 0; Try < (Item.Suggested ? 1 : Tries); ++Try) {
    std::optional<PlacedEdit> E =
        Item.Suggested ? PlacedEdit{Item.At->Function, *Item.Suggested}
                       : S.program().propose({}, What, Dice);
    if (E && !S.seen({*E}) && !is_contained(Others, EditList{*E}))
      return EditList{*E};
  }
  return std::nullopt;
}

static void sweepSome(Search &S) {
  SearchState &State = S.state();
  std::vector<Place> Places = S.program().places();
  std::vector<SweepItem> Items = sweepItems(Places);
  std::vector<EditList> Batch;
  for (size_t Most = left(State, SweepBudget);
       State.SweepPosition < Items.size() && Batch.size() < Most;
       ++State.SweepPosition)
    if (auto Edits = draw(S, Items[State.SweepPosition], Batch,
                          S.dice(State.SweepPosition)))
      Batch.push_back(std::move(*Edits));
  uint64_t Before = State.Evaluations;
  for (Individual &I : S.evaluate(Batch))
    if (I.valid() && I.PayloadHash != State.BaselineHash)
      State.Singles.push_back(std::move(I));
    else if (I.Result.End >= Stage::Run && !I.valid())
      State.Failures.push_back(std::move(I.Edits));
  State.Swept += State.Evaluations - Before;
  if (State.SweepPosition >= Items.size() || !left(State, SweepBudget))
    State.Phase = SearchPhase::Pile;
}

// Those that are better than Base, the best first.
static std::vector<Individual> gains(std::vector<Individual> All,
                                     const Individual &Base) {
  llvm::erase_if(All, [&](const Individual &I) {
    return !I.valid() || objectives(I)[0] >= objectives(Base)[0];
  });
  llvm::sort(All, [](const Individual &A, const Individual &B) {
    return std::pair(A.Result.Time, keyOf(A.Edits)) <
           std::pair(B.Result.Time, keyOf(B.Edits));
  });
  return All;
}

// Puts Steps on top of Base one after the other and keeps those that make it
// faster. Several are tried at a time, each with all before it: more as long as
// all are good, fewer when one is not, since those after it were in vain.
static Individual pile(Search &S, Individual Base,
                       const std::vector<Individual> &Steps) {
  constexpr size_t Least = 2, Most = 16;
  size_t Chunk = Least * 2;
  for (size_t Next = 0; Next < Steps.size() && !S.done();) {
    std::vector<EditList> Prefixes;
    for (size_t I = Next; I < Steps.size() && I < Next + Chunk; ++I)
      Prefixes.push_back(
          unite(I == Next ? Base.Edits : Prefixes.back(), Steps[I].Edits));
    size_t Good = 0;
    for (Individual &I : S.evaluate(Prefixes)) {
      if (!I.valid() || objectives(I)[0] >= objectives(Base)[0])
        break;
      Base = std::move(I);
      ++Good;
    }
    bool All = Good == Prefixes.size();
    Next += All ? Good : Good + 1;
    Chunk = All ? std::min(Chunk * 2, Most) : std::max(Chunk / 2, Least);
  }
  return Base;
}

static bool has(const EditList &All, const EditList &Some) {
  return all_of(Some,
                [&](const PlacedEdit &E) { return is_contained(All, E); });
}

// The same change of the same instruction, made in two ways.
static bool clash(const EditList &All, const EditList &Some) {
  return any_of(Some, [&](const PlacedEdit &E) {
    return any_of(All, [&](const PlacedEdit &Other) {
      return Other.Function == E.Function && Other.Change.At == E.Change.At &&
             Other.Change.Kind == E.Change.Kind &&
             Other.Change.Choice != E.Change.Choice;
    });
  });
}

// All that families and sweeps came by and that Base does not have, on top of
// it: first what a check found fault with, then what had a wrong result, then
// what changed nothing for the better.
static std::vector<EditList> onTopOf(Search &S, const Individual &Base) {
  SearchState &State = S.state();
  std::vector<EditList> Checked, Wrong, Result;
  // These answers are known.
  for (Individual &I : S.evaluate(State.Failures))
    (I.Result.End == Stage::Check ? Checked : Wrong).push_back(I.Edits);
  for (const Individual &I : State.Singles)
    Wrong.push_back(I.Edits);
  llvm::append_range(Checked, Wrong);
  for (const EditList &Edits : Checked)
    if (!has(Base.Edits, Edits) && !clash(Base.Edits, Edits))
      Result.push_back(unite(Base.Edits, Edits));
  return Result;
}

// From the original in the first round, later from the best: on top of that
// those which are better than the original and which it does not have.
static std::vector<Individual> pileAll(Search &S) {
  SearchState &State = S.state();
  double Enough = PileBudget * endOfRound(State);
  Individual Original, Base;
  Original.Result = State.Baseline;
  Original.PayloadHash = State.BaselineHash;
  Base = State.Round && !State.Front.empty() ? State.Front[0] : Original;
  std::vector<Individual> Found, Steps = gains(State.Singles, Original);
  llvm::erase_if(Steps, [&](const Individual &I) {
    return !Base.Edits.empty() &&
           (has(Base.Edits, I.Edits) || S.seen(unite(Base.Edits, I.Edits)));
  });
  bool First = true;
  while ((First || !Steps.empty()) && !S.done()) {
    First = false;
    Base = pile(S, std::move(Base), Steps);
    Found.push_back(Base);
    std::vector<EditList> Longer = onTopOf(S, Base);
    std::vector<Individual> Tried;
    for (size_t I = 0; I < Longer.size() && State.Evaluations < Enough;
         I += BatchSize)
      llvm::append_range(
          Tried, S.evaluate(ArrayRef(Longer).slice(
                     I, std::min<size_t>(BatchSize, Longer.size() - I))));
    Steps = gains(std::move(Tried), Base);
  }
  return Found;
}

namespace gevo {

void stepDefault(Search &S) {
  SearchState &State = S.state();
  if (State.Phase == SearchPhase::Families)
    return tryFamilies(S);
  if (State.Phase == SearchPhase::Sweep)
    return sweepSome(S);
  if (State.Phase == SearchPhase::Pile) {
    seedIslands(S, pileAll(S));
    State.Phase = SearchPhase::Evolve;
    return;
  }
  evolveIslands(S);
  if (State.Evaluations < endOfRound(State))
    return;
  ++State.Round;
  State.Phase = SearchPhase::Families;
}

} // namespace gevo
