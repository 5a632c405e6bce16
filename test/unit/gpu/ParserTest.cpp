//===- ParserTest.cpp - PTX text to modules -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser accepts, and the place and words of each complaint.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Parser.h"
#include "runtime/gpu/ptx/Cfg.h"

#include "gtest/gtest.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {

const std::string Header = ".version 8.3\n.target sm_80\n.address_size 64\n";

std::string errorOf(const std::string &Text) {
  auto M = parseModule(Text);
  return M ? "no error" : M.error().str();
}

TEST(Parser, ReadsHeaderAndVariables) {
  auto M = parseModule(
      Header +
      "// comment\n/* another\n one */\n"
      ".visible .global .align 8 .u32 table[4] = {1, 0x10, 010, 0b11};\n"
      ".global .u64 ptr[2] = {generic(table)+8, table};\n"
      ".const .f32 half = 0f3F000000;\n.extern .shared .align 16 .b8 s[];\n"
      ".global .align 1 .b8 text[3] = {104, 105, 0};\n"
      ".global .s32 sum = (1 + 2 * 3) << 2;\n");
  ASSERT_TRUE(M) << M.error().str();
  EXPECT_EQ((*M)->Version, 83u);
  EXPECT_EQ((*M)->Target, 80u);
  const Variable &T = (*M)->variable((*M)->Names.at("table"));
  EXPECT_EQ(T.Bytes, 16u);
  EXPECT_EQ(T.Align, 8u);
  ASSERT_EQ(T.Init.size(), 4u);
  EXPECT_EQ(T.Init[1].Bits, 16u);
  EXPECT_EQ(T.Init[2].Bits, 8u);
  EXPECT_EQ(T.Init[3].Bits, 3u);
  const Variable &P = (*M)->variable((*M)->Names.at("ptr"));
  EXPECT_TRUE(P.Init[0].Generic);
  EXPECT_EQ(P.Init[0].Bits, 8u);
  EXPECT_TRUE((*M)->variable((*M)->Names.at("s")).Unsized);
  EXPECT_EQ((*M)->variable((*M)->Names.at("sum")).Init[0].Bits, 28u);
}

TEST(Parser, ScopesShadowAndLabelsResolve) {
  auto M = parseModule(Header + ".entry k() {\n"
                                ".reg .b32 %r<3>; .reg .pred p;\n"
                                "mov.u32 %r1, 1;\n"
                                "{ .reg .b64 %r1; mov.u64 %r1, 2; L: }\n"
                                "L: setp.eq.u32 p, %r1, %r2;\n"
                                "@!p bra L;\nret;\n}\n");
  ASSERT_TRUE(M) << M.error().str();
  const Function &F = (*M)->Functions[0];
  EXPECT_NE(F.operands(F.Code[0])[0].Index, F.operands(F.Code[1])[0].Index);
  EXPECT_EQ(F.operands(F.Code[3])[0].Index, 2u);
  EXPECT_TRUE(F.Code[3].GuardNegated);
}

TEST(Parser, CallersOfInlinedCode) {
  auto M =
      parseModule(Header + ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n"
                           ".entry k() {\n.reg .b32 %r<9>; .reg .pred p;\n"
                           ".loc 1 10 0\n mov.u32 %r1, 1;\n"
                           // nvcc says where; a call may be inlined, too.
                           ".loc 2 5 1, function_name f, inlined_at 1 12 3\n"
                           " mov.u32 %r1, 2;\n"
                           ".loc 2 7 1, function_name g, inlined_at 2 5 1\n"
                           " mov.u32 %r1, 3;\n"
                           // clang does not.
                           ".loc 1 14 2\n setp.eq.u32 p, %r1, 0;\n @p bra L;\n"
                           ".loc 2 9 1\n mov.u32 %r1, 4;\n"
                           ".loc 1 15 1\n mov.u32 %r1, 5;\n"
                           ".loc 2 9 1\n mov.u32 %r1, 6;\nL:\n"
                           ".loc 1 0 1\n ret;\n}\n");
  ASSERT_TRUE(M) << M.error().str();
  const Function &F = (*M)->Functions[0];
  auto LineAt = [&](uint32_t Pc) {
    const SourceLoc *L = callerOf(**M, F, Pc);
    return L ? int(L->File * 1000 + L->Line) : 0;
  };
  EXPECT_EQ(LineAt(0), 0);
  EXPECT_EQ(LineAt(1), 1012);
  EXPECT_EQ(LineAt(2), 1012);
  EXPECT_EQ(LineAt(3), 0);
  EXPECT_EQ(LineAt(5), 1015);
  EXPECT_EQ(LineAt(7), 1015);
  EXPECT_EQ(LineAt(99), 0);
}

