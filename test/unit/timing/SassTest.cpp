//===- SassTest.cpp - Costs from machine code -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Listings are read: lines, stall counts, registers, a hash that ignores line
// numbers. Where the tools are on the machine, PTX that becomes the same
// machine code takes the same time.
//
//===----------------------------------------------------------------------===//

#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// Two instructions as the disassembler prints them.
std::string listing(unsigned Line, const std::string &Encoding) {
  return "\t.section\t.text.k,\"ax\",@progbits\n"
         "\t.sectioninfo\t@\"SHI_REGISTERS=10\"\n"
         "k:\n"
         "\t//## File \".nv_debug_ptx_txt\", line " +
         std::to_string(Line) +
         "\n"
         "        /*0000*/    IMAD R4, R4, R5, R3 ;   /* " +
         Encoding +
         " */\n"
         "                                            /* 0x001fca00078e0203 "
         "*/\n"
         "\t//## File \".nv_debug_ptx_txt\", line 31\n"
         "        /*0010*/    @P0 EXIT ;              /* 0x000000000000094d "
         "*/\n"
         "                                            /* 0x000fea0003800000 "
         "*/\n";
}

TEST(Sass, ReadsListing) {
  Result<SassModule> M = parseListing(listing(30, "0x0000000004047a24"));
  ASSERT_TRUE(M) << M.error().str();
  ASSERT_EQ(M->count("k"), 1u);
  const SassListing &L = M->at("k");
  EXPECT_EQ(L.Registers, 10u);
  ASSERT_EQ(L.Code.size(), 2u);
  EXPECT_EQ(L.Code[0].Opcode, "IMAD");
  EXPECT_EQ(L.Code[0].Line, 30u);
  EXPECT_EQ(L.Code[0].Stall, 5u);
  EXPECT_EQ(L.Code[1].Opcode, "EXIT");
  EXPECT_EQ(L.Code[1].Line, 31u);
}

TEST(Sass, HashIgnoresLinesAndSeesCode) {
  Result<SassModule> A = parseListing(listing(30, "0x0000000004047a24"));
  Result<SassModule> B = parseListing(listing(77, "0x0000000004047a24"));
  Result<SassModule> C = parseListing(listing(30, "0x0000000004047a25"));
  ASSERT_TRUE(A && B && C);
  EXPECT_EQ(A->at("k").Hash, B->at("k").Hash);
  EXPECT_NE(A->at("k").Hash, C->at("k").Hash);
}

TEST(Sass, EmptyListingIsRefused) {
  Result<SassModule> M = parseListing("nothing\n");
  ASSERT_FALSE(M);
  EXPECT_EQ(M.error().Message,
            "the listing of machine code has no instructions");
}

TEST(Sass, ProcessesAreRunWithoutShell) {
  Result<std::string> Out = runProcess({"/bin/echo", "$HOME", "a b"});
  ASSERT_TRUE(Out);
  EXPECT_EQ(*Out, "$HOME a b\n");
  EXPECT_FALSE(runProcess({"/bin/false"}));
  EXPECT_FALSE(runProcess({"/no/such/program"}));
}

TEST(Sass, EarlierArchitecturesAreRefused) {
  Result<SassModule> M = assemble({"a", "b"}, "", 61);
  ASSERT_FALSE(M);
  EXPECT_EQ(M.error().Message, "the machine code of sm_61 cannot be read");
}

/// The machine code of one block: each pair is a PTX line and an opcode.
SassFunction
costsOf(const std::string &Ptx,
        const std::vector<std::pair<uint32_t, const char *>> &Code) {
  Profile P = profileNamed("V100");
  SassListing L;
  for (auto [Line, Opcode] : Code) {
    SassInstruction I;
    I.Opcode = Opcode;
    I.Line = Line;
    L.Code.push_back(I);
  }
  Bench B(P, Ptx);
  return costsFromSass(P, *B.Module->kernel("k")->functions()[0], L);
}

