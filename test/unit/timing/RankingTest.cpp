//===- RankingTest.cpp - Known optimisations rank as on hardware ----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test times two kernels of Inputs/ranking.cu that do the same work and
// says by how much the better one must win, on every GPU (or on those where it
// is known to matter). The ranges are wide: they hold the sign and the size
// that programmers see, not a calibration.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

#include <fstream>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

class Ranking : public testing::TestWithParam<const char *> {
protected:
  Ranking() : P(profileNamed(GetParam())), B(P, text()) {
    for (uint64_t &A : Arrays)
      A = B.Gpu.allocate(64 << 20);
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
    B.run(Name, Grid, Block, Args);
    return double(B.run(Name, Grid, Block, Args).Cycles);
  }

  void ratio(double Slow, double Fast, double Low, double High) {
    RecordProperty("gain", std::to_string(Slow / Fast));
    EXPECT_GE(Slow / Fast, Low) << P.Name;
    EXPECT_LE(Slow / Fast, High) << P.Name;
  }

  Profile P;
  Bench B;
  uint64_t Arrays[3];
};

TEST_P(Ranking, CoalescedBeatsStrided) {
  ratio(cycles("copy_strided", {2048, 1, 1}, {256, 1, 1}),
        cycles("copy_coalesced", {2048, 1, 1}, {256, 1, 1}), 2, 32);
}

TEST_P(Ranking, TilingBeatsNaive) {
  if (P.SMs > 80)
    GTEST_SKIP() << "256 blocks do not fill " << P.Name;
  ratio(cycles("matmul_naive", {16, 16, 1}, {16, 16, 1}, {Arrays[2], 256}),
        cycles("matmul_tiled", {16, 16, 1}, {16, 16, 1}, {Arrays[2], 256}), 1.1,
        12);
}

TEST_P(Ranking, PaddingRemovesBankConflicts) {
  ratio(cycles("transpose_conflicts", {32, 32, 1}, {32, 8, 1}, {1024}),
        cycles("transpose_padded", {32, 32, 1}, {32, 8, 1}, {1024}), 1.1, 16);
}

TEST_P(Ranking, FewerBarriersHelp) {
  ratio(cycles("sum_barriers", {1024, 1, 1}, {256, 1, 1}),
        cycles("sum_shuffles", {1024, 1, 1}, {256, 1, 1}), 1.0, 8);
}

TEST_P(Ranking, ClearingCostsInProportion) {
  auto Cycles = [&](const char *Name) {
    B.Time.flush();
    return double(B.run(Name, {2048, 1, 1}, {256, 1, 1},
                        {Arrays[2], Arrays[0], Arrays[1]})
                      .Cycles);
  };
  double None = Cycles("clear_0"), Four = Cycles("clear_4"),
         Eight = Cycles("clear_8");
  EXPECT_GT(Four, 1.1 * None) << P.Name;
  double Growth = (Eight - None) / (Four - None);
  EXPECT_GT(Growth, 1.3) << P.Name;
  EXPECT_LT(Growth, 4.5) << P.Name;
}

TEST_P(Ranking, UnrollingHelps) {
  ratio(cycles("loop_rolled", {64, 1, 1}, {256, 1, 1}, {256}),
        cycles("loop_unrolled", {64, 1, 1}, {256, 1, 1}, {256}), 1.2, 9);
}

TEST_P(Ranking, VectorLoadsHelp) {
  // The same bytes in a quarter of the threads.
  ratio(cycles("copy_coalesced", {1792, 1, 1}, {256, 1, 1}),
        cycles("copy_vector", {448, 1, 1}, {256, 1, 1}), 0.95, 3);
}

TEST_P(Ranking, FusedMultiplyAddHelps) {
  ratio(cycles("polynomial_separate", {1280, 1, 1}, {256, 1, 1}),
        cycles("polynomial_fused", {1280, 1, 1}, {256, 1, 1}), 1.4, 2.1);
}

TEST_P(Ranking, FastDivisionHelps) {
  ratio(cycles("divide_exact", {1280, 1, 1}, {256, 1, 1}),
        cycles("divide_fast", {1280, 1, 1}, {256, 1, 1}), 1.5, 5);
}

TEST_P(Ranking, ReadOnlyCacheHelpsWhereL1DoesNotCache) {
  double Plain = cycles("window_plain", {1024, 1, 1}, {256, 1, 1});
  double ReadOnly = cycles("window_readonly", {1024, 1, 1}, {256, 1, 1});
  if (P.L1CachesGlobal)
    ratio(Plain, ReadOnly, 0.9, 1.2);
  else
    ratio(Plain, ReadOnly, 1.2, 8);
}

TEST_P(Ranking, UniformBranchesHelp) {
  ratio(cycles("branch_divergent", {1280, 1, 1}, {256, 1, 1}),
        cycles("branch_uniform", {1280, 1, 1}, {256, 1, 1}), 1.3, 2.2);
}

INSTANTIATE_TEST_SUITE_P(All, Ranking,
                         testing::Values("P100", "GTX1080Ti", "V100", "A100",
                                         "H100", "RTX4090"),
                         [](const auto &I) { return std::string(I.param); });

} // namespace
