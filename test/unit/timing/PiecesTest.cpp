//===- PiecesTest.cpp - Traces that come in pieces ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that runs for long is executed while it is timed. Its time is that of
// its whole trace, to the cycle, whatever its warps do, and memory that a few
// pieces fit in is enough.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr uint64_t BufferBytes = 1 << 20;

struct Launched {
  TimedResult Result;
  std::vector<uint32_t> Out;
};

Launched launch(const std::string &Body, Dim3 Grid, Dim3 Block,
                uint64_t PieceBytes, uint64_t TraceBytes = uint64_t(2) << 30,
                uint64_t CycleLimit = 0) {
  Profile P = profileNamed("V100");
  P.SMs = 2;
  Bench B(P, kernel(P, ".param .u64 a", R"(
.reg .u64 %a, %rd<5>; .reg .u32 %t, %b, %r<9>; .reg .pred %p<4>;
.shared .u32 s[256];
ld.param.u64 %a, [a]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;
mul.wide.u32 %rd0, %t, 4; add.u64 %rd0, %a, %rd0; mov.u32 %r0, 0;
)" + Body));
  uint64_t Buffer = B.Gpu.allocate(BufferBytes);
  LaunchOptions O;
  O.Grid = Grid;
  O.Block = Block;
  O.Params = &Buffer;
  O.ParamBytes = sizeof(Buffer);
  O.PieceBytes = PieceBytes;
  O.TraceBytes = TraceBytes;
  Launched R;
  R.Result =
      B.Time.launch(B.Gpu, *B.Module->kernel("k"), O, nullptr, CycleLimit);
  R.Out.resize(BufferBytes / 4);
  std::memcpy(R.Out.data(), reinterpret_cast<const void *>(Buffer),
              BufferBytes);
  return R;
}

void expectSame(const Launched &A, const Launched &B) {
  ASSERT_EQ(A.Result.Execution.Status, LaunchStatus::Ok)
      << A.Result.Execution.Message;
  ASSERT_EQ(B.Result.Execution.Status, LaunchStatus::Ok)
      << B.Result.Execution.Message;
  const LaunchTiming &X = A.Result.Timing, &Y = B.Result.Timing;
  EXPECT_EQ(X.Cycles, Y.Cycles);
  EXPECT_EQ(X.Uops, Y.Uops);
  EXPECT_EQ(X.BlocksTimed, Y.BlocksTimed);
  EXPECT_EQ(A.Result.Execution.Counters.WarpInstructions,
            B.Result.Execution.Counters.WarpInstructions);
  ASSERT_EQ(X.Profile.size(), Y.Profile.size());
  for (size_t K = 0; K < X.Profile[0].size(); ++K) {
    EXPECT_EQ(X.Profile[0][K].Issues, Y.Profile[0][K].Issues) << K;
    EXPECT_EQ(X.Profile[0][K].stallCycles(), Y.Profile[0][K].stallCycles())
        << K;
    EXPECT_EQ(X.Profile[0][K].L1Hits, Y.Profile[0][K].L1Hits) << K;
  }
  EXPECT_EQ(A.Out, B.Out);
}

/// More than a block executes in its first turn, by far.
void expectSameInPieces(const std::string &Body, Dim3 Grid, Dim3 Block) {
  Launched Whole = launch(Body, Grid, Block, uint64_t(1) << 40);
  EXPECT_GT(Whole.Result.Execution.Counters.WarpInstructions, 1u << 20);
  for (uint64_t Bytes : {uint64_t(0), uint64_t(3) << 20})
    expectSame(Whole, launch(Body, Grid, Block, Bytes));
}

const char *const Barriers = R"(
L: ld.global.u32 %r1, [%rd0]; add.u32 %r2, %r2, %r1; bar.sync 0;
add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 60000; @%p1 bra L;
st.global.u32 [%rd0], %r0;
)";

TEST(Pieces, WarpsThatMeetAtBarriers) {
  expectSameInPieces(Barriers, {1, 1, 1}, {128, 1, 1});
}

TEST(Pieces, WarpsThatWaitForOneThread) {
  // What others are to do is not known until it has come to the barrier.
  expectSameInPieces(R"(
setp.ne.u32 %p1, %t, 0; @%p1 bra D;
L: ld.global.u32 %r1, [%rd0]; add.u32 %r2, %r2, %r1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 300000; @%p2 bra L;
D: bar.sync 0; st.global.u32 [%rd0], %r0;
)",
                     {1, 1, 1}, {96, 1, 1});
}

