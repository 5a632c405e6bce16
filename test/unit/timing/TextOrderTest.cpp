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

} // namespace
