//===- TextOrderTest.cpp - PTX in the order of its text -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules move loads up as the assembler does; asked to keep the order of the
// text, they do not, and say so.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Eight loads, each right before its use.
std::string sumsOfLoads() {
  std::string Body = ".reg .f32 %f<9>; .reg .u64 %rd<9>;\n"
                     "ld.param.u64 %rd0, [out];\nmov.f32 %f1, 0f00000000;\n";
  for (unsigned K = 0; K < 8; ++K)
    Body += "ld.global.f32 %f" + std::string(K % 2 ? "2" : "3") + ", [%rd0+" +
            std::to_string(256 * K) + "];\nadd.rn.f32 %f1, %f1, %f" +
            std::string(K % 2 ? "2" : "3") + ";\n";
  return Body + "st.global.f32 [%rd0], %f1;\n";
}

TEST(TextOrder, LoadsStayInFrontOfTheirUses) {
  Profile P = profileNamed("V100");
  auto Cycles = [&](bool Text, CostSource &Source) {
    Bench B(P, kernel(P, ".param .u64 out", sumsOfLoads().c_str()));
    B.Time.setTextOrder(Text);
    uint64_t Out = B.Gpu.allocate(4096);
    LaunchOptions O;
    O.Grid = {1, 1, 1};
    O.Block = {32, 1, 1};
    O.Params = &Out;
    O.ParamBytes = 8;
    TimedResult R = B.Time.launch(B.Gpu, *B.Module->kernel("k"), O);
    Source = R.Timing.Source;
    return R.Timing.Cycles;
  };
  CostSource Source;
  uint64_t Moved = Cycles(false, Source);
  EXPECT_EQ(Source, CostSource::PtxRules);
  uint64_t Text = Cycles(true, Source);
  EXPECT_EQ(Source, CostSource::PtxText);
  EXPECT_GT(Text, 8 * P.DramLatency);
  EXPECT_LT(Moved, 5 * P.DramLatency);
}

/// A row of a sparse matrix: the index is loaded behind a load that has no need
/// of it, and the one that needs it comes last.
TEST(RulesOrder, LoadsDoNotWaitForAddressesOfOthers) {
  Profile P = profileNamed("V100");
  auto Cycles = [&](bool Loads) {
    Bench B(P,
            kernel(P, ".param .u64 out",
                   ".reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>;\n"
                   "ld.param.u64 %rd0, [out];\n" +
                       std::string(Loads ? "ld.global.f32 %f1, [%rd0+4096];\n"
                                         : "mov.f32 %f1, 0f3F800000;\n") +
                       "ld.global.u32 %r1, [%rd0];\n"
                       "mul.wide.u32 %rd1, %r1, 4;\n"
                       "add.u64 %rd2, %rd0, %rd1;\n"
                       "ld.global.f32 %f2, [%rd2+256];\n"
                       "fma.rn.f32 %f3, %f1, %f2, %f1;\n"
                       "st.global.f32 [%rd0], %f3;\n"));
    uint64_t Out = B.Gpu.allocate(8192);
    // Words that are used again are in L2, the values of the matrix are not.
    B.Time.copied(B.Gpu, Out, 1024);
    return B.run("k", {1, 1, 1}, {32, 1, 1}, {Out}).Cycles;
  };
  // Behind the wait for the index it would take almost the two latencies'
  // difference more.
  EXPECT_LT(Cycles(true), Cycles(false) + (P.DramLatency - P.L2Latency) / 4);
}

/// The assembler makes a branch around a call of a division, reciprocal or root
/// that is rounded: what is loaded behind it is asked for when its operands are
/// there.
TEST(RulesOrder, NoLoadPassesABranchAroundACall) {
  Profile P = profileNamed("V100");
  auto Cycles = [&](const std::string &Instruction) {
    Bench B(P, kernel(P, ".param .u64 out",
                      ".reg .f32 %f<9>; .reg .u64 %rd<9>;\n"
                      "ld.param.u64 %rd0, [out];\n"
                      "ld.global.f32 %f1, [%rd0];\n" +
                          Instruction +
                          ", %f1;\n"
                          "ld.global.f32 %f3, [%rd0+4096];\n"
                          "add.rn.f32 %f3, %f2, %f3;\n"
                          "st.global.f32 [%rd0], %f3;\n"));
    return B.run("k", {1, 1, 1}, {32, 1, 1}, {B.Gpu.allocate(8192)}).Cycles;
  };
  uint64_t Approximate = Cycles("rcp.approx.ftz.f32 %f2");
  EXPECT_LT(Approximate, 2 * P.DramLatency);
  for (const char *Rounded :
       {"rcp.rn.f32 %f2", "sqrt.rn.f32 %f2", "div.rn.f32 %f2, %f1"})
    EXPECT_GT(Cycles(Rounded), Approximate + P.DramLatency) << Rounded;
}

} // namespace
