//===- Islands.cpp - Populations that meet now and then -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offspring of all islands are evaluated in one batch; survivors are chosen per
// island by dominance and crowding, after those with equal code have gone.
//
//===----------------------------------------------------------------------===//

#include "search/algorithms/Islands.h"
#include "search/FrontVolume.h"
#include "search/Selection.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace gevo;

static constexpr unsigned Islands = 2;
// Generations between migrations, and without progress before a restart.
static constexpr unsigned MigrateEvery = 5, RestartAfter = 10;

namespace {

/// A child, and where it comes from.
struct Offspring {
  EditList Edits;
  unsigned Island = 0;
  /// Of Search::state().Population.
  size_t Parent = 0;
  /// The kind of the edit it has more than its parent.
  std::optional<EditKind> Added;
};

/// The members of an island, the best first.
struct Island {
  unsigned Number;
  std::vector<size_t> Order;
};

} // namespace

static Island rankIsland(const SearchState &State, unsigned Number) {
  std::vector<size_t> Members;
  std::vector<Objectives> Points;
  for (size_t I = 0; I < State.Population.size(); ++I)
    if (State.Population[I].Island == Number) {
      Members.push_back(I);
      Points.push_back(objectives(State.Population[I]));
    }
  Island Result{Number, {}};
  for (size_t I : selectBest(Points, Points.size()))
    Result.Order.push_back(Members[I]);
  return Result;
}

// By the table's weight and by success, with a floor for all.
static EditKind drawKind(const SearchState &State, Random &Dice) {
  constexpr uint64_t Scale = 1000, Floor = 30;
  std::vector<uint64_t> Weights;
  uint64_t Total = 0;
  for (const EditKindInfo &K : editKinds()) {
    const KindScore &Score = State.Kinds[static_cast<unsigned>(K.Kind)];
    uint64_t Rate = Scale * (Score.Useful + 2) / (Score.Tried + 8);
    Weights.push_back(K.Weight * std::max(Rate, Floor));
    Total += Weights.back();
  }
  uint64_t Ticket = Dice.below(Total);
  unsigned Kind = 0;
  for (; Ticket >= Weights[Kind]; ++Kind)
    Ticket -= Weights[Kind];
  return editKinds()[Kind].Kind;
}

static void addEdit(Search &S, Offspring &Child, Random &Dice) {
  Proposal What;
  What.Kind = drawKind(S.state(), Dice);
  What.Hot = Dice.below(5) != 0;
  // A kind that finds nothing to change is not worth drawing either.
  Child.Added = What.Kind;
  if (auto Longer = append(S.program(), Child.Edits, What, Dice))
    Child.Edits = std::move(*Longer);
}

// Two edits that need not be valid apart: often one that failed in the sweep
// with one that did not.
static void addPair(Search &S, Offspring &Child, Random &Dice) {
  const SearchState &State = S.state();
  if (!State.Failures.empty() && !State.Singles.empty() && Dice.below(4)) {
    Child.Edits = unite(Child.Edits, Dice.pick(State.Singles).Edits);
    Child.Edits = unite(Child.Edits, Dice.pick(State.Failures));
  } else {
    addEdit(S, Child, Dice);
    addEdit(S, Child, Dice);
  }
  Child.Added = std::nullopt;
}

// In percent: crossover, one edit more, a unit less; the rest is two edits
// more, the stepping stones.
static constexpr unsigned CrossShare = 30, AddShare = 42, DropShare = 10;

static Offspring breed(Search &S, const Island &Home, Random &Dice) {
  const SearchState &State = S.state();
  Offspring Child;
  Child.Island = Home.Number;
  Child.Parent = tournament(Home.Order, Dice);
  Child.Edits = State.Population[Child.Parent].Edits;
  unsigned Ticket = Dice.below(100);
  if (Ticket < CrossShare) {
    const Individual &Other = State.Population[tournament(Home.Order, Dice)];
    // Half the time all of both: what is good apart is often good together.
    if (Dice.below(2)) {
      Child.Edits = unite(Child.Edits, Other.Edits);
    } else {
      auto [A, B] = crossOver(Child.Edits, Other.Edits, State.Linked, Dice);
      Child.Edits = A.size() >= B.size() ? A : B;
    }
  } else if (Ticket < CrossShare + AddShare) {
    addEdit(S, Child, Dice);
  } else if (Ticket < CrossShare + AddShare + DropShare) {
    Child.Edits = dropUnit(Child.Edits, State.Linked, Dice);
  } else {
    addPair(S, Child, Dice);
  }
  return Child;
}

