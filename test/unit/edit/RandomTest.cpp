//===- RandomTest.cpp - Random streams ------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a function of its seed alone, and its draws stay within bounds
// and reach all of them.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Random.h"
#include "gtest/gtest.h"
#include <set>

using namespace gevo;

TEST(Random, IsAFunctionOfTheSeed) {
  // The first three of SplitMix64 with state 0, as published with it.
  Random Zero(0);
  EXPECT_EQ(Zero.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(Zero.next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(Zero.next(), 0x06c45d188009454fu);
  Random A(7), B(7), C(8);
  for (unsigned I = 0; I < 100; ++I) {
    uint64_t Draw = A.next();
    EXPECT_EQ(Draw, B.next());
    EXPECT_NE(Draw, C.next());
  }
}

TEST(Random, StaysBelowTheBoundAndReachesAll) {
  Random Dice(1);
  for (uint64_t Bound : {1u, 2u, 3u, 7u, 100u}) {
    std::set<uint64_t> Seen;
    for (unsigned I = 0; I < 2000; ++I) {
      uint64_t Draw = Dice.below(Bound);
      ASSERT_LT(Draw, Bound);
      Seen.insert(Draw);
    }
    EXPECT_EQ(Seen.size(), Bound);
  }
  EXPECT_LT(Dice.below(~0ull), ~0ull);
}

TEST(Random, IsEven) {
  Random Dice(3);
  unsigned Counts[8] = {};
  constexpr unsigned Draws = 80000;
  for (unsigned I = 0; I < Draws; ++I)
    ++Counts[Dice.below(8)];
  // Ten thousand each; five standard deviations are 468.
  for (unsigned Count : Counts)
    EXPECT_NEAR(Count, Draws / 8, 468);
}

TEST(Random, Picks) {
  Random Dice(4);
  int List[] = {5, 6, 7};
  std::set<int> Seen;
  for (unsigned I = 0; I < 100; ++I)
    Seen.insert(Dice.pick(List));
  EXPECT_EQ(Seen, (std::set<int>{5, 6, 7}));
}
