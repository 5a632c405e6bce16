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

#include "runtime/gpu/timing/SassCache.h"
#include "test/unit/timing/Kernels.h"

#include <filesystem>
#include <fstream>

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
  EXPECT_TRUE(L.Code[1].Guarded);
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

TEST(Sass, NamesMayHaveDollars) {
  auto Code = [](const std::string &Opcode) {
    return "        /*0000*/    " + Opcode +
           " ;   /* 0x01 */\n                       /* 0x02 */\n";
  };
  Result<SassModule> M = parseListing(
      "\t.section\t.text.$k$1,\"ax\",@progbits\n$k$1:\n" +
      Code("FADD R4, R4, R5") + "$$k$1$f$2:\n" + Code("FMUL R4, R4, R5") +
      "$__internal_0_$slow:\n" + Code("EXIT"));
  ASSERT_TRUE(M) << M.error().str();
  EXPECT_EQ(M->size(), 2u);
  ASSERT_TRUE(M->count("$k$1") && M->count("f$2"));
  EXPECT_EQ(M->at("$k$1").Code[0].Opcode, "FADD");
  EXPECT_EQ(M->at("f$2").Code[0].Opcode, "FMUL");
}

TEST(Sass, EarlierArchitecturesAreRefused) {
  Result<SassModule> M = assemble({"a", "b"}, "", 61);
  ASSERT_FALSE(M);
  EXPECT_EQ(M.error().Message, "the machine code of sm_61 cannot be read");
}

TEST(Sass, RegistersOfOperands) {
  auto Read = [](const char *Opcode, const char *Text) {
    SassInstruction I;
    I.Opcode = Opcode;
    findRegisters(I, Text);
    return std::make_pair(I.Results, I.Sources);
  };
  using Regs = std::vector<uint16_t>;
  using Both = std::pair<Regs, Regs>;
  EXPECT_EQ(Read("IMAD", " R4, R4, R5, R3"), Both({4}, {4, 5, 3}));
  EXPECT_EQ(Read("FADD", " R4, |R5|, -R3.reuse"), Both({4}, {5, 3}));
  EXPECT_EQ(Read("MOV", " R1, c[0x0][0x28]"), Both({1}, {}));
  EXPECT_EQ(Read("LDG.E.128", " R4, [R2.64+0x10]"), Both({4, 5, 6, 7}, {2, 3}));
  EXPECT_EQ(Read("STG.E.64", " [R8.64], R4"), Both({}, {8, 9, 4, 5}));
  // Predicates are 260 and up, uniform registers 280 and up.
  EXPECT_EQ(Read("ISETP.LT.AND", " P0, PT, R0, UR4, P1"),
            Both({260}, {0, 284, 261}));
  EXPECT_EQ(Read("IADD3", " R2, P1, R4, R5, RZ"), Both({2, 261}, {4, 5}));
  EXPECT_EQ(Read("ATOMG.E.ADD", " PT, R5, [R2.64], R6"), Both({5}, {2, 3, 6}));
  EXPECT_EQ(Read("DFMA", " R2, R4, R6, R2"), Both({2, 3}, {4, 5, 6, 7, 2, 3}));
  EXPECT_EQ(Read("IMAD.WIDE", " R2, R3, R9.reuse, R6"),
            Both({2, 3}, {3, 9, 6, 7}));
  EXPECT_EQ(Read("RED.E.ADD", " [R2.64], R5"), Both({}, {2, 3, 5}));
  // The check of a division reads both of its operands.
  EXPECT_EQ(Read("FCHK", " P0, R7, R9"), Both({260}, {7, 9}));
  EXPECT_EQ(Read("FCHK", " P1, R7, c[0x0][0x174]"), Both({261}, {7}));
  EXPECT_EQ(Read("R2P", " PR, R3, 0x7f"), Both({}, {3}));
}

TEST(Sass, WhatWasMovedOutOfALoopIsIssuedOutside) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a) { .reg .u32 %r<9>; "
                    ".reg .pred %p; .reg .u64 %d<4>;\n"
                    "ld.param.u64 %d1, [a];\n"
                    "ld.global.u32 %r1, [%d1];\n"
                    "L: mul.lo.u32 %r2, %r1, %r1;\n"
                    "st.global.u32 [%d1], %r2;\n"
                    "add.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 64;\n"
                    "@%p bra L;\nret;\n}\n";
  SassFunction F = costsOf(Ptx, {{6, "LDG.E"},
                                 {7, "IMAD"},
                                 {8, "STG.E", true},
                                 {9, "IADD3"},
                                 {10, "ISETP.NE"},
                                 {11, "BRA"},
                                 {12, "EXIT"}});
  // The product is issued with the first stretch but counts for its own line.
  ASSERT_EQ(F[0].size(), 1u);
  EXPECT_EQ(F[0][0].Pipe, Unit::Mul);
  EXPECT_EQ(F[0][0].Instruction, 2u);
  EXPECT_TRUE(F[2].empty());
  ASSERT_EQ(F[3].size(), 1u);
  EXPECT_EQ(F[3][0].What, SassOp::Access);
  ASSERT_EQ(F[6].size(), 1u);
  EXPECT_EQ(F[6][0].What, SassOp::Control);
}

