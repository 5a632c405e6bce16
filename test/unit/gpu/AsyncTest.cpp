//===- AsyncTest.cpp - Barriers in shared memory, background copies -------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

class AsyncTest : public KernelTest {
protected:
  AsyncTest() : KernelTest(90) {}
  /// Thread 0 prepares a barrier that takes \p Count arrivals.
  static std::string init(const std::string &Count) {
    return "mov.u32 %r20, bar; setp.ne.u32 %p7, %t, 0;\n"
           "@!%p7 mbarrier.init.shared.b64 [%r20], " +
           Count + ";\nbar.sync 0;\n";
  }
};

const char *Shared =
    ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[1024];\n";

TEST_F(AsyncTest, ArriveOrdersWhatWasWritten) {
  // Each thread reads what the thread of the other warp wrote.
  runClean(init("64") +
               "shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r3, %r2, %r1;\n"
               "st.shared.u32 [%r3], %t;\n"
               "mbarrier.arrive.shared.b64 %rd1, [%r20];\n"
               "W: mbarrier.try_wait.shared.b64 %p1, [%r20], %rd1;\n"
               "@!%p1 bra W;\n"
               "xor.b32 %r4, %r1, 132; add.u32 %r4, %r2, %r4;\n"
               "ld.shared.u32 %r5, [%r4]; st.global.u32 [%mine], %r5;",
           {64, 1, 1}, {1, 1, 1}, Shared);
  for (unsigned K = 0; K < 64; ++K)
    EXPECT_EQ(at(K), K ^ 33);
}

TEST_F(AsyncTest, ParityGoesWithThePhases) {
  // A token goes around: phase K writes K, and all read it after the phase.
  runClean(init("32") +
               "mov.u32 %r1, 0; mov.u32 %r9, 0;\n"
               "L: setp.ne.u32 %p1, %t, %r1;\n"
               "@!%p1 st.shared.u32 [s], %r1;\n"
               "and.b32 %r2, %r1, 1;\n"
               "mbarrier.arrive.shared.b64 _, [%r20];\n"
               "W: mbarrier.test_wait.parity.shared.b64 %p2, [%r20], %r2;\n"
               "@!%p2 bra W;\n"
               "ld.shared.u32 %r3, [s]; add.u32 %r9, %r9, %r3;\n"
               "bar.warp.sync 0xffffffff;\n"
               "add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 5; @%p3 bra L;\n"
               "st.global.u32 [%mine], %r9;",
           {32, 1, 1}, {1, 1, 1}, Shared);
  for (unsigned K = 0; K < 32; ++K)
    EXPECT_EQ(at(K), 0u + 1 + 2 + 3 + 4);
}

TEST_F(AsyncTest, WaitsGiveWay) {
  // The second warp works for 300,000 instructions; the first one, which counts
  // how often it asks, must not fill that time with questions.
  runClean(init("1") +
               "mov.u32 %r1, 0; setp.ge.u32 %p1, %t, 32; @%p1 bra WORK;\n"
               "W: add.u32 %r1, %r1, 1;\n"
               "mbarrier.try_wait.parity.shared.b64 %p2, [%r20], 0;\n"
               "@!%p2 bra W; st.global.u32 [%mine], %r1; bra END;\n"
               "WORK: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 100000;\n"
               "@%p3 bra WORK; setp.ne.u32 %p4, %t, 32;\n"
               "@!%p4 mbarrier.arrive.shared.b64 _, [%r20];\nEND:",
           {64, 1, 1}, {1, 1, 1}, Shared);
  EXPECT_GT(at(0), 1u);
  EXPECT_LT(at(0), 20u);
}

