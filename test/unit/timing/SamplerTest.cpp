//===- SamplerTest.cpp - Sampled grids against exact ones -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of different kinds on grids of many rounds: the sampled time is close
// to the exact one, far fewer blocks are timed, all of them are executed, and
// the same launch gives the same number again. Where blocks differ, the time is
// as close as the launch says. The GPU is a small one, so that grids of a few
// thousand blocks are large.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sampler.h"
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
  B.Gpu.set(Out, 0, 4, Bytes / 4);
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

/// A loop of as many rounds as %r4 says, for block %r1 of 6000 and thread %r0.
std::string loop(const char *Rounds, const char *Body = "") {
  return std::string(Rounds) + R"(
mov.u32 %r3, 0;
mov.f32 %f1, 0f3F800000;
L: and.b32 %r6, %r3, 255;
add.u32 %r6, %r6, %r0;
mul.wide.u32 %rd5, %r6, 4;
add.u64 %rd6, %rd0, %rd5;
ld.global.f32 %f2, [%rd6];
fma.rn.f32 %f1, %f1, %f2, %f2;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p0, %r3, %r4;
)" + Body +
         R"(
@%p0 bra L;
st.global.f32 [%rd4], %f1;
)";
}

const char *const OneInTheMiddle =
    "setp.eq.u32 %p1, %r1, 3750; selp.u32 %r4, 4000, 8, %p1;";
const char *const TheLast =
    "setp.eq.u32 %p1, %r1, 5999; selp.u32 %r4, 4000, 8, %p1;";
const char *const TheFirst =
    "setp.eq.u32 %p1, %r1, 0; selp.u32 %r4, 4000, 8, %p1;";
const char *const TheLastTwelve =
    "setp.ge.u32 %p1, %r1, 5988; selp.u32 %r4, 400, 30, %p1;";
const char *const TheLastQuarter =
    "setp.ge.u32 %p1, %r1, 4500; selp.u32 %r4, 60, 10, %p1;";
const char *const AFewOfAll = R"(
mul.lo.u32 %r5, %r1, 2654435761;
shr.u32 %r5, %r5, 24;
setp.eq.u32 %p1, %r5, 7;
selp.u32 %r4, 1000, 8, %p1;
)";
const char *const MoreAndMore = "div.u32 %r4, %r1, 300;";
const char *const FewerAndFewer =
    "sub.u32 %r4, 5999, %r1; div.u32 %r4, %r4, 300;";
const char *const AThousandLonger = R"(
sub.u32 %r5, %r1, 3000;
setp.lt.u32 %p1, %r5, 1000;
selp.u32 %r4, 30, 20, %p1;
)";
/// Of one block, only the last warp is long.
const char *const OneWarp = R"(
shl.b32 %r4, %r1, 7;
add.u32 %r4, %r4, %r0;
sub.u32 %r4, %r4, 480096;
setp.lt.u32 %p1, %r4, 32;
selp.u32 %r4, 4000, 8, %p1;
)";

/// As many instructions for all, but words that lie %r9 apart for the blocks of
/// a phase.
const char *const StrideInTheMiddle = R"(
sub.u32 %r5, %r1, 3000;
setp.lt.u32 %p1, %r5, 1000;
selp.u32 %r9, 32, 1, %p1;
mov.u32 %r4, 20;
)";
const char *const StrideAtFirst = R"(
setp.lt.u32 %p1, %r1, 3000;
selp.u32 %r9, 32, 1, %p1;
mov.u32 %r4, 20;
)";
const char *const StrideAtLast = R"(
setp.ge.u32 %p1, %r1, 3000;
selp.u32 %r9, 32, 1, %p1;
mov.u32 %r4, 20;
)";
const char *const ReadAtStride = R"(
mul.lo.u32 %r10, %r0, %r9;
add.u32 %r10, %r10, %r6;
mul.wide.u32 %rd7, %r10, 4;
add.u64 %rd7, %rd0, %rd7;
ld.global.f32 %f3, [%rd7];
add.f32 %f1, %f1, %f3;
)";
const char *const ReadSharedAtStride = R"(
.shared .align 4 .b8 s[4096];
mul.lo.u32 %r10, %r0, %r9;
and.b32 %r10, %r10, 1023;
shl.b32 %r10, %r10, 2;
mov.u32 %r11, s;
add.u32 %r11, %r11, %r10;
ld.shared.f32 %f3, [%r11];
add.f32 %f1, %f1, %f3;
)";