// What only moves has its turn, with the code that it stands in: the assembler
// gives it the line of any use.
TEST(Sass, MovesAreIssuedWhereTheyStand) {
  std::string Ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry k(.param .u64 a) {\n.reg .u32 %r<4>; "
                    ".reg .pred %p; .reg .u64 %d<4>;\n"
                    "ld.param.u64 %d1, [a];\n"
                    "ld.global.u32 %r1, [%d1];\n"
                    "L: ld.global.u32 %r2, [%d1+64];\n"
                    "add.u32 %r1, %r1, %r2;\nsetp.ne.u32 %p, %r1, 64;\n"
                    "@%p bra L;\nst.global.u32 [%d1], %r1;\nret;\n}\n";
  for (uint32_t Line : {7u, 9u, 12u, 0u})
    for (const char *Move : {"MOV", "IMAD.MOV.U32"}) {
      SassFunction F = costsOf(Ptx, {{7, "LDG.E"},
                                     {Line, Move},
                                     {8, "LDG.E", true},
                                     {Line, Move},
                                     {9, "IADD3"},
                                     {10, "ISETP.NE"},
                                     {11, "BRA"},
                                     {12, "STG.E"},
                                     {13, "EXIT"}});
      std::vector<uint32_t> Before, Within;
      for (const SassOp &Op : F[0])
        Before.push_back(Op.Place);
      for (const SassOp &Op : F[2])
        Within.push_back(Op.Place);
      EXPECT_EQ(Before, (std::vector<uint32_t>{1})) << Move << Line;
      EXPECT_EQ(Within, (std::vector<uint32_t>{2, 3})) << Move << Line;
    }
}

TEST(Sass, CacheKeepsWhatItWasGivenAndNoMore) {
  std::string Folder = testing::TempDir() + "gevo-sass-cache-test";
  std::filesystem::remove_all(Folder);
  SassCache Cache(Folder, 8);
  EXPECT_FALSE(Cache.find("a"));
  Cache.store("a", "text\nof a\n");
  EXPECT_EQ(Cache.find("a"), "text\nof a\n");
  // A damaged file is as good as none.
  std::ofstream(Folder + "/a", std::ios::app) << "x";
  EXPECT_FALSE(Cache.find("a"));
  for (unsigned K = 0; K < 30; ++K)
    Cache.store("k" + std::to_string(K), "text");
  size_t Files = 0;
  for (auto &E : std::filesystem::directory_iterator(Folder)) {
    (void)E;
    ++Files;
  }
  EXPECT_LE(Files, 8u);
  EXPECT_GE(Files, 6u);
  EXPECT_TRUE(Cache.find("k29"));
  SassTools Tools{"ptxas", "nvdisasm"};
  EXPECT_EQ(sassKey(Tools, "x", 75), sassKey(Tools, "x", 75));
  EXPECT_NE(sassKey(Tools, "x", 75), sassKey(Tools, "y", 75));
  EXPECT_NE(sassKey(Tools, "x", 75), sassKey(Tools, "x", 80));
  // Without a folder there is no cache.
  SassCache("").store("a", "b");
  EXPECT_FALSE(SassCache("").find("a"));
  std::filesystem::remove_all(Folder);
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
  EXPECT_EQ(F[0].size(), 3u);
  EXPECT_EQ(F[1].size(), 1u);
  EXPECT_EQ(F[2].size(), 1u);
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
  ASSERT_EQ(F[0].size(), 1u);
  EXPECT_EQ(F[0][0].Pipe, Unit::Fp32);
  EXPECT_TRUE(F[1].empty());
}

/// Kernels that become the same machine code as the first: copies, an unused
/// result and a constant that is made twice; ...
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

/// ... other names, another order; ...
const char *const Renamed = R"(
.reg .f32 %v<9>; .reg .u64 %q<9>; .reg .u32 %t<9>;
mov.u32 %t3, %tid.x;
ld.param.u64 %q7, [out]; mul.wide.u32 %q1, %t3, 4;
add.u64 %q2, %q1, %q7;
ld.global.f32 %v8, [%q2];
fma.rn.f32 %v7, 0f3FC00000, %v8, %v8;
st.global.f32 [%q2], %v7;
)";
/// ... code behind a condition that is known.
const char *const Known = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
mov.u32 %r3, 5;
setp.eq.u32 %p1, %r3, 6;
@%p1 bra Never;
fma.rn.f32 %f1, %f0, 0f3FC00000, %f0;
st.global.f32 [%rd2], %f1;
bra End;
Never: st.global.u32 [%rd0], %r3;
End:
)";