TEST_F(AsyncTest, CountsAndBytes) {
  runClean(
      init("5") +
          // Three of five, then what was pending before.
          "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r20], 3;\n"
          "mbarrier.arrive.shared.b64 %rd2, [%r20];\n"
          "mbarrier.pending_count.b64 %r1, %rd1;\n"
          "mbarrier.pending_count.b64 %r2, %rd2;\n"
          "st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;\n"
          // The last arrival waits for 100 bytes, which come in two parts.
          "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r20], 100;\n"
          "mbarrier.test_wait.shared.b64 %p1, [%r20], %rd3;\n"
          "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out+8], %r3;\n"
          "mbarrier.complete_tx.shared.b64 [%r20], 60;\n"
          "mbarrier.test_wait.shared.b64 %p1, [%r20], %rd3;\n"
          "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out+12], %r3;\n"
          "mbarrier.complete_tx.shared.b64 [%r20], 40;\n"
          "mbarrier.test_wait.shared.b64 %p1, [%r20], %rd3;\n"
          "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out+16], %r3;\n"
          // Bytes awaited without an arrival, and by a drop: four are left.
          "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r20], 8;\n"
          "mbarrier.complete_tx.shared.b64 [%r20], 8;\n"
          "mbarrier.arrive_drop.shared.b64 %rd4, [%r20];\n"
          "mbarrier.arrive.shared.b64 %rd5, [%r20], 4;\n"
          "mbarrier.test_wait.shared.b64 %p1, [%r20], %rd4;\n"
          "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out+20], %r3;\n"
          "mbarrier.arrive.shared.b64 %rd6, [%r20];\n"
          "mbarrier.pending_count.b64 %r4, %rd6;\n"
          "st.global.u32 [%out+24], %r4;\n"
          "mbarrier.inval.shared.b64 [%r20];",
      {1, 1, 1}, {1, 1, 1}, Shared);
  const uint32_t Want[] = {5, 2, 0, 0, 1, 1, 4};
  for (unsigned K = 0; K < 7; ++K)
    EXPECT_EQ(at(K), Want[K]) << K;
}

TEST_F(AsyncTest, GenericAddresses) {
  runClean(init("1") + "cvta.shared.u64 %rd8, bar;\n"
                       "mbarrier.arrive.b64 %rd1, [%rd8];\n"
                       "mbarrier.test_wait.b64 %p1, [%rd8], %rd1;\n"
                       "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%out], %r3;",
           {1, 1, 1}, {1, 1, 1}, Shared);
  EXPECT_EQ(at(0), 1u);
}

TEST_F(AsyncTest, UnpreparedBarrierIsReported) {
  LaunchResult R = run("mbarrier.arrive.shared.b64 _, [bar];", {1, 1, 1},
                       CheckSet::all(), {1, 1, 1}, Shared);
  EXPECT_EQ(count(R, FindingKind::UninitShared), 1u);
}

TEST_F(AsyncTest, TheLastWarpEndsABarrier) {
  // As libcu++ ends a pipeline: lanes meet in a match, which orders no memory,
  // one of each warp counts, and the last to count ends the barrier.
  runClean(init("64") +
               "setp.ne.u32 %p6, %t, 0; @!%p6 st.shared.u32 [s], 2;\n"
               "bar.sync 0;\n"
               "mbarrier.arrive.shared.b64 _, [%r20];\n"
               "match.any.sync.b32 %r1, %r20, 0xffffffff;\n"
               "and.b32 %r2, %t, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra END;\n"
               "fence.sc.cta; atom.shared.dec.u32 %r3, [s], 2;\n"
               "fence.sc.cta; setp.ne.u32 %p2, %r3, 1;\n"
               "@!%p2 mbarrier.inval.shared.b64 [%r20];\nEND:",
           {64, 1, 1}, {1, 1, 1}, Shared);
}

TEST_F(AsyncTest, AnEndedBarrierIsNoBarrier) {
  std::string End = init("1") + "mbarrier.inval.shared.b64 [%r20];\n";
  LaunchResult R = run(End + "mbarrier.arrive.shared.b64 _, [%r20];", {1, 1, 1},
                       CheckSet::all(), {1, 1, 1}, Shared);
  EXPECT_EQ(count(R, FindingKind::UninitShared), 1u);
  runClean(End + "st.shared.u64 [%r20], 5; ld.shared.u64 %rd1, [%r20];\n"
                 "st.global.u64 [%out], %rd1;",
           {1, 1, 1}, {1, 1, 1}, Shared);
  EXPECT_EQ(at<uint64_t>(0), 5u) << "its memory is free for other things";
}

TEST_F(AsyncTest, CopiesOfEachSize) {
  for (unsigned K = 0; K < 64; ++K)
    put<uint32_t>(256 + K, 0x1000 + K);
  runClean("cp.async.ca.shared.global [s], [%out+1024], 4;\n"
           "cp.async.ca.shared::cta.global.L2::128B [s+8], [%out+1032], 8;\n"
           "cp.async.commit_group;\n"
           "cp.async.cg.shared.global [s+16], [%out+1040], 16;\n"
           "cp.async.commit_group; cp.async.wait_group 1;\n"
           "cp.async.wait_all;\n"
           "ld.shared.u32 %r1, [s]; ld.shared.v2.u32 {%r2, %r3}, [s+8];\n"
           "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [s+16];\n"
           "st.global.v2.u32 [%out], {%r1, %r2};\n"
           "st.global.v2.u32 [%out+8], {%r3, %r4};\n"
           "st.global.v2.u32 [%out+16], {%r5, %r6};\n"
           "st.global.u32 [%out+24], %r7;",
           {1, 1, 1}, {1, 1, 1}, Shared);
  const uint32_t Want[] = {0x1000, 0x1002, 0x1003, 0x1004,
                           0x1005, 0x1006, 0x1007};
  for (unsigned K = 0; K < 7; ++K)
    EXPECT_EQ(at(K), Want[K]) << K;
}

