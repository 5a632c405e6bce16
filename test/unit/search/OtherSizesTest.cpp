//===- OtherSizesTest.cpp - Sizes that a launch may have ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/OtherSizes.h"
#include "search/LargerSizes.h"
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

namespace {
/// A kernel that reads up to \p TableBytes of a table and writes an element of
/// four bytes for each of as many threads as the second parameter says, up to
/// those that there are.
struct TableKernel {
  uint64_t TableBytes;
  std::vector<capture::Case> Seen = {};

  bool operator()(capture::Case &C, std::vector<uint64_t> &Ends) {
    Seen.push_back(C);
    const capture::Launch &L = C.Launches[0];
    uint64_t Out;
    uint32_t Count;
    std::memcpy(&Out, &L.Params[0], 8);
    std::memcpy(&Count, &L.Params[8], 4);
    uint64_t Used =
        4 * std::min<uint64_t>(Count, uint64_t(L.Grid.X) * L.Block.X);
    Ends.clear();
    for (const capture::Buffer &B : C.Buffers)
      Ends.push_back(B.Address == Out ? Used : std::min(Used, TableBytes));
    for (size_t I = 0; I < C.Buffers.size(); ++I)
      if (C.Buffers[I].Size < Ends[I])
        return false;
    return true;
  }
};
} // namespace

/// A launch of \p Count threads, whose output is followed by a table of
/// \p TableBytes of which the first half is known.
static capture::Case withTable(uint32_t Count, uint64_t TableBytes) {
  capture::Case C = caseOf(Count);
  capture::Launch &L = C.Launches[0];
  L.Block = {64, 1, 1};
  L.Grid = {(Count + 63) / 64, 1, 1};
  uint64_t Table = 16384;
  L.Params.resize(24);
  std::memcpy(&L.Params[16], &Table, 8);
  L.Offsets = {0, 8, 16};
  C.Buffers[0].Pieces[0].Before[0] = 7;
  C.Buffers.push_back(
      capture::Buffer::input(Table, capture::Bytes(TableBytes / 2)));
  C.Buffers[1].Pieces[0].Before[1] = 9;
  C.Buffers[1].Size = TableBytes;
  return C;
}

TEST(OtherSizes, CountsGrowWithBlocksAndBuffers) {
  capture::Case C = withTable(200, 4000);
  TableKernel Kernel{4000};
  std::vector<OtherInput> All = drawLarger(C, {800, 800}, Kernel);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].What, "400 for 200 in parameter 1, with larger buffers");
  EXPECT_EQ(All[1].What, "12200 for 200 in parameter 1, with larger buffers");
  for (const OtherInput &O : All) {
    uint32_t Count;
    uint64_t Out, Table;
    const capture::Launch &L = O.Changed.Launches[0];
    std::memcpy(&Out, &L.Params[0], 8);
    std::memcpy(&Count, &L.Params[8], 4);
    std::memcpy(&Table, &L.Params[16], 8);
    EXPECT_EQ(L.Grid, (capture::Extent{(Count + 63) / 64, 1, 1}));
    EXPECT_FALSE(O.Count) << "buffers fit already";
    // In order of address, and apart.
    const std::vector<capture::Buffer> &B = O.Changed.Buffers;
    ASSERT_EQ(B.size(), 2u);
    EXPECT_EQ(Table, 16384u) << "it stays where and as large as it is";
    EXPECT_EQ(B[0].Address, Table);
    EXPECT_EQ(B[0].Size, 4000u);
    EXPECT_EQ(B[1].Address, Out) << "it has moved, and its parameter with it";
    EXPECT_GE(Out, Table + 4000);
    ASSERT_EQ(B[1].Size, 4 * Count);
    // Nothing is unknown.
    ASSERT_EQ(B[0].Pieces.size(), 1u);
    EXPECT_EQ(B[0].Pieces[0].Before.size(), 4000u);
    EXPECT_EQ(B[0].Pieces[0].Before[2001], 9) << "as what is known";
    ASSERT_EQ(B[1].Pieces[0].Before.size(), B[1].Size);
    for (size_t At = 0; At < B[1].Size; ++At)
      ASSERT_EQ(B[1].Pieces[0].Before[At], At % 800 ? 0 : 7) << At;
  }
}

TEST(OtherSizes, ATableOfAsManyElementsDoesNotGrow) {
  // Its size follows the count; its use, as that of a ring, does not.
  capture::Case C = withTable(1000, 4000);
  TableKernel Kernel{4000};
  std::vector<OtherInput> All = drawLarger(C, {4000, 4000}, Kernel);
  ASSERT_EQ(All.size(), 2u);
  for (const OtherInput &O : All) {
    uint64_t Table;
    std::memcpy(&Table, &O.Changed.Launches[0].Params[16], 8);
    for (const capture::Buffer &B : O.Changed.Buffers)
      EXPECT_EQ(B.Size == 4000, B.Address == Table);
  }
}

