//===- AcquireTest.cpp - What a reader of a flag must do ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread writes data, fences and sets a flag; one of another block, or warp,
// waits for the flag in some way, does something or nothing, and reads the
// data. The PTX memory model says which ways are in order.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

class AcquireTest : public KernelTest {
protected:
  /// How a thread waits: \p Look leaves the flag in %r1.
  static std::string wait(const std::string &Look) {
    return "W: " + Look + " setp.eq.u32 %p2, %r1, 0; @%p2 bra W;\n";
  }

  /// Block 0 writes a word and sets the flag that block 1 waits for.
  LaunchResult handOver(const std::string &Look, const std::string &Then,
                        const std::string &Fence = "membar.gl;") {
    D.set(Out, 0, 4, BufferBytes / 4);
    return run("mov.u32 %r9, %ctaid.x; setp.ne.u32 %p1, %r9, 0;\n"
               "@%p1 bra R;\n"
               "setp.ne.u32 %p3, %t, 0; @%p3 bra E;\n"
               "st.global.u32 [%out+64], 7;\n" +
                   Fence +
                   "st.relaxed.gpu.global.u32 [%out], 1; bra E;\n"
                   "R: setp.ne.u32 %p3, %t, 0; @%p3 bra B;\n" +
                   wait(Look) + Then +
                   "\nbra D;\n"
                   "B: " +
                   (Then.find("bar.sync") == 0 ? Then : "") +
                   " bra E;\n"
                   "D: ld.global.u32 %r2, [%out+64];\n"
                   "st.global.u32 [%out+128], %r2;\nE:",
               {64, 1, 1}, CheckSet::none().with(CheckFamily::Race), {2, 1, 1});
  }
};

constexpr const char *Volatile = "ld.volatile.global.u32 %r1, [%out];",
                     *Relaxed = "ld.relaxed.gpu.global.u32 %r1, [%out];",
                     *Acquire = "ld.acquire.gpu.global.u32 %r1, [%out];",
                     *Atomic = "atom.global.add.u32 %r1, [%out], 0;",
                     *AtomicAcquire =
                         "atom.acquire.gpu.global.add.u32 %r1, [%out], 0;";

/// A way to wait, what comes after it, and whether the read is in order.
const struct {
  const char *Look, *Then;
  bool Ordered;
} Ways[] = {
    {Volatile, "membar.gl;", true},
    {Volatile, "membar.sys;", true},
    {Volatile, "fence.acq_rel.gpu;", true},
    {Volatile, "fence.sc.gpu;", true},
    {Volatile, "", false},
    {Volatile, "membar.cta;", false},
    {Volatile, "bar.sync 0;", false},
    {Volatile, "ld.acquire.gpu.global.u32 %r1, [%out];", true},
    {Volatile, "ld.acquire.gpu.global.u32 %r1, [%out+4];", false},
    {Relaxed, "membar.gl;", true},
    {Relaxed, "", false},
    {Relaxed, "bar.warp.sync 1;", false},
    {Acquire, "", true},
    {Atomic, "membar.gl;", true},
    {Atomic, "bar.sync 0;", true},
    {Atomic, "", false},
    {Atomic, "membar.cta;", false},
    {AtomicAcquire, "", true},
};

TEST_F(AcquireTest, EveryWayToWaitForAFlag) {
  for (const auto &Way : Ways) {
    LaunchResult R = handOver(Way.Look, Way.Then);
    EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    EXPECT_EQ(at<uint32_t>(32), 7u);
    EXPECT_EQ(R.Findings.size(), Way.Ordered ? 0u : 1u)
        << Way.Look << " " << Way.Then;
    EXPECT_EQ(count(R, FindingKind::RaceNoAcquire), Way.Ordered ? 0u : 1u)
        << Way.Look << " " << Way.Then;
  }
}

TEST_F(AcquireTest, BothPartiesAndTheReasonAreNamed) {
  LaunchResult R = handOver(Volatile, "");
  ASSERT_EQ(R.Findings.size(), 1u);
  const Finding &F = R.Findings[0];
  EXPECT_EQ(F.Sev, Severity::Doubt);
  EXPECT_EQ(F.str().find("warning: race-no-acquire: read of global memory"),
            0u);
  EXPECT_NE(F.Message.find("without an acquire or a fence (__threadfence)"),
            std::string::npos);
  EXPECT_EQ(F.Who.Block.X, 1u);
  EXPECT_EQ(F.Who.Place.PtxLine, 21u);
  ASSERT_TRUE(F.Other);
  EXPECT_EQ(F.Other->Block.X, 0u);
  EXPECT_EQ(F.Other->Place.PtxLine, 14u);
}

