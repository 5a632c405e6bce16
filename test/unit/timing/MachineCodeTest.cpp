//===- MachineCodeTest.cpp - What the assembler adds to PTX ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine code is more than its PTX: behind a kernel stand the functions that
// it calls and the slow paths of divisions, and the lanes of a warp are
// combined before an atomic operation. The clock takes each for what it is.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sass.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// An instruction as the disassembler prints it.
std::string instruction(const std::string &Text, const std::string &Encoding) {
  return "        /*0000*/    " + Text + " ;   /* " + Encoding +
         " */\n                       /* 0x001fca00078e0203 */\n";
}

std::string listing(const std::string &SlowPath) {
  return "\t.section\t.text.k,\"ax\",@progbits\nk:\n"
         "\t//## File \".nv_debug_ptx_txt\", line 8\n" +
         instruction("FADD R4, R4, R5", "0x01") + instruction("EXIT", "0x02") +
         "$k$f:\n\t//## File \".nv_debug_ptx_txt\", line 3\n" +
         instruction("FMUL R4, R4, R5", "0x03") +
         "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath:\n" +
         instruction("SHF.R.U32.HI R6, RZ, 0x17, R4", SlowPath);
}

TEST(MachineCode, FunctionsBehindAKernelAreNotPartOfIt) {
  Result<SassModule> M = parseListing(listing("0x04"));
  ASSERT_TRUE(M) << M.error().str();
  EXPECT_EQ(M->size(), 2u);
  ASSERT_EQ(M->at("k").Code.size(), 2u);
  ASSERT_EQ(M->at("f").Code.size(), 1u);
  EXPECT_EQ(M->at("f").Code[0].Opcode, "FMUL");
  EXPECT_EQ(M->at("f").Code[0].Line, 3u);
  // They are part of what the hash identifies.
  Result<SassModule> Other = parseListing(listing("0x05"));
  EXPECT_NE(M->at("k").Hash, Other->at("k").Hash);
}

// A kernel that is assembled alone is what it is in its module, at its lines.
TEST(MachineCode, AKernelAloneIsTheKernelOfItsModule) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  std::string Ptx = R"(.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 unused[400];
.const .align 4 .b8 table[256];
.const .align 4 .f32 factor = 0f40000000;
.visible .entry before(.param .u64 p)
{
.reg .b64 %rd<3>;
ld.param.u64 %rd1, [p];
st.global.u64 [%rd1], %rd1;
ld.const.u64 %rd2, [unused+8];
st.global.u64 [%rd1+8], %rd2;
ret;
}
.func (.param .f32 out) scaled(.param .f32 in)
{
.reg .f32 %f<4>;
ld.param.f32 %f1, [in];
ld.const.f32 %f2, [factor];
fma.rn.f32 %f3, %f1, %f2, %f2;
st.param.f32 [out], %f3;
ret;
}
.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<6>; .reg .f32 %f<6>; .reg .b32 %r<3>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 63;
mul.wide.u32 %rd2, %r2, 4;
mov.u64 %rd3, table;
add.s64 %rd4, %rd3, %rd2;
ld.const.f32 %f4, [%rd4];
ld.global.f32 %f5, [%rd1];
add.f32 %f1, %f4, %f5;
{
.param .f32 a; .param .f32 r;
st.param.f32 [a], %f1;
call (r), scaled, (a);
ld.param.f32 %f2, [r];
}
st.global.f32 [%rd1+4], %f2;
ret;
}
)";
  Result<SassModule> All = assemble(findSassTools(), Ptx, 80);
  Result<SassModule> One = assemble(findSassTools(), Ptx, 80, "k");
  ASSERT_TRUE(All) << All.error().str();
  ASSERT_TRUE(One) << One.error().str();
  EXPECT_FALSE(One->count("before"));
  for (const char *Name : {"k", "scaled"}) {
    ASSERT_TRUE(All->count(Name) && One->count(Name)) << Name;
    const SassListing &A = All->at(Name), &B = One->at(Name);
    EXPECT_EQ(A.Registers, B.Registers) << Name;
    ASSERT_EQ(A.Code.size(), B.Code.size()) << Name;
    for (size_t I = 0; I < A.Code.size(); ++I) {
      EXPECT_EQ(A.Code[I].Opcode, B.Code[I].Opcode) << Name << I;
      EXPECT_EQ(A.Code[I].Line, B.Code[I].Line) << Name << I;
      EXPECT_EQ(A.Code[I].Stall, B.Code[I].Stall) << Name << I;
      EXPECT_EQ(A.Code[I].Sources, B.Code[I].Sources) << Name << I;
    }
  }
}

