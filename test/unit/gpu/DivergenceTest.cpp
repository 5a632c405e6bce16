//===- DivergenceTest.cpp - Branches, calls and lanes that wait -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divergence, reconvergence, calls, and progress of lanes, warps and blocks
// that wait for each other.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

class DivergenceTest : public KernelTest {};

TEST_F(DivergenceTest, BothSidesOfABranchAndReconvergence) {
  // activemask after the join must be full again.
  runClean("and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0;\n"
           "@%p1 bra EVEN; activemask.b32 %r2; bra JOIN;\n"
           "EVEN: activemask.b32 %r2;\n"
           "JOIN: activemask.b32 %r3; and.b32 %r3, %r3, 0xf;\n"
           "xor.b32 %r2, %r2, %r3; st.global.u32 [%mine], %r2;");
  EXPECT_EQ(at(0), 0x55555555u ^ 0xf);
  EXPECT_EQ(at(1), 0xaaaaaaaau ^ 0xf);
}

TEST_F(DivergenceTest, LoopsWithDifferentTripCounts) {
  runClean("mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
           "LOOP: setp.ge.u32 %p1, %r1, %t; @%p1 bra DONE;\n"
           "add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; bra LOOP;\n"
           "DONE: activemask.b32 %r3; popc.b32 %r3, %r3;\n"
           "mad.lo.u32 %r2, %r3, 1000, %r2; st.global.u32 [%mine], %r2;");
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(at(L), 32000 + L * (L - 1) / 2) << L;
}

TEST_F(DivergenceTest, IndexedBranch) {
  runClean("rem.u32 %r1, %t, 3; mov.u32 %r2, 9;\n"
           "T: .branchtargets A, B, C;\n brx.idx %r1, T;\n"
           "A: mov.u32 %r2, 10; bra.uni E;\nB: mov.u32 %r2, 20; bra.uni E;\n"
           "C: mov.u32 %r2, 30;\nE: activemask.b32 %r3; popc.b32 %r3, %r3;\n"
           "add.u32 %r2, %r2, %r3; st.global.u32 [%mine], %r2;");
  EXPECT_EQ(at(0), 42u);
  EXPECT_EQ(at(1), 52u);
  EXPECT_EQ(at(2), 62u);
  LaunchResult R = run("T: .branchtargets A;\n brx.idx %t, T;\nA: ret;");
  EXPECT_EQ(R.Status, LaunchStatus::IllegalInstruction);
}

TEST_F(DivergenceTest, RecursionAndIndirectCalls) {
  const char *Functions = R"(
.func (.param .b32 r) fact(.param .b32 n) {
  .reg .b32 %r<5>; .reg .pred %p;
  ld.param.u32 %r1, [n]; setp.lt.u32 %p, %r1, 2;
  mov.u32 %r2, 1; @%p bra DONE;
  sub.u32 %r3, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3;
    call (b), fact, (a); ld.param.b32 %r4, [b]; }
  mul.lo.u32 %r2, %r1, %r4;
DONE: st.param.b32 [r], %r2; ret;
}
.func (.param .b32 r) twice(.param .b32 n) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [n]; shl.b32 %r1, %r1, 1;
  st.param.b32 [r], %r1; ret;
}
.global .u64 table[2] = {fact, twice};
)";
  runClean("and.b32 %r1, %t, 1; mul.wide.u32 %rd1, %r1, 8;\n"
           "mov.u64 %rd2, table; add.u64 %rd2, %rd2, %rd1;\n"
           "ld.global.u64 %rd3, [%rd2]; and.b32 %r2, %t, 7;\n"
           "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
           "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
           "call (b), %rd3, (a), P; ld.param.b32 %r3, [b]; }\n"
           "activemask.b32 %r4; not.b32 %r4, %r4; or.b32 %r3, %r3, %r4;\n"
           "st.global.u32 [%mine], %r3;",
           {32, 1, 1}, {1, 1, 1}, Functions);
  EXPECT_EQ(at(6), 720u);
  EXPECT_EQ(at(7), 14u);
}

TEST_F(DivergenceTest, EndlessRecursionOverflowsTheStack) {
  LaunchResult R = run("call f;", {32, 1, 1}, CheckSet::all(), {1, 1, 1},
                       ".func f() { call f; ret; }\n");
  EXPECT_EQ(R.Status, LaunchStatus::StackOverflow);
  EXPECT_EQ(count(R, FindingKind::StackOverflow), 1u);
}

TEST_F(DivergenceTest, LanesOfAWarpTakeALockInTurn) {
  // Legal from sm_70 on: the holder of the lock has left the loop and waits
  // at its end for lanes that spin.
  LaunchResult R = run("LOOP: atom.global.cas.b32 %r1, [%out], 0, 1;\n"
                       "setp.ne.u32 %p1, %r1, 0; @%p1 bra LOOP;\n"
                       "ld.volatile.global.u32 %r2, [%out+4];\n"
                       "add.u32 %r2, %r2, 1;\n"
                       "st.volatile.global.u32 [%out+4], %r2;\n"
                       "membar.gl; atom.global.exch.b32 %r3, [%out], 0;",
                       {64, 1, 1}, CheckSet::bounds(), {2, 1, 1});
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  EXPECT_EQ(at(1), 128u);
}

