//===- OccupancyTest.cpp - How many blocks an SM holds --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each limit of an SM binds where it should: warps, blocks, registers in units
// of a warp and a scheduler, shared memory in units with what is reserved. What
// launch bounds leave a thread of registers is what the assembler leaves it.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/ptx/Module.h"

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

// What ptxas 12.5 gives a kernel that would have all there are, by its launch
// bounds: threads of a block, blocks of an SM, .maxnreg.
TEST(Occupancy, LaunchBoundsLimitRegisters) {
  struct {
    uint32_t Threads, Blocks, MaxRegisters, Limit;
  } Cases[] = {
      {0, 0, 0, 255},
      {0, 8, 0, 255},
      {256, 0, 0, 255},
      {352, 0, 0, 168},
      {512, 0, 0, 128},
      {544, 0, 0, 96},
      {640, 0, 0, 96},
      {640, 3, 0, 32},
      {1024, 0, 0, 64},
      {256, 4, 0, 64},
      {96, 5, 0, 128},
      {96, 7, 0, 80},
      {300, 3, 0, 64},
      {2048, 0, 0, 32},
      {0, 0, 40, 40},
      {1024, 0, 100, 100},
      // What no SM holds is left out: blocks, then threads.
      {1024, 4, 0, 64},
      {4096, 1, 0, 255},
  };
  DeviceConfig P100, A100;
  P100.Schedulers = 2;
  for (const auto &Case : Cases) {
    ptx::Function F;
    F.MaxNtid[0] = Case.Threads;
    F.MaxNtid[1] = F.MaxNtid[2] = 1;
    F.MinBlocksPerSM = Case.Blocks;
    F.MaxRegisters = Case.MaxRegisters;
    EXPECT_EQ(registerLimit(A100, F), Case.Limit)
        << Case.Threads << " " << Case.Blocks;
    EXPECT_EQ(registerLimit(P100, F), Case.Limit)
        << Case.Threads << " " << Case.Blocks;
  }
  ptx::Function Required;
  Required.ReqNtid[0] = 32;
  Required.ReqNtid[1] = 16;
  Required.ReqNtid[2] = 1;
  EXPECT_EQ(registerLimit(A100, Required), 128u);
}

TEST(Occupancy, WhatDoesNotFitIsToldWithWhatWould) {
  DeviceConfig C;
  EXPECT_EQ(registerShortage(C, 1024, 64), "");
  EXPECT_EQ(registerShortage(C, 1024, 65),
            "a thread has 65 registers, but in a block of 1024 threads it can "
            "have at most 64, as an SM has 65536");
  // As occupancy has it.
  for (uint64_t Threads : {32, 256, 544, 1024})
    for (uint32_t Registers = 1; Registers <= 255; ++Registers)
      EXPECT_EQ(registerShortage(C, Threads, Registers).empty(),
                occupancyOf(C, {Threads, 0, Registers}).BlocksPerSM > 0)
          << Threads << " " << Registers;
}

/// A kernel of 100 values that are all alive at once.
std::string hundredValues(const std::string &Bounds) {
  std::string Loads, Stores;
  for (int I = 0; I < 100; ++I) {
    std::string N = std::to_string(I);
    Loads += "ld.volatile.global.u32 %r" + N + ", [%rd1];\n";
    Stores += "st.volatile.global.u32 [%rd1], %r" + N + ";\n";
  }
  return ".version 7.0\n.target sm_60\n.address_size 64\n"
         ".visible .entry k(.param .u64 p) " +
         Bounds +
         "\n{\n.reg .b64 %rd<2>; .reg .b32 %r<100>;\n"
         "ld.param.u64 %rd1, [p];\n" +
         Loads + Stores + "ret;\n}\n";
}

TEST(Occupancy, EstimatesKeepToLaunchBounds) {
  Device D{DeviceConfig()};
  auto registers = [&](const std::string &Bounds) {
    auto M = D.load(hundredValues(Bounds));
    EXPECT_TRUE(M) << (M ? "" : M.error().str());
    return M ? (*M)->kernel("k")->attributes().RegistersPerThread : 0;
  };
  EXPECT_GE(registers(""), 100u);
  EXPECT_GE(registers(".maxntid 512, 1, 1"), 100u);
  EXPECT_EQ(registers(".maxntid 1024, 1, 1"), 64u);
  EXPECT_EQ(registers(".maxntid 256, 1, 1 .minnctapersm 4"), 64u);
  EXPECT_EQ(registers(".maxnreg 48"), 48u);
}

} // namespace