// Something that was not tried yet, if a few draws find it.
static Offspring breedNew(Search &S, const Island &Home, Random &Dice) {
  constexpr unsigned Tries = 6;
  Offspring Child;
  for (unsigned Try = 0; Try < Tries; ++Try) {
    Child = breed(S, Home, Dice);
    if (!S.seen(Child.Edits))
      break;
  }
  return Child;
}

// Edits that made a child better but fail alone need something of the parent.
// What they need is what they do not fail with; if there is no single such
// unit, all of it.
static void learnLinks(Search &S, const EditList &Parent,
                       const PlacedEdit &Added) {
  constexpr size_t MostUnits = 8;
  SearchState &State = S.state();
  std::vector<std::vector<size_t>> Units = unitsOf(Parent, State.Linked);
  if (Parent.empty() || Units.size() > MostUnits ||
      S.evaluate({{Added}})[0].valid())
    return;
  std::vector<EditList> Batch;
  for (const std::vector<size_t> &Unit : Units) {
    EditList Pair;
    for (size_t I : Unit)
      Pair.push_back(Parent[I]);
    Pair.push_back(Added);
    Batch.push_back(std::move(Pair));
  }
  std::vector<Individual> Pairs = S.evaluate(Batch);
  if (S.done())
    return;
  bool Any = any_of(Pairs, [](const Individual &I) { return I.valid(); });
  for (size_t U = 0; U < Units.size(); ++U)
    if (!Any || Pairs[U].valid())
      for (size_t I : Units[U])
        State.Linked.insert({Parent[I].key(), Added.key()});
}

// What a kind of edit was good for: a better child counts more than one that
// is merely other code, no slower.
static void credit(SearchState &State, const Offspring &From,
                   const Individual &Child, const Individual &Parent) {
  constexpr uint64_t Better = 5;
  KindScore &Score = State.Kinds[static_cast<unsigned>(*From.Added)];
  ++Score.Tried;
  if (!Child.valid() || Child.PayloadHash == Parent.PayloadHash)
    return;
  if (Child.Result.Time < Parent.Result.Time)
    Score.Useful += Better;
  else if (Child.Result.Time == Parent.Result.Time)
    ++Score.Useful;
}

// The best of parents and children, each code once, by its shortest list.
static std::vector<Individual> survivors(std::vector<Individual> All,
                                         size_t Count) {
  llvm::sort(All, [](const Individual &A, const Individual &B) {
    if (A.Edits.size() != B.Edits.size())
      return A.Edits.size() < B.Edits.size();
    return keyOf(A.Edits) < keyOf(B.Edits);
  });
  StringSet<> Codes;
  llvm::erase_if(All, [&](const Individual &I) {
    return !I.valid() || !Codes.insert(I.PayloadHash).second;
  });
  std::vector<Objectives> Points;
  for (const Individual &I : All)
    Points.push_back(objectives(I));
  std::vector<Individual> Best;
  for (size_t I : selectBest(Points, Count))
    Best.push_back(std::move(All[I]));
  return Best;
}

static double bestTime(const std::vector<Individual> &All) {
  double Best = INFINITY;
  for (const Individual &I : All)
    Best = std::min(Best, I.Result.Time);
  return Best;
}

// Whether Members have something that Front, what was known, has not: where
// there are errors that need not be the fastest. Slight gains do not count, as
// trading time for error could go on for ever.
static bool widens(const Search &S, std::vector<Individual> Front,
                   const std::vector<Individual> &Members) {
  constexpr double Least = 1e-4;
  const SearchOptions &O = S.options();
  if (O.Tolerance == 0)
    return false;
  auto Volume = [&] {
    return frontVolume(Front, S.state().Baseline, O.Tolerance);
  };
  double Before = Volume();
  llvm::append_range(Front, Members);
  return Volume() > Before + Least;
}