TEST_F(AcquireTest, WithoutTheWritersFenceItIsAnError) {
  // The reader's fence is no excuse, and its lack does not hide the error.
  for (const char *Then : {"membar.gl;", ""}) {
    LaunchResult R = handOver(Volatile, Then, "");
    EXPECT_EQ(count(R, FindingKind::RaceNoAcquire), 0u) << Then;
    EXPECT_EQ(count(R, FindingKind::RaceGlobal), 1u) << Then;
  }
}

TEST_F(AcquireTest, WhatWasSeenIsHandedOnByBarriers) {
  // Thread 0 waits, and another one of the block reads: after a fence of
  // either, or none.
  auto Body = [&](const std::string &First, const std::string &Second) {
    return "mov.u32 %r9, %ctaid.x; setp.ne.u32 %p1, %r9, 0;\n"
           "setp.ne.u32 %p3, %t, 0; @%p1 bra R;\n"
           "@%p3 bra E; st.global.u32 [%out+64], 7; membar.gl;\n"
           "st.volatile.global.u32 [%out], 1; bra E;\n"
           "R: @%p3 bra B;\n" +
           wait(Volatile) + First + "\nB: bar.sync 0;\n" + Second +
           "\nsetp.ne.u32 %p3, %t, 40; @%p3 bra E;\n"
           "ld.global.u32 %r2, [%out+64];\nE:";
  };
  for (const char *First : {"", "membar.gl;"})
    for (const char *Second : {"", "membar.gl;"}) {
      D.set(Out, 0, 4, BufferBytes / 4);
      LaunchResult R = run(Body(First, Second), {64, 1, 1},
                           CheckSet::none().with(CheckFamily::Race), {2, 1, 1});
      bool Ordered = *First || *Second;
      EXPECT_EQ(R.Findings.size(), Ordered ? 0u : 1u) << First << Second;
      EXPECT_EQ(count(R, FindingKind::RaceNoAcquire), Ordered ? 0u : 1u);
    }
}

TEST_F(AcquireTest, WarpsOfABlockNeedItToo) {
  auto Body = [&](const std::string &Then) {
    return "setp.eq.u32 %p1, %t, 32; @%p1 bra R;\n"
           "setp.ne.u32 %p3, %t, 0; @%p3 bra E;\n"
           "st.shared.u32 [s+64], 7; membar.cta;\n"
           "st.volatile.shared.u32 [s], 1; bra E;\n"
           "R: " +
           wait("ld.volatile.shared.u32 %r1, [s];") + Then +
           "\nld.shared.u32 %r2, [s+64];\nE:";
  };
  CheckSet Race = CheckSet::none().with(CheckFamily::Race);
  const char *Shared = ".shared .align 4 .b8 s[128];\n";
  EXPECT_EQ(run(Body("membar.cta;"), {64, 1, 1}, Race, {1, 1, 1}, Shared)
                .Findings.size(),
            0u);
  LaunchResult R = run(Body(""), {64, 1, 1}, Race, {1, 1, 1}, Shared);
  EXPECT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(count(R, FindingKind::RaceNoAcquire), 1u);
}

TEST_F(AcquireTest, TheLastOneToCountMayReset) {
  // As in the CUDA manual: the block that counts last sets the counter to 0.
  auto Body = [](const std::string &Last) {
    return "setp.ne.u32 %p1, %t, 0; @%p1 bra E; membar.gl;\n"
           "atom.global.add.u32 %r1, [%out], 1;\n" +
           Last + "@%p2 st.global.u32 [%out], 0;\nE:";
  };
  CheckSet Race = CheckSet::none().with(CheckFamily::Race);
  LaunchResult R =
      run(Body("setp.eq.u32 %p2, %r1, 7;"), {32, 1, 1}, Race, {8, 1, 1});
  EXPECT_EQ(R.Findings.size(), 0u);
  EXPECT_EQ(at<uint32_t>(0), 0u);
  // One that others count after may not.
  R = run(Body("setp.eq.u32 %p2, %r1, 3;"), {32, 1, 1}, Race, {8, 1, 1});
  EXPECT_GE(count(R, FindingKind::RaceGlobal), 1u);
}

} // namespace