// Volta's own code, which has no uniform registers, as Turing's has; and a
// shuffle that no thread executes in front.
TEST(MachineCode, VoltaHasItsOwn) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  std::string Ptx =
      kernel(profileNamed("V100"), ".param .u64 out, .param .u32 n",
             ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
             ".reg .pred %p; ld.param.u64 %rd1, [out];\n"
             "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
             "add.s32 %r1, %r1, -1; setp.lt.s32 %p, %r2, %r1;\n"
             "mul.wide.u32 %rd2, %r2, 4;\n"
             "add.u64 %rd3, %rd1, %rd2;\n"
             "@%p st.global.u32 [%rd3], %r2;\n");
  auto Uniform = [&](uint64_t Arch) {
    Result<SassModule> M = assemble(findSassTools(), Ptx, Arch);
    EXPECT_TRUE(M) << (M ? "" : M.error().str());
    unsigned Count = 0;
    if (M)
      for (const SassInstruction &I : M->at("k").Code)
        Count += I.Opcode[0] == 'U';
    return Count;
  };
  EXPECT_EQ(Uniform(70), 0u);
  EXPECT_EQ(Uniform(72), 0u);
  EXPECT_GT(Uniform(75), 0u);
  Result<SassModule> M = assemble(findSassTools(), Ptx, 70);
  ASSERT_TRUE(M);
  EXPECT_EQ(M->Arch, 70u);
  EXPECT_EQ(unknownOpcodes(M->at("k")), std::set<std::string>());
  for (const SassInstruction &I : M->at("k").Code)
    EXPECT_NE(I.Opcode.substr(0, 4), "SHFL");
}

/// What \p Body takes for \p Block threads by machine code, or by the rules.
LaunchTiming timed(const std::string &Body, Dim3 Block, bool Machine,
                   const std::string &Function = "") {
  Profile P = profileNamed("V100");
  std::string Ptx = kernel(P, ".param .u64 out",
                           ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
                           "\n.reg .pred %p<3>;\nld.param.u64 %rd1, [out];\n"
                           "mov.u32 %r1, %tid.x;\n" +
                               Body);
  Ptx.insert(Ptx.find(".visible"), Function);
  SassModule Sass;
  if (Machine) {
    Result<SassModule> Assembled = assemble(findSassTools(), Ptx, P.Arch);
    EXPECT_TRUE(Assembled) << (Assembled ? "" : Assembled.error().str());
    if (Assembled)
      Sass = std::move(*Assembled);
  }
  Bench B(P, Ptx);
  uint64_t Out = B.Gpu.allocate(65536);
  std::vector<char> Zeros(65536);
  B.Gpu.copyToDevice(Out, Zeros.data(), Zeros.size());
  LaunchOptions O;
  O.Grid = {1, 1, 1};
  O.Block = Block;
  O.Params = &Out;
  O.ParamBytes = 8;
  return B.Time
      .launch(B.Gpu, *B.Module->kernel("k"), O, Machine ? &Sass : nullptr)
      .Timing;
}

