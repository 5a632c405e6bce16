//===- SamplerTest.cpp - Sampled grids against exact ones -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of different kinds on grids of many rounds: the sampled time is close
// to the exact one, far fewer blocks are timed, all of them are executed, and
// the same launch gives the same number again. The GPU is a small one, so that
// grids of a few thousand blocks are large.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

#include <cmath>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// An eighth of a V100.
Profile small() {
  Profile P = profileNamed("V100");
  P.SMs = 10;
  P.L2Slices = 8;
  P.L2Bytes /= 8;
  P.L2MBs /= 8;
  P.DramChannels = 4;
  P.DramMBs /= 8;
  return P;
}

const char *const Prologue = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<12>; .reg .pred %p<3>;
ld.param.u64 %rd0, [a];
ld.param.u64 %rd1, [b];
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
shl.b32 %r2, %r1, 7;
add.u32 %r2, %r2, %r0;
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd3, %rd0, %rd2;
add.u64 %rd4, %rd1, %rd2;
)";

/// Each thread reads one word and writes one.
const char *const Copy = R"(
ld.global.f32 %f0, [%rd3];
st.global.f32 [%rd4], %f0;
)";
/// A loop of dependent arithmetic, the same for all blocks.
const char *const Compute = R"(
mov.u32 %r3, 0;
mov.f32 %f1, 0f3F800000;
L: fma.rn.f32 %f1, %f1, %f1, %f1;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p0, %r3, 40;
@%p0 bra L;
st.global.f32 [%rd4], %f1;
)";
/// The same, but blocks take between 12 and 27 rounds of the loop.
const char *const Uneven = R"(
and.b32 %r4, %r1, 15;
add.u32 %r4, %r4, 12;
mov.u32 %r3, 0;
mov.f32 %f1, 0f3F800000;
L: fma.rn.f32 %f1, %f1, %f1, %f1;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p0, %r3, %r4;
@%p0 bra L;
st.global.f32 [%rd4], %f1;
)";
/// Words far from each other, a table that stays in L2.
const char *const Gather = R"(
mul.lo.u32 %r5, %r2, 2654435761;
shr.u32 %r5, %r5, 20;
mul.wide.u32 %rd5, %r5, 32;
add.u64 %rd6, %rd0, %rd5;
ld.global.f32 %f0, [%rd6];
add.f32 %f0, %f0, 0f3F800000;
st.global.f32 [%rd4], %f0;
)";

struct Launched {
  LaunchTiming Timing;
  std::vector<uint32_t> Out;
};

constexpr unsigned Blocks = 6000, Threads = 128;

Launched launched(const char *Body, bool Exact) {
  Profile P = small();
  Bench B(P, kernel(P, ".param .u64 a, .param .u64 b",
                    std::string(Prologue) + Body));
  B.Time.setExact(Exact);
  uint64_t Bytes = uint64_t(Blocks) * Threads * 4;
  uint64_t In = B.Gpu.allocate(Bytes), Out = B.Gpu.allocate(Bytes);
  B.Gpu.set(In, 0x3f000000, 4, Bytes / 4);
  Launched R;
  R.Timing = B.run("k", {Blocks, 1, 1}, {Threads, 1, 1}, {In, Out});
  R.Out.resize(Bytes / 4);
  B.Gpu.copyFromDevice(R.Out.data(), Out, Bytes);
  return R;
}

struct Case {
  const char *Name, *Body;
  double MaxError;
};
class Sampled : public testing::TestWithParam<Case> {};

TEST_P(Sampled, IsCloseToExactAndRunsEveryBlock) {
  Launched Exact = launched(GetParam().Body, true),
           Few = launched(GetParam().Body, false);
  double Error =
      std::abs(double(Few.Timing.Cycles) - double(Exact.Timing.Cycles)) /
      double(Exact.Timing.Cycles);
  RecordProperty("error_percent", std::to_string(100 * Error));
  RecordProperty("timed", std::to_string(Few.Timing.BlocksTimed));
  EXPECT_EQ(Exact.Timing.BlocksTimed, Blocks);
  EXPECT_EQ(Exact.Timing.ErrorEstimate, 0);
  EXPECT_LT(Few.Timing.BlocksTimed, Blocks * 3 / 4);
  EXPECT_EQ(Few.Timing.Blocks, Blocks);
  EXPECT_LT(Error, GetParam().MaxError)
      << Few.Timing.Cycles << " for " << Exact.Timing.Cycles;
  EXPECT_EQ(Few.Out, Exact.Out);
  EXPECT_LT(Few.Timing.ErrorEstimate, 0.05);
  // Nothing that was left out is known better than what counts as agreement.
  EXPECT_GT(Few.Timing.ErrorEstimate,
            0.01 * double(Few.Timing.ExtrapolatedCycles) /
                double(Few.Timing.Cycles));
  // Statistics are extrapolated as well.
  double Reads = double(Few.Timing.Memory.L2Reads),
         Want = double(Exact.Timing.Memory.L2Reads);
  EXPECT_NEAR(Reads, Want, 0.05 * Want);
}

TEST_P(Sampled, IsTheSameAgain) {
  EXPECT_EQ(launched(GetParam().Body, false).Timing.Cycles,
            launched(GetParam().Body, false).Timing.Cycles);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Sampled,
    testing::Values(Case{"Copy", Copy, 0.03}, Case{"Compute", Compute, 0.02},
                    Case{"Uneven", Uneven, 0.03}, Case{"Gather", Gather, 0.03}),
    [](const auto &Info) { return std::string(Info.param.Name); });

TEST(Sampling, SmallGridsAreExact) {
  Profile P = small();
  Bench B(P, kernel(P, ".param .u64 a, .param .u64 b",
                    std::string(Prologue) + Copy));
  uint64_t In = B.Gpu.allocate(1 << 20), Out = B.Gpu.allocate(1 << 20);
  LaunchTiming T = B.run("k", {300, 1, 1}, {Threads, 1, 1}, {In, Out});
  EXPECT_EQ(T.BlocksTimed, 300u);
  EXPECT_EQ(T.ExtrapolatedCycles, 0u);
}

} // namespace