TEST(Sass, LineWithManyInstructionsLeavesOthersTheirs) {
  // There is no 16-bit subtraction, so line 5 is three; 6 and 7 are one each.
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k() { .reg .u32 %r<9>; .reg .u16 %h<9>;\n"
                    "sub.u16 %h1, %h0, %h0;\n"
                    "add.u32 %r2, %r1, 1;\nand.b32 %r3, %r2, 7;\nret;\n}\n";
  SassFunction F = costsOf(
      Ptx,
      {{5, "PRMT"}, {5, "PRMT"}, {5, "IADD3"}, {6, "IADD3"}, {7, "LOP3.LUT"}});
  unsigned Instructions[3] = {};
  for (unsigned K = 0; K < 3; ++K)
    for (const Step &S : F[K].Steps)
      Instructions[K] += S.Count;
  EXPECT_EQ(Instructions[0], 3u);
  EXPECT_EQ(Instructions[1], 1u);
  EXPECT_EQ(Instructions[2], 1u);
}

TEST(Sass, UnrolledLoopIsPricedOnce) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k() { .reg .u32 %r<9>; .reg .f32 %f<9>; "
                    ".reg .pred %p;\n"
                    "L: fma.rn.f32 %f0, %f0, %f1, %f2;\n"
                    "add.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 64;\n"
                    "@%p bra L;\nret;\n}\n";
  // Four copies of the work, one of the counting, a constant made outside.
  SassFunction F = costsOf(Ptx, {{5, "MOV"},
                                 {5, "FFMA"},
                                 {5, "FFMA"},
                                 {5, "FFMA"},
                                 {5, "FFMA"},
                                 {6, "IADD3"},
                                 {7, "ISETP.NE"}});
  ASSERT_EQ(F[0].Steps.size(), 1u);
  EXPECT_EQ(F[0].Steps[0].Pipe, Unit::Fp32);
  EXPECT_EQ(F[0].Steps[0].Count, 1u);
  EXPECT_TRUE(F[1].Steps.empty());
}

/// Two kernels that become the same machine code: copies, an unused result and
/// a constant that is made twice.
const char *const Plain = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>;
ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
fma.rn.f32 %f1, %f0, 0f3FC00000, %f0;
st.global.f32 [%rd2], %f1;
)";
const char *const Wordy = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>;
ld.param.u64 %rd0, [out]; mov.u32 %r1, %tid.x; mov.u32 %r0, %r1;
mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;
mov.u64 %rd3, %rd2; add.u32 %r5, %r0, 7; mul.lo.u32 %r6, %r5, %r5;
ld.global.f32 %f0, [%rd3];
mov.f32 %f4, 0f3FC00000; mov.f32 %f5, %f0;
fma.rn.f32 %f1, %f5, %f4, %f0;
st.global.f32 [%rd3], %f1;
)";

uint64_t cyclesOf(const Profile &P, const char *Body, bool Machine,
                  uint64_t *Hash, CostSource *Source) {
  std::string Ptx = kernel(P, ".param .u64 out", Body);
  SassModule Sass;
  if (Machine) {
    Result<SassModule> M = assemble(findSassTools(), Ptx, P.Arch);
    EXPECT_TRUE(M) << M.error().str();
    if (!M)
      return 0;
    Sass = *M;
    *Hash = Sass.at("k").Hash;
  }
  Bench B(P, Ptx);
  uint64_t Out = B.Gpu.allocate(4096);
  LaunchOptions O;
  O.Grid = {1, 1, 1};
  O.Block = {128, 1, 1};
  O.Params = &Out;
  O.ParamBytes = 8;
  TimedResult R = B.Time.launch(B.Gpu, *B.Module->kernel("k"), O,
                                Machine ? &Sass : nullptr);
  *Source = R.Timing.Source;
  return R.Timing.Cycles;
}

TEST(Sass, SameMachineCodeSameTime) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (const char *Name : {"V100", "A100", "RTX4090"}) {
    Profile P = profileNamed(Name);
    uint64_t A = 0, B = 0;
    CostSource Source;
    uint64_t Short = cyclesOf(P, Plain, true, &A, &Source);
    EXPECT_EQ(Source, CostSource::Sass);
    uint64_t Long = cyclesOf(P, Wordy, true, &B, &Source);
    EXPECT_EQ(A, B) << Name;
    EXPECT_EQ(Short, Long) << Name;
  }
}

TEST(Sass, RulesRemoveTheSame) {
  Profile P = profileNamed("V100");
  uint64_t Unused = 0;
  CostSource Source;
  uint64_t Short = cyclesOf(P, Plain, false, &Unused, &Source);
  EXPECT_EQ(Source, CostSource::PtxRules);
  EXPECT_EQ(Short, cyclesOf(P, Wordy, false, &Unused, &Source));
}

} // namespace
