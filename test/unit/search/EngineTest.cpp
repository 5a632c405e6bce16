//===- EngineTest.cpp - What a search finds -------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That the algorithms find what is there to be found, refuse what fails, and
// give the same answer for any number of workers.
//
//===----------------------------------------------------------------------===//

#include "search/algorithms/Islands.h"
#include "test/unit/search/Synthetic.h"
#include "gtest/gtest.h"

using namespace gevo;

TEST(Engine, DefaultFindsTheOptimum) {
  for (uint64_t Seed = 1; Seed <= 3; ++Seed) {
    Trial T;
    T.Seed = Seed;
    T.Evaluations = 1500;
    Outcome O = search(T);
    ASSERT_EQ(O.Error, "");
    ASSERT_NE(O.State.best(0), nullptr);
    EXPECT_EQ(O.State.Baseline.Time, SyntheticBaseline);
    EXPECT_EQ(O.State.best(0)->Result.Time, SyntheticBest) << Seed;
    // The two that pay only together, and the two that pay alone; nothing
    // else.
    EXPECT_EQ(O.State.best(0)->Edits.size(), 4u) << Seed;
  }
}

TEST(Engine, PlacesThatAreAlikeAreEditedTogether) {
  Trial T;
  T.Families = true;
  T.Evaluations = 40;
  Outcome O = search(T);
  ASSERT_EQ(O.Error, "");
  // All but the one that must stay, long before each was tried on its own.
  EXPECT_LE(O.State.best(0)->Result.Time,
            SyntheticBaseline - 15 * SyntheticAlike);
}

TEST(Engine, WhatFailsGivesWayToOthers) {
  Trial T;
  T.Hopeless = true;
  T.Evaluations = 65;
  Outcome O = search(T);
  ASSERT_EQ(O.Error, "");
  // Both that pay alone, although forty others promise more than they do.
  EXPECT_LE(O.State.best(0)->Result.Time, SyntheticBaseline - 150);
}

TEST(Engine, EveryAlgorithmImprovesAndRespectsTheBudget) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Population = 24;
    T.Evaluations = 300;
    Outcome O = search(T);
    ASSERT_EQ(O.Error, "") << A.Name.str();
    EXPECT_LT(O.State.best(0)->Result.Time, SyntheticBaseline) << A.Name.str();
    EXPECT_LE(O.State.Evaluations, 300u) << A.Name.str();
    EXPECT_GT(O.State.Evaluations, 50u) << A.Name.str();
  }
}

TEST(Engine, ToleranceDecidesWhatCounts) {
  Trial T;
  T.Tolerance = 0.1;
  T.Evaluations = 1500;
  Outcome O = search(T);
  ASSERT_EQ(O.Error, "");
  EXPECT_EQ(O.State.best(0)->Result.Time, SyntheticBest);
  EXPECT_EQ(O.State.best(0.1)->Result.Time, SyntheticBestWithError);
  EXPECT_EQ(O.State.best(0.1)->Result.Error, SyntheticError);

  T.Tolerance = 0.01;
  O = search(T);
  EXPECT_EQ(O.State.best(0.1)->Result.Time, SyntheticBest);
}

// What is slower than the best but nearer to the original is something new.
TEST(Engine, AnIslandThatWidensTheFrontDoesNotStagnate) {
  for (double Tolerance : {0.1, 0.0}) {
    Trial T;
    T.Tolerance = Tolerance;
    T.Evaluations = 1;
    search(T, [&](Search &S) {
      SearchState &State = S.state();
      auto Measured = [&](double Time, double Error, unsigned Island) {
        Individual I = State.Front[0];
        I.Result.Time = Time;
        I.Result.Error = Error;
        I.Island = Island;
        return I;
      };
      State.Front = {Measured(500, 0.05, 0), Measured(1000, 0, 0)};
      State.Population = {Measured(600, 0, 0), Measured(500, 0.05, 1)};
      State.Stagnation = {3, 3};
      State.Generation = 1;
      // The budget is spent: there are no children.
      evolveIslands(S);
      EXPECT_EQ(State.Stagnation[0], Tolerance > 0 ? 0u : 4u);
      EXPECT_EQ(State.Stagnation[1], 4u);
    });
  }
}

