//===- ArenaTest.cpp - Addresses of devices -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arenas that get none of the places: when all are taken, and always under the
// thread sanitizer, which leaves little address space. What one gives back
// stays a device's, and is what the next one gets.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Arena.h"

#include <gtest/gtest.h>

#include <vector>

using namespace gevo::gpu;

namespace {

constexpr uint64_t Size = uint64_t(1) << 24;

class Arenas : public testing::Test {
protected:
  /// Takes all places, so that what follows gets none.
  void SetUp() override {
    for (unsigned K = 0; K < 48; ++K)
      Held.push_back(reserveArena(Size));
  }
  void TearDown() override {
    for (uint64_t Base : Held)
      releaseArena(Base, Size);
  }
  std::vector<uint64_t> Held;
};

TEST_F(Arenas, AddressesWithoutAPlaceAreUsedAgain) {
  uint64_t First = reserveArena(Size);
  ASSERT_NE(First, 0u);
  *reinterpret_cast<uint64_t *>(First) = 7;
  releaseArena(First, Size);
  EXPECT_TRUE(isArenaAddress(First + Size - 1));
  uint64_t Second = reserveArena(Size / 2);
  EXPECT_EQ(Second, First);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(Second), 0u);
  // The rest is the next one's.
  EXPECT_EQ(reserveArena(Size / 2), First + Size / 2);
  releaseArena(First + Size / 2, Size / 2);
  releaseArena(Second, Size / 2);
  // Both halves are one again.
  EXPECT_EQ(reserveArena(Size), First);
  releaseArena(First, Size);
}

TEST_F(Arenas, DevicesOneAfterAnotherNeedTheAddressesOfOne) {
  // 256 GiB a thousand times: more than a process has.
  for (unsigned K = 0; K < 1000; ++K) {
    uint64_t Base = reserveArena(uint64_t(1) << 38);
    ASSERT_NE(Base, 0u) << K;
    releaseArena(Base, uint64_t(1) << 38);
  }
}

} // namespace