TEST(Parser, ErrorsHavePlaces) {
  EXPECT_EQ(errorOf("garbage"),
            "1:1: a PTX module starts with .version, not with 'garbage'");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n  frobnicate.x.y %r1;\n}\n"),
            "5:3: unknown or unsupported instruction 'frobnicate.x.y'");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 %r<2>;\n"
                             " add.u32.bogus %r0, %r1, 1;\n}\n"),
            "6:9: modifier '.bogus' is not valid for 'add'");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n bra NOWHERE;\n}\n"),
            "5:6: undefined label 'NOWHERE'");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 a;\n"
                             " add.u32 a, b, 1;\n}\n"),
            "6:13: unknown symbol 'b'");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 a;\n"
                             " add.u32 a, 1;\n}\n"),
            "6:2: 'add' takes 3 operands, not 2");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n"),
            "5:1: the body of 'k' has no end");
  EXPECT_EQ(errorOf(Header + "/* open"), "4:8: a comment without an end");
}

TEST(Parser, UnsupportedInstructionsAreTrapsThatNameThemselves) {
  auto RefusalOf = [](const std::string &Line) {
    auto M = parseModule(Header +
                         ".global .texref t;\n.entry k() {\n "
                         ".reg .b32 %r<9>; .reg .pred %p<2>;\n  " +
                         Line + "\n mov.u32 %r1, 1;\n}\n");
    if (!M)
      return M.error().str();
    const Function &F = (*M)->Functions[0];
    EXPECT_EQ(F.Code.size(), 3u);
    EXPECT_EQ(F.Code[0].Op, Opcode::Trap);
    EXPECT_EQ(F.Code[0].Line, 7u);
    EXPECT_EQ(F.Code[1].Op, Opcode::Mov);
    return F.Refusals.at(size_t(F.operands(F.Code[0])[0].Value));
  };
  EXPECT_EQ(RefusalOf("wgmma.fence.sync.aligned;"),
            "unsupported instruction 'wgmma.fence.sync.aligned': it is a "
            "tensor-core instruction");
  EXPECT_EQ(RefusalOf("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                      "{%r1,%r2}, {%r3}, {%r4}, {%r5,%r6};"),
            "unsupported instruction 'mma.sync.aligned.m16n8k8.row.col."
            "f32.tf32.tf32.f32': it is a tensor-core instruction");
  EXPECT_EQ(RefusalOf("tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [t, {%r5,%r6}];"),
            "unsupported instruction 'tex.2d.v4.f32.f32': it is a texture "
            "instruction");
  EXPECT_EQ(RefusalOf("@!%p1 cp.async.bulk.commit_group;"),
            "unsupported instruction 'cp.async.bulk.commit_group': it is "
            "a tensor-memory instruction");
  EXPECT_EQ(RefusalOf("st.async.weak.shared::cluster.b32 [%r1], %r2, [%r3];"),
            "unsupported instruction 'st.async.weak.shared::cluster.b32': "
            "it is an instruction on the memory of another block");
  EXPECT_EQ(RefusalOf("fence.proxy.tensormap::generic.acquire.gpu [%r1], 128;"),
            "unsupported instruction 'fence.proxy.tensormap::generic.acquire."
            "gpu': it is a tensor-memory instruction");
  // Without an end it is no instruction.
  EXPECT_EQ(errorOf(Header + ".entry k() {\n wgmma.fence.sync.aligned\n"),
            "6:1: expected ';' after the instruction, found the end of the "
            "text");
}

TEST(Parser, RefusedInstructionsNameThemselves) {
  auto ErrorOf = [](const std::string &Line) {
    return errorOf(Header +
                   ".shared .b64 s;\n.entry k() {\n .reg .b32 %r<9>; "
                   ".reg .b64 %rd<9>;\n  " +
                   Line + "\n}\n");
  };
  EXPECT_EQ(ErrorOf("cp.sync [s], [s];"),
            "7:3: unknown or unsupported instruction 'cp.sync'");
  EXPECT_EQ(ErrorOf("mbarrier.wait.b64 [s];"),
            "7:3: unknown or unsupported instruction 'mbarrier.wait.b64'");
  // Only tensor memory makes the NaN that it asks about.
  EXPECT_EQ(ErrorOf("fma.rn.oob.f16x2 %r1, %r2, %r3, %r4;"),
            "7:9: modifier '.oob' is not valid for 'fma'");
  // Words that exist, in a form that does not.
  EXPECT_EQ(ErrorOf("add.rn.s32 %r1, %r2, %r3;"),
            "7:3: instruction 'add.rn.s32' does not exist or is not supported");
  EXPECT_EQ(ErrorOf("cvt.rn.rz.f32.f64 %r1, %rd2;"),
            "7:3: instruction 'cvt.rn.rz.f32.f64' does not exist or is not "
            "supported");
  EXPECT_EQ(ErrorOf("vadd.s32.s32.s32 %r1.x, %r2, %r3;"),
            "7:23: expected a part of the register such as .b0 or .h1, found "
            "'.x'");
}

TEST(Parser, FormsThatCompilersDoNotWrite) {
  // What people write by hand, as the manual has it.
  auto M = parseModule(Header +
                       ".global .attribute(.managed, .unified(19, 95)) "
                       ".u32 t[8];\n.entry k() {\n"
                       " .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .v4 .u32 %v;\n"
                       " mov.v4.u32 {%r1, %r2, %r3, _}, %tid;\n"
                       " mov.v4.u32 %v, %nctaid;\n"
                       " mov.v2.u32 {%r1, %r2}, {%r2, %r1};\n"
                       " mov.s32 %r1, -(3 * 4) % 5;\n"
                       " ld.global.u32 %r1, t[3];\n"
                       " mov.u64 %rd1, t[2];\n"
                       " ld.global.u32 %r1, [%rd1].unified;\n"
                       " mov .u32 %r1, 7;\n mov /* here, too */ .f32 %r1, .5;\n"
                       " add\n .rn .ftz\n.f32 %r1, %r1, -.25e1;\n"
                       " mov.f32 %r1, -(1.0 + 2 * 0f3F800000) / 2;\n"
                       " mov.u32 %r1, (.s64)2.75 + (1.5 > 1 ? 4 : 8);\n}\n");
  ASSERT_TRUE(M) << M.error().str();
  const Function &F = (*M)->Functions[0];
  // Three, four, and two with a third that keeps what is overwritten.
  ASSERT_GE(F.Code.size(), 14u);
  EXPECT_EQ(F.operands(F.Code[10])[1].Value, -2);
  EXPECT_EQ(F.operands(F.Code[11])[1].Kind, OperandKind::Address);
  EXPECT_EQ(F.operands(F.Code[11])[1].Value, 12);
  EXPECT_EQ(F.operands(F.Code[12])[1].Value, 8);
  EXPECT_EQ(F.operands(F.Code[14])[1].Value, 7);
  EXPECT_EQ(F.operands(F.Code[15])[1].Value, 0x3FE0000000000000);
  EXPECT_EQ(F.operands(F.Code[16])[2].Value, int64_t(0xC004000000000000));
  EXPECT_EQ(F.operands(F.Code[17])[1].Value, int64_t(0xBFF8000000000000));
  EXPECT_EQ(F.operands(F.Code[18])[1].Value, 6);
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 %r<9>;\n"
                             " ld.shared.u32 %r1, [1.5];\n}\n"),
            "6:22: expected an integer, found a float");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 %r<9>;\n"
                             " mov.f32 %r1, 1.5 & 1;\n}\n"),
            "6:19: '&' takes integers, not floats");
  EXPECT_EQ(errorOf(Header + ".entry k() {\n .reg .b32 %r<9>;\n"
                             " mov.v2.u32 {%r1, %r2}, %tid;\n}\n"),
            "6:2: 'mov.v2.u32' takes vectors of 2 elements");
}

