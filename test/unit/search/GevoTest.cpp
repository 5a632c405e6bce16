//===- GevoTest.cpp - The paper's algorithm -------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That populations come about as the paper has it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/search/Synthetic.h"
#include "gtest/gtest.h"
#include <set>

using namespace gevo;

using Population = std::vector<Individual>;
using Names = std::set<std::string>;

// Those after each generation; the last may be cut short and is left out.
static std::vector<Population> populationsOf(Trial T) {
  std::vector<Population> All;
  T.Algorithm = "gevo";
  T.Generation = [&](const SearchState &S) { All.push_back(S.Population); };
  EXPECT_EQ(search(T).Error, "");
  if (!All.empty())
    All.pop_back();
  return All;
}

static Names namesOf(const Individual &I) {
  Names Result;
  for (const PlacedEdit &E : I.Edits)
    Result.insert(E.Change.At);
  return Result;
}

TEST(Gevo, BeginsWithUnionsOfThreeEditsThatAreValidAlone) {
  unsigned Count = 0, Whole = 0;
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Trial T;
    T.Seed = Seed;
    T.Population = 32;
    std::vector<Population> All = populationsOf(T);
    ASSERT_FALSE(All.empty());
    for (const Individual &I : All[0]) {
      EXPECT_TRUE(I.valid());
      ++Count;
      // The same edit may be drawn twice.
      Whole += I.Edits.size() == 3;
      EXPECT_LE(I.Edits.size(), 3u);
      EXPECT_GE(I.Edits.size(), 1u);
      // The deletion of i3 is valid with that of i7, but not alone.
      EXPECT_FALSE(namesOf(I).count("i3")) << keyOf(I.Edits);
    }
  }
  EXPECT_EQ(Count, 320u);
  EXPECT_GT(Whole, Count * 8 / 10);
}

TEST(Gevo, PopulationsKeepTheirSizeAndAreValid) {
  // Of one instruction there is nothing to draw in the end; an odd one has no
  // partner; there are fewer than the elite.
  for (unsigned Instructions : {1, 10, 40})
    for (unsigned Size : {2, 7, 16}) {
      Trial T;
      T.Population = Size;
      T.Instructions = Instructions;
      T.Evaluations = 300;
      std::vector<Population> All = populationsOf(T);
      ASSERT_GT(All.size(), 2u);
      for (const Population &P : All) {
        EXPECT_EQ(P.size(), Size);
        for (const Individual &I : P)
          EXPECT_TRUE(I.valid());
      }
    }
}

// What A and B have in common and what they have in all, as sorted lists.
static std::pair<Names, Names> sharedAndAll(const Names &A, const Names &B) {
  std::pair<Names, Names> Result;
  for (const std::string &N : A) {
    Result.second.insert(N);
    if (B.count(N))
      Result.first.insert(N);
  }
  Result.second.insert(B.begin(), B.end());
  return Result;
}

TEST(Gevo, BothChildrenOfACrossoverLive) {
  unsigned New = 0, WithSibling = 0;
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    Trial T;
    T.Seed = Seed;
    T.Population = 16;
    std::vector<Population> All = populationsOf(T);
    ASSERT_GE(All.size(), 2u);
    std::vector<Names> Before, After;
    for (const Individual &I : All[0])
      Before.push_back(namesOf(I));
    for (const Individual &I : All[1])
      if (!llvm::is_contained(Before, namesOf(I)))
        After.push_back(namesOf(I));
    std::set<std::pair<Names, Names>> Pairs;
    for (const Names &A : Before)
      for (const Names &B : Before)
        Pairs.insert(sharedAndAll(A, B));
    for (const Names &Child : After) {
      ++New;
      WithSibling += llvm::any_of(After, [&](const Names &Other) {
        return Other != Child && Pairs.count(sharedAndAll(Child, Other));
      });
    }
  }
  ASSERT_GT(New, 50u);
  // The others were mutated or did not survive, or their sibling.
  EXPECT_GT(WithSibling, New / 4);
}
