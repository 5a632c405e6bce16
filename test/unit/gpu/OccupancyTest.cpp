//===- OccupancyTest.cpp - How many blocks an SM holds --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each limit of an SM binds where it should: warps, blocks, registers in units
// of a warp and a scheduler, shared memory in units with what is reserved.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Occupancy.h"

#include <gtest/gtest.h>

using namespace gevo::gpu;

namespace {

TEST(Occupancy, EachLimitBinds) {
  DeviceConfig C;
  C.SharedBytesPerSM = 164 * 1024;
  C.SharedUnit = 128;
  C.SharedReservedPerBlock = 1024;
  struct {
    BlockNeeds Needs;
    unsigned Blocks, Warps;
    const char *Limit;
  } Cases[] = {
      {{256, 0, 16}, 8, 64, "warps"},
      {{33, 0, 16}, 32, 64, "warps"},
      {{32, 0, 16}, 32, 32, "blocks"},
      // 33 registers are 5 units of 256 for a warp: 12 warps of a scheduler.
      {{256, 0, 33}, 6, 48, "registers"},
      // Without what is reserved there would be two.
      {{256, 82 * 1024, 16}, 1, 8, "shared"},
      {{256, 81 * 1024, 16}, 2, 16, "shared"},
      {{1024, 0, 255}, 0, 0, "registers"},
  };
  for (const auto &Case : Cases) {
    Occupancy O = occupancyOf(C, Case.Needs);
    EXPECT_EQ(O.BlocksPerSM, Case.Blocks) << Case.Needs.Threads;
    EXPECT_EQ(O.WarpsPerSM, Case.Warps) << Case.Needs.Threads;
    EXPECT_STREQ(O.Limit, Case.Limit) << Case.Needs.Threads;
  }
}

} // namespace
