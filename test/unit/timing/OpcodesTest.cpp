//===- OpcodesTest.cpp - Every machine instruction has its pipe -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes are told apart by whole names, those that the assembler makes of each
// family of PTX instructions are known, and one that is not is slow and
// reported.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/SassKinds.h"
#include "test/unit/timing/Kernels.h"

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

Unit pipeOf(const char *Opcode) {
  SassPipe C = classify(Opcode);
  EXPECT_TRUE(C.Known) << Opcode;
  return C.Pipe;
}

TEST(Opcodes, NamesAreWhole) {
  EXPECT_EQ(pipeOf("REDUX.SUM"), Unit::Special);
  EXPECT_EQ(classify("REDUX.SUM").Class, SassClass::Pipe);
  EXPECT_EQ(classify("RED.E.ADD.STRONG.GPU").Class, SassClass::Memory);
  EXPECT_EQ(pipeOf("MOV"), Unit::Int);
  EXPECT_EQ(pipeOf("MOVM.16.MT88"), Unit::Shuffle);
  EXPECT_EQ(pipeOf("IMAD.MOV.U32"), Unit::Mul);
  EXPECT_EQ(pipeOf("IMAD.WIDE.U32"), Unit::Mul);
  EXPECT_EQ(classify("CCTL.IVALL").Class, SassClass::Nothing);
  EXPECT_EQ(pipeOf("CCTL.E.PF1"), Unit::Memory);
  EXPECT_EQ(classify("LDSM.16.M88.4").Class, SassClass::Memory);
  EXPECT_EQ(classify("SYNCS.EXCH.64").Class, SassClass::Memory);
}

TEST(Opcodes, ConversionsOfFixedLatencyAreNoSpecialFunctions) {
  EXPECT_EQ(pipeOf("F2FP.F16.F32.PACK_AB"), Unit::Int);
  EXPECT_EQ(pipeOf("I2FP.F32.S32"), Unit::Int);
  EXPECT_EQ(pipeOf("F2IP.U8.F32.NTZ"), Unit::Int);
  EXPECT_EQ(pipeOf("I2F.U16"), Unit::Convert);
  EXPECT_EQ(pipeOf("F2I.TRUNC.NTZ"), Unit::Convert);
  EXPECT_EQ(pipeOf("FCHK"), Unit::Special);
}

TEST(Opcodes, UnknownOnesAreSlow) {
  SassPipe C = classify("FROBNICATE.E");
  EXPECT_FALSE(C.Known);
  EXPECT_EQ(C.Class, SassClass::Pipe);
  EXPECT_EQ(C.Pipe, Unit::Special);
  // A longer name is another one.
  EXPECT_FALSE(classify("IADD3X").Known);
}

TEST(Opcodes, UnknownOnesAreReported) {
  Profile P = profileNamed("V100");
  Bench B(P, kernel(P, ".param .u64 out", ""));
  SassModule Machine;
  for (const char *Opcode : {"FROB.X", "IADD3", "FROB.X", "ALSO", "EXIT"}) {
    SassInstruction I;
    I.Opcode = Opcode;
    Machine["k"].Code.push_back(I);
  }
  B.Sass = &Machine;
  EXPECT_EQ(B.run("k", {1, 1, 1}, {32, 1, 1}, {0}).UnknownOpcodes,
            std::vector<std::string>({"ALSO", "FROB.X"}));
}

/// The pipe of the only arithmetic of a line by \p Opcode on \p Gpu.
Unit pipeOn(const char *Gpu, const char *Opcode) {
  Profile P = profileNamed(Gpu);
  Bench B(P, kernel(P, ".param .u64 out",
                    ".reg .f32 %f<3>;\nadd.f32 %f1, %f2, %f2;"));
  SassListing L;
  SassInstruction I;
  I.Opcode = Opcode;
  I.Line = 6;
  I.Sources = {2};
  I.Results = {1};
  L.Code = {I};
  for (const auto &Ops :
       costsFromSass(P, *B.Module->kernel("k")->functions()[0], L))
    for (const SassOp &Op : Ops)
      return Op.Pipe;
  return Unit::None;
}