/// As many instructions, for other units.
std::string unitsOf(const char *Slow, const char *Quick) {
  return "{ .reg .pred %few; .reg .f64 %d<3>;\n"
         "cvt.f64.f32 %d0, %f1;\nsetp.eq.u32 %few, %r9, 1;\n"
         "@%few bra Few;\n" +
         repeat(8, Slow) + "bra Both;\nFew:\n" + repeat(8, Quick) +
         "bra Both;\nBoth: cvt.rn.f32.f64 %f1, %d0; }\n";
}
const std::string DoublesAtStride = unitsOf("fma.rn.f64 %d0, %d0, %d0, %d0;\n",
                                            "fma.rn.f32 %f1, %f1, %f1, %f1;\n"),
                  SpecialsAtStride = unitsOf("sin.approx.f32 %f3, %f1;\n",
                                             "add.f32 %f3, %f1, %f1;\n");

/// Even blocks wait for what the next one has written.
const char *const WaitForNext = R"(
and.b32 %r7, %r1, 1;
setp.eq.u32 %p2, %r7, 1;
@%p2 bra D;
W: ld.volatile.global.u32 %r8, [%rd4+512];
setp.eq.u32 %p2, %r8, 0;
@%p2 bra W;
D:
)";

struct UnlikeCase {
  const char *Name, *Rounds, *Body = "", *End = "";
};
class UnlikeBlocks : public testing::TestWithParam<UnlikeCase> {};

TEST_P(UnlikeBlocks, AreTimedAsWellAsTheLaunchSays) {
  std::string Body = loop(GetParam().Rounds, GetParam().Body) + GetParam().End;
  Launched Exact = launched(Body.c_str(), true),
           Few = launched(Body.c_str(), false);
  double Error = double(Few.Timing.Cycles) - double(Exact.Timing.Cycles);
  double Stated = Few.Timing.ErrorEstimate * double(Few.Timing.Cycles);
  RecordProperty("error_percent",
                 std::to_string(100 * Error / double(Exact.Timing.Cycles)));
  RecordProperty("stated_percent",
                 std::to_string(100 * Few.Timing.ErrorEstimate));
  RecordProperty("timed", std::to_string(Few.Timing.BlocksTimed));
  EXPECT_LE(std::abs(Error), Stated)
      << Few.Timing.Cycles << " for " << Exact.Timing.Cycles << ", "
      << Few.Timing.BlocksTimed << " blocks timed";
  EXPECT_LE(std::abs(Error), 0.03 * double(Exact.Timing.Cycles));
  EXPECT_LE(Few.Timing.ErrorEstimate, 0.35);
  EXPECT_EQ(Few.Out, Exact.Out);
  EXPECT_EQ(launched(Body.c_str(), false).Timing.Cycles, Few.Timing.Cycles);
}

