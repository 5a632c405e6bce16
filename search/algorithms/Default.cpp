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
//   sweep    single deletions, branches and operand edits, the hottest code
//            first
//   pile     the useful ones on top of each other, the best first; then all
//            others on top of that, again and again: an edit may fail only for
//            want of another, as a barrier is needed until what it guards is
//            gone
//   evolve   islands; places by heat, kinds of edit by what they were good for
//            so far, linked edits together, no two with the same code, restarts
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/algorithms/Islands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// How many evaluations the first round ends with, how many of those until the
// end of a round the sweeps may take, after how many of them piling must end,
// and how much of the heat the sweep covers.
static constexpr uint64_t FirstRound = 100;
static constexpr double SweepBudget = 0.4, PileBudget = 0.75, SweepHeat = 0.995;
static constexpr unsigned BatchSize = 64;

static uint64_t endOfRound(const SearchState &State) {
  return FirstRound << State.Round;
}

namespace {
/// One single edit to try.
struct SweepItem {
  const Place *At;
  EditKind Kind;
};
} // namespace

// Deletions and branches of all hot places, then operands: the former are few
// and cut away most.
static std::vector<SweepItem> sweepItems(const std::vector<Place> &Places) {
  uint64_t Total = 0, Sum = 0;
  for (const Place &P : Places)
    Total += P.Heat;
  std::vector<SweepItem> Cuts, Changes;
  for (const Place &P : Places) {
    if (Total && Sum >= Total * SweepHeat)
      break;
    Sum += P.Heat;
    for (EditKind K : P.Kinds)
      (K == EditKind::Operand ? Changes : Cuts).push_back({&P, K});
  }
  llvm::append_range(Cuts, Changes);
  return Cuts;
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
  for (unsigned Try = 0; Try < Tries; ++Try) {
    std::optional<PlacedEdit> E = S.program().propose({}, What, Dice);
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
  for (; State.SweepPosition < Items.size() && Batch.size() < BatchSize;
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
  if (State.SweepPosition >= Items.size() ||
      State.Swept >= SweepBudget * endOfRound(State))
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

// All single edits of the sweep that Base does not have, on top of it: first
// those that a check found fault with, then those with a wrong result, then
// those that changed nothing for the better.
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
    if (!is_contained(Base.Edits, Edits[0]))
      Result.push_back(unite(Base.Edits, Edits));
  return Result;
}

// From the original in the first round, later from the best.
static std::vector<Individual> pileAll(Search &S) {
  SearchState &State = S.state();
  double Enough = PileBudget * endOfRound(State);
  Individual Base;
  Base.Result = State.Baseline;
  Base.PayloadHash = State.BaselineHash;
  if (State.Round && !State.Front.empty())
    Base = State.Front[0];
  std::vector<Individual> Found, Steps = gains(State.Singles, Base);
  while (!Steps.empty() && !S.done()) {
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
  State.Phase = SearchPhase::Sweep;
}

} // namespace gevo
