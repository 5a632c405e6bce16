//===- LoopsTest.cpp - Unrolled loops whose copies are mixed --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that the assembler unrolls takes the time of one that was unrolled in
// its text: the loads of all copies are on their way together.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

constexpr uint64_t BufferBytes = 1 << 19;

/// What a loop does in each iteration.
struct Iteration {
  const char *Name, *Text;
};
const Iteration Iterations[] = {
    {"Load", "ld.global.f32 %f2, [%rd4];\nfma.rn.f32 %f1, %f2, %f2, %f1;\n"
             "add.s64 %rd4, %rd4, 4096;\n"},
    {"TwoLoads", "ld.global.f32 %f2, [%rd4];\nld.global.f32 %f3, [%rd4+64];\n"
                 "fma.rn.f32 %f1, %f2, %f3, %f1;\nadd.s64 %rd4, %rd4, 4096;\n"},
    // The same on one line, as a text may be written.
    {"OneLine", "ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd4+64]; "
                "fma.rn.f32 %f1, %f2, %f3, %f1; add.s64 %rd4, %rd4, 4096;\n"},
    {"Store", "ld.global.f32 %f2, [%rd4];\nfma.rn.f32 %f1, %f2, %f2, %f1;\n"
              "st.global.f32 [%rd4], %f1;\nadd.s64 %rd4, %rd4, 4096;\n"},
    {"Arithmetic", "fma.rn.f32 %f1, %f1, %f1, %f1;\nmul.f32 %f2, %f1, %f1;\n"
                   "fma.rn.f32 %f1, %f2, %f1, %f2;\n"},
    {"Reciprocal", "ld.global.f32 %f2, [%rd4];\nadd.f32 %f3, %f2, 0f3F800000;\n"
                   "rcp.approx.f32 %f4, %f3;\nfma.rn.f32 %f1, %f2, %f4, %f1;\n"
                   "add.s64 %rd4, %rd4, 4096;\n"},
};

/// A loop of "n" iterations, of which \p Copies stand in the text. The
/// assembler may unroll it if that is one and not \p Rolled.
std::string loop(const Profile &P, const char *Iteration, unsigned Copies,
                 bool Rolled) {
  return kernel(
      P, ".param .u64 a, .param .u64 b, .param .u64 n",
      ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p;\n"
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\n"
      "ld.param.u32 %r8, [n];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
      "mov.u32 %r4, %ntid.x;\nmad.lo.s32 %r3, %r2, %r4, %r1;\n"
      "mul.wide.s32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
      "add.s64 %rd5, %rd2, %rd3;\nmov.u32 %r5, 0;\nmov.f32 %f1, 0f3F000000;\n"
      "L:\n" +
          std::string(Rolled ? ".pragma \"nounroll\";\n" : "") +
          repeat(Copies, Iteration) + "add.s32 %r5, %r5, " +
          std::to_string(Copies) +
          ";\nsetp.lt.s32 %p, %r5, %r8;\n@%p bra L;\n"
          "st.global.f32 [%rd5], %f1;");
}

struct Where {
  const char *Gpu;
  const Iteration *What;
};

class Loops : public testing::TestWithParam<Where> {
protected:
  void SetUp() override {
    if (!findSassTools().found())
      GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  }
  double cycles(unsigned Copies, bool Rolled, uint64_t N) {
    Bench B(P, loop(P, GetParam().What->Text, Copies, Rolled), true);
    uint64_t A = B.Gpu.allocate(BufferBytes), Out = B.Gpu.allocate(BufferBytes);
    LaunchTiming T = B.run("k", {8, 1, 1}, {256, 1, 1}, {A, Out, N});
    EXPECT_EQ(T.Source, CostSource::Sass);
    return double(T.Cycles);
  }
  Profile P = profileNamed(GetParam().Gpu);
};

TEST_P(Loops, TakeTheTimeOfThoseUnrolledInTheText) {
  double Unrolled = cycles(1, false, 40), Rolled = cycles(1, true, 40),
         InText = cycles(4, true, 40);
  EXPECT_GT(Unrolled, 0.8 * InText);
  EXPECT_LT(Unrolled, 1.2 * InText);
  // And that is something else than one after the other.
  EXPECT_LT(1.4 * Unrolled, Rolled);
}

