//===- PredicatesTest.cpp - Branches that machine code has not ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that branches around accesses and PTX that gives them predicates become
// the same machine code, and then take the same time. Where the machine code
// branches, so does what is executed.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr uint64_t BufferBytes = 1 << 18;

/// A kernel that branches around some accesses and one that does not.
struct Pair {
  const char *Name, *Branch, *Guard;
};
const Pair Pairs[] = {
    {"Store",
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@%p1 bra J;\nst.global.f32 [%rd5], %f1;\nJ:\n"
     "ld.global.f32 %f2, [%rd4+65536];\nadd.f32 %f3, %f1, %f2;\n"
     "st.global.f32 [%rd5+65536], %f3;\n",
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@!%p1 st.global.f32 [%rd5], %f1;\n"
     "ld.global.f32 %f2, [%rd4+65536];\nadd.f32 %f3, %f1, %f2;\n"
     "st.global.f32 [%rd5+65536], %f3;\n"},
    {"Loads",
     "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n"
     "setp.lt.s32 %p1, %r3, 9;\nsetp.gt.s32 %p2, %r3, 999;\n"
     "@%p1 bra J;\nld.global.f32 %f1, [%rd4];\nJ:\n"
     "@%p2 bra K;\nld.global.f32 %f2, [%rd4+4096];\nK:\n"
     "add.f32 %f3, %f1, %f2;\nst.global.f32 [%rd5+65536], %f3;\n",
     "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n"
     "setp.lt.s32 %p1, %r3, 9;\nsetp.gt.s32 %p2, %r3, 999;\n"
     "@!%p1 ld.global.f32 %f1, [%rd4];\n"
     "@!%p2 ld.global.f32 %f2, [%rd4+4096];\n"
     "add.f32 %f3, %f1, %f2;\nst.global.f32 [%rd5+65536], %f3;\n"},
    {"BothWays",
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@%p1 bra E;\nst.global.f32 [%rd5], %f1;\nbra J;\n"
     "E:\nst.global.f32 [%rd5+32768], %f1;\nJ:\n"
     "ld.global.f32 %f2, [%rd4+65536];\nst.global.f32 [%rd5+65536], %f2;\n",
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@!%p1 st.global.f32 [%rd5], %f1;\n"
     "@%p1 st.global.f32 [%rd5+32768], %f1;\n"
     "ld.global.f32 %f2, [%rd4+65536];\nst.global.f32 [%rd5+65536], %f2;\n"},
    // The assembler mixes copies of the whole loop.
    {"InALoop",
     "mov.f32 %f3, 0f00000000;\nmov.u32 %r5, 0;\nL:\n"
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@%p1 bra J;\nst.global.f32 [%rd5], %f1;\nJ:\n"
     "add.f32 %f3, %f3, %f1;\nadd.s64 %rd4, %rd4, 4096;\n"
     "add.s64 %rd5, %rd5, 4096;\nadd.s32 %r5, %r5, 1;\n"
     "setp.lt.s32 %p2, %r5, 24;\n@%p2 bra L;\n"
     "st.global.f32 [%rd5], %f3;\n",
     "mov.f32 %f3, 0f00000000;\nmov.u32 %r5, 0;\nL:\n"
     "ld.global.f32 %f1, [%rd4];\nsetp.gt.f32 %p1, %f1, 0f3F000000;\n"
     "@!%p1 st.global.f32 [%rd5], %f1;\n"
     "add.f32 %f3, %f3, %f1;\nadd.s64 %rd4, %rd4, 4096;\n"
     "add.s64 %rd5, %rd5, 4096;\nadd.s32 %r5, %r5, 1;\n"
     "setp.lt.s32 %p2, %r5, 24;\n@%p2 bra L;\n"
     "st.global.f32 [%rd5], %f3;\n"},
};

std::string text(const Profile &P, const std::string &Body) {
  return kernel(
      P, ".param .u64 a, .param .u64 b",
      ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"
      "mad.lo.s32 %r3, %r2, %r4, %r1;\nmul.wide.s32 %rd3, %r3, 4;\n"
      "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n" +
          Body);
}

struct Outcome {
  LaunchTiming Timing;
  uint64_t Code = 0;
  std::vector<float> Output;
};

/// Runs \p Body by its machine code on random numbers from 0 to 1.
Outcome run(const Profile &P, const std::string &Body) {
  std::string Ptx = text(P, Body);
  Bench B(P, Ptx, true);
  std::vector<float> Numbers(BufferBytes / 4);
  uint32_t Seed = 1;
  for (float &X : Numbers)
    X = float((Seed = Seed * 1664525u + 1013904223u) >> 8) / float(1 << 24);
  uint64_t A = B.Gpu.allocate(BufferBytes), Out = B.Gpu.allocate(BufferBytes);
  B.Gpu.copyToDevice(A, Numbers.data(), BufferBytes);
  Outcome R;
  R.Output.resize(BufferBytes / 4);
  B.Gpu.copyToDevice(Out, R.Output.data(), BufferBytes);
  R.Timing = B.run("k", {8, 1, 1}, {128, 1, 1}, {A, Out});
  R.Code = B.Sass->at("k").Hash;
  B.Gpu.copyFromDevice(R.Output.data(), Out, BufferBytes);
  return R;
}

