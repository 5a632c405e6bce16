//===- SwitchTest.cpp - Jumps through tables ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch (brx.idx) is priced by its machine code: the place to jump to is
// read from a table of constants, then the case that was chosen is issued, and
// lanes that choose different ones go one after another.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr unsigned Cases = 8, Rounds = 100;

/// Products in a row in case \p K.
unsigned lengthOf(unsigned K) { return 2 + 4 * K; }

/// A loop over a switch by what a thread reads at first.
std::string switches(const Profile &P) {
  std::string Body =
      ".reg .f32 %f<3>; .reg .u64 %rd<4>; .reg .u32 %r<9>; .reg .pred %p;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n"
      "ld.global.u32 %r1, [%rd2];\nmov.u32 %r2, 0;\n"
      "mov.f32 %f1, 0f3F800000;\n"
      "L: and.b32 %r3, %r1, 7;\n"
      "T: .branchtargets C0, C1, C2, C3, C4, C5, C6, C7;\n"
      "brx.idx %r3, T;\n";
  for (unsigned K = 0; K < Cases; ++K) {
    std::string Number = std::to_string(K);
    Body += "C" + Number + ":\n" +
            repeat(lengthOf(K),
                   "fma.rn.f32 %f1, %f1, %f1, 0f3F00000" + Number + ";\n") +
            "bra.uni E;\n";
  }
  return kernel(P, ".param .u64 out",
                Body +
                    "E: add.u32 %r1, %r1, 8; add.u32 %r2, %r2, 1;\n"
                    "setp.lt.u32 %p, %r2, " +
                    std::to_string(Rounds) +
                    ";\n@%p bra L;\nst.global.f32 [%rd2+4096], %f1;\n");
}

/// Cycles of a round if lane K of each warp chooses \p Choice(K).
template <typename Function>
double perRound(const Profile &P, bool Machine, Function Choice) {
  Bench B(P, switches(P), Machine);
  uint64_t Out = B.Gpu.allocate(8192);
  std::vector<uint32_t> Values(32);
  for (unsigned K = 0; K < 32; ++K)
    Values[K] = Choice(K);
  B.Gpu.copyToDevice(Out, Values.data(), 4 * Values.size());
  LaunchTiming T = B.run("k", {1, 1, 1}, {32, 1, 1}, {Out});
  EXPECT_EQ(T.Source, Machine ? CostSource::Sass : CostSource::PtxRules);
  return double(T.Cycles) / Rounds;
}

void check(const char *Name, bool Machine) {
  Profile P = profileNamed(Name);
  double First = perRound(P, Machine, [](unsigned) { return 0; });
  double Last = perRound(P, Machine, [](unsigned) { return Cases - 1; });
  double All = perRound(P, Machine, [](unsigned K) { return K % Cases; });
  double Product = double(P.pipe(Unit::Fp32).Latency);
  double Table = double(P.ConstLatency);
  // The table, two products, jumps there, on and back, and the counting.
  double Jumps = 3 * double(P.pipe(Unit::Branch).Latency);
  EXPECT_GT(First, Table + 2 * Product) << Name;
  EXPECT_LT(First, Table + 2 * Product + Jumps + 40) << Name;
  EXPECT_NEAR(Last - First, (lengthOf(Cases - 1) - lengthOf(0)) * Product,
              0.1 * (Last - First))
      << Name;
  // All cases, one after another.
  unsigned Sum = 0;
  for (unsigned K = 0; K < Cases; ++K)
    Sum += lengthOf(K);
  EXPECT_GT(All, Table + Sum * Product) << Name;
  EXPECT_LT(All, Table + Sum * Product + 3 * Cases * Jumps) << Name;
}

TEST(Switch, IsPricedByMachineCode) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (const char *Name : {"V100", "A100", "H100", "RTX4090"})
    check(Name, true);
}

TEST(Switch, IsPricedByRules) {
  for (const char *Name : {"P100", "V100", "A100"})
    check(Name, false);
}

} // namespace
