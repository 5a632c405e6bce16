//===- Default.cpp - The search that a newcomer gets ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds, each with as many evaluations as all before it, so that what is done
// does not depend on the budget: a longer search does all that a shorter
// one does, and then more. The phases of a round, a checkpoint after each step:
//
//   families the same edit at all places that are alike, and at parts of them
//   sweep    single edits, the most promising first
//   pile     the useful ones on top of each other, or of the best so far, the
//            best first; then all others on top of that, again and again: an
//            edit may fail only for want of another, as a barrier is needed
//            until what it guards is gone
//   sweep, pile  more of both
//   evolve   islands; places by heat, kinds of edit by what they were good for
//            so far, linked edits together, no two with the same code, restarts
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/algorithms/Families.h"
#include "search/algorithms/Islands.h"
#include "search/algorithms/Sweep.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

// How many evaluations the first round ends with.
static constexpr uint64_t FirstRound = 100;
// Few at a time: what these come to tells what to try next.
static constexpr size_t BatchSize = 16;

// How many evaluations are left until \p Share of this round's are spent, at
// most a batch.
static size_t left(const SearchState &State, double Share) {
  double End = FirstRound << State.Round, Begin = State.Round ? End / 2 : 0;
  double Left = Begin + Share * (End - Begin) - State.Evaluations;
  return Left <= 0 ? 0 : std::min<size_t>(BatchSize, std::ceil(Left));
}

static bool stepFamilies(Search &S, double Share) {
  SearchState &State = S.state();
  if (!State.Generation)
    State.Groups = findFamilies(S, S.program().places());
  if (size_t Count = left(State, Share))
    tryGroups(S, Count);
  return !State.Groups.empty();
}

static bool stepSweep(Search &S, double Share) {
  size_t Count = left(S.state(), Share);
  return Count && sweep(S, Count);
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
// it: first what a check found fault with, then what is valid, last what had a
// wrong result, which it mostly has in any company.
static std::vector<EditList> onTopOf(Search &S, const Individual &Base) {
  SearchState &State = S.state();
  std::vector<EditList> Parts, Wrong, Result;
  // These answers are known.
  for (Individual &I : S.evaluate(State.Failures))
    (I.Result.End == Stage::Check ? Parts : Wrong).push_back(I.Edits);
  for (const Individual &I : State.Singles)
    Parts.push_back(I.Edits);
  llvm::append_range(Parts, Wrong);
  for (const EditList &Edits : Parts)
    if (!has(Base.Edits, Edits) && !clash(Base.Edits, Edits))
      Result.push_back(unite(Base.Edits, Edits));
  return Result;
}

// What of \p Longer is better than Base; gives up when a batch of new ones
// brought nothing.
static std::vector<Individual> tryOnTop(Search &S, const Individual &Base,
                                        std::vector<EditList> Longer,
                                        double Share) {
  llvm::erase_if(Longer, [&](const EditList &Edits) { return S.seen(Edits); });
  std::vector<Individual> Better;
  for (ArrayRef<EditList> Left = Longer; !Left.empty();) {
    size_t Count = std::min(Left.size(), left(S.state(), Share));
    std::vector<Individual> Some =
        gains(S.evaluate(Left.take_front(Count)), Base);
    if (Some.empty())
      break;
    llvm::append_range(Better, Some);
    Left = Left.drop_front(Count);
  }
  return gains(std::move(Better), Base);
}

// From the original at first, later from the best: on top of that those which
// are better than the original and which it does not have.
static bool stepPile(Search &S, double Share) {
  SearchState &State = S.state();
  Individual Original, Base;
  Original.Result = State.Baseline;
  Original.PayloadHash = State.BaselineHash;
  bool Before = !State.Population.empty() && !State.Front.empty();
  Base = Before ? State.Front[0] : Original;
  std::vector<Individual> Found, Steps = gains(State.Singles, Original);
  llvm::erase_if(Steps, [&](const Individual &I) {
    return !Base.Edits.empty() &&
           (has(Base.Edits, I.Edits) || S.seen(unite(Base.Edits, I.Edits)));
  });
  do {
    Base = pile(S, std::move(Base), Steps);
    Found.push_back(Base);
    Steps = tryOnTop(S, Base, onTopOf(S, Base), Share);
  } while (!Steps.empty() && !S.done());
  seedIslands(S, std::move(Found));
  return false;
}

static bool stepEvolve(Search &S, double) {
  evolveIslands(S);
  return true;
}

namespace {
/// Does a step; says if there is more to do.
using PhaseStep = bool (*)(Search &S, double Share);
/// What is done until this share of a round's evaluations is spent.
struct Phase {
  PhaseStep Step;
  double Share;
};
} // namespace

static constexpr Phase Phases[] = {
    {stepFamilies, 0.25}, {stepSweep, 0.5}, {stepPile, 0.7},
    {stepSweep, 0.75},    {stepPile, 0.9},  {stepEvolve, 1},
};

static_assert(std::size(Phases) == NumPhases);

namespace gevo {

void stepDefault(Search &S) {
  SearchState &State = S.state();
  const Phase &Now = Phases[State.Phase];
  if (Now.Step(S, Now.Share) && left(State, Now.Share))
    return;
  State.Phase = (State.Phase + 1) % NumPhases;
  if (!State.Phase)
    ++State.Round;
}

} // namespace gevo
