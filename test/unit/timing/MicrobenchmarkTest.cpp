//===- MicrobenchmarkTest.cpp - PTX that reproduces profiles' figures -----===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The microbenchmarks that the sources of the profiles used, as PTX: dependent
// chains, throughput per pipe, pointer chases per level of memory, bank
// conflicts, atomics, barriers, copy bandwidth. Each must come within 10 % of
// the profile's figure, on every GPU.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/OnGpu.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

const char *const Float = R"(
.reg .f32 %f<8>; .reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
cvt.rn.f32.u32 %f0, %r0; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
)";
const char *const StoreFloat = R"(
add.rn.f32 %f0, %f0, %f1; add.rn.f32 %f0, %f0, %f2; add.rn.f32 %f0, %f0, %f3;
st.global.f32 [%rd0], %f0;
)";

TEST_P(OnGpu, FmaChain) {
  within10(perStep(Float, "fma.rn.f32 %f0, %f0, %f1, %f2;\n", StoreFloat),
           double(P.pipe(Unit::Fp32).Latency), "fma_latency");
}

TEST_P(OnGpu, IntegerChain) {
  const char *Before = R"(
.reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
)";
  within10(
      perStep(Before, "add.s32 %r0, %r0, %r1;\n", "st.global.u32 [%rd0], %r0;"),
      double(P.pipe(Unit::Int).Latency), "iadd_latency");
}

TEST_P(OnGpu, DoubleChain) {
  const char *Before = R"(
.reg .f64 %d<4>; .reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; cvt.rn.f64.u32 %d0, %r0;
)";
  within10(perStep(Before, "fma.rn.f64 %d0, %d0, %d0, %d0;\n",
                   "st.global.f64 [%rd0], %d0;"),
           double(P.pipe(Unit::Fp64).Latency), "dfma_latency");
}

TEST_P(OnGpu, SpecialChain) {
  within10(perStep(Float, "ex2.approx.ftz.f32 %f0, %f0;\n", StoreFloat),
           double(P.pipe(Unit::Special).Latency), "mufu_latency");
}

TEST_P(OnGpu, FmaThroughput) {
  // Four independent chains in 32 warps keep every scheduler busy.
  std::string Step;
  for (char C : {'0', '1', '2', '3'})
    Step += std::string("fma.rn.f32 %f") + C + ", %f" + C + ", %f" + C +
            ", %f" + C + ";\n";
  double Cycles = perStep(Float, Step, StoreFloat, {1024, 1, 1});
  double PerCycle = 4 * 1024 / Cycles;
  within10(PerCycle, double(32 * P.Schedulers / P.pipe(Unit::Fp32).Interval),
           "fma_per_cycle_and_sm");
}

/// A chase through shared memory; the address is the value.
TEST_P(OnGpu, SharedChase) {
  const char *Before = R"(
.shared .align 8 .b8 s[4096];
.reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [out];
mov.u32 %r1, s; mov.u32 %r0, %r1;
st.shared.u32 [%r0], %r0;
)";
  within10(perStep(Before, "ld.shared.u32 %r0, [%r0];\n",
                   "st.global.u32 [%rd0], %r0;"),
           double(P.SharedLatency), "shared_latency");
}

/// Lanes read words of one bank. One warp waits longer for each further pass;
/// the passes of many warps follow each other in every cycle.
TEST_P(OnGpu, BankConflicts) {
  for (unsigned Ways : {1u, 2u, 4u, 8u, 16u, 32u}) {
    std::string N = std::to_string(Ways);
    std::string Before = R"(
.shared .align 8 .b8 s[8192];
.reg .u64 %rd<4>; .reg .u32 %r<8>;
ld.param.u64 %rd0, [out];
mov.u32 %r2, %laneid; mul.lo.u32 %r3, %r2, )" +
                         std::to_string(4 * Ways) + R"(;
mov.u32 %r1, s; add.u32 %r0, %r1, %r3; mov.u32 %r5, %r0;
st.shared.u32 [%r0], %r0;
)";
    within10(perStep(Before, "ld.shared.u32 %r0, [%r0];\n",
                     "st.global.u32 [%rd0], %r0;"),
             double(P.SharedLatency + (Ways - 1) * P.SharedConflictLatency),
             "shared_latency_" + N + "_ways");
    // Fewer are held back by the load/store units.
    if (Ways < 4)
      continue;
    double Loads =
        perStep(Before, repeat(4, "ld.volatile.shared.u32 %r4, [%r5];\n"), "",
                {512, 1, 1}, 20, 60);
    within10(Loads / 64, Ways, "shared_cycles_" + N + "_ways");
  }
  allCompared({"shared_latency_"});
}

