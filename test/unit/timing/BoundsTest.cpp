//===- BoundsTest.cpp - Timed launches check accesses ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access whose lanes stand to each other as those of the block before is
// checked by its outermost lanes alone: a single lane that leaves the buffer,
// on either side, or a place that is not aligned is found all the same, in the
// block in which it happens.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Runs \p Body with a buffer of \p Bytes in \p Blocks blocks of one warp.
LaunchStatus statusOf(const char *Body, uint64_t Bytes, unsigned Blocks) {
  Profile P = profileNamed("V100");
  Bench B(P, kernel(P, ".param .u64 a", std::string(R"(
.reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .f32 %f<3>;
.shared .align 16 .b8 s[1024];
ld.param.u64 %rd0, [a];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
)") + Body));
  const Kernel *K = B.Module->kernel("k");
  uint64_t Buffer = B.Gpu.allocate(Bytes);
  LaunchOptions O;
  O.Grid = {Blocks, 1, 1};
  O.Block = {32, 1, 1};
  O.Params = &Buffer;
  O.ParamBytes = sizeof(Buffer);
  return B.Time.launch(B.Gpu, *K, O).Execution.Status;
}

const char *const Upward = R"(
shl.b32 %r2, %r1, 5;
add.u32 %r2, %r2, %r0;
mul.wide.u32 %rd1, %r2, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
)";
const char *const Downward = R"(
shl.b32 %r2, %r1, 5;
add.u32 %r2, %r2, %r0;
mul.wide.u32 %rd1, %r2, 4;
sub.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2+1024];
)";
const char *const Pairs = R"(
shl.b32 %r2, %r0, 3;
mad.lo.u32 %r2, %r1, 4, %r2;
mov.u32 %r3, s;
add.u32 %r3, %r3, %r2;
ld.shared.u64 %rd1, [%r3];
)";
const char *const Words = R"(
shl.b32 %r2, %r0, 2;
mad.lo.u32 %r2, %r1, 128, %r2;
mov.u32 %r3, s;
add.u32 %r3, %r3, %r2;
ld.shared.u32 %r4, [%r3];
)";

TEST(TimedBounds, TheLastLaneLeavesTheBuffer) {
  EXPECT_EQ(statusOf(Upward, 1024, 8), LaunchStatus::Ok);
  EXPECT_EQ(statusOf(Upward, 1020, 8), LaunchStatus::IllegalAddress);
}

TEST(TimedBounds, AllLanesButOneLieBelowTheBuffer) {
  EXPECT_EQ(statusOf(Downward, 1028, 8), LaunchStatus::Ok);
  EXPECT_EQ(statusOf(Downward, 1028, 9), LaunchStatus::IllegalAddress);
}

TEST(TimedBounds, SharedMemoryEnds) {
  EXPECT_EQ(statusOf(Words, 4, 8), LaunchStatus::Ok);
  EXPECT_EQ(statusOf(Words, 4, 9), LaunchStatus::IllegalAddress);
}

TEST(TimedBounds, ThePlaceIsAligned) {
  EXPECT_EQ(statusOf(Pairs, 4, 1), LaunchStatus::Ok);
  EXPECT_EQ(statusOf(Pairs, 4, 2), LaunchStatus::MisalignedAddress);
}

} // namespace