TEST(Pieces, LanesThatPartAndAccessesThatAreNeverAlike) {
  expectSameInPieces(R"(
mad.lo.u32 %r2, %b, 977, %t;
L: mul.lo.u32 %r2, %r2, 1664525; add.u32 %r2, %r2, 1013904223;
shr.u32 %r3, %r2, 14; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %a, %rd1;
and.b32 %r4, %r2, 256; setp.eq.u32 %p1, %r4, 0; @%p1 bra E;
ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r6, %r5; bra F;
E: and.b32 %r4, %r3, 255; mul.lo.u32 %r4, %r4, 4; mov.u32 %r7, s;
add.u32 %r4, %r4, %r7; st.shared.u32 [%r4], %r6;
F: add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 6000; @%p2 bra L;
st.global.u32 [%rd0], %r0;
)",
                     {3, 1, 1}, {128, 1, 1});
}

TEST(Pieces, WarpsAndBlocksOfDifferentSpeed) {
  // Warps do 1, 2, 3, ... of eight loads in a row; more blocks than fit.
  expectSameInPieces(R"(
shr.u32 %r1, %t, 5; add.u32 %r1, %r1, %b; and.b32 %r1, %r1, 7;
L: mov.u32 %r3, 0;
M: ld.volatile.global.u32 %r2, [%rd0]; add.u32 %r4, %r4, %r2;
add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra M;
add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 350; @%p2 bra L;
st.global.u32 [%rd0], %r0;
)",
                     {9, 1, 1}, {1024, 1, 1});
}

TEST(Pieces, BlocksThatWaitForOthers) {
  // Block 1 polls for what block 0 stores at the end of its loop.
  const char *Body = R"(
setp.ne.u32 %p1, %b, 0; @%p1 bra W;
L: ld.global.u32 %r1, [%rd0]; add.u32 %r2, %r2, %r1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 200000; @%p2 bra L;
membar.gl; st.volatile.global.u32 [%a+65536], 1; bra D;
W: ld.volatile.global.u32 %r3, [%a+65536]; setp.eq.u32 %p3, %r3, 0; @%p3 bra W;
M: ld.global.u32 %r1, [%rd0]; add.u32 %r2, %r2, %r1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 200000; @%p2 bra M;
D: st.global.u32 [%rd0+4096], %r0;
)";
  Launched Whole = launch(Body, {2, 1, 1}, {32, 1, 1}, uint64_t(1) << 40),
           Cut = launch(Body, {2, 1, 1}, {32, 1, 1}, 0);
  ASSERT_EQ(Cut.Result.Execution.Status, LaunchStatus::Ok);
  // A poll in vain at the end of a piece stays in the trace.
  double Cycles = double(Whole.Result.Timing.Cycles);
  EXPECT_NEAR(double(Cut.Result.Timing.Cycles), Cycles, 0.001 * Cycles);
  EXPECT_EQ(Whole.Out, Cut.Out);
}

TEST(Pieces, LittleMemoryIsEnough) {
  // The whole trace of the block takes more than the limit.
  Launched Whole = launch(Barriers, {1, 1, 1}, {128, 1, 1}, uint64_t(1) << 40);
  Launched Limited = launch(Barriers, {1, 1, 1}, {128, 1, 1}, uint64_t(1) << 40,
                            uint64_t(2) << 20);
  EXPECT_EQ(Limited.Result.Execution.Status, LaunchStatus::Timeout);
  expectSame(Whole, launch(Barriers, {1, 1, 1}, {128, 1, 1}, uint64_t(1) << 20,
                           uint64_t(2) << 20));
}

TEST(Pieces, AnEndlessBlockEndsAtItsLimitOfCycles) {
  Launched R =
      launch("L: ld.global.u32 %r1, [%rd0]; bra L;", {1, 1, 1}, {32, 1, 1},
             uint64_t(1) << 20, uint64_t(2) << 30, 5000000);
  EXPECT_EQ(R.Result.Execution.Status, LaunchStatus::Timeout);
  EXPECT_EQ(R.Result.Execution.Message,
            "the launch took more than 5000000 cycles");
}

} // namespace
