//===- Gevo.cpp - The paper's algorithm -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NSGA-II over lists of edits. The first population are unions of three edits,
// each of which is valid on the original. Parents are drawn by dominance and
// crowding; a pair is crossed again until one child is valid at least, and a
// child is mutated again until it is valid, both up to a limit: then the parent
// stays. The best of elite and children make the next population. Edits are
// drawn from all places alike, and are of the kinds and the targets that the
// paper has.
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/Selection.h"
#include "search/Variation.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

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

// What dice are for. From Start on: the mutations of the first population, once
// for each time that they are drawn.
enum : uint64_t { Choosing, Crossing, Mutating, Start };

static Random diceFor(const Search &S, uint64_t Purpose, unsigned Round,
                      size_t Slot) {
  return S.dice(Purpose << 48 | uint64_t(Round) << 32 | Slot);
}

static bool happens(double Probability, Random &Dice) {
  constexpr uint64_t Resolution = 1 << 20;
  return Dice.below(Resolution) < Probability * Resolution;
}

static std::vector<size_t> upTo(size_t Count) {
  std::vector<size_t> All(Count);
  std::iota(All.begin(), All.end(), 0);
  return All;
}

// A kind may find nothing to change.
static std::optional<EditList> draw(Search &S, const EditList &From,
                                    Random &Dice) {
  constexpr unsigned Tries = 8;
  for (unsigned Try = 0; Try < Tries; ++Try) {
    Proposal What;
    What.Kind = Dice.pick(PaperKinds);
    What.OnlyTargets = true;
    if (auto Longer = append(S.program(), From, What, Dice))
      return Longer;
  }
  return std::nullopt;
}

// Gives each of \p Open among \p All a valid edit more. One that gets none
// stays as it is.
static void mutate(Search &S, std::vector<Individual> &All,
                   std::vector<size_t> Open, uint64_t Purpose) {
  for (unsigned Round = 0; Round < MostRounds && !Open.empty() && !S.done();
       ++Round) {
    std::vector<size_t> Tried;
    std::vector<EditList> Batch;
    for (size_t I : Open) {
      Random Dice = diceFor(S, Purpose, Round, I);
      if (auto Longer = draw(S, All[I].Edits, Dice)) {
        Tried.push_back(I);
        Batch.push_back(std::move(*Longer));
      }
    }
    std::vector<Individual> Made = S.evaluate(Batch);
    for (size_t T = 0; T < Tried.size(); ++T)
      if (Made[T].valid()) {
        All[Tried[T]] = std::move(Made[T]);
        llvm::erase(Open, Tried[T]);
      }
  }
}

// Each of \p Open is the first of two parents that stand one after the other in
// \p All. Both children take their places; one that is invalid leaves its
// parent there, unless both are: then the parents are cut elsewhere.
static void cross(Search &S, std::vector<Individual> &All,
                  std::vector<size_t> Open) {
  for (unsigned Round = 0; Round < MostRounds && !Open.empty() && !S.done();
       ++Round) {
    std::vector<EditList> Batch;
    for (size_t I : Open) {
      Random Dice = diceFor(S, Crossing, Round, I);
      auto [A, B] = crossOverByCut(All[I].Edits, All[I + 1].Edits, Dice);
      Batch.push_back(std::move(A));
      Batch.push_back(std::move(B));
    }
    std::vector<Individual> Made = S.evaluate(Batch);
    std::vector<size_t> Again;
    for (size_t Pair = 0; Pair < Open.size(); ++Pair) {
      Individual *Children = &Made[2 * Pair];
      if (!Children[0].valid() && !Children[1].valid())
        Again.push_back(Open[Pair]);
      for (size_t Child : {0, 1})
        if (Children[Child].valid())
          All[Open[Pair] + Child] = std::move(Children[Child]);
    }
    Open = std::move(Again);
  }
}

// Edits that are valid alone, united. Those whose union is not are drawn anew;
// of what stays invalid there is the first edit.
static void initialise(Search &S) {
  std::vector<Individual> &All = S.state().Population;
  Individual Original;
  Original.Result = S.state().Baseline;
  Original.PayloadHash = S.state().BaselineHash;
  All.assign(S.population(), Original);
  std::vector<size_t> Open = upTo(All.size());
  for (unsigned Round = 0; Round < MostRounds && !Open.empty() && !S.done();
       ++Round) {
    std::vector<Individual> Parts(Open.size() * InitialEdits, Original);
    mutate(S, Parts, upTo(Parts.size()), Start + Round);
    std::vector<EditList> Batch(Open.size());
    for (size_t P = 0; P < Parts.size(); ++P)
      Batch[P / InitialEdits] = unite(Batch[P / InitialEdits], Parts[P].Edits);
    std::vector<Individual> Made = S.evaluate(Batch);
    std::vector<size_t> Again;
    for (size_t I = 0; I < Open.size(); ++I) {
      if (!Made[I].valid())
        Again.push_back(Open[I]);
      All[Open[I]] =
          std::move(Made[I].valid() ? Made[I] : Parts[I * InitialEdits]);
    }
    Open = std::move(Again);
  }
}

static std::vector<size_t> ranked(const std::vector<Individual> &All,
                                  size_t Count) {
  std::vector<Objectives> Points;
  for (const Individual &I : All)
    Points.push_back({I.Result.Time, I.Result.Error});
  return selectBest(Points, Count);
}

namespace gevo {

void stepGevo(Search &S) {
  std::vector<Individual> &All = S.state().Population;
  if (All.empty())
    return initialise(S);
  std::vector<size_t> Order = ranked(All, All.size()), Pairs, Mutants;
  std::vector<Individual> Children;
  for (size_t I = 0; I < All.size(); ++I) {
    Random Dice = diceFor(S, Choosing, 0, I);
    Children.push_back(All[tournament(Order, Dice)]);
    if (happens(MutationRate, Dice))
      Mutants.push_back(I);
    if (I % 2 && happens(CrossoverRate, Dice))
      Pairs.push_back(I - 1);
  }
  cross(S, Children, std::move(Pairs));
  mutate(S, Children, std::move(Mutants), Mutating);
  for (size_t I : ArrayRef(Order).take_front(Elite))
    Children.push_back(All[I]);
  std::vector<Individual> Next;
  for (size_t I : ranked(Children, All.size()))
    Next.push_back(std::move(Children[I]));
  All = std::move(Next);
}

} // namespace gevo
