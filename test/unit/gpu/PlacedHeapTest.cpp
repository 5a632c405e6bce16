//===- PlacedHeapTest.cpp - A device heap as a replay wants it ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Memory.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace gevo::gpu;

namespace {

/// Memory with a placed heap of three blocks: one stays, one comes, one goes.
class PlacedHeapTest : public ::testing::Test {
protected:
  GlobalMemory Memory{uint64_t(1) << 30};
  uint64_t Base = 0;
  HeapRun Blocks[3];
  char Start[48];

  void SetUp() override {
    Base = Memory.allocate(4096, MemoryKind::Device);
    ASSERT_TRUE(Base);
    ASSERT_TRUE(Memory.release(Base));
    for (char &C : Start)
      C = char(1 + (&C - Start) / 16);
    Blocks[0] = {Base, 0, 0, 1, 16, HeapBlock::Kept};
    Blocks[1] = {Base + 144, 16, 0, 1, 12, HeapBlock::Made};
    Blocks[2] = {Base + 288, 32, 0, 1, 16, HeapBlock::Freed};
  }
  bool place() { return Memory.placeHeap(Blocks, 3, Start); }
  static char at(uint64_t Address) {
    return *reinterpret_cast<const char *>(Address);
  }
};

TEST_F(PlacedHeapTest, BlocksAreThereWithWhatTheyHold) {
  ASSERT_TRUE(place());
  EXPECT_EQ(Memory.heapBytes(), 32u);
  const Allocation *A = Memory.find(Base + 4, 8);
  ASSERT_TRUE(A);
  EXPECT_EQ(A->Base, Base);
  EXPECT_EQ(A->Bytes, 16u);
  EXPECT_EQ(A->Kind, MemoryKind::DeviceHeap);
  EXPECT_EQ(at(Base + 15), 1);
  ASSERT_TRUE(Memory.find(Base + 288));
  EXPECT_EQ(at(Base + 288), 3);
}

TEST_F(PlacedHeapTest, BoundsAreThoseOfEachBlock) {
  ASSERT_TRUE(place());
  EXPECT_FALSE(Memory.find(Base + 12, 8)) << "over the end";
  EXPECT_FALSE(Memory.find(Base + 16)) << "between blocks";
  EXPECT_FALSE(Memory.find(Base + 144)) << "a block to come";
  Neighbour N = Memory.nearest(Base + 20);
  ASSERT_TRUE(N.Where);
  EXPECT_EQ(N.Where->Base, Base);
  EXPECT_EQ(N.Distance, 4);
  N = Memory.nearest(Base + 280);
  ASSERT_TRUE(N.Where);
  EXPECT_EQ(N.Where->Base, Base + 288);
  EXPECT_EQ(N.Distance, -8);
}

TEST_F(PlacedHeapTest, MallocMakesWhatIsToCome) {
  ASSERT_TRUE(place());
  EXPECT_FALSE(Memory.allocateAt(Base + 8, 16, MemoryKind::DeviceHeap))
      << "in the place of a block";
  ASSERT_TRUE(Memory.allocateAt(Base + 144, 12, MemoryKind::DeviceHeap));
  ASSERT_TRUE(Memory.find(Base + 144, 12));
  EXPECT_EQ(at(Base + 155), 2);
  EXPECT_FALSE(Memory.allocateAt(Base + 144, 12, MemoryKind::DeviceHeap))
      << "twice";
  // What comes and goes within the launch.
  ASSERT_TRUE(Memory.allocateAt(Base + 200, 8, MemoryKind::DeviceHeap));
  EXPECT_EQ(Memory.heapBytes(), 32u + 12 + 8);
  EXPECT_TRUE(Memory.release(Base + 200));
  EXPECT_FALSE(Memory.find(Base + 200));
}

TEST_F(PlacedHeapTest, FreedBlocksAreGone) {
  ASSERT_TRUE(place());
  EXPECT_TRUE(Memory.release(Base + 288));
  EXPECT_FALSE(Memory.find(Base + 288));
  EXPECT_FALSE(Memory.release(Base + 288)) << "twice";
  EXPECT_FALSE(Memory.release(Base + 144)) << "a block to come";
  EXPECT_FALSE(Memory.release(Base + 4)) << "not its start";
  EXPECT_EQ(Memory.heapBytes(), 16u);
  ASSERT_TRUE(Memory.allocateAt(Base + 292, 4, MemoryKind::DeviceHeap))
      << "its place is free";
}

TEST_F(PlacedHeapTest, WhatWasUsedIsRead) {
  ASSERT_TRUE(place());
  ASSERT_TRUE(Memory.find(Base));
  std::memset(reinterpret_cast<void *>(Base), 77, 4);
  ASSERT_TRUE(Memory.find(Base + 288));
  ASSERT_TRUE(Memory.release(Base + 288));
  char Packed[48];
  std::memset(Packed, 55, sizeof(Packed));
  Memory.readHeap(Packed);
  EXPECT_EQ(Packed[3], 77);
  EXPECT_EQ(Packed[4], 1);
  EXPECT_EQ(Packed[16], 55) << "never made";
  EXPECT_EQ(Packed[32], 55) << "freed";
}

TEST_F(PlacedHeapTest, ItGoesWithoutTraceAndComesAgain) {
  for (int K = 0; K < 3; ++K) {
    ASSERT_TRUE(place());
    ASSERT_TRUE(Memory.allocateAt(Base + 144, 12, MemoryKind::DeviceHeap));
    ASSERT_TRUE(Memory.find(Base));
    EXPECT_EQ(at(Base), 1);
    std::memset(reinterpret_cast<void *>(Base), 9, 16);
  }
  Memory.dropHeap();
  EXPECT_EQ(Memory.heapBytes(), 0u);
  EXPECT_EQ(Memory.usedBytes(), 0u);
  EXPECT_FALSE(Memory.find(Base));
  EXPECT_EQ(at(Base), 0);
  EXPECT_TRUE(Memory.allocateAt(Base, 4096, MemoryKind::Device));
}

TEST_F(PlacedHeapTest, OthersMayLieBetweenBlocksButNotInThem) {
  Blocks[2].Address = Base + 2048;
  ASSERT_TRUE(Memory.allocateAt(Base + 1024, 32, MemoryKind::Device));
  ASSERT_TRUE(place());
  EXPECT_EQ(Memory.find(Base + 1024)->Kind, MemoryKind::Device);
  ASSERT_TRUE(Memory.find(Base));
  ASSERT_TRUE(Memory.find(Base + 2048));
  Memory.dropHeap();
  EXPECT_TRUE(Memory.find(Base + 1024));
  ASSERT_TRUE(Memory.allocateAt(Base + 2056, 4, MemoryKind::Device));
  EXPECT_FALSE(place());
  EXPECT_EQ(Memory.heapBytes(), 0u);
  ASSERT_TRUE(Memory.release(Base + 2056));
  EXPECT_TRUE(place()) << "a failure leaves nothing behind";
}

TEST_F(PlacedHeapTest, ARunIsAsManyBlocks) {
  Blocks[0] = {Base, 0, 40, 2, 16, HeapBlock::Kept};
  Blocks[1] = {Base + 80, 32, 0, 1, 16, HeapBlock::Made};
  ASSERT_TRUE(Memory.placeHeap(Blocks, 2, Start));
  EXPECT_EQ(Memory.heapBytes(), 32u);
  ASSERT_TRUE(Memory.find(Base + 40, 16));
  EXPECT_EQ(at(Base + 40), 2);
  EXPECT_EQ(Memory.find(Base + 55)->Base, Base + 40);
  EXPECT_FALSE(Memory.find(Base + 16)) << "between them";
  EXPECT_FALSE(Memory.find(Base + 56)) << "behind the last";
  EXPECT_FALSE(Memory.find(Base + 80)) << "a block to come";
  EXPECT_EQ(Memory.nearest(Base + 20).Distance, 4);
  EXPECT_EQ(Memory.nearest(Base + 35).Distance, -5);
  EXPECT_TRUE(Memory.release(Base + 40));
  EXPECT_FALSE(Memory.find(Base + 40));
  EXPECT_TRUE(Memory.find(Base)) << "only one of them";
  EXPECT_EQ(Memory.nearest(Base + 70).Where->Base, Base);
}

TEST_F(PlacedHeapTest, OthersMayLieBetweenTheBlocksOfARun) {
  ASSERT_TRUE(Memory.allocateAt(Base + 1024, 32, MemoryKind::Device));
  HeapRun Wide = {Base, 0, 512, 3, 16, HeapBlock::Kept};
  EXPECT_FALSE(Memory.placeHeap(&Wide, 1, Start)) << "in the place of the last";
  Wide.Stride = 2048;
  ASSERT_TRUE(Memory.placeHeap(&Wide, 1, Start));
  EXPECT_EQ(Memory.find(Base + 1024)->Kind, MemoryKind::Device);
  ASSERT_TRUE(Memory.find(Base + 4096));
  EXPECT_EQ(at(Base + 4096), 3);
  Memory.dropHeap();
  Wide.Stride = uint64_t(3) << 20;
  ASSERT_TRUE(Memory.placeHeap(&Wide, 1, Start)) << "far from each other";
  ASSERT_TRUE(Memory.find(Base + 2 * Wide.Stride + 15));
}

} // namespace
