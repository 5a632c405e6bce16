//===- RankingTest.cpp - Known optimisations rank as on hardware ----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test times two kernels of Inputs/ranking.cu that do the same work and
// says by how much the better one must win, on every GPU (or on those where it
// is known to matter). The ranges hold the sign and the size that programmers
// see; where a reason bounds the gain (eight words in a sector, one instruction
// instead of two), the range ends there. Both by the rules for PTX and, from
// Volta on, by machine code.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

#include <fstream>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Which GPU, and what its instructions cost.
struct Where {
  const char *Gpu;
  bool Machine;
};

class Ranking : public testing::TestWithParam<Where> {
protected:
  void SetUp() override {
    if (GetParam().Machine && !findSassTools().found())
      GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
    Kernels = std::make_unique<Bench>(P, text(), GetParam().Machine);
    for (uint64_t &A : Arrays)
      A = Kernels->Gpu.allocate(64 << 20);
  }

  static std::string text() {
    std::ifstream In(GEVO_TIMING_INPUTS "/ranking.ptx");
    std::stringstream Text;
    Text << In.rdbuf();
    return Text.str();
  }

  double cycles(const std::string &Name, Dim3 Grid, Dim3 Block,
                std::vector<uint64_t> More = {}) {
    std::vector<uint64_t> Args = {Arrays[0], Arrays[1]};
    Args.insert(Args.end(), More.begin(), More.end());
    // The second run finds L2 warm, so that more than DRAM is compared.
    Kernels->run(Name, Grid, Block, Args);
    LaunchTiming T = Kernels->run(Name, Grid, Block, Args);
    EXPECT_EQ(T.Source,
              GetParam().Machine ? CostSource::Sass : CostSource::PtxRules);
    return double(T.Cycles);
  }

  void ratio(double Slow, double Fast, double Low, double High) {
    RecordProperty("gain", std::to_string(Slow / Fast));
    EXPECT_GE(Slow / Fast, Low) << P.Name;
    EXPECT_LE(Slow / Fast, High) << P.Name;
  }

  Profile P = profileNamed(GetParam().Gpu);
  std::unique_ptr<Bench> Kernels;
  uint64_t Arrays[3];
};

TEST_P(Ranking, CoalescedBeatsStrided) {
  ratio(cycles("copy_strided", {2048, 1, 1}, {256, 1, 1}),
        cycles("copy_coalesced", {2048, 1, 1}, {256, 1, 1}), 3, 8.5);
}

TEST_P(Ranking, TilingBeatsNaive) {
  // As many blocks as fill the GPU; of more than N columns some are the same.
  bool Large = P.SMs > 80;
  Dim3 Grid = Large ? Dim3{32, 32, 1} : Dim3{16, 16, 1};
  uint64_t N = Large ? 128 : 256;
  ratio(cycles("matmul_naive", Grid, {16, 16, 1}, {Arrays[2], N}),
        cycles("matmul_tiled", Grid, {16, 16, 1}, {Arrays[2], N}),
        GetParam().Machine || !Large ? 1.1 : 1.05, 4);
}

TEST_P(Ranking, PaddingRemovesBankConflicts) {
  ratio(cycles("transpose_conflicts", {32, 32, 1}, {32, 8, 1}, {1024}),
        cycles("transpose_padded", {32, 32, 1}, {32, 8, 1}, {1024}), 1.15, 6);
}

TEST_P(Ranking, FewerBarriersHelp) {
  // Nine barriers and one. They wait longer than for DRAM where each comes with
  // a fence (Pascal).
  ratio(cycles("sum_barriers", {1024, 1, 1}, {256, 1, 1}),
        cycles("sum_shuffles", {1024, 1, 1}, {256, 1, 1}), 1.05,
        P.Arch < 70 ? 3.5 : 2.5);
}

TEST_P(Ranking, ClearingCostsInProportion) {
  // What is read is in L2, so that reads do not hide the writes.
  auto Cycles = [&](const char *Name) {
    std::vector<uint64_t> Args = {Arrays[2], Arrays[0], Arrays[1]};
    Kernels->run(Name, {2048, 1, 1}, {256, 1, 1}, Args);
    return double(Kernels->run(Name, {2048, 1, 1}, {256, 1, 1}, Args).Cycles);
  };
  double None = Cycles("clear_0"), Four = Cycles("clear_4"),
         Eight = Cycles("clear_8");
  EXPECT_GT(Four, 1.1 * None) << P.Name;
  double Growth = (Eight - None) / (Four - None);
  RecordProperty("gain", std::to_string(Growth));
  EXPECT_GT(Growth, 1.6) << P.Name;
  EXPECT_LT(Growth, 2.2) << P.Name;
}