TEST_F(DivergenceTest, ProducerBehindABranchOfTheSameWarp) {
  // Lane 0 waits for a flag that lane 1 sets on the other way.
  LaunchResult R = run("setp.eq.u32 %p1, %t, 0; @%p1 bra WAIT;\n"
                       "st.volatile.global.u32 [%out], 7; bra END;\n"
                       "WAIT: ld.volatile.global.u32 %r1, [%out];\n"
                       "setp.ne.u32 %p2, %r1, 7; @%p2 bra WAIT;\n"
                       "END: st.volatile.global.u32 [%out+4], 9;",
                       {32, 1, 1}, CheckSet::bounds());
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  EXPECT_EQ(at(1), 9u);
}

TEST_F(DivergenceTest, BlocksWaitForLaterBlocks) {
  LaunchResult R = run("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0;\n"
                       "@!%p1 bra SET;\n"
                       "WAIT: ld.volatile.global.u32 %r2, [%out];\n"
                       "setp.ne.u32 %p2, %r2, 3; @%p2 bra WAIT; bra END;\n"
                       "SET: setp.ne.u32 %p3, %r1, 3;\n @%p3 bra END;\n"
                       "st.volatile.global.u32 [%out], 3;\nEND:",
                       {1, 1, 1}, CheckSet::bounds(), {4, 1, 1});
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  EXPECT_EQ(R.Counters.Blocks, 4u);
}

TEST_F(DivergenceTest, CooperativeGridBarrier) {
  // The barrier of cooperative groups: a word in the grid's workspace whose
  // top bit flips when all blocks have added their share.
  std::string Text =
      module("mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;\n"
             "mov.b64 %rd1, {%r2, %r1}; mov.u32 %r3, %ctaid.x;\n"
             "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %out, %rd2;\n"
             "st.global.u32 [%rd3], %r3;\n"
             "setp.eq.u32 %p1, %r3, 0; mov.u32 %r4, %nctaid.x;\n"
             "sub.u32 %r4, 0x80000001, %r4; selp.b32 %r5, %r4, 1, %p1;\n"
             "atom.add.release.gpu.u32 %r6, [%rd1+4], %r5;\n"
             "WAIT: ld.acquire.gpu.u32 %r7, [%rd1+4]; xor.b32 %r8, %r7, %r6;\n"
             "setp.gt.s32 %p2, %r8, -1; @%p2 bra WAIT;\n"
             "sub.u32 %r9, 63, %r3; mul.wide.u32 %rd4, %r9, 4;\n"
             "add.u64 %rd5, %out, %rd4; ld.global.u32 %r10, [%rd5];\n"
             "st.global.u32 [%rd3+1024], %r10;");
  auto M = D.load(Text);
  ASSERT_TRUE(M) << M.error().str();
  LaunchOptions O;
  O.Grid = {64, 1, 1};
  O.Params = &Out;
  O.ParamBytes = 8;
  O.Cooperative = true;
  O.Checks = CheckSet::all();
  O.StepLimit = 1'000'000;
  LaunchResult R = D.launch(*(*M)->kernel("k"), O);
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  for (const Finding &F : R.Findings)
    ADD_FAILURE() << F.str();
  for (unsigned B = 0; B < 64; ++B)
    EXPECT_EQ(at(256 + B), 63 - B);
  // Without the flag there is no workspace, and the address is null.
  O.Cooperative = false;
  EXPECT_EQ(D.launch(*(*M)->kernel("k"), O).Status,
            LaunchStatus::IllegalAddress);
}

TEST_F(DivergenceTest, EndlessLoopEndsAtTheStepLimit) {
  LaunchResult R = run("L: bra L;");
  EXPECT_EQ(R.Status, LaunchStatus::Timeout);
  EXPECT_EQ(count(R, FindingKind::StepLimit), 1u);
}

TEST_F(DivergenceTest, SyncOperationsWaitForTheirMembers) {
  // Both sides shuffle with the full mask at different places.
  runClean("setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
           "shfl.sync.bfly.b32 %r1, %t, 16, 31, 0xffffffff; bra END;\n"
           "LOW: shfl.sync.bfly.b32 %r1, %t, 16, 31, 0xffffffff;\n"
           "END: st.global.u32 [%mine], %r1;");
  EXPECT_EQ(at(0), 16u);
  EXPECT_EQ(at(31), 15u);
}

