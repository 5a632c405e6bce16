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

Table<HeapBlock> blocksOf(const std::string &Text, bool &Ok) {
  Table<HeapBlock> Blocks;
  Ok = blocksFrom(Text, Blocks);
  return Blocks;
}

} // namespace

TEST(HeapBlocks, TablesComeBackAndAreShort) {
  Table<HeapBlock> Blocks;
  Table<HeapCall> Calls;
  uint64_t Offset = 0;
  for (uint32_t K = 0; K < 1000; ++K) {
    uint32_t Bytes = K % 100 ? 16 : 24;
    Blocks.push_back({0x7000000000u + K * 144, Offset, Bytes, 1 + K % 3});
    Offset += packedBytes(Bytes);
    Calls.push_back({K, K == 7 ? ~uint64_t(0) : 0, Bytes, K % 2 ? 0 : K * 8});
  }
  bool Ok = false;
  Table<HeapBlock> Again = blocksOf(blocksText(Blocks), Ok);
  ASSERT_TRUE(Ok);
  ASSERT_EQ(Again.size(), Blocks.size());
  for (size_t K = 0; K < Blocks.size(); ++K) {
    EXPECT_EQ(Again[K].Address, Blocks[K].Address);
    EXPECT_EQ(Again[K].Offset, Blocks[K].Offset);
    EXPECT_EQ(Again[K].Bytes, Blocks[K].Bytes);
    EXPECT_EQ(Again[K].Use, Blocks[K].Use);
  }
  Table<HeapCall> CallsAgain;
  ASSERT_TRUE(callsFrom(callsText(Calls), CallsAgain));
  ASSERT_EQ(CallsAgain.size(), Calls.size());
  for (size_t K = 0; K < Calls.size(); ++K) {
    EXPECT_EQ(CallsAgain[K].Thread, Calls[K].Thread);
    EXPECT_EQ(CallsAgain[K].Number, Calls[K].Number);
    EXPECT_EQ(CallsAgain[K].Bytes, Calls[K].Bytes);
    EXPECT_EQ(CallsAgain[K].Address, Calls[K].Address);
  }
  EXPECT_LT(blocksText(Blocks).size(), 5 * Blocks.size());
}

TEST(HeapBlocks, EveryTruncatedTableIsRefusedOrShorter) {
  Table<HeapBlock> Blocks = {{0x1000, 0, 16, 1}, {0x2000, 16, 40, 3}};
  std::string Text = blocksText(Blocks);
  for (size_t Size = 0; Size < Text.size(); ++Size) {
    bool Ok = false;
    size_t Count = blocksOf(Text.substr(0, Size), Ok).size();
    EXPECT_TRUE(!Ok || Count < Blocks.size()) << Size;
  }
  Table<HeapCall> Calls;
  EXPECT_FALSE(callsFrom("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", Calls))
      << "no number has so many bits";
  bool Ok = true;
  blocksOf(blocksText({{0x1000, 0, 1 << 20, 1}}), Ok);
  EXPECT_FALSE(Ok) << "a large block";
}

TEST(HeapBlocks, TheOrderIsChecked) {
  auto check = [](Table<HeapBlock> Blocks, uint64_t Size) {
    Buffer B;
    B.Blocks = std::move(Blocks);
    B.Size = Size;
    return isInOrder(B);
  };
  EXPECT_TRUE(check({{64, 0, 16, 1}, {80, 16, 1, 3}}, 32));
  EXPECT_FALSE(check({{64, 0, 16, 1}, {79, 16, 16, 1}}, 32)) << "overlapping";
  EXPECT_FALSE(check({{80, 0, 16, 1}, {64, 16, 16, 1}}, 32)) << "descending";
  EXPECT_FALSE(check({{64, 0, 16, 0}}, 16)) << "a block that is of no heap";
  EXPECT_FALSE(check({{64, 0, 16, 4}}, 16)) << "an unknown use";
  EXPECT_FALSE(check({{64, 0, 0, 1}}, 0)) << "nothing";
  EXPECT_FALSE(check({{0, 0, 16, 1}}, 16)) << "at null";
  EXPECT_FALSE(check({{~uint64_t(0), 0, 16, 1}}, 16)) << "beyond the end";
  EXPECT_FALSE(check({{64, 0, 16, 1}}, 32)) << "memory of nobody";
}

TEST(HeapBlocks, ABlockIsFoundByItsMemory) {
  Buffer B;
  B.Blocks = {{64, 0, 20, 1}, {128, 32, 16, 1}, {192, 48, 16, 1}};
  B.Size = 64;
  EXPECT_EQ(blockAt(B, 0).Address, 64u);
  EXPECT_EQ(blockAt(B, 31).Address, 64u);
  EXPECT_EQ(blockAt(B, 32).Address, 128u);
  EXPECT_EQ(blockAt(B, 63).Address, 192u);
}