TEST(Parser, BoundsWhatTextsMayAskFor) {
  EXPECT_NE(errorOf(Header + ".entry k() { .reg .b32 %r<99999999>; }\n"),
            "no error");
  EXPECT_NE(errorOf(Header + ".global .b8 x[99999999999999];\n"), "no error");
  // A product that wraps around.
  EXPECT_NE(errorOf(Header + ".global .u32 x[4294967296][4294967296];\n"),
            "no error");
  for (const char *Type : {".pred", ".b128"})
    EXPECT_NE(errorOf(Header + ".func f(.reg " + Type + " q) { ret; }\n"),
              "no error")
        << Type;
  std::string Deep = Header + ".global .u32 x = ";
  for (int K = 0; K < 5000; ++K)
    Deep += "(";
  EXPECT_NE(errorOf(Deep), "no error");
  std::string Nested = Header + ".entry k() ";
  for (int K = 0; K < 5000; ++K)
    Nested += "{";
  EXPECT_NE(errorOf(Nested), "no error");
}

TEST(Parser, DebugSectionsAndLocations) {
  auto M = parseModule(
      Header + ".file 1 \"/src/a.cu\"\n.entry k() {\n .loc 1 7 3\n"
               " .loc 1 9 5, function_name info0, inlined_at 1 7 3\n exit;\n}\n"
               ".section .debug_str { info0: .b8 102,0\n }\n");
  ASSERT_TRUE(M) << M.error().str();
  const Instruction &I = (*M)->Functions[0].Code[0];
  ASSERT_NE(I.Loc, None);
  EXPECT_EQ((*M)->Locs[I.Loc].Line, 9u);
  EXPECT_EQ((*M)->Locs[(*M)->Locs[I.Loc].InlinedAt].Line, 7u);
  EXPECT_EQ((*M)->Files[1], "/src/a.cu");
}

