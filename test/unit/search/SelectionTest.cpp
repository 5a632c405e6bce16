//===- SelectionTest.cpp - Who survives -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks, crowding and hypervolume of points whose answers are plain.
//
//===----------------------------------------------------------------------===//

#include "search/Selection.h"
#include "search/FrontVolume.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace gevo;

TEST(Selection, RanksByDominance) {
  // Two fronts: the first has three points, the last is behind the middle one.
  auto All = standings({{1, 5}, {3, 3}, {5, 1}, {4, 4}});
  EXPECT_EQ(All[0].Rank, 0u);
  EXPECT_EQ(All[1].Rank, 0u);
  EXPECT_EQ(All[2].Rank, 0u);
  EXPECT_EQ(All[3].Rank, 1u);
  EXPECT_TRUE(std::isinf(All[0].Crowding));
  EXPECT_FALSE(std::isinf(All[1].Crowding));
}

TEST(Selection, KeepsTheBestAndTheEnds) {
  std::vector<Objectives> Points = {{4, 4}, {1, 5}, {3, 3},
                                    {5, 1}, {9, 9}, {2.9, 3.1}};
  EXPECT_EQ(selectBest(Points, 2), (std::vector<size_t>{1, 3}));
  EXPECT_EQ(selectBest(Points, 99).size(), Points.size());
  EXPECT_EQ(selectBest(Points, 99).back(), 4u);
}

TEST(Selection, TakesFewAndEqualPoints) {
  EXPECT_TRUE(selectBest({}, 3).empty());
  EXPECT_EQ(selectBest({{1, 1}}, 3), (std::vector<size_t>{0}));
  EXPECT_EQ(selectBest({{1, 0}, {1, 0}, {1, 0}, {1, 0}}, 2).size(), 2u);
}

TEST(Selection, Hypervolume) {
  EXPECT_DOUBLE_EQ(hypervolume({{1, 1}}, {3, 3}), 4);
  EXPECT_DOUBLE_EQ(hypervolume({{1, 2}, {2, 1}}, {3, 3}), 3);
  EXPECT_DOUBLE_EQ(hypervolume({{4, 4}}, {3, 3}), 0);
}

static Individual measured(double Time, double Error) {
  Individual I;
  I.Result = Fitness();
  I.Result.Time = Time;
  I.Result.Error = Error;
  return I;
}

TEST(Selection, FrontVolumeIsWhatIsSaved) {
  Fitness Original = measured(200, 0).Result;
  auto Volume = [&](std::vector<Individual> Of, double Most) {
    return frontVolume(Of, Original, Most);
  };
  EXPECT_EQ(Volume({}, 0), 0);
  for (double Most : {0.0, 0.5, double(INFINITY)}) {
    EXPECT_EQ(Volume({measured(200, 0)}, Most), 0);
    EXPECT_DOUBLE_EQ(Volume({measured(150, 0)}, Most), 0.25) << Most;
    // What is slower than the original takes nothing away.
    EXPECT_DOUBLE_EQ(Volume({measured(150, 0), measured(300, 0)}, Most), 0.25);
  }
  // The rest of the time up to the fastest, in proportion to its error.
  std::vector<Individual> Front = {measured(100, 0.1), measured(150, 0)};
  EXPECT_DOUBLE_EQ(Volume(Front, 0.4), 0.25 + 0.25 * 0.75);
  EXPECT_DOUBLE_EQ(Volume(Front, INFINITY), 0.25);
  // As far off as may be.
  EXPECT_DOUBLE_EQ(Volume({measured(100, 0.4)}, 0.4), 0);
}