INSTANTIATE_TEST_SUITE_P(
    Grids, UnlikeBlocks,
    testing::Values(
        UnlikeCase{"OneInTheMiddle", OneInTheMiddle},
        UnlikeCase{"OneWithBarriers", OneInTheMiddle, "bar.sync 0;"},
        UnlikeCase{"OneThatWaits", OneInTheMiddle, "", WaitForNext},
        UnlikeCase{"OneWaitedFor",
                   "setp.eq.u32 %p1, %r1, 3751; "
                   "selp.u32 %r4, 4000, 8, %p1;",
                   "", WaitForNext},
        UnlikeCase{"OneWarp", OneWarp}, UnlikeCase{"TheFirst", TheFirst},
        UnlikeCase{"TheLast", TheLast},
        UnlikeCase{"TheLastTwelve", TheLastTwelve},
        UnlikeCase{"TheLastQuarter", TheLastQuarter},
        UnlikeCase{"AFewOfAll", AFewOfAll},
        UnlikeCase{"AThousandLonger", AThousandLonger},
        UnlikeCase{"ThousandWithBarriers", AThousandLonger, "bar.sync 0;"},
        UnlikeCase{"SectorsInTheMiddle", StrideInTheMiddle, ReadAtStride},
        UnlikeCase{"SectorsAtFirst", StrideAtFirst, ReadAtStride},
        UnlikeCase{"SectorsAtLast", StrideAtLast, ReadAtStride},
        UnlikeCase{"ConflictsInTheMiddle", StrideInTheMiddle,
                   ReadSharedAtStride},
        UnlikeCase{"ConflictsAtFirst", StrideAtFirst, ReadSharedAtStride},
        UnlikeCase{"ConflictsAtLast", StrideAtLast, ReadSharedAtStride},
        UnlikeCase{"DoublesInTheMiddle", StrideInTheMiddle,
                   DoublesAtStride.c_str()},
        UnlikeCase{"SpecialsInTheMiddle", StrideInTheMiddle,
                   SpecialsAtStride.c_str()},
        UnlikeCase{"MoreAndMore", MoreAndMore},
        UnlikeCase{"FewerAndFewer", FewerAndFewer}),
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

/// Blocks that are all the same: the instructions and accesses of each, and the
/// cycles that a round of them takes for one instruction of each.
struct Phase {
  uint64_t Work, Rate;
  AccessCounts Accesses = {};
};

/// A sampler alone, which is told of rounds of \p Size blocks.
class Rounds {
public:
  static constexpr uint64_t Size = 100;

  /// Times rounds of \p Of until the sampler asks for a gap.
  void settle(const Phase &Of) {
    for (unsigned K = 0; K < 20; ++K) {
      for (uint64_t Block = 0; Block < Size; ++Block) {
        S.finished(Of.Work, Of.Accesses);
        Done.Accesses.add(Of.Accesses);
      }
      Now += Of.Work * Of.Rate;
      Done.Blocks += Size;
      Done.Work += Size * Of.Work;
      Done.Times += Size * Now;
      if (S.skip(Done, 1000000, LaunchTiming(), MemoryCounters()))
        return;
    }
    ADD_FAILURE() << "rounds that are the same do not agree";
  }
  /// Leaves out a round of \p Of and returns what is charged for all so far.
  double leaveOut(const Phase &Of) {
    SkippedBlocks Gap;
    Gap.Blocks = Size;
    Gap.Work = Size * Of.Work;
    for (uint64_t Block = 0; Block < Size; ++Block)
      Gap.Accesses.add(Of.Accesses);
    S.skipped(Gap, false);
    return double(S.extra());
  }

private:
  Sampler S{Size, 0};
  Sampler::Progress Done;
  uint64_t Now = 0;
};

/// What a round of \p Gap is charged in the end if it was left out between
/// timed ones of \p Before and \p Behind.
double charged(const Phase &Before, const Phase &Gap, const Phase &Behind) {
  Rounds R;
  R.settle(Before);
  R.leaveOut(Gap);
  R.settle(Behind);
  return R.leaveOut(Behind) - double(Behind.Work * Behind.Rate);
}

TEST(Sampling, GapsAreChargedByWhatTheyAreLike) {
  Phase Before = {1000, 1, {1000, 1000}};
  EXPECT_NEAR(charged(Before, Before, {1000, 5, {1000, 1000}}), 3000, 1);
  // A phase that ended where the gap began: as many instructions with other
  // sectors or turns, or other instructions with as many of both.
  for (Phase Behind : {Phase{1000, 5, {2000, 1000}},
                       {1000, 5, {1000, 2000}},
                       {900, 5, {1000, 1000}}}) {
    EXPECT_NEAR(charged(Before, Behind, Behind), double(5 * Behind.Work), 1);
    EXPECT_NEAR(charged(Before, Before, Behind), 1000, 1);
  }
}

} // namespace
