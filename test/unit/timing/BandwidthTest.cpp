//===- BandwidthTest.cpp - Bandwidth per level and pattern ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many warps read memory in a pattern: in a row, with a stride, at random, and
// again from L2. DRAM moves sectors of 32 bytes, so a stride of two words
// halves what is useful, and from eight words on an eighth of it is.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/OnGpu.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

class BandwidthOnGpu : public OnGpu {
protected:
  /// Each thread reads one word at the offset that \p Offset computes from its
  /// number in %r2 into %r3; \p Threads of them. \p Wide: four words, which the
  /// host copied before, so that L2 has them.
  LaunchTiming read(const std::string &Offset, uint64_t Threads,
                    uint64_t Footprint, bool Wide = false) {
    Bench B(P, kernel(P, ".param .u64 from",
                      R"(
.reg .u64 %rd<8>; .reg .u32 %r<8>; .reg .pred %p;
ld.param.u64 %rd0, [from];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 256, %r1;
)" + Offset + R"(
mul.wide.u32 %rd1, %r3, 4; add.u64 %rd2, %rd0, %rd1;
)" +
                          std::string(
                              Wide ? "ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}"
                                   : "ld.global.cg.u32 %r4") +
                          R"(, [%rd2];
setp.eq.u32 %p, %r4, 77; @%p st.global.u32 [%rd0], %r4;
)"));
    // The figures are of all blocks: sampled ones would count sectors nearly.
    B.Time.setExact(true);
    uint64_t From = B.Gpu.allocate(Footprint);
    if (Wide)
      B.Time.copied(B.Gpu, From, Footprint);
    return B.run("k", {uint32_t(Threads / 256), 1, 1}, {256, 1, 1}, {From});
  }

  /// MB/s of \p Bytes.
  double rate(const LaunchTiming &T, double Bytes) {
    return Bytes / (double(T.Cycles) / (double(P.ClockKHz) * 1000)) / 1e6;
  }
};

TEST_P(BandwidthOnGpu, Strided) {
  double Peak = double(P.DramMBs * P.DramPercent / 100);
  for (unsigned Stride : {1u, 2u, 8u, 32u}) {
    uint64_t Threads = 4 << 20;
    Threads /= std::min(Stride, 8u);
    LaunchTiming T =
        read("mul.lo.u32 %r3, %r2, " + std::to_string(Stride) + ";", Threads,
             Threads * Stride * 4);
    // Sectors that hold a word.
    uint64_t Sectors = Threads * std::min(Stride, 8u) / 8;
    EXPECT_EQ(T.Memory.DramReads, Sectors) << P.Name << " stride " << Stride;
    within10(rate(T, double(Threads) * 4), Peak / std::min(Stride, 8u),
             "useful_mb_s_stride_" + std::to_string(Stride));
  }
}

TEST_P(BandwidthOnGpu, Random) {
  // Each thread a sector of its own, in an order that a multiplication mixes.
  uint64_t Threads = 1 << 19;
  LaunchTiming T = read("mul.lo.u32 %r3, %r2, 2654435761; and.b32 %r3, %r3, "
                        "524287; shl.b32 %r3, %r3, 3;",
                        Threads, Threads * 32);
  EXPECT_EQ(T.Memory.DramReads, Threads);
  within10(rate(T, double(Threads) * 4),
           double(P.DramMBs * P.DramPercent / 100) / 8, "useful_mb_s_random");
}

TEST_P(BandwidthOnGpu, L2) {
  // A megabyte that the host copied, read again and again.
  uint64_t Threads = 2 << 20;
  LaunchTiming T = read("and.b32 %r3, %r2, 65535; shl.b32 %r3, %r3, 2;",
                        Threads, 1 << 20, true);
  EXPECT_EQ(T.Memory.DramReads, 0u);
  double Ports = double(P.SMs * P.PortBytesPerCycle * P.ClockKHz) / 1000;
  within10(rate(T, double(Threads) * 16), std::min(double(P.L2MBs), Ports),
           "l2_mb_s");
  allCompared({"l2_mb_s"});
}

