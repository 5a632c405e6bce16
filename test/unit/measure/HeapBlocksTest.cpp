//===- HeapBlocksTest.cpp - Small blocks of the device heap ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/HeapBlocks.h"

#include <gtest/gtest.h>

using namespace gevo::capture;

namespace {

Table<HeapRun> blocksOf(const std::string &Text, bool &Ok) {
  Table<HeapRun> Blocks;
  Ok = blocksFrom(Text, Blocks);
  return Blocks;
}

/// A block of use 1.
HeapRun block(uint64_t Address, uint64_t Offset, uint32_t Bytes,
              uint32_t Use = 1) {
  return {Address, Offset, 0, 1, Bytes, Use};
}

} // namespace

TEST(HeapBlocks, TablesComeBackAndAreShort) {
  Table<HeapRun> Blocks;
  Table<HeapCallRun> Calls;
  uint64_t Offset = 0;
  for (uint32_t K = 0; K < 1000; ++K) {
    uint32_t Bytes = K % 100 ? 16 : 24;
    Blocks.push_back(
        {0x7000000000u + K * 1440, Offset, 144, 1 + K % 9, Bytes, 1 + K % 3});
    Offset += Blocks.back().Count * packedBytes(Bytes);
    Calls.push_back({K, K == 7 ? ~uint64_t(0) : 0, Bytes, K % 2 ? 0 : K * 8,
                     1 + K % 5, 32, ~uint64_t(143)});
  }
  bool Ok = false;
  Table<HeapRun> Again = blocksOf(blocksText(Blocks), Ok);
  ASSERT_TRUE(Ok);
  ASSERT_EQ(Again.size(), Blocks.size());
  for (size_t K = 0; K < Blocks.size(); ++K) {
    EXPECT_EQ(Again[K].Address, Blocks[K].Address);
    EXPECT_EQ(Again[K].Offset, Blocks[K].Offset);
    EXPECT_EQ(Again[K].Stride, Blocks[K].Stride);
    EXPECT_EQ(Again[K].Count, Blocks[K].Count);
    EXPECT_EQ(Again[K].Bytes, Blocks[K].Bytes);
    EXPECT_EQ(Again[K].Use, Blocks[K].Use);
  }
  Table<HeapCallRun> CallsAgain;
  ASSERT_TRUE(callsFrom(callsText(Calls), CallsAgain));
  ASSERT_EQ(CallsAgain.size(), Calls.size());
  for (size_t K = 0; K < Calls.size(); ++K) {
    EXPECT_EQ(CallsAgain[K].Thread, Calls[K].Thread);
    EXPECT_EQ(CallsAgain[K].Number, Calls[K].Number);
    EXPECT_EQ(CallsAgain[K].Bytes, Calls[K].Bytes);
    EXPECT_EQ(CallsAgain[K].Address, Calls[K].Address);
    EXPECT_EQ(CallsAgain[K].Count, Calls[K].Count);
    EXPECT_EQ(CallsAgain[K].ThreadStep, Calls[K].ThreadStep);
    EXPECT_EQ(CallsAgain[K].AddressStep, Calls[K].AddressStep);
  }
  EXPECT_LT(blocksText(Blocks).size(), 8 * Blocks.size());
}

TEST(HeapBlocks, WhatIsAlikeIsOneRun) {
  Table<HeapRun> Blocks;
  for (uint64_t K = 0; K < 100; ++K)
    addBlock(Blocks, block(0x1000 + 144 * K + (K < 60 ? 0 : 16), 16 * K, 16,
                           K < 80 ? 1 : 3));
  ASSERT_EQ(Blocks.size(), 3u) << "a gap at 60, another use at 80";
  EXPECT_EQ(Blocks[0].Count, 60u);
  EXPECT_EQ(Blocks[0].Stride, 144u);
  EXPECT_EQ(Blocks[1].Address, 0x1000u + 144 * 60 + 16);
  EXPECT_EQ(Blocks[1].Offset, 16 * 60u);
  EXPECT_EQ(Blocks[2].Count, 20u);
  addBlock(Blocks, block(0x9000, 1600, 20, 3));
  EXPECT_EQ(Blocks.size(), 4u) << "another size";
  Table<HeapCallRun> Calls;
  for (uint64_t Number = 0; Number < 2; ++Number)
    for (uint64_t K = 0; K < 50; ++K)
      addCall(Calls, {32 * K, Number, 16, K < 40 ? 0x8000 - 144 * K : 0});
  ASSERT_EQ(Calls.size(), 4u) << "two numbers, and the heap is used up twice";
  EXPECT_EQ(Calls[0].Count, 40u);
  EXPECT_EQ(Calls[0].ThreadStep, 32u);
  EXPECT_EQ(Calls[0].AddressStep, 0 - uint64_t(144)) << "descending";
  EXPECT_EQ(Calls[1].Thread, 32 * 40u);
  EXPECT_EQ(Calls[1].AddressStep, 0u);
  EXPECT_EQ(Calls[2].Number, 1u);
}