// From and to 64 bits: 16 a cycle on 7.0, and no more than the units of doubles
// do where these are few, as the guide has it for 6.1.
TEST(Opcodes, WideConversionsAreBoundByDoubles) {
  for (const char *Opcode : {"F2F.F64.F32", "F2F.F32.F64", "I2F.F64", "F2I.S64",
                             "I2F.U64.RP", "F2I.F64.TRUNC", "FRND.F64"}) {
    EXPECT_EQ(pipeOn("V100", Opcode), Unit::Convert) << Opcode;
    EXPECT_EQ(pipeOn("H100", Opcode), Unit::Convert) << Opcode;
    EXPECT_EQ(pipeOn("RTX4090", Opcode), Unit::Fp64) << Opcode;
  }
  for (const char *Opcode : {"F2F.F16.F32", "I2F.U16", "FRND.FLOOR"})
    EXPECT_EQ(pipeOn("RTX4090", Opcode), Unit::Convert) << Opcode;
}

TEST(Opcodes, ConstantsOfHalvesMoveOnly) {
  Profile P = profileNamed("A100");
  SassInstruction I;
  I.Opcode = "HFMA2.MMA";
  findRegisters(I, " R5, -RZ, RZ, 0, 1.875");
  EXPECT_TRUE(onlyMoves(I));
  I = SassInstruction();
  I.Opcode = "HFMA2.MMA";
  findRegisters(I, " R5, R4, R3, R2");
  EXPECT_FALSE(onlyMoves(I));
}

TEST(Opcodes, RegistersOfConversionsAndWarps) {
  auto Read = [](const char *Opcode, const char *Text) {
    SassInstruction I;
    I.Opcode = Opcode;
    findRegisters(I, Text);
    return std::make_pair(I.Results, I.Sources);
  };
  using Both = std::pair<std::vector<uint16_t>, std::vector<uint16_t>>;
  EXPECT_EQ(Read("F2F.F64.F32", " R4, R6"), Both({4, 5}, {6}));
  EXPECT_EQ(Read("F2F.F32.F64", " R4, R6"), Both({4}, {6, 7}));
  EXPECT_EQ(Read("I2F.F64", " R4, R6"), Both({4, 5}, {6}));
  EXPECT_EQ(Read("I2F.U64.RP", " R4, R6"), Both({4}, {6, 7}));
  EXPECT_EQ(Read("I2F.F64.S64", " R4, R6"), Both({4, 5}, {6, 7}));
  EXPECT_EQ(Read("F2I.S64", " R4, R6"), Both({4, 5}, {6}));
  EXPECT_EQ(Read("F2I.U32.F64.TRUNC", " R4, R6"), Both({4}, {6, 7}));
  EXPECT_EQ(Read("FRND.F64.CEIL", " R4, R6"), Both({4, 5}, {6, 7}));
  EXPECT_EQ(Read("F2I.TRUNC.NTZ", " R4, R6"), Both({4}, {6}));
  // The result of a reduction is waited for, addresses are read.
  EXPECT_EQ(Read("REDUX.SUM", " UR6, R0"), Both({286}, {0}));
  EXPECT_EQ(Read("LDGSTS.E", " [R5], [R2.64]"), Both({}, {5, 2, 3}));
  EXPECT_EQ(Read("BRX", " R4 -0xf0"), Both({}, {4}));
}