TEST(OtherSizes, WhatFollowsNothingIsNotMadeLarger) {
  auto Larger = [](capture::Case C, std::vector<uint64_t> Ends) {
    TableKernel Kernel{4000};
    size_t Found = drawLarger(C, Ends, Kernel).size();
    return std::pair(Found, Kernel.Seen.size());
  };
  capture::Case C = withTable(200, 4000);
  EXPECT_EQ(Larger(C, {400, 800}), std::pair(size_t(0), size_t(0)))
      << "mostly not in use";
  uint64_t Inside = 4096 + 400;
  std::memcpy(&C.Launches[0].Params[16], &Inside, 8);
  EXPECT_EQ(Larger(C, {800, 0}), std::pair(size_t(0), size_t(0)))
      << "two parameters share a buffer";
  C = withTable(200, 4000);
  C.Buffers[0].Variable = "Out";
  EXPECT_EQ(Larger(C, {800, 800}), std::pair(size_t(0), size_t(0)))
      << "a variable has its size";
  C = withTable(200, 4000);
  C.Buffers[1].Size = 64 << 20;
  EXPECT_EQ(Larger(C, {800, 800}), std::pair(size_t(0), size_t(0)))
      << "there is too much memory already";
  C = withTable(200, 4000);
  C.WarpInstructions = 20000;
  EXPECT_EQ(Larger(C, {800, 800}).first, 2u) << "twice and seven times";
  C.WarpInstructions = 3000000;
  EXPECT_EQ(Larger(C, {800, 800}).first, 1u) << "seven times is too long";
}

TEST(OtherSizes, OneIsNotTakenForGranted) {
  // Images of 1000 bytes, of which the run has one.
  capture::Case C = withTable(1, 4000);
  C.Buffers[0].Size = 1000;
  C.Buffers[0].Pieces[0].Before.resize(1000);
  C.Launches[0].Grid = {1, 1, 1};
  C.WarpInstructions = 100;
  uint64_t Most = 4000;
  auto Kernel = [&](capture::Case &Now, std::vector<uint64_t> &Ends) {
    uint32_t Count;
    uint64_t Out;
    std::memcpy(&Count, &Now.Launches[0].Params[8], 4);
    std::memcpy(&Out, &Now.Launches[0].Params[0], 8);
    Ends.clear();
    for (const capture::Buffer &B : Now.Buffers) {
      Ends.push_back(B.Address == Out ? uint64_t(Count) * 1000 : 4000);
      if (B.Size < Ends.back())
        return false;
    }
    return Count * 1000 <= Most;
  };
  std::vector<OtherInput> All = drawManyForOne(C, {1000, 4000}, {}, Kernel);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].What, "2 for 1 in parameter 1, with larger buffers");
  EXPECT_EQ(All[1].What, "3 for 1 in parameter 1, with larger buffers");
  uint64_t Out;
  std::memcpy(&Out, &All[0].Changed.Launches[0].Params[0], 8);
  for (const capture::Buffer &B : All[0].Changed.Buffers)
    EXPECT_EQ(B.Size, B.Address == Out ? 2000u : 4000u);
  Most = 7000;
  All = drawManyForOne(C, {1000, 4000}, {}, Kernel);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[1].What, "7 for 1 in parameter 1, with larger buffers");
  Most = 40000;
  All = drawManyForOne(C, {1000, 4000}, {}, Kernel);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[1].What, "19 for 1 in parameter 1, with larger buffers");
  C.WarpInstructions = 10000;
  All = drawManyForOne(C, {1000, 4000}, {}, Kernel);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[1].What, "11 for 1 in parameter 1, with larger buffers");
  EXPECT_EQ(All[2].What, "8 for 1 in parameter 1, with larger buffers");
  KernelTraits Flag;
  Flag.IsNarrow = {false, true};
  EXPECT_TRUE(drawManyForOne(C, {1000, 4000}, Flag, Kernel).empty());
  // A loop that goes round more often needs no more memory.
  auto Loop = [](capture::Case &, std::vector<uint64_t> &Ends) {
    Ends = {1000, 4000};
    return true;
  };
  All = drawManyForOne(C, {1000, 4000}, {}, Loop);
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[0].What, "2 for 1 in parameter 1");
}

TEST(OtherSizes, RoundsThatNoBufferFollowsAreMore) {
  capture::Case C = withTable(20, 4000);
  C.WarpInstructions = 1000;
  uint64_t Each = 50;
  auto Loop = [&](capture::Case &Now, std::vector<uint64_t> &Ends) {
    uint32_t Count;
    std::memcpy(&Count, &Now.Launches[0].Params[8], 4);
    Now.WarpInstructions = Count * Each;
    Ends = {80, 4000};
    return true;
  };
  std::vector<OtherInput> All = drawLonger(C, {}, Loop);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].What, "140 for 20 in parameter 1");
  EXPECT_EQ(All[1].What, "1220 for 20 in parameter 1");
  Each = 100;
  EXPECT_EQ(drawLonger(C, {}, Loop).size(), 1u) << "61 times is too long";
  EXPECT_TRUE(drawLonger(C, All, Loop).empty()) << "there are larger ones";
}
