//===- Gevo.cpp - The paper's algorithm -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NSGA-II over lists of edits. The first population are unions of three valid
// edits. Parents are drawn by dominance and crowding; crossover and mutation
// are tried again until a child is valid, up to a limit; the elite and the
// children make the next population. Edits are drawn from all places alike, and
// are of the kinds that the paper has.
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/Selection.h"
#include "search/Variation.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// The paper's rates and elite; the limits keep a program that allows no valid
// child from spinning for ever.
static constexpr double CrossoverRate = 0.8, MutationRate = 0.3;
static constexpr unsigned Elite = 4, InitialEdits = 3, MostRounds = 16;

// The paper's six operators, and the load's cache policy that came later.
static constexpr EditKind PaperKinds[] = {
    EditKind::Delete, EditKind::Copy,    EditKind::Move, EditKind::Replace,
    EditKind::Swap,   EditKind::Operand, EditKind::Cache};

static bool happens(double Probability, Random &Dice) {
  constexpr uint64_t Resolution = 1 << 20;
  return Dice.below(Resolution) < Probability * Resolution;
}

// Fills the slots of Result with valid individuals: Make proposes one for a
// slot, and is asked again for those that turned out invalid.
static std::vector<Individual>
fill(Search &S, unsigned Slots,
     const std::function<EditList(unsigned, Random &)> &Make) {
  std::vector<std::optional<Individual>> Filled(Slots);
  for (unsigned Round = 0; Round < MostRounds && !S.done(); ++Round) {
    std::vector<unsigned> Open;
    std::vector<EditList> Batch;
    for (unsigned I = 0; I < Slots; ++I)
      if (!Filled[I]) {
        Random Dice = S.dice(uint64_t(Round) << 32 | I);
        Open.push_back(I);
        Batch.push_back(Make(I, Dice));
      }
    if (Open.empty())
      break;
    std::vector<Individual> Made = S.evaluate(Batch);
    for (size_t I = 0; I < Made.size(); ++I)
      if (Made[I].valid())
        Filled[Open[I]] = std::move(Made[I]);
  }
  std::vector<Individual> Result;
  for (std::optional<Individual> &I : Filled)
    if (I)
      Result.push_back(std::move(*I));
  return Result;
}

static EditList mutate(Search &S, const EditList &From, Random &Dice) {
  Proposal What;
  What.Kind = Dice.pick(PaperKinds);
  return append(S.program(), From, What, Dice).value_or(From);
}

// Three rounds, so that each edit of a union is valid with those before it.
static void initialise(Search &S) {
  std::vector<Individual> &All = S.state().Population;
  All.assign(S.population(), S.state().Front.front());
  for (Individual &I : All)
    I.Edits.clear();
  for (unsigned Edit = 0; Edit < InitialEdits; ++Edit) {
    std::vector<Individual> Longer =
        fill(S, All.size(), [&](unsigned I, Random &Dice) {
          // Each round of edits has dice of its own.
          for (unsigned Skip = 0; Skip < Edit; ++Skip)
            Dice = Random(Dice.next());
          return mutate(S, All[I].Edits, Dice);
        });
    if (!Longer.empty())
      All = std::move(Longer);
  }
}

namespace gevo {

void stepGevo(Search &S) {
  std::vector<Individual> &All = S.state().Population;
  if (All.empty())
    return initialise(S);
  std::vector<Objectives> Points;
  for (const Individual &I : All)
    Points.push_back({I.Result.Time, I.Result.Error});
  std::vector<size_t> Order = selectBest(Points, All.size());
  std::vector<Individual> Next;
  for (size_t I : ArrayRef(Order).take_front(Elite))
    Next.push_back(All[I]);
  unsigned Slots = std::max<size_t>(S.population(), Elite + 1) - Next.size();
  std::vector<Individual> Children =
      fill(S, Slots, [&](unsigned, Random &Dice) {
        EditList Child = All[tournament(Order, Dice)].Edits;
        if (happens(CrossoverRate, Dice)) {
          const EditList &Other = All[tournament(Order, Dice)].Edits;
          auto [A, B] = crossOverByCut(Child, Other, Dice);
          Child = Dice.below(2) ? A : B;
        }
        return happens(MutationRate, Dice) ? mutate(S, Child, Dice) : Child;
      });
  Next.insert(Next.end(), Children.begin(), Children.end());
  if (Next.size() > Elite || All.size() <= Elite)
    All = std::move(Next);
}

} // namespace gevo