// A new start from single edits; what was found is in the front.
static std::vector<Individual> restart(Search &S, unsigned Number,
                                       size_t Count) {
  const SearchState &State = S.state();
  Random Dice = S.dice(~uint64_t(Number));
  std::vector<Individual> Fresh{State.Front.front()};
  for (size_t I = 1; I < Count && !State.Singles.empty(); ++I)
    Fresh.push_back(Dice.pick(State.Singles));
  return survivors(std::move(Fresh), Count);
}

static size_t islandSize(Search &S) {
  return std::max(2u, S.population() / Islands);
}

static void joinFirst(Search &S, std::vector<Individual> Tower) {
  SearchState &State = S.state();
  std::vector<Individual> Others;
  for (Individual &I : State.Population)
    (I.Island ? Others : Tower).push_back(std::move(I));
  State.Population = survivors(std::move(Tower), islandSize(S));
  for (Individual &I : State.Population)
    I.Island = 0;
  llvm::append_range(State.Population, Others);
}

void gevo::seedIslands(Search &S, std::vector<Individual> Tower) {
  SearchState &State = S.state();
  if (!State.Population.empty())
    return joinFirst(S, std::move(Tower));
  for (const Individual &I : State.Front)
    Tower.push_back(I);
  llvm::append_range(Tower, State.Singles);
  State.Population.clear();
  State.Stagnation.assign(Islands, 0);
  for (unsigned Number = 0; Number < Islands; ++Number) {
    // One island takes the whole stack, the others begin with singles.
    std::vector<Individual> Members = Number == 0
                                          ? survivors(Tower, islandSize(S))
                                          : restart(S, Number, islandSize(S));
    for (Individual &I : Members) {
      I.Island = Number;
      State.Population.push_back(std::move(I));
    }
  }
}

static void migrate(std::vector<std::vector<Individual>> &Next) {
  for (unsigned Number = 0; Number < Islands; ++Number) {
    const std::vector<Individual> &From = Next[(Number + 1) % Islands];
    if (!From.empty())
      Next[Number].push_back(From.front());
  }
}

void gevo::evolveIslands(Search &S) {
  SearchState &State = S.state();
  std::vector<Offspring> Brood;
  for (unsigned Number = 0; Number < Islands; ++Number) {
    Island Home = rankIsland(State, Number);
    for (size_t I = 0; I < islandSize(S) && !Home.Order.empty(); ++I) {
      Random Dice = S.dice(uint64_t(Number) << 32 | I);
      Brood.push_back(breedNew(S, Home, Dice));
    }
  }
  std::vector<EditList> Batch;
  for (const Offspring &O : Brood)
    Batch.push_back(O.Edits);
  std::vector<Individual> Front = State.Front;
  std::vector<Individual> Children = S.evaluate(Batch);

  std::vector<std::vector<Individual>> Next(Islands);
  for (const Individual &I : State.Population)
    Next[I.Island].push_back(I);
  std::vector<double> Before;
  for (const std::vector<Individual> &Members : Next)
    Before.push_back(bestTime(Members));
  for (size_t I = 0; I < Children.size(); ++I) {
    const Individual &Parent = State.Population[Brood[I].Parent];
    if (Brood[I].Added) {
      credit(State, Brood[I], Children[I], Parent);
      if (Children[I].valid() && Children[I].Result.Time < Parent.Result.Time)
        learnLinks(S, Parent.Edits, Children[I].Edits.back());
    }
    Next[Brood[I].Island].push_back(std::move(Children[I]));
  }
  if (State.Generation % MigrateEvery == 0)
    migrate(Next);
  State.Population.clear();
  for (unsigned Number = 0; Number < Islands; ++Number) {
    std::vector<Individual> Members =
        survivors(std::move(Next[Number]), islandSize(S));
    bool Better =
        bestTime(Members) < Before[Number] || widens(S, Front, Members);
    State.Stagnation[Number] = Better ? 0 : State.Stagnation[Number] + 1;
    if (State.Stagnation[Number] >= RestartAfter) {
      Members = restart(S, Number, islandSize(S));
      State.Stagnation[Number] = 0;
    }
    for (Individual &I : Members) {
      I.Island = Number;
      State.Population.push_back(std::move(I));
    }
  }
}