/// Loads of four words a lane: 512 bytes take four turns, wherever they lie,
/// but two if lanes next to each other, or every second ones, read the same.
TEST_P(OnGpu, WideSharedLoads) {
  struct {
    const char *Name, *Lane;
    double Turns;
  } Cases[] = {{"own", "mov.u32 %r3, %r2;", 4},
               {"of_4", "and.b32 %r3, %r2, 3;", 4},
               {"of_8", "and.b32 %r3, %r2, 7;", 4},
               {"pairs", "shr.u32 %r3, %r2, 1;", 2},
               {"pairs_at_2",
                "shr.u32 %r3, %r2, 2; and.b32 %r4, %r2, 1; "
                "mad.lo.u32 %r3, %r3, 2, %r4;",
                2},
               {"same", "mov.u32 %r3, 0;", 2}};
  for (const auto &C : Cases) {
    std::string Before = std::string(R"(
.shared .align 16 .b8 s[8192];
.reg .u64 %rd<4>; .reg .u32 %r<12>;
mov.u32 %r2, %laneid; )") +
                         C.Lane + R"( mul.lo.u32 %r3, %r3, 16;
mov.u32 %r1, s; add.u32 %r5, %r1, %r3;
st.shared.v4.u32 [%r5], {%r0, %r0, %r0, %r0};
)";
    std::string Load =
        "ld.volatile.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r5];\n";
    double Loads = perStep(Before, repeat(4, Load), "", {512, 1, 1}, 20, 60);
    within10(Loads / 64, C.Turns, std::string("shared_turns_v4_") + C.Name);
  }
  allCompared({"shared_turns"});
}

/// A pointer chase over \p Footprint bytes with a stride of a sector, after one
/// round to warm up. \p Load is the instruction.
double chase(const Profile &P, uint64_t Footprint, const std::string &Load,
             bool Warm) {
  std::string Ptx =
      kernel(P, ".param .u64 out, .param .u64 first, .param .u64 n",
             R"(
.reg .u64 %rd<8>; .reg .pred %p;
ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [first]; ld.param.u64 %rd2, [n];
L: )" + repeat(8, Load + " %rd1, [%rd1];\n") +
                 R"(
sub.u64 %rd2, %rd2, 8; setp.gt.s64 %p, %rd2, 0; @%p bra L;
st.global.u64 [%rd0], %rd1;
)");
  uint64_t Stride = 128, Steps = Footprint / Stride;
  auto Cycles = [&](uint64_t N) {
    Bench B(P, Ptx);
    uint64_t Out = B.Gpu.allocate(8), Data = B.Gpu.allocate(Footprint);
    for (uint64_t I = 0; I < Steps; ++I) {
      uint64_t Next = Data + (I + 1) % Steps * Stride;
      B.Gpu.copyToDevice(Data + I * Stride, &Next, 8);
    }
    return B.run("k", {1, 1, 1}, {1, 1, 1}, {Out, Data, N}).Cycles;
  };
  uint64_t From = Warm ? Steps : 0, Count = std::min<uint64_t>(Steps, 2048);
  return double(Cycles(From + Count) - (From ? Cycles(From) : 0)) /
         double(Count);
}

/// Every warp reads the same 8 KiB with 16 bytes a lane, from L1 after the
/// first time: what its way to the registers carries.
TEST_P(OnGpu, L1Throughput) {
  std::string Load =
      P.L1CachesGlobal ? "ld.global.v4.u32" : "ld.global.nc.v4.u32";
  std::string Step;
  for (unsigned K = 0; K < 4; ++K)
    Step += Load + " {%a" + std::to_string(K) + ", %r5, %r6, %r7}, [%rd1+" +
            std::to_string(2048 * K) + "];\n";
  Step += "xor.b32 %r2, %a0, %a1; xor.b32 %r3, %a2, %a3;\n";
  double Cycles =
      perStep(R"(
.reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .u32 %a<4>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 127;
mul.wide.u32 %rd1, %r1, 16; add.u64 %rd1, %rd0, %rd1; mov.u32 %r2, 0;
mov.u32 %r3, 0;
)",
              Step, "add.u32 %r2, %r2, %r3; st.global.u32 [%rd0], %r2;",
              {1024, 1, 1}, 20, 60);
  double Units =
      128.0 * double(P.Schedulers) / double(P.pipe(Unit::Memory).Interval);
  within10(4 * 1024 * 16 / Cycles,
           std::min(32.0 * double(P.L1SectorsPerCycle), Units),
           "l1_bytes_per_cycle_and_sm");
  allCompared({"l1_bytes"});
}

