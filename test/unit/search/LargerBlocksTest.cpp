//===- LargerBlocksTest.cpp - More threads than a block had ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/LargerBlocks.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;
using capture::Extent;

static capture::Case caseOf(Extent Grid, Extent Block) {
  capture::Case C;
  C.Launches.emplace_back();
  C.Launches[0].Grid = Grid;
  C.Launches[0].Block = Block;
  return C;
}

/// Asks in the first dimension, or in the first two.
static KernelTraits asking(bool Two) {
  KernelTraits Traits;
  Traits.AnyBlock = true;
  Traits.AsksThreads = {true, Two, false};
  return Traits;
}

static std::vector<OtherInput>
draw(const capture::Case &C, const KernelTraits &Traits,
     function_ref<bool(const capture::Launch &)> Works,
     ArrayRef<OtherInput> Larger = {}) {
  return drawLargerBlocks(C, Larger, Traits,
                          [&](capture::Case &Now, std::vector<uint64_t> &) {
                            return Works(Now.Launches[0]);
                          });
}

static bool anyWorks(const capture::Launch &) { return true; }

TEST(LargerBlocks, TwiceAndFourTimesTheThreads) {
  capture::Case C = caseOf({3, 1, 1}, {32, 1, 1});
  std::vector<OtherInput> All = draw(C, asking(false), anyWorks);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].What, "2 times the threads in a block");
  EXPECT_EQ(All[0].Changed.Launches[0].Block, (Extent{64, 1, 1}));
  EXPECT_EQ(All[0].Changed.Launches[0].Grid, (Extent{3, 1, 1}));
  EXPECT_EQ(All[1].Changed.Launches[0].Block, (Extent{128, 1, 1}));
  EXPECT_TRUE(draw(C, KernelTraits(), anyWorks).empty()) << "it does not ask";
  EXPECT_FALSE(takesLargerBlocks(C, KernelTraits()));
  EXPECT_TRUE(takesLargerBlocks(C, asking(false)));
}

TEST(LargerBlocks, TilesGrowAlongBothSides) {
  capture::Case C = caseOf({3, 3, 1}, {8, 8, 1});
  std::vector<OtherInput> All = draw(C, asking(true), anyWorks);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Changed.Launches[0].Block, (Extent{16, 8, 1}));
  EXPECT_EQ(All[1].Changed.Launches[0].Block, (Extent{16, 16, 1}));
  auto Tall = [](const capture::Launch &L) { return L.Block.Y > L.Block.X; };
  All = draw(C, asking(true), Tall);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Changed.Launches[0].Block, (Extent{8, 16, 1}));
}

TEST(LargerBlocks, LaunchBoundsAreKept) {
  capture::Case C = caseOf({3, 1, 1}, {512, 1, 1});
  EXPECT_EQ(draw(C, asking(false), anyWorks).size(), 1u);
  KernelTraits Bound = asking(false);
  Bound.MostThreads = 512;
  EXPECT_TRUE(draw(C, Bound, anyWorks).empty());
  EXPECT_FALSE(takesLargerBlocks(C, Bound));
  KernelTraits Read = traitsOf(".visible .entry f(\n.param .u64 f_param_0\n)\n"
                               ".maxntid 16, 8, 2\n{\n"
                               "mov.u32 %r1, %ntid.y;\n}",
                               "f");
  EXPECT_EQ(Read.MostThreads, 256u);
  EXPECT_EQ(Read.AsksThreads, (std::array<bool, 3>{false, true, false}));
}

TEST(LargerBlocks, FewerBlocksWhereThereAreNoMoreThreads) {
  capture::Case C = caseOf({5, 1, 1}, {32, 1, 1});
  auto Few = [](const capture::Launch &L) {
    return L.Grid.X * L.Block.X <= 6 * 32;
  };
  std::vector<OtherInput> All = draw(C, asking(false), Few);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Changed.Launches[0].Grid, (Extent{3, 1, 1}));
}

TEST(LargerBlocks, DynamicSharedMemoryGrowsIfItMust) {
  capture::Case C = caseOf({3, 1, 1}, {32, 1, 1});
  C.Launches[0].SharedBytes = 128;
  auto Fits = [](const capture::Launch &L) {
    return L.SharedBytes >= 4 * L.Block.X;
  };
  std::vector<OtherInput> All = draw(C, asking(false), Fits);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Changed.Launches[0].SharedBytes, 256u);
  EXPECT_EQ(All[1].Changed.Launches[0].SharedBytes, 512u);
  All = draw(C, asking(false), anyWorks);
  EXPECT_EQ(All[0].Changed.Launches[0].SharedBytes, 128u);
}

TEST(LargerBlocks, MoreWorkComesWithThem) {
  capture::Case C = caseOf({3, 1, 1}, {32, 1, 1});
  OtherInput Larger{caseOf({6, 1, 1}, {32, 1, 1}), "more", std::nullopt};
  std::vector<OtherInput> All = draw(C, asking(false), anyWorks, Larger);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].What, "more, with 2 times the threads in a block");
  EXPECT_EQ(All[0].Changed.Launches[0].Grid, (Extent{3, 1, 1}));
  auto Many = [](const capture::Launch &L) { return L.Grid.X == 6; };
  EXPECT_EQ(draw(C, asking(false), Many, Larger).size(), 2u);
  auto Long = [](capture::Case &Now, std::vector<uint64_t> &) {
    Now.WarpInstructions = 1000000;
    return true;
  };
  EXPECT_TRUE(drawLargerBlocks(C, {}, asking(false), Long).empty())
      << "it takes too long";
}
