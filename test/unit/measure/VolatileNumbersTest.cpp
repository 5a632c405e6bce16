//===- VolatileNumbersTest.cpp - Numbers that differ from run to run ------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/PrintedText.h"

#include <gtest/gtest.h>

using namespace gevo;
using namespace gevo::measure;

TEST(VolatileNumbers, AreFoundAndLeftOut) {
  std::string_view First = "sum 12\ntime:  9.5 ms, 3ms\n",
                   Other = "sum 12\ntime: 10.25 ms, 12us\n";
  std::optional<WordSet> Changed = changedNumbers(First, Other);
  ASSERT_TRUE(Changed);
  EXPECT_EQ(*Changed, (WordSet{3, 5}));
  EXPECT_EQ(withoutWords(First, *Changed), withoutWords(Other, *Changed));
  EXPECT_EQ(withoutWords(First, *Changed), "sum 12\ntime:* ms,*\n");
  EXPECT_EQ(lineOfWord(First, 3), 2u);
  EXPECT_FALSE(changedNumbers("a 1", "b 1"));
  EXPECT_FALSE(changedNumbers("a 1", "a 1 2"));
  EXPECT_NE(withoutWords("sum 13\ntime: 1 ms, 2ms\n", *Changed),
            withoutWords(First, *Changed))
      << "what did not change is still compared";
}

TEST(VolatileNumbers, AreThoseOfAlikeLinesToo) {
  std::string_view Text =
      "step 1 took 0.1 s\nstep 2 took 0.2 s\nsum 3\n4 5\n6 7\n";
  EXPECT_EQ(withAlikeLines(Text, {3}), (WordSet{3, 8}));
  EXPECT_EQ(withAlikeLines(Text, {11}), WordSet{11});
  EXPECT_EQ(withAlikeLines(Text, {13}), WordSet{13})
      << "numbers without a name say nothing about each other";
  EXPECT_EQ(withAlikeLines(Text, {}), WordSet{});
}

TEST(VolatileNumbers, AreNotCompared) {
  OutputSpec S;
  S.Ignored = {3};
  auto passes = [&](const std::string &Printed) {
    RunRecord Want, Got;
    Want.Stdout = "sum 12\ntime:  9.5 ms\n";
    Got.Stdout = Printed;
    return compareRuns(S, {Want}, Got).Passed;
  };
  EXPECT_TRUE(passes("sum 12\ntime: 10.25 ms\n"));
  EXPECT_FALSE(passes("sum 13\ntime: 10.25 ms\n"));
}

TEST(VolatileNumbers, AreThoseBeyondTheTolerance) {
  OutputSpec S;
  Texts Both = {"a 100 b 5 in 3ms", "a 101 b 9 in 4ms"};
  EXPECT_EQ(beyondTolerance(S, Both, {1, 3, 5}), (WordSet{1, 3, 5}));
  S.Rule.Limits.Mode = CompareMode::Relative;
  S.Rule.Limits.Limit = 0.1;
  EXPECT_EQ(beyondTolerance(S, Both, {1, 3, 5}), (WordSet{3, 5}))
      << "a number with a unit is a word";
  // What is small next to numbers like it is noise.
  Texts Row = {"1e9 1.0", "1e9 2.0"};
  S.Rule.Limits.FloorShare = 1e-6;
  EXPECT_EQ(beyondTolerance(S, Row, {1}), WordSet{});
  S.Rule.Limits.FloorShare = 0;
  EXPECT_EQ(beyondTolerance(S, Row, {1}), WordSet{1});
}