TEST_P(Ranking, UnrollingHelps) {
  ratio(cycles("loop_rolled", {64, 1, 1}, {256, 1, 1}, {256}),
        cycles("loop_unrolled", {64, 1, 1}, {256, 1, 1}, {256}), 2, 7);
}

/// Each thread sums \p Count words of a table that L1 holds, one or four at a
/// time.
std::string sums(const Profile &P, unsigned Count, bool Vector) {
  std::string Load =
      Vector ? "ld.global.nc.v4.f32 {%f2, %f3, %f4, %f5}, [%rd2];\n"
               "add.f32 %f1, %f1, %f2;\nadd.f32 %f6, %f6, %f3;\n"
               "add.f32 %f1, %f1, %f4;\nadd.f32 %f6, %f6, %f5;\n"
             : "ld.global.nc.f32 %f2, [%rd2];\nadd.f32 %f1, %f1, %f2;\n";
  std::string Bytes = Vector ? "16" : "4", Step = Vector ? "4096" : "1024";
  return kernel(P, ".param .u64 in, .param .u64 out",
                ".reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f32 %f<8>;\n"
                ".reg .pred %p;\nmov.f32 %f1, 0f00000000;\n"
                "mov.f32 %f6, %f1;\nld.param.u64 %rd1, [in];\n"
                "ld.param.u64 %rd3, [out];\nmov.u32 %r1, %tid.x;\n"
                "mul.wide.u32 %rd4, %r1, " +
                    Bytes +
                    ";\nadd.s64 %rd2, %rd1, %rd4;\nmov.u32 %r2, 0;\n"
                    "L:\n.pragma \"nounroll\";\n" +
                    Load + "add.s64 %rd2, %rd2, " + Step +
                    ";\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, " +
                    std::to_string(Vector ? Count / 4 : Count) +
                    ";\n@%p bra L;\nadd.f32 %f1, %f1, %f6;\n"
                    "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd3, %rd3, %rd4;\n"
                    "st.global.f32 [%rd3], %f1;");
}

TEST_P(Ranking, VectorLoadsHelp) {
  // Where instructions are what there is too much of: a quarter of the loads,
  // of the addresses and of the loop's own instructions. The assembler would
  // leave neither of the two latter.
  double Cycles[2];
  for (bool Vector : {false, true}) {
    Bench B(P, sums(P, 16, Vector), GetParam().Machine);
    uint64_t In = B.Gpu.allocate(65536), Out = B.Gpu.allocate(65536);
    Cycles[Vector] =
        double(B.run("k", {uint32_t(16 * P.SMs), 1, 1}, {256, 1, 1}, {In, Out})
                   .Cycles);
  }
  ratio(Cycles[0], Cycles[1], 1.1, 2.6);
}

TEST_P(Ranking, VectorCopiesAreBoundByMemory) {
  // The same bytes in a quarter of the threads. Where L2 holds nearly all of
  // them (GTX 1080 Ti), their order decides which are written back, and when.
  ratio(cycles("copy_coalesced", {1792, 1, 1}, {256, 1, 1}),
        cycles("copy_vector", {448, 1, 1}, {256, 1, 1}), 0.92, 1.5);
}

TEST_P(Ranking, FusedMultiplyAddHelps) {
  ratio(cycles("polynomial_separate", {1280, 1, 1}, {256, 1, 1}),
        cycles("polynomial_fused", {1280, 1, 1}, {256, 1, 1}), 1.5, 2.05);
}

TEST_P(Ranking, FastDivisionHelps) {
  ratio(cycles("divide_exact", {1280, 1, 1}, {256, 1, 1}),
        cycles("divide_fast", {1280, 1, 1}, {256, 1, 1}),
        GetParam().Machine ? 1.4 : 1.6, 2.5);
}