/// Lanes read words that lie a number of words apart, from eight places most of
/// which begin within a line: the banks of L1 decide, not the sectors.
TEST_P(OnGpu, L1Strides) {
  if (!P.L1Unified)
    return;
  struct {
    unsigned Bytes, Stride, Turns;
  } Cases[] = {{4, 0, 1},   {4, 1, 1},   {4, 2, 2},  {4, 4, 4}, {4, 8, 8},
               {4, 16, 16}, {4, 32, 32}, {8, 0, 2},  {8, 1, 2}, {8, 2, 4},
               {8, 4, 8},   {8, 8, 16},  {8, 16, 32}};
  for (const auto &C : Cases) {
    std::string Type = C.Bytes == 4 ? "u32" : "u64", Step;
    for (unsigned K = 0; K < 8; ++K)
      Step += "ld.global." + Type + " %a" + std::to_string(K) + ", [%rd1+" +
              std::to_string(4 * C.Bytes * K) + "];\n";
    for (unsigned K = 0; K < 8; ++K)
      Step += "xor.b" + std::to_string(8 * C.Bytes) + " %s, %s, %a" +
              std::to_string(K) + ";\n";
    double Cycles = perStep(
        "\n.reg ." + Type + " %a<8>, %s; .reg .u64 %rd<4>; .reg .u32 %r<4>;\n" +
            "ld.param.u64 %rd0, [out]; mov.u32 %r0, %laneid;\n" +
            "mul.wide.u32 %rd1, %r0, " + std::to_string(C.Bytes * C.Stride) +
            "; add.u64 %rd1, %rd0, %rd1; ld.global." + Type + " %s, [%rd0];\n",
        Step, "st.global." + Type + " [%rd0], %s;", {1024, 1, 1}, 10, 40);
    within10(Cycles / 256, C.Turns,
             (C.Bytes == 4 ? "l1_turns_float_" : "l1_turns_double_") +
                 std::to_string(C.Stride));
  }
  allCompared({"l1_turns_"});
}

TEST_P(OnGpu, ChaseL1) {
  within10(chase(P, 8192,
                 P.L1CachesGlobal ? "ld.global.u64" : "ld.global.nc.u64", true),
           double(P.L1Latency), "l1_latency");
  allCompared({"l1_latency"});
}

TEST_P(OnGpu, ChaseL2) {
  within10(chase(P, 1 << 20, "ld.global.cg.u64", true), double(P.L2Latency),
           "l2_latency");
  allCompared({"l2_latency"});
}

TEST_P(OnGpu, ChaseDram) {
  within10(chase(P, 1 << 20, "ld.global.u64", false), double(P.DramLatency),
           "dram_latency");
  allCompared({"dram_latency"});
}

/// Copies of the host leave their data in L2, as far as it fits.
TEST_P(OnGpu, CopiedDataIsInL2) {
  Bench B(P, kernel(P, ".param .u64 out", R"(
.reg .u64 %rd<4>; .reg .u32 %r<4>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r1, [%rd2];
st.global.u32 [%rd2], %r1;
)"));
  uint64_t Out = B.Gpu.allocate(4096);
  B.Time.copied(B.Gpu, Out, 4096);
  LaunchTiming T = B.run("k", {1, 1, 1}, {1024, 1, 1}, {Out});
  EXPECT_TRUE(T.WarmL2);
  EXPECT_EQ(T.Memory.DramReads, 0u);
  EXPECT_EQ(T.Memory.L2ReadHits, 128u);
  B.Time.flush();
  T = B.run("k", {1, 1, 1}, {1024, 1, 1}, {Out});
  EXPECT_FALSE(T.WarmL2);
  EXPECT_EQ(T.Memory.DramReads, 128u);
  // The end of a copy that is larger than L2 has pushed everything else out.
  uint64_t Large = B.Gpu.allocate(2 * P.L2Bytes);
  B.Time.copied(B.Gpu, Large, 2 * P.L2Bytes);
  EXPECT_GT(B.run("k", {1, 1, 1}, {1024, 1, 1}, {Out}).Memory.DramReads, 64u);
  EXPECT_LT(B.run("k", {1, 1, 1}, {1024, 1, 1}, {Large + 2 * P.L2Bytes - 4096})
                .Memory.DramReads,
            32u);
}

TEST_P(OnGpu, BarrierOfOneWarp) {
  within10(perStep(Float, "bar.sync 0;\n", StoreFloat),
           double(P.pipe(Unit::Barrier).Latency), "barrier");
}

/// Every thread copies four elements of 16 bytes.
TEST_P(OnGpu, CopyBandwidth) {
  std::string Ptx = kernel(P, ".param .u64 from, .param .u64 to", R"(
.reg .u64 %rd<16>; .reg .u32 %r<8>; .reg .f32 %f<20>;
ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [to];
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
mad.lo.u32 %r2, %r0, 256, %r1; mul.wide.u32 %rd2, %r2, 16;
add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;
ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd3];
st.global.v4.f32 [%rd4], {%f0,%f1,%f2,%f3};
)");
  // Far more than L2, so that most of what is written leaves it again.
  uint64_t Bytes = std::max<uint64_t>(2 * P.L2Bytes, 48 << 20);
  Bench B(P, Ptx);
  uint64_t From = B.Gpu.allocate(Bytes), To = B.Gpu.allocate(Bytes);
  uint32_t Blocks = uint32_t(Bytes / 4096);
  LaunchTiming T = B.run("k", {Blocks, 1, 1}, {256, 1, 1}, {From, To});
  double Seconds = double(T.Cycles) / (double(P.ClockKHz) * 1000);
  // What stays in L2 at the end was not written to DRAM.
  double Moved = 32.0 * double(T.Memory.DramReads + T.Memory.DramWrites);
  within10(Moved / Seconds / 1e6, double(P.DramMBs * P.DramPercent / 100),
           "copy_mb_s");
  allCompared({"copy_mb_s"});
}

INSTANTIATE_TEST_SUITE_P(All, OnGpu, testing::ValuesIn(Gpus), gpuName);

} // namespace