// Where L2 is full of data that was written, each line that is written to
// drives another one out, and writes are no faster than DRAM takes those.
TEST_P(BandwidthOnGpu, Fill) {
  Bench B(P, kernel(P, ".param .u64 to", R"(
.reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [to];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 256, %r1;
mul.wide.u32 %rd1, %r2, 16; add.u64 %rd2, %rd0, %rd1;
st.global.v4.u32 [%rd2], {%r2, %r2, %r2, %r2};
)"));
  B.Time.setExact(true);
  uint64_t First = B.Gpu.allocate(P.L2Bytes), Next = B.Gpu.allocate(P.L2Bytes);
  Dim3 Grid = {uint32_t(P.L2Bytes / 4096), 1, 1};
  B.run("k", Grid, {256, 1, 1}, {First});
  LaunchTiming T = B.run("k", Grid, {256, 1, 1}, {Next});
  within10(rate(T, 32.0 * double(T.Memory.DramWrites)),
           double(P.DramMBs * P.DramPercent / 100), "fill_mb_s");
}

/// Moves \p Loads and \p Stores of what L2 holds, one word of \p Bytes a
/// thread.
LaunchTiming moveInL2(const Profile &P, unsigned Bytes, bool Loads,
                      bool Stores) {
  std::string Type = Bytes == 16 ? ".v4.u32" : ".u32",
              Words = Bytes == 16 ? "{%r4, %r5, %r6, %r7}" : "%r4";
  std::string Body = R"(
.reg .u64 %rd<6>; .reg .u32 %r<8>; .reg .pred %p;
ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [to];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 256, %r1;
mov.u32 %r4, %r2; mov.u32 %r5, %r2; mov.u32 %r6, %r2; mov.u32 %r7, %r2;
)" + ("mul.wide.u32 %rd2, %r2, " + std::to_string(Bytes)) +
                     ";\nadd.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;\n";
  if (Loads)
    Body += "ld.global" + Type + " " + Words + ", [%rd3];\n";
  // Reading alone needs somebody who waits for it.
  Body += Stores ? "" : "setp.eq.u32 %p, %r4, 77; @%p ";
  Body += "st.global" + Type + " [%rd4], " + Words + ";\n";
  Bench B(P, kernel(P, ".param .u64 from, .param .u64 to", Body));
  B.Time.setExact(true);
  // Half of what L2 holds, and a whole number of resident blocks.
  uint64_t Wave = P.SMs * (P.MaxWarps / 8) * 4096;
  uint64_t Size = std::max(Wave, P.L2Bytes / 4 / Wave * Wave);
  uint64_t From = B.Gpu.allocate(Size), To = B.Gpu.allocate(Size);
  B.Time.copied(B.Gpu, From, Size);
  B.Time.copied(B.Gpu, To, Size);
  return B.run("k", {uint32_t(Size / Bytes / 256), 1, 1}, {256, 1, 1},
               {From, To});
}

// What L2 holds is copied by words of 128 bits as fast as by those of 32, and
// not more slowly than it is read and then written.
TEST_P(BandwidthOnGpu, CopyInL2) {
  uint64_t Copy[2];
  for (unsigned Wide : {0u, 1u}) {
    unsigned Bytes = Wide ? 16 : 4;
    LaunchTiming T = moveInL2(P, Bytes, true, true);
    Copy[Wide] = T.Cycles;
    uint64_t Read = moveInL2(P, Bytes, true, false).Cycles,
             Write = moveInL2(P, Bytes, false, true).Cycles;
    EXPECT_EQ(T.Memory.DramReads, 0u) << P.Name;
    EXPECT_LE(Copy[Wide], Read + Write) << P.Name << ", " << Bytes << " bytes";
  }
  EXPECT_LE(double(Copy[1]), 1.05 * double(Copy[0])) << P.Name;
}

/// Each thread sums 64 words of its own row, so that L1 has to hold a line for
/// each of 32 rows \p Apart words apart. L2 has them.
uint64_t cyclesOfRows(const Profile &P, unsigned Apart) {
  Bench B(P, kernel(P, ".param .u64 a",
                    R"(
.reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;
ld.param.u64 %rd0, [a]; mov.u32 %r0, %tid.x;
mul.lo.u32 %r1, %r0, )" +
                        std::to_string(Apart) +
                        R"(;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1;
mov.f32 %f0, 0f00000000; mov.u32 %r2, 0;
L: ld.global.f32 %f1, [%rd1]; add.f32 %f0, %f0, %f1;
add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1;
setp.ne.u32 %p, %r2, 64; @%p bra L;
st.global.f32 [%rd1], %f0;
)"));
  uint64_t A = B.Gpu.allocate(uint64_t(32) * 4 * (Apart + 64));
  B.run("k", {1, 1, 1}, {32, 1, 1}, {A});
  return B.run("k", {1, 1, 1}, {32, 1, 1}, {A}).Cycles;
}

// L1 has few sets of many ways, so that rows a power of two apart, which are
// all in one of them, stay there as others do.
TEST_P(BandwidthOnGpu, RowsMayBeAPowerOfTwoApart) {
  if (!P.L1Unified)
    GTEST_SKIP() << "how many sets Pascal's L1 has is not known";
  for (unsigned Apart : {2048u, 4096u}) {
    double Power = double(cyclesOfRows(P, Apart)),
           Other = double(cyclesOfRows(P, Apart + 32));
    EXPECT_LT(Power, 1.1 * Other) << P.Name << ", " << Apart << " words";
    EXPECT_GT(Power, 0.9 * Other) << P.Name << ", " << Apart << " words";
    Profile Many = P;
    Many.L1Sets = 64;
    EXPECT_GT(double(cyclesOfRows(Many, Apart)), 1.3 * Other) << P.Name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BandwidthOnGpu, testing::ValuesIn(Gpus), gpuName);

} // namespace