class Predicates
    : public testing::TestWithParam<std::tuple<const char *, Pair>> {
  void SetUp() override {
    if (!findSassTools().found())
      GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  }
};

TEST_P(Predicates, TakeTheTimeOfBranchesThatBecameThem) {
  auto [Gpu, Texts] = GetParam();
  Profile P = profileNamed(Gpu);
  Outcome Branch = run(P, Texts.Branch), Guard = run(P, Texts.Guard);
  ASSERT_EQ(Branch.Code, Guard.Code) << "two machine codes tell nothing";
  EXPECT_EQ(Branch.Timing.Source, CostSource::Sass);
  EXPECT_EQ(Branch.Timing.Cycles, Guard.Timing.Cycles);
  EXPECT_EQ(Branch.Output, Guard.Output);
}

INSTANTIATE_TEST_SUITE_P(OnGpus, Predicates,
                         testing::Combine(testing::Values("V100", "A100",
                                                          "H100", "RTX4090"),
                                          testing::ValuesIn(Pairs)),
                         [](const auto &I) {
                           return std::string(std::get<0>(I.param)) +
                                  std::get<1>(I.param).Name;
                         });

// The profile is that of the PTX as it was written.
TEST(PredicatesProfile, HasTheInstructionsOfTheText) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  Profile P = profileNamed("V100");
  Outcome R = run(P, Pairs[0].Branch);
  Bench B(P, text(P, Pairs[0].Branch));
  const ptx::Function &F = *B.Module->kernel("k")->functions()[0];
  ASSERT_EQ(R.Timing.Profile[0].size(), F.Code.size());
  unsigned Stores = 0;
  for (size_t I = 0; I < F.Code.size(); ++I) {
    if (F.Code[I].Op == ptx::Opcode::St)
      Stores += R.Timing.Profile[0][I].Requests == 32;
    if (F.Code[I].Op == ptx::Opcode::Bra)
      EXPECT_EQ(R.Timing.Profile[0][I].Issues, 0u);
  }
  EXPECT_EQ(Stores, 2u);
}

/// Which of the branches of \p Body, whose machine code is \p Rows, are left.
size_t branchesLeft(const std::string &Body, const std::vector<SassRow> &Rows,
                    bool Guarded) {
  Profile P = profileNamed("V100");
  Bench B(P, text(P, Body));
  ptx::Function F = *B.Module->kernel("k")->functions()[0];
  SassListing L = listingOf(Rows);
  for (SassInstruction &I : L.Code)
    I.Guarded |= Guarded && I.Opcode == "STG.E";
  predicateAs(P, L, F);
  size_t Branches = 0;
  for (const ptx::Instruction &I : F.Code)
    Branches += I.Op == ptx::Opcode::Bra;
  return Branches;
}

// Lines 15 to 20: a load, a comparison, a branch, a store, a label, a load.
const char *const OneBranch = "ld.global.f32 %f1, [%rd4];\n"
                              "setp.gt.f32 %p1, %f1, 0f3F000000;\n@%p1 bra J;\n"
                              "st.global.f32 [%rd5], %f1;\nJ:\n"
                              "ld.global.f32 %f2, [%rd4+65536];\n";

TEST(PredicatesOf, MachineCodeWithoutABranch) {
  EXPECT_EQ(
      branchesLeft(OneBranch,
                   {{15, "LDG.E"}, {16, "FSETP"}, {18, "STG.E"}, {20, "LDG.E"}},
                   true),
      0u);
}

TEST(PredicatesOf, MachineCodeWithABranchAreNone) {
  EXPECT_EQ(branchesLeft(OneBranch,
                         {{15, "LDG.E"},
                          {16, "FSETP"},
                          {17, "BRA"},
                          {18, "STG.E"},
                          {20, "LDG.E", true}},
                         true),
            1u);
}

// The branch may be one of another line, with which it was joined.
TEST(PredicatesOf, AStretchOfItsOwnAreNone) {
  EXPECT_EQ(
      branchesLeft(
          OneBranch,
          {{15, "LDG.E"}, {16, "FSETP"}, {20, "LDG.E"}, {18, "STG.E", true}},
          true),
      1u);
  EXPECT_EQ(
      branchesLeft(OneBranch,
                   {{15, "LDG.E"}, {16, "FSETP"}, {18, "STG.E"}, {20, "LDG.E"}},
                   false),
      1u)
      << "a store of all lanes was made of something else";
}

} // namespace
