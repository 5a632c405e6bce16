//===- ExpansionsTest.cpp - Divisions and roots by machine code -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the assembler makes of a division or a root waits for its operands, and
// what reads the result waits for it, but for the path that seldom runs.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Rules.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

bool contains(const std::vector<uint16_t> &List, uint16_t Register) {
  return std::find(List.begin(), List.end(), Register) != List.end();
}

/// What the disassembler prints for the line \p Line of PTX: a stall of five
/// cycles, no counters.
std::string rows(unsigned Line, const std::vector<std::string> &Code) {
  std::string Text =
      "\t//## File \".nv_debug_ptx_txt\", line " + std::to_string(Line) + "\n";
  for (const std::string &I : Code)
    Text += I.back() == ':' ? I + "\n"
                            : "        /*0000*/    " + I +
                                  " ;   /* 0x0000000000000001 */\n"
                                  "             /* 0x000fca0000000000 */\n";
  return Text;
}

/// The costs on a V100 of a kernel that loads, does \p Instruction (line 7, of
/// index 2) and stores, with the machine code \p Code for that line and the
/// function \p Helper.
SassFunction costsOfLine(const std::string &Type,
                         const std::string &Instruction,
                         const std::vector<std::string> &Code,
                         const std::vector<std::string> &Helper) {
  Profile P = profileNamed("V100");
  std::string Ptx = kernel(P, ".param .u64 a",
                           ".reg ." + Type +
                               " %x<5>; .reg .u64 %d<2>; "
                               "ld.param.u64 %d1, [a];\n"
                               "ld.global." +
                               Type + " %x1, [%d1];\n" + Instruction +
                               "\nst.global." + Type + " [%d1], %x3;");
  Result<SassModule> M =
      parseListing("\t.section\t.text.k,\"ax\",@progbits\nk:\n" +
                   rows(6, {"LDG.E R7, [R2]"}) + rows(7, Code) +
                   rows(8, {"STG.E [R2], R5", "EXIT"}) +
                   "$__internal_0_$helper:\n" + rows(0, Helper));
  EXPECT_TRUE(M);
  if (!M)
    return SassFunction(8);
  Bench B(P, Ptx);
  return costsFromSass(P, *B.Module->kernel("k")->functions()[0], M->at("k"));
}

TEST(Expansions, FastPathIsIssuedAsItStandsAndTheSlowOneIsNot) {
  SassFunction F = costsOfLine(
      "f32", "div.rn.f32 %x3, %x1, %x2;",
      {"MUFU.RCP R4, R9", "FCHK P0, R7, R9", "FFMA R5, R4, -R9, 1",
       "FFMA R5, R4, R5, R4", "FFMA R4, R7, R5, RZ", "FFMA R6, R4, -R9, R7",
       "FFMA R5, R5, R6, R4", "@!P0 BRA `(.L_x_0)", "MOV R10, 0x180",
       "CALL.REL.NOINC `($__internal_0_$helper)", "IMAD.MOV.U32 R5, RZ, RZ, R4",
       ".L_x_0:"},
      {"FADD R4, R7, R9", "RET.REL.NODEC R10 `(k)"});
  ASSERT_EQ(F[2].size(), 8u);
  for (size_t K = 0; K < 8; ++K)
    EXPECT_EQ(F[2][K].Place, K + 1);
  // The numerator is waited for by the check and by the product.
  EXPECT_TRUE(contains(F[2][1].Sources, 7));
  EXPECT_TRUE(contains(F[2][4].Sources, 7));
  EXPECT_FALSE(contains(F[2][0].Sources, 7));
  EXPECT_EQ(F[2][6].Results, std::vector<uint16_t>{5});
  // The branch jumps over the call, for which the warp waits.
  EXPECT_EQ(F[2][7].Pipe, Unit::Branch);
  EXPECT_EQ(F[2][7].Stall, profileNamed("V100").pipe(Unit::Branch).Latency);
  EXPECT_EQ(F[2][0].Stall, 5u);
  EXPECT_TRUE(contains(F[3][0].Sources, 5));
}