/// Instructions of each family, from an architecture on, of r1 to r3 (32
/// bits), d1 to d3 (64), h1 to h3 (16), f, g (double) and p1; what has a result
/// writes r9, d9, h9, f9, g9 or p9.
struct Family {
  uint64_t Arch;
  const char *Code;
};
const Family Families[] = {
    {70, "add.s32 %r9, %r1, %r2; sub.s32 %r9, %r9, %r3; abs.s32 %r9, %r9; "
         "neg.s32 %r9, %r9; mul.hi.s32 %r9, %r9, %r2; mad.lo.u32 %r9, %r9, "
         "%r2, %r3; min.s32 %r9, %r9, %r3; max.u32 %r9, %r9, %r1; sad.u32 "
         "%r9, %r9, %r2, %r3; add.sat.s32 %r9, %r9, %r1;"},
    {70, "div.s32 %r9, %r1, %r2; rem.u32 %r9, %r9, %r3; popc.b32 %r9, %r9; "
         "clz.b32 %r9, %r9; bfind.s32 %r9, %r9; brev.b32 %r9, %r9; bfe.s32 "
         "%r9, %r9, %r2, %r3; bfi.b32 %r9, %r9, %r1, %r2, %r3; prmt.b32 %r9, "
         "%r9, %r2, %r3; shf.l.wrap.b32 %r9, %r9, %r2, %r3; dp4a.u32.s32 %r9, "
         "%r9, %r2, %r3; bmsk.clamp.b32 %r9, %r9, %r3; vabsdiff4.u32.u32.u32 "
         "%r9, %r9, %r2, %r3;"},
    {70, "mul.wide.s32 %d9, %r1, %r2; mul.hi.u64 %d9, %d9, %d2; div.u64 %d9, "
         "%d9, %d3; min.s64 %d9, %d9, %d1; shr.s64 %d9, %d9, %r3; popc.b64 "
         "%r9, %d9; add.cc.u32 %r9, %r9, %r1; addc.u32 %r9, %r9, %r2;"},
    {70, "add.rz.f32 %f9, %f1, %f2; min.f32 %f9, %f9, %f3; div.rn.f32 %f9, "
         "%f9, %f2; sqrt.rn.f32 %f9, %f9; sin.approx.f32 %f9, %f9; "
         "ex2.approx.f32 %f9, %f9; lg2.approx.f32 %f9, %f9; slct.f32.f32 %f9, "
         "%f9, %f2, %f3; set.lt.f32.f32 %f9, %f9, %f3; copysign.f32 %f9, %f9, "
         "%f1; testp.normal.f32 %p9, %f9;"},
    {70, "fma.rn.f64 %g9, %g1, %g2, %g3; div.rn.f64 %g9, %g9, %g2; sqrt.rn.f64 "
         "%g9, %g9; rsqrt.approx.f64 %g9, %g9; max.f64 %g9, %g9, %g1; "
         "setp.lt.f64 %p9, %g9, %g3;"},
    {70, "fma.rn.f16x2 %r9, %r1, %r2, %r3; add.f16 %h9, %h1, %h2; "
         "setp.lt.f16 %p9, %h9, %h3; set.lt.f16x2.f16x2 %r9, %r9, %r2;"},
    {80, "min.NaN.f16x2 %r9, %r1, %r2; fma.rn.relu.f16 %h9, %h1, %h2, %h3; "
         "fma.rn.bf16x2 %r9, %r9, %r2, %r3;"},
    {75, "tanh.approx.f32 %f9, %f1; ex2.approx.f16x2 %r9, %r1;"},
    {70, "cvt.rn.f32.s32 %f9, %r1; cvt.rzi.u32.f32 %r9, %f9; cvt.f64.f32 "
         "%g9, %f9;"},
    {70, "cvt.f64.f32 %g9, %f1; cvt.rn.f32.f64 %f9, %g9; cvt.rn.f64.u64 %g9, "
         "%d1; cvt.rzi.s64.f64 %d9, %g9; cvt.rn.f16.f32 %h9, %f9; cvt.f32.f16 "
         "%f9, %h1; cvt.rpi.f32.f32 %f9, %f9; cvt.rmi.f64.f64 %g9, %g2; "
         "cvt.sat.u8.s32 %r9, %r1; cvt.rn.f16.s16 %h9, %h2;"},
    {80, "cvt.rn.bf16x2.f32 %r9, %f1, %f2;"},
    {86, "cvt.rzi.u8.f32 %r9, %f1;"},
    {70, "shfl.sync.idx.b32 %r9, %r1, %r2, 31, -1; vote.sync.ballot.b32 %r9, "
         "%p1, -1; vote.sync.all.pred %p9, %p1, -1; match.any.sync.b32 %r9, "
         "%r1, -1; match.all.sync.b32 %r9|%p9, %r1, -1; activemask.b32 %r9;"},
    {80, "redux.sync.add.s32 %r9, %r1, -1; redux.sync.xor.b32 %r9, %r2, -1;"},
    {90, "elect.sync %r9|%p9, -1;"},
    {70, "bar.sync 0; bar.arrive 1, 64; bar.red.popc.u32 %r9, 0, %p1; "
         "bar.warp.sync %r1; membar.cta; membar.gl; membar.sys; "
         "fence.acq_rel.gpu; nanosleep.u32 %r1;"},
    {70, "st.shared.v4.u32 [%r8], {%r1, %r2, %r3, %r1}; ld.shared.v2.u32 {%r9, "
         "%r7}, [%r8+16]; st.local.u32 [%d8], %r1; ld.local.u32 %r9, [%d8]; "
         "ld.u32 %r9, [%d1]; st.u32 [%d1], %r9; ld.global.nc.u32 %r9, [%d7]; "
         "ld.acquire.gpu.global.u32 %r9, [%d7]; st.release.gpu.global.u32 "
         "[%d7], %r9; prefetch.global.L1 [%d7]; isspacep.shared %p9, %d1;"},
    {70, "atom.global.add.u32 %r9, [%d7], %r1; red.global.add.f32 [%d7], %f1; "
         "atom.shared.add.u32 %r9, [%r8], 1; atom.shared.add.f32 %f9, [%r8], "
         "%f1; atom.shared.cas.b32 %r9, [%r8], %r1, %r2; atom.cas.b64 %d9, "
         "[%d1], %d2, %d3; red.global.add.f64 [%d7], %g1; atom.add.u32 %r9, "
         "[%d1], %r1;"},
    {80, "cp.async.ca.shared.global [%r8], [%d7], 4; cp.async.commit_group; "
         "cp.async.wait_group 0; mbarrier.init.shared.b64 [%r8], 32; "
         "mbarrier.arrive.shared.b64 %d9, [%r8]; "
         "mbarrier.test_wait.shared.b64 %p9, [%r8], %d9;"},
    {90, "mbarrier.try_wait.shared.b64 %p9, [%r8], %d1;"},
    {70, "mov.u32 %r9, %laneid; mov.u64 %d9, %clock64; mov.u32 %r9, "
         "%lanemask_lt; mov.u32 %r9, %smid;"},
};

