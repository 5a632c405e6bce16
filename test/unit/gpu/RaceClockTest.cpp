//===- RaceClockTest.cpp - Clocks that share what they hold ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random clocks against plain ones, which hold a number per thread; and what
// fences cost.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/RaceClock.h"
#include "test/unit/gpu/KernelTest.h"

#include <algorithm>
#include <array>
#include <random>

using namespace gevo::gpu;

namespace {
constexpr uint32_t Threads = 70, Clocks = 6;
/// In two tables, and beside each other.
constexpr std::array<uint32_t, 4> Blocks = {0, 1, 63, 200};

struct Plain {
  uint64_t Of[Blocks.size()][Threads] = {};
  void raise(size_t Block, uint32_t From, uint32_t To, uint64_t Time) {
    for (uint32_t T = From; T < std::min(To, Threads); ++T)
      Of[Block][T] = std::max(Of[Block][T], Time);
  }
  void join(const Plain &O, size_t Block) {
    for (uint32_t T = 0; T < Threads; ++T)
      Of[Block][T] = std::max(Of[Block][T], O.Of[Block][T]);
  }
};

class RaceClockTest : public testing::Test {
protected:
  unsigned below(size_t N) { return unsigned(Dice() % N); }

  /// Something that a clock may be asked to do, of both kinds.
  void step() {
    unsigned To = below(Clocks), From = below(Clocks), B = below(Blocks.size());
    RaceClock &C = Real[To];
    Plain &P = Model[To];
    // Often much alike, so that clocks come to be equal.
    uint64_t Time = 1 + below(20);
    switch (below(9)) {
    case 0:
      C.raiseAll(Blocks[B], Time);
      return P.raise(B, 0, Threads, Time);
    case 1: {
      uint32_t W = below(Threads / 32 + 1);
      C.raiseWarp(Blocks[B], W, Time);
      return P.raise(B, W * 32, W * 32 + 32, Time);
    }
    case 2:
    case 3: {
      uint32_t T = below(Threads);
      C.raiseThread(Blocks[B], T, Time);
      return P.raise(B, T, T + 1, Time);
    }
    case 4:
      C = Real[From];
      P = Model[From];
      return;
    case 5:
      C.joinBlock(Blocks[B], Real[From]);
      return P.join(Model[From], B);
    case 6:
      if (below(8))
        return;
      C.clear();
      P = Plain();
      return;
    default:
      C.join(Real[From]);
      for (size_t Each = 0; Each < Blocks.size(); ++Each)
        P.join(Model[From], Each);
    }
  }

  bool same() const {
    for (unsigned I = 0; I < Clocks; ++I)
      for (size_t B = 0; B < Blocks.size(); ++B)
        for (uint32_t T = 0; T < Threads; ++T)
          if (Real[I].time(Blocks[B], T) != Model[I].Of[B][T])
            return false;
    return true;
  }

  std::mt19937 Dice{7};
  RaceClock Real[Clocks];
  Plain Model[Clocks];
};
} // namespace

TEST_F(RaceClockTest, AgreesWithThePlainModel) {
  for (unsigned Round = 0; Round < 300; ++Round) {
    for (unsigned I = 0; I < Clocks; ++I) {
      Real[I] = RaceClock();
      Model[I] = Plain();
    }
    for (unsigned N = 0; N < 60; ++N) {
      step();
      ASSERT_TRUE(same()) << "round " << Round << ", step " << N;
    }
  }
}

TEST_F(RaceClockTest, WhatIsKnownToBothIsShared) {
  RaceClock Much, Less;
  Much.raiseThread(3, 40, 9);
  Much.raiseThread(7, 2, 5);
  Less.raiseThread(7, 2, 4);
  EXPECT_FALSE(Less.sharesWith(Much));
  // It learns all of it, whether it was there or not.
  Less.join(Much);
  EXPECT_TRUE(Less.sharesWith(Much));
  RaceClock None;
  None.join(Much);
  EXPECT_TRUE(None.sharesWith(Much));
  // Nothing new leaves a clock as it is; what is new does not reach others.
  Less.raiseThread(7, 2, 5);
  EXPECT_TRUE(Less.sharesWith(Much));
  Less.raiseThread(7, 2, 6);
  EXPECT_FALSE(Less.sharesWith(Much));
  EXPECT_EQ(Much.time(7, 2), 5u);
}

class RaceWorkTest : public KernelTest {};

TEST_F(RaceWorkTest, FencesCostWhatIsNew) {
  auto Loop = [](const std::string &What) {
    return "mov.u32 %r1, 0; mul.lo.u32 %r3, %t, 7; and.b32 %r3, %r3, 63;\n"
           "L: shl.b32 %r4, %r3, 2; cvt.u64.u32 %rd1, %r4;\n"
           "add.u64 %rd1, %rd1, %out;\n" +
           What +
           "add.u32 %r3, %r3, 5; and.b32 %r3, %r3, 63;\n"
           "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 32; @%p1 bra L;";
  };
  auto Work = [&](const std::string &What) {
    LaunchResult R = run(Loop(What), {128, 1, 1},
                         CheckSet::none().with(CheckFamily::Race), {4, 1, 1});
    EXPECT_TRUE(R.clean()) << R.Message;
    return R.Counters.RaceWork;
  };
  // Nobody tells anything.
  EXPECT_EQ(Work("membar.gl;\n"), 0u);
  // Each of 16384 atomics hands on what many others did.
  std::string Add = "atom.global.add.u32 %r5, [%rd1], 1;\n";
  uint64_t Plain = Work(Add), Fenced = Work(Add + "membar.gl;\n");
  EXPECT_LT(Plain, 1000u);
  EXPECT_LT(Fenced, 16384u * 80);
}