TEST_P(Loops, RemaindersAreLoopsOfTheirOwn) {
  // Two iterations at once, or one, wait as long as four do; of arithmetic one
  // takes a quarter of their time.
  double Ten = cycles(1, false, 40), Eleven = cycles(1, false, 44);
  for (uint64_t N : {41, 42, 43}) {
    double More = cycles(1, false, N) - Ten;
    EXPECT_GT(More, 0.15 * (Eleven - Ten)) << N;
    EXPECT_LT(More, 2.5 * (Eleven - Ten)) << N;
  }
}

TEST_P(Loops, SameMachineCodeSameTime) {
  std::string Text = GetParam().What->Text, Other = Text;
  size_t Fma = Other.find("fma.rn.f32 %f1, %f2");
  if (Fma != std::string::npos)
    Other.replace(Fma, 19, "mov.f32 %f7, %f2;\nfma.rn.f32 %f1, %f7");
  Other += "ld.global.f32 %f8, [%rd4+8];\nmul.lo.s32 %r7, %r5, %r5;\n";
  uint64_t Cycles[2], Hash[2];
  for (bool Wordy : {false, true}) {
    Bench B(P, loop(P, (Wordy ? Other : Text).c_str(), 1, false), true);
    uint64_t A = B.Gpu.allocate(BufferBytes), Out = B.Gpu.allocate(BufferBytes);
    Cycles[Wordy] = B.run("k", {8, 1, 1}, {256, 1, 1}, {A, Out, 43}).Cycles;
    Hash[Wordy] = B.Sass->at("k").Hash;
  }
  EXPECT_EQ(Hash[0], Hash[1]);
  EXPECT_EQ(Cycles[0], Cycles[1]);
}

// clang leaves loops by a branch and goes round by a jump behind it.
TEST_P(Loops, HowTheyAreLeftDecidesNothing) {
  std::string Text = loop(P, GetParam().What->Text, 1, true);
  const std::string Branch = "@%p bra L;\n";
  auto run = [&](const char *Form, uint64_t *Hash) {
    std::string Other = Text;
    Other.replace(Other.find(Branch), Branch.size(), Form);
    Bench B(P, Other, true);
    uint64_t A = B.Gpu.allocate(BufferBytes), Out = B.Gpu.allocate(BufferBytes);
    uint64_t Cycles = B.run("k", {8, 1, 1}, {256, 1, 1}, {A, Out, 43}).Cycles;
    *Hash = B.Sass->at("k").Hash;
    return Cycles;
  };
  uint64_t Hash = 0, OtherHash = 0;
  uint64_t Cycles = run(Branch.c_str(), &Hash);
  for (const char *Form : {"@!%p bra E;\nbra.uni L;\nE:\n",
                           "@%p bra B;\nbra.uni E;\nB: bra L;\nE:\n"}) {
    EXPECT_EQ(Cycles, run(Form, &OtherHash)) << Form;
    EXPECT_EQ(Hash, OtherHash) << Form;
  }
}

std::vector<Where> everywhere() {
  std::vector<Where> All;
  for (const char *Gpu : {"V100", "A100", "H100", "RTX4090"})
    for (const Iteration &I : Iterations)
      All.push_back({Gpu, &I});
  return All;
}

INSTANTIATE_TEST_SUITE_P(All, Loops, testing::ValuesIn(everywhere()),
                         [](const testing::TestParamInfo<Where> &I) {
                           return std::string(I.param.Gpu) + I.param.What->Name;
                         });

