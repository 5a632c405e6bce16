//===- Default.cpp - The search that a newcomer gets ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three phases, a checkpoint after each step of them:
//
//   sweep    single deletions, branches and operand edits, the hottest code
//   first stack    the useful ones on top of each other, the best first evolve
//   islands; places by heat, kinds of edit by what they were good for
//            so far, linked edits together, no two with the same code, restarts
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/algorithms/Islands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// How much of the budget the sweep may take, and how much of the heat it
// covers.
static constexpr double SweepBudget = 0.4, SweepHeat = 0.995;
static constexpr unsigned SweepStep = 64;

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

static void sweepSome(Search &S) {
  SearchState &State = S.state();
  std::vector<Place> Places = S.program().places();
  std::vector<SweepItem> Items = sweepItems(Places);
  std::vector<EditList> Batch;
  for (; State.SweepPosition < Items.size() && Batch.size() < SweepStep;
       ++State.SweepPosition) {
    const SweepItem &Item = Items[State.SweepPosition];
    Random Dice = S.dice(State.SweepPosition);
    Proposal What;
    What.Kind = Item.Kind;
    What.At = Item.At;
    if (auto E = S.program().propose({}, What, Dice))
      Batch.push_back({*E});
  }
  for (Individual &I : S.evaluate(Batch))
    if (I.valid() && I.PayloadHash != State.BaselineHash)
      State.Singles.push_back(std::move(I));
    else if (I.Result.End >= Stage::Run && !I.valid())
      State.Failures.push_back(std::move(I.Edits));
  State.SweepDone =
      State.SweepPosition >= Items.size() || S.spent() >= SweepBudget;
}

// The useful singles, the best first, one for each instruction.
static std::vector<Individual> gains(Search &S) {
  std::vector<Individual> Sorted = S.state().Singles;
  llvm::sort(Sorted, [](const Individual &A, const Individual &B) {
    return std::pair(A.Result.Time, keyOf(A.Edits)) <
           std::pair(B.Result.Time, keyOf(B.Edits));
  });
  std::set<std::pair<unsigned, std::string>> Taken;
  llvm::erase_if(Sorted, [&](const Individual &I) {
    const PlacedEdit &E = I.Edits[0];
    return objectives(I)[0] >= S.state().Baseline.Time ||
           !Taken.insert({E.Function, E.Change.At}).second;
  });
  return Sorted;
}

// Evaluates all prefixes of the list at once, drops the first edit that does
// not fit those before it, and begins again: the part before is known by then.
static std::vector<Individual> stack(Search &S) {
  constexpr unsigned Most = 24, MostRounds = 8;
  std::vector<Individual> Steps = gains(S);
  if (Steps.size() > Most)
    Steps.resize(Most);
  std::vector<Individual> Tower;
  for (unsigned Round = 0; Round < MostRounds && !S.done(); ++Round) {
    std::vector<EditList> Prefixes;
    for (const Individual &I : Steps)
      Prefixes.push_back(
          unite(Prefixes.empty() ? EditList() : Prefixes.back(), I.Edits));
    Tower = S.evaluate(Prefixes);
    double Last = S.state().Baseline.Time;
    size_t Fits = 0;
    while (Fits < Tower.size() && Tower[Fits].valid() &&
           Tower[Fits].Result.Time < Last)
      Last = Tower[Fits++].Result.Time;
    if (Fits == Tower.size())
      break;
    Steps.erase(Steps.begin() + Fits);
  }
  llvm::erase_if(Tower, [](const Individual &I) { return !I.valid(); });
  return Tower;
}

namespace gevo {

void stepDefault(Search &S) {
  SearchState &State = S.state();
  if (!State.SweepDone)
    return sweepSome(S);
  if (State.Population.empty())
    return seedIslands(S, stack(S));
  evolveIslands(S);
}

} // namespace gevo