TEST_F(DivergenceTest, LanesTogetherNeedNotNameEachOther) {
  // Each lane asks those below it, and itself is not among them. Lanes must not
  // do that, but hardware that issues them together answers.
  LaunchResult R = run("and.b32 %r1, %t, 1; setp.ne.u32 %p1, %r1, 0;\n"
                       "mov.u32 %r2, %lanemask_lt;\n"
                       "vote.sync.ballot.b32 %r3, %p1, %r2;\n"
                       "shfl.sync.up.b32 %r3, %r3, 1, 0, %r2;\n"
                       "st.global.u32 [%mine], %r3;");
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  EXPECT_GE(count(R, FindingKind::WarpSyncMask), 1u);
  EXPECT_EQ(count(R, FindingKind::Deadlock), 0u);
  EXPECT_EQ(at(0), 0u);
  EXPECT_EQ(at(5), 0xau);
  EXPECT_EQ(at(31), 0x2aaaaaaau);
}

TEST_F(DivergenceTest, TilesShuffleWithTheirOwnMasks) {
  runClean("and.b32 %r1, %t, 0x1c; mov.u32 %r2, 15; shl.b32 %r2, %r2, %r1;\n"
           "shfl.sync.idx.b32 %r3, %t, 0, 0x1c1f, %r2;\n"
           "vote.sync.ballot.b32 %r4, 1, %r2; add.u32 %r3, %r3, %r4;\n"
           "st.global.u32 [%mine], %r3;");
  EXPECT_EQ(at(6), 4u + 0xf0u);
}

TEST_F(DivergenceTest, Printf) {
  runClean(".local .align 8 .b8 buf[24]; mov.u64 %rd1, buf;\n"
           "cvta.local.u64 %rd2, %rd1; setp.ne.u32 %p1, %t, 5;\n"
           "@%p1 bra END; st.local.u32 [%rd1], %t;\n"
           "st.local.f64 [%rd1+8], 0d3FF8000000000000;\n"
           "st.local.u64 [%rd1+16], 0x1122334455;\n"
           "mov.u64 %rd3, fmt; cvta.global.u64 %rd3, %rd3;\n"
           "{ .param .b64 a; .param .b64 b; .param .b32 c;\n"
           "st.param.b64 [a], %rd3; st.param.b64 [b], %rd2;\n"
           "call (c), vprintf, (a, b); }\nEND:",
           {32, 1, 1}, {1, 1, 1},
           ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 "
           "a);\n.global .align 1 .b8 fmt[16] = "
           "{37,48,51,100,32,37,46,50,102,32,37,108,108,120,10,0};\n");
  EXPECT_EQ(Printed, "005 1.50 1122334455\n");
}

TEST_F(DivergenceTest, SameResultsWithoutVectorInstructions) {
  const char *Body = "cvt.rn.f32.u32 %f1, %t; sqrt.approx.f32 %f2, %f1;\n"
                     "fma.rn.f32 %f3, %f2, %f1, 0f3DCCCCCD;\n"
                     "ex2.approx.f32 %f4, %f2; div.rn.f32 %f3, %f3, %f4;\n"
                     "sin.approx.f32 %f5, %f3; add.rz.f32 %f3, %f3, %f5;\n"
                     "st.global.f32 [%mine], %f3;";
  runClean(Body);
  std::vector<uint32_t> First;
  for (unsigned L = 0; L < 32; ++L)
    First.push_back(at(L));
  setenv("GEVO_GPU_ISA", "portable", 1);
  runClean(Body);
  unsetenv("GEVO_GPU_ISA");
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(at(L), First[L]) << L;
}

TEST_F(DivergenceTest, LinksModules) {
  const char *Callee = ".version 8.0\n.target sm_70\n.address_size 64\n"
                       ".visible .global .u32 shared_value = 5;\n"
                       ".global .u32 hidden = 1;\n"
                       ".visible .func (.param .b32 r) get() {\n"
                       ".reg .b32 %r<3>; ld.global.u32 %r1, [shared_value];\n"
                       "ld.global.u32 %r2, [hidden]; add.u32 %r1, %r1, %r2;\n"
                       "st.param.b32 [r], %r1; ret; }\n";
  std::string Caller =
      module("{ .param .b32 a; call (a), get; ld.param.b32 %r1, [a]; }\n"
             "ld.global.u32 %r2, [shared_value]; ld.global.u32 %r3, [hidden];\n"
             "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;\n"
             "st.global.u32 [%mine], %r1;",
             ".extern .global .u32 shared_value;\n.global .u32 hidden = 100;\n"
             ".extern .func (.param .b32 r) get();\n");
  for (bool CallerFirst : {true, false}) {
    auto M = CallerFirst ? D.link({Caller, Callee}) : D.link({Callee, Caller});
    ASSERT_TRUE(M) << M.error().str();
    LaunchOptions O;
    O.Block = {32, 1, 1};
    O.Params = &Out;
    O.ParamBytes = 8;
    put<uint32_t>(3, 0);
    EXPECT_EQ(D.launch(*(*M)->kernel("k"), O).Status, LaunchStatus::Ok);
    EXPECT_EQ(at(3), 111u);
  }
  EXPECT_FALSE(D.load(Caller)) << "an undefined function must not load";
  EXPECT_FALSE(D.link({Callee, Callee})) << "defined twice";
}

} // namespace