TEST(Engine, FailuresAreCountedByStage) {
  Outcome O = search(Trial());
  auto Count = [&](Stage S) { return O.State.Stages[unsigned(S)]; };
  EXPECT_GT(Count(Stage::Verify), 0u);
  EXPECT_GT(Count(Stage::Lower), 0u) << "a worker that crashed";
  EXPECT_GT(Count(Stage::Run), 0u);
  EXPECT_GT(Count(Stage::Check), 0u);
  EXPECT_GT(Count(Stage::Compare), 0u);
  uint64_t Sum = 0;
  for (uint64_t N : O.State.Stages)
    Sum += N;
  EXPECT_EQ(Sum, O.State.Evaluations);
  for (const Individual &I : O.State.Front)
    EXPECT_TRUE(I.valid());
}

TEST(Engine, SameAnswerForAnyNumberOfWorkers) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Population = 16;
    T.Evaluations = 200;
    Outcome One = search(T);
    T.Workers = 4;
    Outcome Four = search(T);
    ASSERT_EQ(One.Error, "");
    EXPECT_EQ(One.text(), Four.text()) << A.Name.str();
    EXPECT_EQ(One.Runs, Four.Runs) << A.Name.str();
  }
}

// The budget cuts the search off and changes nothing before.
TEST(Engine, ALongerSearchDoesWhatAShorterOneDoes) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Population = 16;
    std::vector<std::string> Before;
    for (uint64_t Evaluations : {70, 130, 260, 520}) {
      T.Evaluations = Evaluations;
      std::vector<std::string> Now;
      for (const Individual &I : search(T).State.Milestones)
        Now.push_back(keyOf(I.Edits));
      ASSERT_GE(Now.size(), Before.size()) << A.Name.str();
      EXPECT_TRUE(std::equal(Before.begin(), Before.end(), Now.begin()))
          << A.Name.str() << " " << Evaluations;
      Before = Now;
    }
  }
}

TEST(Engine, ABudgetForNothingIsTold) {
  Trial T;
  T.Seconds = 1e-9;
  EXPECT_NE(search(T).Error.find("the budget was spent before"),
            std::string::npos);
}

TEST(Engine, SeedsDiffer) {
  Trial T;
  T.Evaluations = 150;
  Outcome One = search(T);
  T.Seed = 2;
  EXPECT_NE(One.text(), search(T).text());
}

TEST(Engine, EqualCodeRunsOnce) {
  Trial T;
  T.Evaluations = 1;
  T.Workers = 3;
  Outcome O = search(T, [](Search &S) {
    std::vector<Individual> All =
        S.evaluateBeyond({{deletion(25)},
                          {deletion(26)},
                          {deletion(27)},
                          {deletion(1)},
                          {deletion(1), deletion(28)},
                          {deletion(29), deletion(1)}});
    for (const Individual &I : All)
      EXPECT_TRUE(I.valid());
    EXPECT_EQ(All[3].PayloadHash, All[5].PayloadHash);
    EXPECT_EQ(All[5].Result.Time, SyntheticBaseline - 100);
  });
  EXPECT_EQ(O.Runs, 2u) << "the original, and the one that pays";
}

TEST(Engine, EqualListsOfABatchCountOnce) {
  Trial T;
  T.Evaluations = 1;
  Outcome O = search(T, [](Search &S) {
    std::vector<Individual> Some =
        S.evaluateBeyond({{deletion(1)}, {deletion(11)}, {deletion(1)}});
    EXPECT_TRUE(Some[2].valid());
    EXPECT_EQ(Some[2].PayloadHash, Some[0].PayloadHash);
    // The budget is spent: for the second of two that are equal, too.
    for (const Individual &I : S.evaluate({{deletion(2)}, {deletion(2)}}))
      EXPECT_FALSE(I.valid());
    EXPECT_EQ(S.state().Evaluations, 1u);
  });
  EXPECT_EQ(O.Runs, 3u);
}

