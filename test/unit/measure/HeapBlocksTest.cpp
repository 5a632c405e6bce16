//===- HeapBlocksTest.cpp - The table of the device heap's blocks ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/HeapBlocks.h"

#include <gtest/gtest.h>

using namespace gevo::capture;

TEST(HeapBlocks, DamagedTablesAreRefused) {
  using Table = std::vector<uint64_t>;
  auto read = [](const Table &Words) {
    size_t Blocks = 0;
    bool Ok = forBlocks(
        {reinterpret_cast<const char *>(Words.data()), Words.size() * 8},
        [&](Buffer &&, const std::vector<IndexPiece> &) { ++Blocks; });
    return Ok ? int(Blocks) : -1;
  };
  // Address, bytes, use, pieces; of a piece offset, bytes, written.
  EXPECT_EQ(read({}), 0);
  EXPECT_EQ(read({64, 16, 1, 1, 0, 16, 1, 80, 16, 3, 0}), 2);
  EXPECT_EQ(read({64, 16, 0, 0}), -1) << "a block that is of no heap";
  EXPECT_EQ(read({64, 16, 4, 0}), -1) << "an unknown use";
  EXPECT_EQ(read({64, 16, 1}), -1) << "half a block";
  EXPECT_EQ(read({64, 16, 1, 1, 0, 16}), -1) << "half a piece";
  EXPECT_EQ(read({64, 16, 1, uint64_t(1) << 63}), -1) << "too many pieces";
  EXPECT_EQ(read({64, 16, 1, 1, 0, 16, 2}), -1) << "written is yes or no";
  EXPECT_EQ(read({80, 16, 1, 0, 64, 16, 1, 0}), -1) << "out of order";
  EXPECT_EQ(read({64, ~uint64_t(0), 1, 0}), -1) << "beyond all addresses";
  EXPECT_FALSE(forBlocks("1234567", [](auto &&, auto &) {}));
}
