//===- UnrolledAwayTest.cpp - Loops of which no branch is left ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a short loop on integers the assembler leaves straight code. Each
// iteration costs its share of that, whatever else stands in the loop and was
// moved out of it, and however its instructions were put on lines.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Two ways to write what becomes the same instructions.
struct Pair {
  const char *Name;
  std::string One, Other;
};

std::string loop(unsigned Times, const std::string &Body) {
  return "mov.u32 %r9, 0;\nL:\n" + Body +
         "add.u32 %r9, %r9, 1;\nsetp.ne.u32 %p1, %r9, " +
         std::to_string(Times) + ";\n@%p1 bra L;\n";
}

std::vector<Pair> pairs() {
  const std::string Hash = "add.u32 %r8, %r8, %r1;\nxor.b32 %r8, %r8, 77;\n",
                    Square = "add.u32 %r8, %r8, %r1;\n"
                             "mul.lo.u32 %r8, %r8, %r8;\n",
                    Convert = "cvt.rn.f32.u32 %f1, %r8;\n",
                    Keep = ".pragma \"nounroll\";\n";
  return {
      {"WhatIsMovedBehindIt", loop(64, Hash) + Convert,
       loop(64, Hash + Convert)},
      {"ProductsThatAdd", loop(16, Square) + Convert,
       repeat(16, Square) + Convert},
      {"OneLine",
       Keep +
           loop(20, repeat(8, "div.s32 %r8, %r8, %r2; "
                              "add.s32 %r8, %r8, %r1;\n")) +
           Convert,
       Keep +
           loop(20, repeat(8, "div.s32 %r8, %r8, %r2;\n"
                              "add.s32 %r8, %r8, %r1;\n")) +
           Convert},
  };
}

class UnrolledAway
    : public testing::TestWithParam<std::tuple<const char *, Pair>> {
  void SetUp() override {
    if (!findSassTools().found())
      GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  }
};

uint64_t cyclesOf(const Profile &P, const std::string &Body) {
  Bench B(P,
          kernel(P, ".param .u64 out",
                 ".reg .b64 %rd<9>; .reg .b32 %r<10>; .reg .f32 %f<3>; "
                 ".reg .pred %p<3>;\n"
                 "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
                 "mov.u32 %r2, %ntid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                 "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r8, %r1;\n" +
                     Body + "st.global.f32 [%rd3], %f1;\n"),
          true);
  return B.run("k", {16, 1, 1}, {256, 1, 1}, {B.Gpu.allocate(4096)}).Cycles;
}

TEST_P(UnrolledAway, TakesWhatItTakesWrittenOtherwise) {
  Profile P = profileNamed(std::get<0>(GetParam()));
  const Pair &What = std::get<1>(GetParam());
  double One = double(cyclesOf(P, What.One)),
         Other = double(cyclesOf(P, What.Other));
  EXPECT_NEAR(One / Other, 1, 0.06) << One << " and " << Other << " cycles";
}

INSTANTIATE_TEST_SUITE_P(OnGpus, UnrolledAway,
                         testing::Combine(testing::Values("V100", "A100",
                                                          "H100", "RTX4090"),
                                          testing::ValuesIn(pairs())),
                         [](const auto &Info) {
                           return std::string(std::get<0>(Info.param)) +
                                  std::get<1>(Info.param).Name;
                         });

} // namespace