TEST(UnrolledLoop, TimeIsTheSameInPieces) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  Profile P = profileNamed("V100");
  P.SMs = 2;
  // Where an iteration loads depends on which it is, so it matters whose lines
  // an access takes.
  const char *Text = "ld.global.f32 %f2, [%rd4];\nadd.s32 %r7, %r5, %r1;\n"
                     "and.b32 %r7, %r7, 16383;\nmul.wide.s32 %rd6, %r7, 32;\n"
                     "add.s64 %rd4, %rd1, %rd6;\nadd.f32 %f1, %f1, %f2;\n";
  auto Run = [&](uint64_t PieceBytes) {
    Bench B(P, loop(P, Text, 1, false), true);
    uint64_t Args[3] = {B.Gpu.allocate(BufferBytes),
                        B.Gpu.allocate(BufferBytes), 20003};
    const Kernel &K = *B.Module->kernel("k");
    EXPECT_FALSE(
        costsFromSass(P, *K.functions()[0], B.Sass->at("k")).Loops.empty());
    std::vector<char> Buffer(K.paramBytes());
    for (size_t I = 0; I < 3; ++I)
      std::memcpy(Buffer.data() + K.params()[I].Offset, &Args[I],
                  K.params()[I].Size);
    LaunchOptions O;
    O.Grid = {4, 1, 1};
    O.Block = {256, 1, 1};
    O.Params = Buffer.data();
    O.ParamBytes = Buffer.size();
    O.PieceBytes = PieceBytes;
    TimedResult R = B.Time.launch(B.Gpu, K, O, B.Sass);
    EXPECT_EQ(R.Execution.Status, LaunchStatus::Ok) << R.Execution.Message;
    return R.Timing;
  };
  LaunchTiming Whole = Run(uint64_t(1) << 40);
  for (uint64_t PieceBytes : {1, 1 << 16}) {
    LaunchTiming Pieces = Run(PieceBytes);
    EXPECT_EQ(Pieces.Uops, Whole.Uops);
    EXPECT_EQ(Pieces.Cycles, Whole.Cycles);
  }
}

/// A loop with one load.
const char *const OneLoad = ".version 7.0\n.target sm_70\n.address_size 64\n"
                            ".visible .entry k(.param .u64 a) { .reg .u32 "
                            "%r<9>; .reg .f32 %f<9>; .reg .pred %p; "
                            ".reg .u64 %d<4>;\n"
                            "ld.param.u64 %d1, [a];\n"
                            "L: ld.global.f32 %f1, [%d1];\n"
                            "add.f32 %f0, %f0, %f1;\n"
                            "add.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, %r1;\n"
                            "@%p bra L;\nret;\n}\n";

TEST(UnrolledLoop, HasAllOfItsStretch) {
  SassFunction F = costsOf(OneLoad, {{6, "LDG.E"},
                                     {6, "LDG.E"},
                                     {7, "FADD"},
                                     {7, "FADD"},
                                     {8, "IADD3"},
                                     {9, "ISETP.NE"},
                                     {10, "BRA"},
                                     {6, "LDG.E"},
                                     {7, "FADD"},
                                     {11, "EXIT"}});
  ASSERT_EQ(F.Loops.size(), 2u);
  const SassLoop &L = F.Loops[0];
  EXPECT_EQ(L.Copies, 2u);
  EXPECT_EQ(L.Begin, 1u);
  EXPECT_EQ(L.End, 6u);
  ASSERT_EQ(L.Ops.size(), 7u);
  for (unsigned K = 0; K < 7; ++K)
    EXPECT_EQ(L.Ops[K].Place, K);
  EXPECT_EQ(L.Ops[0].Copy, 0u);
  EXPECT_EQ(L.Ops[1].Copy, 1u);
  EXPECT_EQ(L.Ops[1].What, SassOp::Access);
  EXPECT_EQ(L.Ops[1].Instruction, 1u);
  EXPECT_EQ(L.Ops[6].What, SassOp::Control);
  EXPECT_EQ(F.Loops[1].Copies, 1u);
  EXPECT_EQ(F.Loops[1].Ops.size(), 2u);
}

TEST(UnrolledLoop, IsNotWhatStandsThereOnce) {
  SassFunction F = costsOf(OneLoad, {{6, "LDG.E"},
                                     {7, "FADD"},
                                     {8, "IADD3"},
                                     {9, "ISETP.NE"},
                                     {10, "BRA"},
                                     {11, "EXIT"}});
  EXPECT_TRUE(F.Loops.empty());
}

TEST(UnrolledLoop, IsNotGuessedWhereCopiesShareAnAccess) {
  // Four iterations that load two words at a time.
  SassFunction F = costsOf(OneLoad, {{6, "LDG.E.64"},
                                     {6, "LDG.E.64"},
                                     {7, "FADD"},
                                     {7, "FADD"},
                                     {7, "FADD"},
                                     {7, "FADD"},
                                     {8, "IADD3"},
                                     {9, "ISETP.NE"},
                                     {10, "BRA"},
                                     {11, "EXIT"}});
  EXPECT_TRUE(F.Loops.empty());
}

} // namespace