TEST(Cfg, PostDominators) {
  auto M = parseModule(Header + ".entry k() {\n .reg .pred p, q;\n"
                                ".reg .b32 r;\n"
                                "@p bra THEN;\n mov.b32 r, 1;\n bra JOIN;\n"
                                "THEN: @q exit;\n mov.b32 r, 2;\n"
                                "JOIN: mov.b32 r, 3;\n}\n");
  ASSERT_TRUE(M) << M.error().str();
  const Function &F = (*M)->Functions[0];
  Cfg G = Cfg::build(F);
  uint32_t Join = G.BlockOf[5];
  // The thread that exits on the way is not waited for.
  EXPECT_EQ(G.PostDominator[G.BlockOf[0]], Join);
  EXPECT_EQ(G.PostDominator[Join], Cfg::Return);
}

/// The lines of the instructions of \p Body, in their order.
std::vector<uint32_t> layout(const std::string &Body) {
  auto M = parseModule(".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".entry k() { .reg .pred p; .reg .b32 r;\n" +
                       Body + "}\n");
  EXPECT_TRUE(M) << M.error().str();
  std::vector<uint32_t> Lines;
  if (!M)
    return Lines;
  const Function &F = (*M)->Functions[0];
  for (const Instruction &I : F.Code) {
    Lines.push_back(I.Line - 4);
    if (I.Op == Opcode::Bra)
      EXPECT_LT(F.operands(I)[0].Index, F.Code.size());
  }
  EXPECT_EQ(F.Code.back().Op, Opcode::Ret);
  return Lines;
}

TEST(Straighten, JumpsToWhatComesNextGo) {
  using Lines = std::vector<uint32_t>;
  EXPECT_EQ(layout("mov.b32 r, 1;\nbra A;\nA: mov.b32 r, 2;\n"),
            (Lines{1, 3, 3}));
  // Whatever the guard says.
  EXPECT_EQ(layout("mov.b32 r, 1;\n@p bra A;\nA: mov.b32 r, 2;\n"),
            (Lines{1, 3, 3}));
  EXPECT_EQ(layout("bra A;\nB: bra C;\nA: bra B;\nC: mov.b32 r, 2;\n"),
            (Lines{4, 4}));
}

TEST(Straighten, CodeTakesThePlaceOfItsOnlyJump) {
  using Lines = std::vector<uint32_t>;
  // Moved; the code that lanes return to stays at the end.
  EXPECT_EQ(layout("bra A;\nB: mov.b32 r, 2;\nret;\n"
                   "A: mov.b32 r, 1;\nbra B;\n"),
            (Lines{4, 2, 3, 5}));
  // Two ways lead to B, so its jumps stay.
  EXPECT_EQ(layout("@p bra B;\nmov.b32 r, 1;\nbra C;\n"
                   "B: mov.b32 r, 2;\nbra C;\nD: mov.b32 r, 3;\n"
                   "C: mov.b32 r, 4;\n"),
            (Lines{1, 2, 3, 4, 7, 7}));
}

TEST(Straighten, LoopsStayLoops) {
  using Lines = std::vector<uint32_t>;
  EXPECT_EQ(layout("A: bra A;\n"), (Lines{1, 1}));
  EXPECT_EQ(layout("A: bra B;\nmov.b32 r, 1;\nB: bra A;\n"), (Lines{1, 3}));
  EXPECT_EQ(layout("bra A;\nB: mov.b32 r, 2;\nbra A;\n"
                   "A: mov.b32 r, 1;\n@p bra B;\n"),
            (Lines{1, 2, 4, 5, 5}));
}

} // namespace