TEST(Expansions, FastPathMayStandBehindTheSlowOne) {
  SassFunction F =
      costsOfLine("f32", "sqrt.rn.f32 %x3, %x1;",
                  {"IADD3 R0, R7, -0xd000000, RZ", "MUFU.RSQ R9, R7",
                   "ISETP.GT.U32.AND P0, PT, R0, 0x727fffff, PT",
                   "@!P0 BRA `(.L_x_2)", "BSSY B1, `(.L_x_3)", "MOV R8, 0x150",
                   "CALL.REL.NOINC `($__internal_0_$helper)", "BSYNC B1",
                   ".L_x_3:", "BRA `(.L_x_4)", ".L_x_2:", "FMUL.FTZ R5, R7, R9",
                   "FMUL.FTZ R4, R9, 0.5", "FFMA R0, -R5, R5, R7",
                   "FFMA R5, R0, R4, R5", ".L_x_4:"},
                  {"FADD R5, R7, R7", "RET.REL.NODEC R8 `(k)"});
  std::vector<uint32_t> Places;
  for (const SassOp &Op : F[2])
    Places.push_back(Op.Place);
  EXPECT_EQ(Places, (std::vector<uint32_t>{1, 2, 3, 4, 10, 11, 12, 13}));
}

TEST(Expansions, AFunctionThatDoesAllTakesWhatTheRulesHave) {
  SassFunction F =
      costsOfLine("s64", "div.s64 %x3, %x1, %x2;",
                  {"MOV R10, 0x180", "CALL.REL.NOINC `($__internal_0_$helper)",
                   "IMAD.MOV.U32 R5, RZ, RZ, R4"},
                  {"IADD3 R6, R7, R9, RZ", "IADD3 R4, R6, R6, RZ",
                   "RET.REL.NODEC R10 `(k)"});
  size_t Steps = 0;
  Profile P = profileNamed("V100");
  Bench B(P, kernel(P, "", ".reg .s64 %x<3>;\ndiv.s64 %x0, %x1, %x2;"));
  const ptx::Function &Division = *B.Module->kernel("k")->functions()[0];
  for (const Step &S : arithmeticSteps(P, Division, Division.Code[0]))
    Steps += S.Count;
  ASSERT_EQ(F[2].size(), Steps);
  // The copies stand before and behind.
  ASSERT_EQ(F[0].size(), 2u);
  const SassOp &First = F[2].front(), &Last = F[2].back(), &Copy = F[0].back();
  // What the function reads before it writes it.
  EXPECT_EQ(First.Sources, (std::vector<uint16_t>{7, 9, 10}));
  EXPECT_EQ(Last.Results, (std::vector<uint16_t>{4, 6}));
  EXPECT_EQ(Last.Sources, First.Results);
  EXPECT_EQ(Copy.Sources, (std::vector<uint16_t>{4}));
  EXPECT_LT(F[0].front().Place, First.Place);
  EXPECT_GT(Copy.Place, Last.Place);
}

/// A chain of a load, \p Instruction and a sum that makes the next address:
/// cycles by machine code or by the rules.
uint64_t chain(const Profile &P, const std::string &Type,
               const std::string &Instruction, bool Machine,
               bool Unroll = false) {
  bool Float = Type[0] == 'f', Wide = Type.substr(1) == "64";
  std::string Ptx = kernel(
      P, ".param .u64 a, .param .u64 n",
      ".reg ." + Type +
          " %v, %w, %x, %y, %z; .reg .u64 %d<5>; .reg .u32 %r<4>; "
          ".reg .pred %p;\n"
          "ld.param.u64 %d1, [a]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;\n"
          "ld.global." +
          Type +
          " %w, [%d1+1024]; mov.u64 %d2, %d1;\n"
          "L: " +
          (Unroll ? "" : ".pragma \"nounroll\";") +
          "\n"
          "ld.global.cg." +
          Type + " %v, [%d2];\n" + Instruction + "\n" +
          (Float  ? "cvt.rzi.u64." + Type + " %d3, %x;\n"
           : Wide ? "mov.b64 %d3, %x;\n"
                  : "cvt.u64.u32 %d3, %x;\n") +
          "and.b64 %d3, %d3, 8; add.u64 %d2, %d1, %d3;\n"
          "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, %r2;\n@%p bra L;\n"
          "st.global.u64 [%d1+512], %d2;");
  Bench B(P, Ptx, Machine);
  uint64_t Buffer = B.Gpu.allocate(4096);
  uint64_t One = !Float ? 1 : Wide ? 0x3ff0000000000000 : 0x3f800000;
  std::vector<uint64_t> Ones(512, One);
  B.Gpu.copyToDevice(Buffer, Ones.data(), 8 * Ones.size());
  // The second run finds L2 warm.
  B.run("k", {1, 1, 1}, {32, 1, 1}, {Buffer, 100});
  LaunchTiming T = B.run("k", {1, 1, 1}, {32, 1, 1}, {Buffer, 100});
  EXPECT_EQ(T.Source, Machine ? CostSource::Sass : CostSource::PtxRules);
  return T.Cycles;
}