/// A loop that the assembler unrolls, and the same with a shift for the
/// product, a copy and two results that nobody uses.
const char *const Loop = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
ld.global.u32 %r5, [%rd0+2048];
mov.u32 %r1, 0;
L: mul.lo.u32 %r2, %r1, 8;
cvt.rn.f32.u32 %f2, %r2;
fma.rn.f32 %f0, %f0, %f2, %f0;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %r5;
@%p1 bra L;
st.global.f32 [%rd2], %f0;
)";
const char *const WordyLoop = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
ld.global.u32 %r5, [%rd0+2048];
mov.u32 %r1, 0;
L: mov.u32 %r7, %r1;
shl.b32 %r2, %r7, 3;
add.u32 %r8, %r2, 77;
cvt.rn.f32.u32 %f2, %r2;
fma.rn.f32 %f0, %f0, %f2, %f0;
add.u32 %r1, %r7, 1;
mul.lo.u32 %r8, %r8, %r8;
setp.lt.u32 %p1, %r1, %r5;
@%p1 bra L;
st.global.f32 [%rd2], %f0;
)";

/// Two loads and a loop; ...
const char *const Blocks = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
ld.global.f32 %f1, [%rd2+512];
mov.u32 %r1, 0;
L: ld.global.f32 %f2, [%rd2+1024];
fma.rn.f32 %f0, %f0, %f2, %f1;
ld.global.f32 %f3, [%rd2+1536];
fma.rn.f32 %f0, %f0, %f3, %f2;
st.global.f32 [%rd2+2560], %f0;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 999;
@%p1 bra L;
Out: st.global.f32 [%rd2], %f0;
)";
/// ... the same with jumps, in another order, two instructions in a line, and
/// with branches that lead to one place.
const char *const Jumpy = R"(
.reg .f32 %f<9>; .reg .u64 %rd<9>; .reg .u32 %r<9>; .reg .pred %p<3>;
bra Start;
Half: add.u64 %rd2, %rd0, %rd1;
ld.global.f32 %f0, [%rd2];
setp.eq.u32 %p1, %r0, 3;
@%p1 bra Same;
Same: ld.global.f32 %f1, [%rd2+512];
mov.u32 %r1, 0;
bra L;
Start: ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;
bra.uni Half;
L: ld.global.f32 %f2, [%rd2+1024];
fma.rn.f32 %f0, %f0, %f2, %f1;
bra.uni There;
There: ld.global.f32 %f3, [%rd2+1536];
fma.rn.f32 %f0, %f0, %f3, %f2;
st.global.f32 [%rd2+2560], %f0;
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 999;
@%p1 bra L;
bra Out;
Out: st.global.f32 [%rd2], %f0;
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
  uint32_t Rounds = 200;
  B.Gpu.copyToDevice(Out + 2048, &Rounds, 4);
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
  for (const char *Name : {"V100", "A100"}) {
    Profile P = profileNamed(Name);
    uint64_t A = 0, B = 0;
    CostSource Source;
    uint64_t Short = cyclesOf(P, Plain, true, &A, &Source);
    EXPECT_EQ(Source, CostSource::Sass);
    for (const char *Other : {Wordy, Renamed, Known}) {
      uint64_t Long = cyclesOf(P, Other, true, &B, &Source);
      EXPECT_EQ(A, B) << Name << Other;
      EXPECT_EQ(Short, Long) << Name << Other;
    }
    uint64_t Rolled = cyclesOf(P, Loop, true, &A, &Source);
    EXPECT_EQ(Rolled, cyclesOf(P, WordyLoop, true, &B, &Source)) << Name;
    EXPECT_EQ(A, B) << Name;
    EXPECT_GT(Rolled, 2 * Short);
    uint64_t Plainly = cyclesOf(P, Blocks, true, &A, &Source);
    EXPECT_EQ(Plainly, cyclesOf(P, Jumpy, true, &B, &Source)) << Name;
    EXPECT_EQ(A, B) << Name;
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