TEST_P(Ranking, ReadOnlyCacheHelpsWhereL1DoesNotCache) {
  double Plain = cycles("window_plain", {1024, 1, 1}, {256, 1, 1});
  double ReadOnly = cycles("window_readonly", {1024, 1, 1}, {256, 1, 1});
  if (P.L1CachesGlobal)
    ratio(Plain, ReadOnly, 0.95, 1.25);
  else
    ratio(Plain, ReadOnly, 1.5, 4);
}

TEST_P(Ranking, UniformBranchesHelp) {
  ratio(cycles("branch_divergent", {1280, 1, 1}, {256, 1, 1}),
        cycles("branch_uniform", {1280, 1, 1}, {256, 1, 1}), 1.4, 2.05);
}

/// A walk along pointers in L2, each warp in a line of its own, with 64 values
/// loaded before it (and kept in registers) or behind it. Without the barrier
/// the assembler would load them behind it in both.
std::string walk(const Profile &P, bool Before) {
  std::string Loads, Sums, Both;
  for (unsigned I = 0; I < 16; ++I) {
    std::string V[4], Sum;
    for (unsigned K = 0; K < 4; ++K) {
      V[K] = "%v" + std::to_string(4 * I + K);
      Sum += "add.f32 %s, %s, " + V[K] + ";\n";
    }
    std::string Load = "ld.global.v4.f32 {" + V[0] + ", " + V[1] + ", " + V[2] +
                       ", " + V[3] + "}, [%rd0+" + std::to_string(16 * I) +
                       "];\n";
    Loads += Load;
    Sums += Sum;
    Both += Load + Sum;
  }
  std::string Walk = repeat(40, "ld.global.cg.u64 %rd1, [%rd1];\n");
  // Nothing equals NaN, so nothing is stored.
  return kernel(P, ".param .u64 from, .param .u64 to",
                ".reg .f32 %v<64>; .reg .f32 %s; .reg .u64 %rd<4>;\n"
                ".reg .pred %p; .reg .u32 %r<4>; mov.f32 %s, 0f00000000;\n"
                "ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [to];\n"
                "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
                "mad.lo.u32 %r2, %r0, 256, %r1; shr.u32 %r2, %r2, 5;\n"
                "mul.wide.u32 %rd2, %r2, 128; add.u64 %rd1, %rd1, %rd2;\n" +
                    (Before ? Loads + Walk + Sums : Walk + Both) +
                    "setp.eq.f32 %p, %s, 0f7FC00000;\n"
                    "@%p st.global.f32 [%rd1+8], %s;\n");
}

TEST_P(Ranking, FewerRegistersHelpWhereOccupancyBinds) {
  LaunchTiming T[2];
  for (bool Before : {true, false}) {
    Bench Walk(P, walk(P, Before), GetParam().Machine);
    // As many blocks as fit when registers do not bind.
    uint32_t Blocks = uint32_t(P.SMs * P.MaxWarps / 8);
    uint64_t From = Walk.Gpu.allocate(4096),
             To = Walk.Gpu.allocate(Blocks * 8 * 128);
    for (uint64_t Line = To; Line < To + Blocks * 8 * 128; Line += 128)
      Walk.Gpu.copyToDevice(Line, &Line, sizeof(Line));
    Walk.Time.copied(Walk.Gpu, To, Blocks * 8 * 128);
    T[Before] = Walk.run("k", {Blocks, 1, 1}, {256, 1, 1}, {From, To});
  }
  // The assembler loads them behind the walk in both: what it does anyway is
  // worth nothing.
  if (GetParam().Machine)
    return ratio(double(T[1].Cycles), double(T[0].Cycles), 1, 1);
  EXPECT_STREQ(T[1].Full.Limit, "registers") << P.Name;
  EXPECT_GT(T[0].Full.WarpsPerSM, T[1].Full.WarpsPerSM) << P.Name;
  // Two or three waves instead of one; the loads take their time in both.
  ratio(double(T[1].Cycles), double(T[0].Cycles), 1.3, 3.2);
}

INSTANTIATE_TEST_SUITE_P(
    All, Ranking,
    testing::Values(Where{"P100", false}, Where{"GTX1080Ti", false},
                    Where{"V100", false}, Where{"A100", false},
                    Where{"H100", false}, Where{"RTX4090", false},
                    Where{"V100", true}, Where{"A100", true},
                    Where{"H100", true}, Where{"RTX4090", true}),
    [](const auto &I) {
      return std::string(I.param.Gpu) + (I.param.Machine ? "MachineCode" : "");
    });

} // namespace
