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