TEST(Engine, MinimisingKeepsWhatPays) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    // 25, 30 and 31 change nothing.
    EditList All;
    for (unsigned Number : {25, 1, 3, 30, 7, 11, 31})
      All.push_back(deletion(Number));
    Individual Whole = S.evaluateBeyond({All})[0];
    ASSERT_TRUE(Whole.valid());
    EXPECT_EQ(Whole.Result.Time, SyntheticBest);
    Minimised M = minimise(S, Whole, {});
    EXPECT_EQ(M.Before, 7u);
    EXPECT_EQ(keyOf(M.Kept.Edits),
              keyOf({deletion(1), deletion(3), deletion(7), deletion(11)}));
    EXPECT_EQ(M.Kept.Result.Time, SyntheticBest);
    EXPECT_EQ(S.state().Evaluations, 1u) << "minimising is not counted";
  });
}

TEST(Engine, MinimisingDropsMostFirst) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    // From 20 on they change nothing.
    EditList All;
    for (unsigned Number = 20; Number < 32; ++Number)
      All.push_back(deletion(Number));
    for (unsigned Number : {1, 3, 7, 11, 32, 33, 34, 35, 36, 37, 38, 39})
      All.push_back(deletion(Number));
    Individual Whole = S.evaluateBeyond({All})[0];
    Dropping Two;
    Two.MostTried = 2;
    Minimised M = minimise(S, Whole, Two);
    EXPECT_EQ(M.Kept.Edits.size(), 12u) << "a half of them";
    EXPECT_EQ(M.Untried, 12u);
    // What was asked before counts, too: the budget does not depend on it.
    EXPECT_EQ(keyOf(minimise(S, Whole, Two).Kept.Edits), keyOf(M.Kept.Edits));
    M = minimise(S, Whole, {});
    EXPECT_EQ(keyOf(M.Kept.Edits),
              keyOf({deletion(1), deletion(3), deletion(7), deletion(11)}));
    EXPECT_EQ(M.Untried, 0u);
  });
}

TEST(Engine, MinimisingGoesByTheClockThatCounts) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    Individual Whole =
        S.evaluateBeyond({{deletion(1), deletion(25), deletion(11)}})[0];
    ASSERT_TRUE(Whole.valid());
    // Of use is 25 alone, and without 11 there is no time at all.
    auto Other = [](llvm::ArrayRef<const Individual *> Of) {
      std::vector<double> Times;
      for (const Individual *I : Of)
        Times.push_back(!llvm::is_contained(I->Edits, deletion(11))
                            ? std::numeric_limits<double>::infinity()
                        : llvm::is_contained(I->Edits, deletion(25)) ? 50.0
                                                                     : 51.0);
      return Times;
    };
    EXPECT_EQ(keyOf(minimise(S, Whole, {}, Other).Kept.Edits),
              keyOf({deletion(25), deletion(11)}));
  });
}

TEST(Engine, MinimisingTakesNoErrorIn) {
  Trial T;
  T.Evaluations = 1;
  T.Tolerance = 0.1;
  search(T, [](Search &S) {
    Individual Whole = S.evaluateBeyond({{deletion(1), deletion(5)}})[0];
    Minimised M = minimise(S, Whole, {SyntheticError});
    EXPECT_EQ(M.Kept.Edits.size(), 2u);
  });
}

TEST(Engine, WhatComesAfterTheSearchEndsInTime) {
  Trial T;
  T.Evaluations = 1;
  search(T, [](Search &S) {
    Individual Whole = S.evaluateBeyond({{deletion(1), deletion(25)}})[0];
    S.finishWithin(0);
    EXPECT_TRUE(S.stopped());
    Minimised M = minimise(S, Whole, {});
    EXPECT_EQ(M.Kept.Edits.size(), 2u);
    EXPECT_EQ(M.Untried, 2u);
    EXPECT_FALSE(S.evaluateBeyond({{deletion(2)}})[0].valid());
    S.finishWithin(600);
    EXPECT_FALSE(S.stopped());
    EXPECT_EQ(minimise(S, Whole, {}).Kept.Edits.size(), 1u);
  });
}