TEST_F(AsyncTest, WhatIsNotReadIsZero) {
  for (unsigned K = 0; K < 64; ++K)
    put<uint8_t>(1024 + K, uint8_t(0x40 + K));
  // Lane K reads K bytes of 16, from the end of the buffer.
  std::string Body =
      "shl.b32 %r1, %t, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;\n"
      "cp.async.cg.shared.global [%r2], [%out+1024], 16, %t;\n"
      "cp.async.wait_all; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];\n"
      "mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %out, %rd1;\n"
      "st.global.v4.u32 [%rd1], {%r4, %r5, %r6, %r7};";
  runClean(Body, {17, 1, 1}, {1, 1, 1}, Shared);
  for (unsigned K = 0; K < 17; ++K)
    for (unsigned B = 0; B < 16; ++B)
      EXPECT_EQ(at<uint8_t>(16 * K + B), B < K ? 0x40 + B : 0u)
          << K << " " << B;
  // A source that is ignored is not looked at.
  runClean("setp.eq.u32 %p1, %t, 0; mov.u64 %rd1, 16;\n"
           "cp.async.ca.shared.global [s], [%rd1], 8, %p1;\n"
           "cp.async.wait_all; ld.shared.v2.u32 {%r1, %r2}, [s];\n"
           "st.global.v2.u32 [%out], {%r1, %r2};",
           {1, 1, 1}, {1, 1, 1}, Shared);
  EXPECT_EQ(at<uint64_t>(0), 0u);
}

TEST_F(AsyncTest, CopiesAreChecked) {
  auto Fails = [&](const char *Body, LaunchStatus S, FindingKind K) {
    LaunchResult R = run(Body, {1, 1, 1}, CheckSet::all(), {1, 1, 1}, Shared);
    EXPECT_EQ(R.Status, S) << Body;
    EXPECT_EQ(count(R, K), 1u) << Body;
  };
  Fails("cp.async.ca.shared.global [s], [%out+4096], 4;",
        LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsGlobal);
  Fails("cp.async.ca.shared.global [s+4], [%out], 8;",
        LaunchStatus::MisalignedAddress, FindingKind::Misaligned);
  Fails("cp.async.ca.shared.global [s], [%out+4], 8;",
        LaunchStatus::MisalignedAddress, FindingKind::Misaligned);
  Fails("mov.u32 %r1, 65536; cp.async.cg.shared.global [%r1], [%out], 16;",
        LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsShared);
}

TEST_F(AsyncTest, CopiesArriveAtBarriers) {
  put<uint32_t>(64, 77);
  runClean(init("1") +
               "cp.async.ca.shared.global [s], [%out+256], 4;\n"
               "cp.async.mbarrier.arrive.shared.b64 [%r20];\n"
               "mbarrier.test_wait.parity.shared.b64 %p1, [%r20], 0;\n"
               "selp.u32 %r1, 1, 0, %p1;\n"
               "cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];\n"
               "mbarrier.test_wait.parity.shared.b64 %p1, [%r20], 0;\n"
               "selp.u32 %r2, 1, 0, %p1; ld.shared.u32 %r3, [s];\n"
               "st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;\n"
               "st.global.u32 [%out+8], %r3;",
           {1, 1, 1}, {1, 1, 1}, Shared);
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(1), 1u);
  EXPECT_EQ(at(2), 77u);
}

TEST_F(AsyncTest, WrongSizesAreRefused) {
  for (const char *Body : {"cp.async.ca.shared.global [s], [%out], 12;",
                           "cp.async.cg.shared.global [s], [%out], 8;",
                           "cp.async.ca.shared.global [s], [%out], %r1;",
                           "mbarrier.arrive.expect_tx.shared.b64 _, [bar];"})
    EXPECT_FALSE(D.load(module(Body, Shared))) << Body;
}

} // namespace
