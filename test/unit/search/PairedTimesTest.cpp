//===- PairedTimesTest.cpp - Two programs on a noisy clock ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/PairedTimes.h"
#include "gtest/gtest.h"
#include <random>

using namespace gevo;

namespace {

PairedTimes pairs(llvm::ArrayRef<std::pair<double, double>> All) {
  PairedTimes Times;
  for (auto [Original, Variant] : All)
    Times.add(Original, Variant);
  return Times;
}

TEST(PairedTimes, TheLeastOfEachCounts) {
  // A run that something else disturbed says nothing.
  PairedTimes T =
      pairs({{10, 5}, {10.1, 5.2}, {10.1, 30}, {25, 5}, {10.2, 5.1}});
  EXPECT_DOUBLE_EQ(T.ratio(), 0.5);
  EXPECT_NEAR(T.noise(), 0.01, 1e-12);
}

TEST(PairedTimes, WhatIsWithinTheNoiseIsNoDifference) {
  // The original's own runs are 5 % apart; 3 % less, or more, is nothing.
  EXPECT_EQ(pairs({{10, 9.7}, {10.5, 9.8}, {11, 9.9}}).ratio(), 1);
  EXPECT_EQ(pairs({{10, 10.3}, {10.5, 10.4}, {11, 10.4}}).ratio(), 1);
  // 10 % are something.
  EXPECT_DOUBLE_EQ(pairs({{10, 9}, {10.5, 9.1}, {11, 9.2}}).ratio(), 0.9);
  EXPECT_DOUBLE_EQ(pairs({{10, 11}, {10.5, 12}, {11, 13}}).ratio(), 1.1);
}

TEST(PairedTimes, GrossGainsAreSeenOnABusyMachine) {
  // The original's own runs are apart by three times.
  EXPECT_DOUBLE_EQ(pairs({{10, 1}, {30, 4}, {40, 2}}).ratio(), 0.1);
  EXPECT_DOUBLE_EQ(pairs({{10, 100}, {30, 400}, {40, 200}}).ratio(), 10);
  EXPECT_EQ(pairs({{10, 4}, {30, 8}, {40, 5}}).ratio(), 1);
  EXPECT_EQ(pairs({{10, 25}, {30, 80}, {40, 50}}).ratio(), 1);
}

TEST(PairedTimes, OneLuckyRunIsNotFaster) {
  EXPECT_EQ(pairs({{10, 8}, {10, 12}, {10.1, 12}, {10.1, 9}, {10, 9}}).ratio(),
            1);
  EXPECT_DOUBLE_EQ(
      pairs({{10, 8}, {10, 12}, {10.1, 9}, {10.1, 9}, {10, 9}}).ratio(), 0.8);
}

TEST(PairedTimes, ADriftingMachineMakesNobodyFaster) {
  // It gets slower, or faster, by a fifth while both are the same program.
  for (double Step : {0.02, -0.02}) {
    PairedTimes T;
    for (unsigned I = 0; I < 5; ++I)
      T.add(10 * (1 + 2 * I * Step), 10 * (1 + (2 * I + 1) * Step));
    EXPECT_EQ(T.ratio(), 1) << Step;
  }
}

TEST(PairedTimes, SeldomTakesNoiseForAGain) {
  std::mt19937_64 Dice(1);
  std::normal_distribution<double> Even(100, 2);
  std::exponential_distribution<double> Bursts(0.2);
  unsigned Gains = 0;
  constexpr unsigned Often = 20000;
  for (unsigned Turn = 0; Turn < Often; ++Turn) {
    PairedTimes Same;
    for (unsigned I = 0; I < 9; ++I)
      Same.add(Even(Dice) + Bursts(Dice), Even(Dice) + Bursts(Dice));
    Gains += Same.ratio() < 1;
  }
  EXPECT_LT(Gains, Often / 200);
}

TEST(PairedTimes, HopelessOnesEndEarly) {
  EXPECT_FALSE(pairs({{10, 51}}).isHopeless(5));
  EXPECT_TRUE(pairs({{10, 51}, {11, 52}}).isHopeless(5));
  EXPECT_FALSE(pairs({{10, 51}, {11, 49}}).isHopeless(5));
  EXPECT_FALSE(pairs({{10, 51}, {11, 52}}).isHopeless(0));
  EXPECT_FALSE(pairs({{10, 11}, {10, 11}}).isHopeless(5));
  EXPECT_TRUE(pairs({{10, 11}, {10, 11}, {10, 11}}).isHopeless(5));
  EXPECT_FALSE(pairs({{10, 9}, {10, 11}, {10, 11}}).isHopeless(5));
}

} // namespace
