//===- OtherSizesTest.cpp - Sizes that a launch may have ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/OtherSizes.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace gevo;
using namespace llvm;

/// A launch whose second parameter is \p Count; the first is an address.
static capture::Case caseOf(uint32_t Count) {
  constexpr uint64_t Address = 4096;
  capture::Case C;
  C.Launches.emplace_back();
  capture::Launch &L = C.Launches[0];
  L.Params.resize(12);
  std::memcpy(&L.Params[0], &Address, 8);
  std::memcpy(&L.Params[8], &Count, 4);
  L.Offsets = {0, 8};
  C.Buffers.push_back(
      capture::Buffer::input(Address, capture::Bytes(4 * Count)));
  return C;
}

/// The counts of \p All.
static std::vector<uint32_t> countsIn(ArrayRef<OtherInput> All) {
  std::vector<uint32_t> Counts;
  for (const OtherInput &O : All) {
    Counts.emplace_back();
    std::memcpy(&Counts.back(), &O.Changed.Launches[0].Params[8], 4);
    EXPECT_TRUE(O.Count && O.Count->Now == Counts.back());
  }
  return Counts;
}

TEST(OtherSizes, CountsShrink) {
  capture::Case C = caseOf(100);
  C.Launches[0].Grid = {3, 1, 1};
  C.Launches[0].Block = {8, 3, 1};
  for (uint64_t Seed = 0; Seed < 50; ++Seed) {
    Random Dice(Seed);
    std::vector<OtherInput> All = drawCounts(C, Dice);
    ASSERT_EQ(All.size(), 4u);
    std::vector<uint32_t> Counts = countsIn(All);
    EXPECT_TRUE(Counts[0] >= 74 && Counts[0] < 100) << Counts[0];
    EXPECT_EQ(Counts[0] % 4, 3u) << "a rest of several rounds";
    EXPECT_EQ(All[0].What,
              std::to_string(Counts[0]) + " for 100 in parameter 1");
    EXPECT_EQ(Counts[1], 1u);
    EXPECT_TRUE(Counts[2] == 2 || Counts[2] == 3) << Counts[2];
    EXPECT_TRUE(Counts[3] >= 4 && Counts[3] < 24) << "threads without work";
  }
}

TEST(OtherSizes, SmallCountsShrinkAsFarAsTheyCan) {
  Random Dice(1);
  auto Counts = [&](uint32_t Count) {
    return countsIn(drawCounts(caseOf(Count), Dice));
  };
  EXPECT_EQ(Counts(1), std::vector<uint32_t>());
  EXPECT_EQ(Counts(2), std::vector<uint32_t>{1});
  EXPECT_EQ(Counts(3), std::vector<uint32_t>{2});
  EXPECT_EQ(Counts(4), std::vector<uint32_t>{3});
  for (uint32_t Count : {5, 6, 7, 8, 9, 10})
    for (uint32_t Now : Counts(Count))
      EXPECT_TRUE(Now && Now < Count) << Now << " for " << Count;
}

TEST(OtherSizes, CountsInStructuresAndLongWordsShrink) {
  capture::Case C = caseOf(100);
  // After the address: a structure of a float and a count, then a count of
  // eight bytes.
  capture::Launch &L = C.Launches[0];
  float Factor = 0.5f;
  uint32_t Rows = 10;
  uint64_t Columns = 20;
  L.Params.resize(24);
  std::memcpy(&L.Params[8], &Factor, 4);
  std::memcpy(&L.Params[12], &Rows, 4);
  std::memcpy(&L.Params[16], &Columns, 8);
  L.Offsets = {0, 8, 16};
  Random Dice(1);
  std::vector<OtherInput> All = drawCounts(C, Dice);
  ASSERT_EQ(All.size(), 8u);
  EXPECT_NE(All[0].What.find(" for 10 in parameter 1+4"), std::string::npos);
  EXPECT_NE(All[4].What.find(" for 20 in parameter 2"), std::string::npos);
}

TEST(OtherSizes, BlocksGoWithTheirCount) {
  capture::Case C = caseOf(100);
  C.Launches[0].Grid = {4, 4, 1};
  OtherInput Less = drawBlocks(C, /*AnyBlock=*/false)[0];
  EXPECT_EQ(Less.What, "75 for 100 in parameter 1, with fewer blocks");
  EXPECT_EQ(Less.Changed.Launches[0].Grid, (capture::Extent{3, 3, 1}));
}

TEST(OtherSizes, LoopsGoRoundMoreThanOnce) {
  capture::Case C = caseOf(100);
  C.Launches[0].Grid = {4, 1, 1};
  C.Launches[0].Block = {32, 4, 1};
  std::vector<OtherInput> All = drawBlocks(C, /*AnyBlock=*/true);
  auto Last = ArrayRef(All).take_back(3);
  EXPECT_EQ(Last[0].What, "200 for 100 in parameter 1 and half of its blocks");
  EXPECT_EQ(Last[0].Changed.Launches[0].Grid, (capture::Extent{2, 1, 1}));
  EXPECT_FALSE(Last[0].Count) << "buffers stay as they are";
  EXPECT_EQ(Last[1].What, "half of its blocks");
  EXPECT_EQ(Last[2].What, "half of its threads");
  EXPECT_EQ(Last[2].Changed.Launches[0].Block, (capture::Extent{16, 4, 1}));
  EXPECT_EQ(Last[2].Changed.Launches[0].Grid, C.Launches[0].Grid);
}

TEST(OtherSizes, BuffersFitTheirCount) {
  auto Fitted = [](uint64_t Size, CountChange Count, uint64_t Before,
                   uint64_t Now) {
    OtherInput O;
    O.Changed.Buffers.push_back(
        capture::Buffer::input(4096, capture::Bytes(Size)));
    O.Count = Count;
    bool Any = fitBuffers(O, {Before}, {Now});
    const capture::Buffer &B = O.Changed.Buffers[0];
    EXPECT_EQ(B.Size, B.Pieces[0].Before.size());
    EXPECT_EQ(Any, B.Size < Size);
    EXPECT_EQ(Any, !O.What.empty());
    return B.Size;
  };
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 360), 360u) << "elements";
  EXPECT_EQ(Fitted(404, {100, 90}, 404, 364), 364u) << "and one more";
  EXPECT_EQ(Fitted(40000, {100, 90}, 40000, 32400), 32400u) << "a square";
  EXPECT_EQ(Fitted(40000, {100, 90}, 39996, 32396), 32400u) << "no corner";
  EXPECT_EQ(Fitted(8000, {100, 90}, 8000, 7200), 7200u) << "rows of 20";
  EXPECT_EQ(Fitted(1024, {100, 90}, 1024, 960), 1024u) << "a table";
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 400), 400u) << "all in use";
  EXPECT_EQ(Fitted(4000, {100, 90}, 400, 360), 4000u) << "mostly not in use";
  EXPECT_EQ(Fitted(400, {100, 90}, 400, 0), 400u) << "not in use";
}