struct Case {
  const char *Gpu, *Type, *Instruction, *Plain;
  unsigned Least; ///< Cycles more than Plain, per link.
  bool Whole;     ///< All of the expansion depends on what is loaded.
};

class Chains : public testing::TestWithParam<Case> {};

TEST_P(Chains, WaitForOperandsAndResults) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  auto [Gpu, Type, Instruction, Plain, Least, Whole] = GetParam();
  Profile P = profileNamed(Gpu);
  uint64_t Machine = chain(P, Type, Instruction, true);
  uint64_t Rules = chain(P, Type, Instruction, false);
  // A link has the latency of L2 and that of what was expanded.
  EXPECT_GT(Machine, 100 * uint64_t(P.L2Latency)) << Gpu << Instruction;
  EXPECT_GT(Machine, chain(P, Type, Plain, true) + 100 * Least)
      << Gpu << Instruction;
  EXPECT_LT(double(Machine), 1.1 * double(Rules)) << Gpu << Instruction;
  // Of what does not, some is done while the load is on its way.
  if (Whole)
    EXPECT_GT(double(Machine), 0.85 * double(Rules)) << Gpu << Instruction;
  // Copies that the assembler removes.
  std::string Wordy = std::string("mov.b") + (Type + 1) + " %y, %v;\n" +
                      Instruction + "\nmov.b" + (Type + 1) + " %x, %z;";
  for (size_t At; (At = Wordy.find("%x, %v")) != std::string::npos;)
    Wordy.replace(At, 6, "%z, %y");
  if (Wordy.find("%z, %y") != std::string::npos)
    EXPECT_EQ(Machine, chain(P, Type, Wordy, true)) << Gpu << Instruction;
}

std::vector<Case> cases() {
  const char *MulF32 = "mul.f32 %x, %v, %w;", *MulF64 = "mul.f64 %x, %v, %w;",
             *MulS32 = "mul.lo.s32 %x, %v, %w;",
             *MulS64 = "mul.lo.s64 %x, %v, %w;";
  std::vector<Case> All;
  for (const char *Gpu : {"V100", "A100", "RTX4090"})
    for (Case C :
         {Case{Gpu, "f32", "div.rn.f32 %x, %v, %w;", MulF32, 12, false},
          Case{Gpu, "f32", "div.rn.f32 %x, %w, %v;", MulF32, 25, true},
          Case{Gpu, "f32", "sqrt.rn.f32 %x, %v;", MulF32, 25, true},
          Case{Gpu, "f32", "rcp.rn.f32 %x, %v;", MulF32, 25, true},
          Case{Gpu, "f64", "div.rn.f64 %x, %v, %w;", MulF64, 30, false},
          Case{Gpu, "f64", "div.rn.f64 %x, %w, %v;", MulF64, 80, true},
          Case{Gpu, "f64", "sqrt.rn.f64 %x, %v;", MulF64, 50, true},
          Case{Gpu, "s32", "div.s32 %x, %v, %w;", MulS32, 40, false},
          Case{Gpu, "s32", "div.s32 %x, %w, %v;", MulS32, 90, true},
          Case{Gpu, "u32", "rem.u32 %x, %v, %w;", MulS32, 40, false},
          Case{Gpu, "s64", "div.s64 %x, %v, %w;", MulS64, 300, true}})
      All.push_back(C);
  return All;
}

INSTANTIATE_TEST_SUITE_P(OnGpus, Chains, testing::ValuesIn(cases()));

TEST(Expansions, LoopsThatAreUnrolledTakeAsLong) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (const char *Gpu : {"V100", "A100"})
    for (auto [Type, Instruction] : {std::pair("f32", "div.rn.f32 %x, %w, %v;"),
                                     std::pair("s32", "div.s32 %x, %w, %v;"),
                                     std::pair("s64", "div.s64 %x, %w, %v;")}) {
      Profile P = profileNamed(Gpu);
      double Rolled = double(chain(P, Type, Instruction, true));
      double Unrolled = double(chain(P, Type, Instruction, true, true));
      EXPECT_GT(Unrolled, 0.85 * Rolled) << Gpu << Instruction;
      EXPECT_LT(Unrolled, 1.15 * Rolled) << Gpu << Instruction;
    }
}

} // namespace