std::string familiesFor(uint64_t Arch) {
  Profile P = profileNamed("V100");
  P.Arch = Arch;
  std::string Body =
      ".reg .b32 %r<10>; .reg .b64 %d<10>; .reg .b16 %h<10>; "
      ".reg .f32 %f<10>;\n.reg .f64 %g<10>; .reg .pred %p<10>;\n"
      ".shared .align 16 .b8 s[4096]; .local .align 8 .b8 l[256];\n"
      "ld.param.u64 %d7, [out]; mov.u32 %r8, s; mov.u32 %r1, %tid.x;\n"
      "mad.lo.u32 %r8, %r1, 32, %r8; mov.u64 %d8, l; mul.wide.u32 %d9, %r1, "
      "4;\nadd.u64 %d8, %d8, %d9; add.u64 %d7, %d7, %d9;\n";
  for (const Family &F : Families) {
    if (Arch < F.Arch)
      continue;
    for (const char *Load :
         {"b32 %r1", "b32 %r2", "b32 %r3", "b64 %d1", "b64 %d2",
          "b64 %d3", "b16 %h1", "b16 %h2", "b16 %h3", "f32 %f1",
          "f32 %f2", "f32 %f3", "f64 %g1", "f64 %g2", "f64 %g3",
          "b32 %r9", "b64 %d9", "b16 %h9", "f32 %f9", "f64 %g9"})
      Body += std::string("ld.volatile.global.") + Load + ", [%d7];\n";
    Body += std::string("setp.lt.u32 %p1, %r1, 7; setp.lt.u32 %p9, %r1, 8;\n") +
            F.Code + "\n@%p9 st.volatile.global.u32 [%d7], %r1;\n";
    for (const char *Store :
         {"b32 [%d7], %r9", "b64 [%d7], %d9", "b16 [%d7], %h9",
          "f32 [%d7], %f9", "f64 [%d7], %g9"})
      Body += std::string("st.volatile.global.") + Store + ";\n";
  }
  std::string Text = kernel(P, ".param .u64 out", Body);
  return Text.replace(Text.find("7.8"), 3, "8.0");
}

TEST(Opcodes, OfAllFamiliesAreKnown) {
  if (!findSassTools().found())
    GTEST_SKIP() << "no ptxas or nvdisasm on this machine";
  for (uint64_t Arch : {70, 75, 80, 86, 89, 90}) {
    Result<SassModule> M = assemble(findSassTools(), familiesFor(Arch), Arch);
    ASSERT_TRUE(M) << Arch << ": " << M.error().str();
    ASSERT_GT(M->at("k").Code.size(), 500u);
    EXPECT_EQ(unknownOpcodes(M->at("k")), std::set<std::string>()) << Arch;
  }
}

} // namespace