TEST(MachineCode, DivisionsCostTheirFastPath) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  std::string Body =
      "cvt.rn.f32.u32 %f1, %r1;\nadd.f32 %f2, %f1, 0f40000000;\n" +
      repeat(8, "div.rn.f32 %f2, %f1, %f2;\n"
                "add.f32 %f2, %f2, 0f3F800000;\n") +
      "st.global.f32 [%rd1], %f2;\n";
  LaunchTiming Sass = timed(Body, {1024, 1, 1}, true);
  LaunchTiming Rules = timed(Body, {1024, 1, 1}, false);
  EXPECT_EQ(Sass.Source, CostSource::Sass);
  EXPECT_LT(double(Sass.Cycles), 1.25 * double(Rules.Cycles));
}

TEST(MachineCode, FunctionsThatAreCalledHaveTheirs) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  std::string Square = ".func (.param .b32 y) square(.param .b32 x) {\n"
                       ".reg .f32 %f<3>;\nld.param.f32 %f1, [x];\n"
                       "mul.f32 %f2, %f1, %f1;\nst.param.f32 [y], %f2;\nret;\n"
                       "}\n";
  std::string Body = "cvt.rn.f32.u32 %f1, %r1;\n"
                     "{ .param .b32 a; .param .b32 b;\n"
                     "st.param.f32 [a], %f1;\ncall.uni (b), square, (a);\n"
                     "ld.param.f32 %f2, [b]; }\nst.global.f32 [%rd1], %f2;\n";
  EXPECT_EQ(timed(Body, {32, 1, 1}, true, Square).Source, CostSource::Sass);
}

TEST(MachineCode, LanesThatTheAssemblerCombinesAreOne) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  auto Cycles = [](const std::string &Op, bool Machine) {
    return timed(".shared .u32 s;\n" + repeat(32, Op), {1024, 1, 1}, Machine)
        .Cycles;
  };
  for (const char *Op :
       {"red.global.add.u32 [%rd1], 1;\n", "red.shared.add.u32 [s], 1;\n"})
    EXPECT_LT(4 * Cycles(Op, true), Cycles(Op, false)) << Op;
  // Floats are added one by one, because their order matters.
  const char *Floats = "red.global.add.f32 [%rd1], 0f3F800000;\n";
  EXPECT_GT(2 * Cycles(Floats, true), Cycles(Floats, false));
}

TEST(MachineCode, MergedAccessesAreAsWideAsTheyAre) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  // Four words of each thread at multiples of the stride, or of all threads at
  // one place, and the vector that ptxas makes of them.
  const char *Before = ".shared .align 16 .b8 s[32768];\nmov.u32 %r3, s;\n";
  const char *Words = "ld.shared.f32 %f1, [%r4];\n"
                      "ld.shared.f32 %f2, [%r4+4];\n"
                      "ld.shared.f32 %f3, [%r4+8];\n"
                      "ld.shared.f32 %f4, [%r4+12];\n";
  const char *Vector = "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];\n";
  const char *After = "add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\n"
                      "add.f32 %f1, %f1, %f3;\nst.global.f32 [%rd1], %f1;\n";
  struct {
    const char *Stride;
    uint64_t Conflicts; // Of 4 x 8 lanes: beyond the 4 cycles of 512 bytes.
  } Cases[] = {{"0", 0}, {"16", 0}, {"32", 4}, {"64", 12}};
  for (auto [Stride, Conflicts] : Cases) {
    std::string Address = std::string("mul.lo.u32 %r2, %r1, ") + Stride +
                          ";\n" + "add.u32 %r4, %r3, %r2;\n";
    auto Run = [&](const char *Load) {
      return timed(Before + Address + Load + After, {32, 1, 1}, true);
    };
    LaunchTiming Merged = Run(Words), Wide = Run(Vector);
    EXPECT_EQ(Merged.Cycles, Wide.Cycles) << Stride;
    auto Total = [](const LaunchTiming &T) {
      InstructionProfile Sum;
      for (const InstructionProfile &I : T.Profile[0])
        Sum.add(I);
      return Sum.BankConflicts;
    };
    EXPECT_EQ(Total(Merged), Conflicts) << Stride;
    EXPECT_EQ(Total(Wide), Conflicts) << Stride;
  }
}

} // namespace
