//===- VariationTest.cpp - Offspring --------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That crossover loses nothing, keeps what belongs together, and keeps the
// order.
//
//===----------------------------------------------------------------------===//

#include "search/Variation.h"
#include "test/unit/search/Synthetic.h"
#include "gtest/gtest.h"

using namespace gevo;

static EditList deletions(std::initializer_list<unsigned> Numbers) {
  EditList All;
  for (unsigned N : Numbers)
    All.push_back(deletion(N));
  return All;
}

static bool has(const EditList &Edits, unsigned Number) {
  return llvm::is_contained(Edits, deletion(Number));
}

TEST(Variation, ChildrenShareWhatIsCommonAndDealTheRest) {
  EditList A = deletions({1, 2, 3, 4}), B = deletions({3, 4, 5, 6, 7});
  for (uint64_t Seed = 0; Seed < 50; ++Seed) {
    Random Dice(Seed);
    for (bool Cut : {false, true}) {
      auto [X, Y] =
          Cut ? crossOverByCut(A, B, Dice) : crossOver(A, B, Links(), Dice);
      EXPECT_EQ(X.size() + Y.size(), 2 + 7u);
      for (unsigned N : {3, 4})
        EXPECT_TRUE(has(X, N) && has(Y, N));
      for (unsigned N : {1, 2, 5, 6, 7})
        EXPECT_NE(has(X, N), has(Y, N));
    }
  }
}

TEST(Variation, LinkedEditsTravelTogether) {
  EditList A = deletions({1, 2, 3}), B = deletions({4, 5});
  Links Linked = {{deletion(1).key(), deletion(3).key()}};
  EXPECT_EQ(unitsOf(A, Linked),
            (std::vector<std::vector<size_t>>{{0, 2}, {1}}));
  for (uint64_t Seed = 0; Seed < 50; ++Seed) {
    Random Dice(Seed);
    auto [X, Y] = crossOver(A, B, Linked, Dice);
    EXPECT_EQ(has(X, 1), has(X, 3));
    EXPECT_EQ(has(Y, 1), has(Y, 3));
    EditList Less = dropUnit(A, Linked, Dice);
    EXPECT_EQ(has(Less, 1), has(Less, 3));
    EXPECT_LT(Less.size(), A.size());
  }
}

TEST(Variation, WhatNamesACloneStaysWithItsMaker) {
  PlacedEdit Copy, Use = deletion(9);
  Copy.Change.Kind = EditKind::Copy;
  Copy.Change.At = "i1";
  Copy.Change.Other = "i2";
  Copy.Change.nameClone();
  Use.Change.Uses = Copy.Change.As;
  EXPECT_EQ(unitsOf({Copy, deletion(3), Use}, Links()),
            (std::vector<std::vector<size_t>>{{0, 2}, {1}}));
  // The same name in another function is another clone.
  Use.Function = 1;
  EXPECT_EQ(unitsOf({Copy, Use}, Links()).size(), 2u);
}

TEST(Variation, KeysReadBack) {
  for (unsigned N = 0; N < 20; ++N) {
    PlacedEdit E = deletion(N);
    E.Function = N % 3;
    E.Change.Uses = "float 1.0";
    auto Read = parsePlacedEdit(E.key());
    ASSERT_TRUE(bool(Read));
    EXPECT_EQ(*Read, E);
  }
  EXPECT_FALSE(bool(llvm::expectedToOptional(parsePlacedEdit("x delete"))));
}