TEST(HeapBlocks, EveryTruncatedTableIsRefusedOrShorter) {
  Table<HeapRun> Blocks = {{0x1000, 0, 64, 9, 16, 1}, block(0x2000, 144, 40)};
  std::string Text = blocksText(Blocks);
  for (size_t Size = 0; Size < Text.size(); ++Size) {
    bool Ok = false;
    size_t Count = blocksOf(Text.substr(0, Size), Ok).size();
    EXPECT_TRUE(!Ok || Count < Blocks.size()) << Size;
  }
  Table<HeapCallRun> Calls;
  EXPECT_FALSE(callsFrom("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", Calls))
      << "no number has so many bits";
  bool Ok = true;
  blocksOf(blocksText({block(0x1000, 0, 1 << 20)}), Ok);
  EXPECT_FALSE(Ok) << "a large block";
}

TEST(HeapBlocks, TheOrderIsChecked) {
  auto check = [](Table<HeapRun> Blocks, uint64_t Size) {
    Buffer B;
    B.Blocks = std::move(Blocks);
    B.Size = Size;
    return isInOrder(B);
  };
  EXPECT_TRUE(check({block(64, 0, 16), block(80, 16, 1, 3)}, 32));
  EXPECT_FALSE(check({block(64, 0, 16), block(79, 16, 16)}, 32))
      << "overlapping";
  EXPECT_FALSE(check({block(80, 0, 16), block(64, 16, 16)}, 32))
      << "descending";
  EXPECT_FALSE(check({block(64, 0, 16, 0)}, 16)) << "of no heap";
  EXPECT_FALSE(check({block(64, 0, 16, 4)}, 16)) << "an unknown use";
  EXPECT_FALSE(check({block(64, 0, 0)}, 0)) << "nothing";
  EXPECT_FALSE(check({block(0, 0, 16)}, 16)) << "at null";
  EXPECT_FALSE(check({block(~uint64_t(0), 0, 16)}, 16)) << "beyond the end";
  EXPECT_FALSE(check({block(64, 0, 16)}, 32)) << "memory of nobody";
  EXPECT_TRUE(check({{64, 0, 16, 3, 16, 1}, block(112, 48, 16)}, 64));
  EXPECT_FALSE(check({{64, 0, 16, 3, 16, 1}, block(111, 48, 16)}, 64))
      << "in the last of a run";
  EXPECT_FALSE(check({{64, 0, 15, 3, 16, 1}}, 48)) << "one in the other";
  EXPECT_FALSE(check({{64, 0, 0, 0, 16, 1}}, 0)) << "a run of none";
  EXPECT_FALSE(check({{64, 0, 16, 4, 16, 1}}, 48)) << "more than its memory";
  EXPECT_FALSE(check({{64, 0, uint64_t(1) << 62, 5, 16, 1}}, 80))
      << "a run beyond the end";
  EXPECT_FALSE(check({{64, 0, 16, uint64_t(1) << 60, 16, 1}}, 0))
      << "memory that wraps";
}

TEST(HeapBlocks, ABlockIsFoundByItsMemory) {
  Buffer B;
  B.Blocks = {block(64, 0, 20), {128, 32, 64, 2, 16, 1}};
  B.Size = 64;
  EXPECT_EQ(blockAt(B, 0).Address, 64u);
  EXPECT_EQ(blockAt(B, 31).Address, 64u);
  EXPECT_EQ(blockAt(B, 32).Address, 128u);
  EXPECT_EQ(blockAt(B, 63).Address, 192u);
  EXPECT_EQ(blockAt(B, 63).Offset, 48u);
}
