//===- MemorySystemTest.cpp - What L2 holds -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/MemorySystem.h"
#include "runtime/gpu/exec/Trace.h"

#include <gtest/gtest.h>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

// A set takes what was copied when it is first looked at, and has what it would
// have had at once. So many copies that they do not wait are the reference.
TEST(MemorySystem, CopiesThatWaitAreThere) {
  for (const char *Model : {"V100", "A100", "GTX1080Ti"}) {
    Result<Profile> Found = findProfile(Model, {GEVO_PROFILE_FOLDER});
    ASSERT_TRUE(Found);
    Profile P = *Found;
    constexpr uint64_t Begin = (5 << 20) + 1056, Chunk = (1 << 20) + 96;
    MemorySystem Waits(P), AtOnce(P);
    Waits.copied(1 << 20, 1 << 16);
    AtOnce.copied(1 << 20, 1 << 16);
    Waits.copied(Begin, 60 * Chunk);
    for (uint64_t I = 0; I < 60; ++I)
      AtOnce.copied(Begin + I * Chunk, Chunk);
    Waits.restart();
    AtOnce.restart();
    for (uint64_t I = 0; I < 100000; ++I) {
      uint64_t Line = traceLine((I * 7919) % 600000, 1 + I % 15);
      MemoryRequest R;
      R.Time = I;
      R.NumLines = R.NumSectors = 1;
      R.Kind = I % 3 ? RequestKind::Read : RequestKind::Write;
      ASSERT_EQ(Waits.serve(R, &Line).Time, AtOnce.serve(R, &Line).Time) << I;
    }
    EXPECT_GT(Waits.counters().L2ReadHits, 100u);
    EXPECT_EQ(Waits.counters().L2ReadHits, AtOnce.counters().L2ReadHits);
    EXPECT_EQ(Waits.counters().DramWrites, AtOnce.counters().DramWrites);
  }
}

// A sector that is there does not wait for another one of its line that comes.
TEST(MemorySystem, HitsDoNotWaitForOtherSectors) {
  Result<Profile> Found = findProfile("V100", {GEVO_PROFILE_FOLDER});
  ASSERT_TRUE(Found);
  Profile P = *Found;
  MemorySystem M(P);
  auto Latency = [&](uint64_t Time, uint8_t Sector) {
    uint64_t Line = traceLine(4711, Sector);
    MemoryRequest R;
    R.Time = Time;
    R.NumLines = R.NumSectors = 1;
    return M.serve(R, &Line).Time - Time;
  };
  EXPECT_GE(Latency(0, 1), P.DramLatency);
  // On its way, and it stays so when another one is asked for.
  EXPECT_GE(Latency(50, 2), P.DramLatency);
  EXPECT_GE(Latency(60, 1), P.DramLatency - 60);
  // There, while the next one comes.
  EXPECT_GE(Latency(2000, 4), P.DramLatency);
  EXPECT_LT(Latency(2010, 1), P.L2Latency + 10);
  EXPECT_GE(Latency(2020, 4), P.DramLatency - 20);
}

// Data that waits for the port of its SM is at no slice yet: what another SM
// reads there waits for what the slice serves, and not for the port.
TEST(MemorySystem, WritesThatWaitForTheirPortHoldNobodyUp) {
  for (const char *Model : {"P100", "V100", "A100", "H100"}) {
    Result<Profile> Found = findProfile(Model, {GEVO_PROFILE_FOLDER});
    ASSERT_TRUE(Found);
    Profile P = *Found;
    MemorySystem M(P);
    M.copied(0, 1 << 18);
    M.restart();
    constexpr uint64_t Lines = 256;
    uint64_t Last = 0;
    for (uint64_t I = 0; I < Lines; ++I) {
      uint64_t Line = traceLine(I, 15);
      MemoryRequest W;
      W.NumLines = 1;
      W.NumSectors = 4;
      W.Kind = RequestKind::Write;
      Last = std::max(Last, M.serve(W, &Line).Time);
    }
    uint64_t PortCycles = Lines * 128 / P.PortBytesPerCycle;
    EXPECT_GE(Last, P.L2Latency + PortCycles - 1) << Model;
    // The cycles that the slices need for all of these, and some for chance.
    uint64_t Bytes = P.L2MBs * 1000 / P.ClockKHz;
    uint64_t Served = 2 * Lines * 128 / Bytes + 10;
    ASSERT_LT(Served, PortCycles / 2) << Model;
    for (uint64_t I = 0; I < Lines; ++I) {
      uint64_t Line = traceLine(Lines + I, 1);
      MemoryRequest R;
      R.Time = 1;
      R.SM = unsigned(1 + I % 32);
      R.NumLines = R.NumSectors = 1;
      EXPECT_LE(M.serve(R, &Line).Time, 1 + P.L2Latency + Served) << Model;
    }
  }
}

// What is brought back, touched sets alone, answers as what was kept; so does
// what is emptied and filled again.
TEST(MemorySystem, KeptCachesComeBack) {
  Result<Profile> Found = findProfile("V100", {GEVO_PROFILE_FOLDER});
  ASSERT_TRUE(Found);
  Profile P = *Found;
  auto Fill = [](MemorySystem &M) {
    M.copied(1 << 20, 1 << 16);
    M.copied(5 << 20, 12 << 20);
  };
  auto Replies = [](MemorySystem &M, uint64_t Seed) {
    M.restart();
    std::vector<uint64_t> All;
    for (uint64_t I = 0; I < 5000; ++I) {
      uint64_t Line = traceLine((I * (2 * Seed + 1) * 7919) % 200000, 15);
      MemoryRequest R;
      R.Time = I;
      R.NumLines = 1;
      R.NumSectors = 4;
      R.Kind = I % 3 ? RequestKind::Read : RequestKind::Write;
      All.push_back(M.serve(R, &Line).Time);
    }
    return All;
  };
  MemorySystem M(P);
  EXPECT_FALSE(M.recall());
  Fill(M);
  std::vector<std::vector<uint64_t>> Expected;
  for (uint64_t Seed = 0; Seed < 4; ++Seed) {
    MemorySystem New(P);
    Fill(New);
    Expected.push_back(Replies(New, Seed));
  }
  EXPECT_NE(Expected[0], Expected[1]);
  M.keep();
  for (uint64_t Seed = 0; Seed < 4; ++Seed) {
    EXPECT_EQ(Replies(M, Seed), Expected[Seed]) << Seed;
    ASSERT_TRUE(M.recall());
  }
  for (uint64_t Seed = 0; Seed < 4; ++Seed) {
    M.flush();
    EXPECT_FALSE(M.recall()) << "what was kept is gone with the rest";
    Fill(M);
    EXPECT_EQ(Replies(M, Seed), Expected[Seed]) << Seed;
  }
}
