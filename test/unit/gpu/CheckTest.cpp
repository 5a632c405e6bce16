//===- CheckTest.cpp - Each check fires, and keeps quiet ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

class CheckTest : public KernelTest {
protected:
  /// Expects the launch to end with \p S and one finding of kind \p K.
  LaunchResult expect(LaunchStatus S, FindingKind K, const std::string &Body,
                      Dim3 Block = {32, 1, 1}, Dim3 Grid = {1, 1, 1},
                      const std::string &Before = {}) {
    LaunchResult R = run(Body, Block, CheckSet::all(), Grid, Before);
    EXPECT_EQ(R.Status, S) << R.Message;
    EXPECT_EQ(count(R, K), 1u) << findingName(K);
    for (const Finding &F : R.Findings)
      EXPECT_EQ(F.Kind, K) << F.str();
    return R;
  }
};

const char *SharedVar = ".shared .align 4 .b8 s[256];\n";

TEST_F(CheckTest, GlobalOutOfBoundsNamesTheNeighbour) {
  LaunchResult R =
      expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsGlobal,
             "setp.ne.u32 %p1, %t, 3;\n@%p1 bra E;\n"
             "st.global.u32 [%out+4104], 1;\nE:");
  const Finding &F = R.Findings.at(0);
  EXPECT_EQ(F.NeighbourBase, Out);
  EXPECT_EQ(F.NeighbourBytes, BufferBytes);
  EXPECT_EQ(F.NeighbourDistance, 8);
  EXPECT_EQ(F.Who.Thread.X, 3u);
  EXPECT_EQ(F.Who.Place.PtxLine, 13u);
  EXPECT_NE(F.Message.find("8 bytes past the end"), std::string::npos);
  runClean("st.global.u32 [%mine+3968], 1;");
}

TEST_F(CheckTest, NullPointersAreCalledSo) {
  // Member 4 of element 100; how far the memory of others is says nothing.
  LaunchResult R =
      expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsGlobal,
             "mov.u64 %rd1, 800; ld.global.u32 %r1, [%rd1+4];", {1, 1, 1});
  EXPECT_EQ(R.Findings.at(0).Message,
            "global read of 4 bytes at 0x324 goes through a null pointer");
}

TEST_F(CheckTest, AccessAcrossTheEnd) {
  expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsGlobal,
         "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%out+4096];", {1, 1, 1});
}

TEST_F(CheckTest, UseAfterFree) {
  uint64_t Freed = D.allocate(64);
  ASSERT_TRUE(D.release(Freed));
  expect(LaunchStatus::IllegalAddress, FindingKind::UseAfterFree,
         "mov.u64 %rd1, " + std::to_string(Freed) +
             "; ld.global.u32 %r1, [%rd1];");
}

TEST_F(CheckTest, Misaligned) {
  expect(LaunchStatus::MisalignedAddress, FindingKind::Misaligned,
         "ld.global.u32 %r1, [%out+2];");
}

TEST_F(CheckTest, SharedBounds) {
  LaunchResult R =
      expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsShared,
             "st.shared.u32 [s+256], 1;", {1, 1, 1}, {1, 1, 1}, SharedVar);
  EXPECT_NE(R.Message.find("0 bytes past the end of variable 's' of 256"),
            std::string::npos)
      << R.Message;
  runClean("st.shared.u32 [s+252], 1;", {1, 1, 1}, {1, 1, 1}, SharedVar);
  // Shared addresses have 32 bits: s[u32 index - 1 + 2] may carry beyond them.
  runClean("mov.u64 %rd1, s; add.u64 %rd1, %rd1, 0x400000004;\n"
           "st.shared.u32 [%rd1], 1;",
           {1, 1, 1}, {1, 1, 1}, SharedVar);
  expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsShared,
         "mov.u64 %rd1, s; add.u64 %rd1, %rd1, 0x400000100;\n"
         "st.shared.u32 [%rd1], 1;",
         {1, 1, 1}, {1, 1, 1}, SharedVar);
}

TEST_F(CheckTest, VariablesThatAreMissedAreNamed) {
  auto Message = [&](const std::string &Body, const std::string &Before = {}) {
    return run(Body, {1, 1, 1}, CheckSet::all(), {1, 1, 1}, Before).Message;
  };
  // The first byte behind a variable is out of bounds, whatever else a frame
  // holds.
  std::string Local = ".local .b8 l[16]; .param .b32 a; mov.u64 %rd1, l;\n";
  EXPECT_NE(Message(Local + "st.local.u32 [%rd1+16], 1;")
                .find("0 bytes past the end of variable 'l' of 16 bytes"),
            std::string::npos);
  EXPECT_NE(Message(Local + "st.local.u32 [%rd1+-20], 1;")
                .find("20 bytes before variable 'l'"),
            std::string::npos);
  EXPECT_NE(Message("ld.const.u32 %r1, [c+65544];", ".const .u32 c = 5;\n")
                .find("65540 bytes past the end of variable 'c' of 4 bytes"),
            std::string::npos);
}

// Functions get addresses of their callers' variables, and memory goes on
// behind those: with frames of functions, with what alloca takes.
TEST_F(CheckTest, VariablesOfCallersEndWhereTheyEnd) {
  std::string Get =
      ".func (.param .b32 r) get(.param .b64 p) { .reg .b64 %a; .reg .b32 %v; "
      ".local .b32 own; st.local.b32 [own], 5; ld.param.b64 %a, [p]; "
      "ld.u32 %v, [%a]; add.u32 %v, %v, 1; st.param.b32 [r], %v; ret; }\n"
      ".func (.param .b32 r) pass(.param .b64 p) { .reg .b32 %v; "
      ".reg .b64 %a; { .param .b64 q; .param .b32 s; ld.param.b64 %a, [p]; "
      "st.param.b64 [q], %a; call (s), get, (q); ld.param.b32 %v, [s]; } "
      "st.param.b32 [r], %v; ret; }\n";
  auto Body = [](const std::string &Callee, int Offset) {
    return ".local .align 8 .b8 array[24]; mov.u64 %rd1, array;\n"
           "cvta.local.u64 %rd2, %rd1; st.local.v2.u32 [%rd1], {1, 2};\n"
           "st.local.v2.u32 [%rd1+8], {3, 4}; st.local.v2.u32 [%rd1+16], "
           "{5, 6};\nadd.s64 %rd2, %rd2, " +
           std::to_string(Offset) +
           "; { .param .b64 p; .param .b32 r; st.param.b64 [p], %rd2; call "
           "(r), " +
           Callee +
           ", (p); ld.param.b32 %r1, [r]; st.global.u32 [%out], %r1; }";
  };
  Dim3 One{1, 1, 1};
  for (const char *Callee : {"get", "pass"}) {
    for (int Inside : {0, 20})
      runClean(Body(Callee, Inside), One, One, Get);
    for (int Outside : {-4, -16, 24, 36}) {
      LaunchResult R =
          run(Body(Callee, Outside), One, CheckSet::all(), One, Get);
      ASSERT_EQ(R.Findings.size(), 1u) << Callee << Outside;
      EXPECT_EQ(R.Findings[0].Kind, FindingKind::OutOfBoundsLocal);
      EXPECT_NE(R.Findings[0].Message.find("variable 'array' of 24 bytes"),
                std::string::npos)
          << R.Findings[0].Message;
    }
  }
  std::string Alloca = "alloca.u64 %rd1, 24, 8; alloca.u64 %rd2, 8, 8;\n"
                       "st.local.u32 [%rd2], 1; st.local.u32 [%rd1+20], 2;\n";
  runClean(Alloca, One);
  LaunchResult R = run(Alloca + "st.local.u32 [%rd1+24], 3;", One);
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Kind, FindingKind::OutOfBoundsLocal);
}

TEST_F(CheckTest, LocalParamAndConstBounds) {
  expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsLocal,
         ".local .b8 l[16]; mov.u64 %rd1, l; st.local.u32 [%rd1+65536], 1;");
  expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsParam,
         "ld.param.u64 %rd1, [k_param_0+8];");
  expect(LaunchStatus::IllegalAddress, FindingKind::OutOfBoundsConst,
         "ld.const.u32 %r1, [c+65536];", {1, 1, 1}, {1, 1, 1},
         ".const .u32 c = 5;\n");
  expect(LaunchStatus::IllegalAddress, FindingKind::WriteToReadOnly,
         "mov.u64 %rd1, c; st.global.u32 [%rd1], 1;", {1, 1, 1}, {1, 1, 1},
         ".const .u32 c = 5;\n");
}

// A GPU reads all of the bank that constants lie in, so that a program that
// runs over a variable goes on, and so must its launch.
TEST_F(CheckTest, ReadsPastAConstantAreFoundAndGoOn) {
  const char *Two = ".const .u32 c = 5;\n";
  std::string Body = "ld.const.u32 %r1, [c+4]; add.u32 %r1, %r1, 7;\n"
                     "st.global.u32 [%mine], %r1;";
  LaunchResult R = expect(LaunchStatus::Ok, FindingKind::OutOfBoundsConst, Body,
                          {1, 1, 1}, {1, 1, 1}, Two);
  EXPECT_EQ(R.Findings.at(0).NeighbourName, "c");
  EXPECT_NE(R.Findings.at(0).Message.find(
                "0 bytes past the end of variable 'c' of 4 bytes"),
            std::string::npos);
  EXPECT_EQ(at(0), 7u);
  R = run(Body, {1, 1, 1}, CheckSet::none(), {1, 1, 1}, Two);
  EXPECT_EQ(R.Status, LaunchStatus::Ok);
  EXPECT_TRUE(R.Findings.empty());
  EXPECT_EQ(at(0), 7u);
}

TEST_F(CheckTest, RaceBetweenWarpsOnSharedMemory) {
  const char *Write = "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s;\n"
                      "add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %t;\n";
  const char *Read = "xor.b32 %r3, %r1, 128; mov.u32 %r4, s;\n"
                     "add.u32 %r4, %r4, %r3; ld.shared.u32 %r5, [%r4];\n"
                     "st.global.u32 [%mine], %r5;";
  LaunchResult R =
      run(std::string(Write) + Read, {64, 1, 1},
          CheckSet::all().without(CheckFamily::Uninit), {1, 1, 1}, SharedVar);
  // A write after the other warp's read, and a read after its write.
  ASSERT_EQ(count(R, FindingKind::RaceShared), 2u);
  for (unsigned K : {0u, 1u}) {
    const Finding &F = R.Findings.at(K);
    ASSERT_TRUE(F.Other);
    EXPECT_EQ(F.Who.Place.PtxLine + (K ? 0 : 2),
              F.Other->Place.PtxLine + (K ? 2 : 0));
    EXPECT_EQ(F.Who.Thread.X / 32, 1u);
    EXPECT_EQ(F.Other->Thread.X / 32, 0u);
  }
  EXPECT_EQ(R.Status, LaunchStatus::Ok);
  runClean(std::string(Write) + "bar.sync 0;\n" + Read, {64, 1, 1}, {1, 1, 1},
           SharedVar);
}

TEST_F(CheckTest, WarpSynchronousCodeNeedsSyncwarp) {
  const char *Write = "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s;\n"
                      "add.u32 %r2, %r2, %r1; st.volatile.shared.u32 [%r2], "
                      "%t;\n";
  const char *Read = "xor.b32 %r3, %r1, 4; mov.u32 %r4, s;\n"
                     "add.u32 %r4, %r4, %r3; ld.volatile.shared.u32 %r5, "
                     "[%r4];\nst.global.u32 [%mine], %r5;";
  LaunchResult R = run(std::string(Write) + Read, {32, 1, 1}, CheckSet::all(),
                       {1, 1, 1}, SharedVar);
  EXPECT_EQ(count(R, FindingKind::RaceShared), 1u);
  runClean(std::string(Write) + "bar.warp.sync 0xffffffff;\n" + Read,
           {32, 1, 1}, {1, 1, 1}, SharedVar);
}

TEST_F(CheckTest, RaceBetweenBlocksOnGlobalMemory) {
  LaunchResult R = run("mov.u32 %r1, %ctaid.x; st.global.u32 [%out], %r1;",
                       {1, 1, 1}, CheckSet::all(), {2, 1, 1});
  EXPECT_EQ(count(R, FindingKind::RaceGlobal), 1u);
  runClean("mov.u32 %r1, %ctaid.x; red.global.add.u32 [%out], %r1;", {32, 1, 1},
           {2, 1, 1});
}

TEST_F(CheckTest, SameValueIsAWarning) {
  LaunchResult R = run("st.global.u32 [%out], 1;");
  EXPECT_EQ(count(R, FindingKind::RaceSameValue), 1u);
  EXPECT_TRUE(R.clean());
}

TEST_F(CheckTest, FenceAndAtomicOrderBlocks) {
  // The last block to count reads what the others wrote.
  runClean("mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4;\n"
           "add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2+64], %r1;\n"
           "membar.gl; atom.global.add.u32 %r2, [%out], 1;\n"
           "setp.ne.u32 %p1, %r2, 3; @%p1 bra E; membar.gl;\n"
           "ld.global.u32 %r3, [%out+64]; ld.global.u32 %r4, [%out+72];\n"
           "add.u32 %r3, %r3, %r4; st.global.u32 [%out+4], %r3;\nE:",
           {1, 1, 1}, {4, 1, 1});
  EXPECT_EQ(at(1), 2u);
}

TEST_F(CheckTest, UninitialisedReads) {
  expect(LaunchStatus::Ok, FindingKind::UninitShared,
         "ld.shared.u32 %r1, [s+4];", {1, 1, 1}, {1, 1, 1}, SharedVar);
  expect(LaunchStatus::Ok, FindingKind::UninitLocal,
         ".local .b8 l[16]; ld.local.u32 %r1, [l+8];", {1, 1, 1});
  runClean(".local .b8 l[16]; st.local.u32 [l+8], 1; ld.local.u32 %r1, [l+8];");
}

TEST_F(CheckTest, BarriersThatNotAllThreadsReach) {
  LaunchResult R = run("setp.lt.u32 %p1, %t, 16; @%p1 bar.sync 0;");
  EXPECT_EQ(count(R, FindingKind::BarrierDivergence), 1u);
  R = run("setp.lt.u32 %p1, %t, 32; @%p1 bra A; bar.sync 1; bra E;\n"
          "A: bar.sync 2;\nE:",
          {64, 1, 1});
  EXPECT_EQ(R.Status, LaunchStatus::Deadlock);
  EXPECT_EQ(count(R, FindingKind::Deadlock), 1u);
  runClean("bar.sync 0; bar.sync 3, 64; barrier.sync 1;", {64, 1, 1});
}

TEST_F(CheckTest, LanesOfAWarpMayNameDifferentBarriers) {
  // Odd lanes of two warps meet at barrier 1, even ones at barrier 2; what one
  // warp wrote before, the other one reads.
  runClean("and.b32 %r1, %t, 1; add.u32 %r1, %r1, 1; add.u32 %r2, %t, 100;\n"
           "st.global.u32 [%mine], %r2; barrier.sync %r1, 32;\n"
           "xor.b32 %r3, %t, 32; mul.wide.u32 %rd1, %r3, 4;\n"
           "add.u64 %rd1, %out, %rd1; ld.global.u32 %r4, [%rd1];\n"
           "st.global.u32 [%mine+1024], %r4;",
           {64, 1, 1});
  for (unsigned K = 0; K < 64; ++K)
    EXPECT_EQ(at(256 + K), 100 + (K ^ 32)) << K;
}

TEST_F(CheckTest, BarriersHaveNumbersBelowSixteen) {
  for (const char *Body : {"mov.u32 %r1, 16; bar.sync %r1;", "bar.sync 16, 64;",
                           "mov.u32 %r1, 99; barrier.sync %r1;"}) {
    LaunchResult R = run(Body, {64, 1, 1});
    EXPECT_EQ(R.Status, LaunchStatus::IllegalInstruction) << Body;
    EXPECT_NE(R.Message.find("is not below 16"), std::string::npos)
        << R.Message;
  }
}

TEST_F(CheckTest, BarrierAfterThreadsEndedIsAWarning) {
  LaunchResult R =
      run("setp.lt.u32 %p1, %t, 32;\n@%p1 exit;\nbar.sync 0;", {64, 1, 1});
  EXPECT_EQ(count(R, FindingKind::BarrierExited), 1u);
  EXPECT_TRUE(R.clean());
}

TEST_F(CheckTest, BarrierReductions) {
  runClean("setp.lt.u32 %p1, %t, 40; bar.red.popc.u32 %r1, 0, %p1;\n"
           "bar.red.and.pred %p2, 0, %p1; bar.red.or.pred %p3, 0, !%p1;\n"
           "selp.u32 %r2, 100, 0, %p2; selp.u32 %r3, 200, 0, %p3;\n"
           "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;\n"
           "st.global.u32 [%mine], %r1;",
           {64, 1, 1});
  EXPECT_EQ(at(0), 240u);
  EXPECT_EQ(at(63), 240u);
}

TEST_F(CheckTest, ProducersAndConsumersAtANamedBarrier) {
  // Warp 0 arrives without waiting, warp 1 waits for both.
  runClean("setp.lt.u32 %p1, %t, 32; @%p1 bra PRODUCE;\n"
           "bar.sync 5, 64; ld.shared.u32 %r1, [s];\n"
           "st.global.u32 [%mine], %r1; bra END;\n"
           "PRODUCE: setp.eq.u32 %p2, %t, 0; @%p2 st.shared.u32 [s], 77;\n"
           "bar.arrive 5, 64;\nEND:",
           {64, 1, 1}, {1, 1, 1}, SharedVar);
  EXPECT_EQ(at(40), 77u);
}

TEST_F(CheckTest, ShuffleFromALaneThatTakesNoPart) {
  expect(LaunchStatus::Ok, FindingKind::ShuffleInactive,
         "shfl.sync.idx.b32 %r1, %t, 31, 31, 0xffffffff;", {16, 1, 1});
}

TEST_F(CheckTest, AtomicOnLocalMemory) {
  LaunchResult R = run(".local .align 4 .b8 l[4]; st.local.u32 [l], 0;\n"
                       "cvta.local.u64 %rd1, l; atom.add.u32 %r1, [%rd1], 1;");
  EXPECT_EQ(count(R, FindingKind::InvalidAtomic), 1u);
}

TEST_F(CheckTest, TrapAndAssert) {
  expect(LaunchStatus::Trap, FindingKind::Trap, "trap;");
}

TEST_F(CheckTest, FamiliesCanBeSwitchedOff) {
  LaunchResult R = run("ld.shared.u32 %r1, [s+4]; st.global.u32 [%out], %t;",
                       {32, 1, 1}, CheckSet::bounds(), {1, 1, 1}, SharedVar);
  EXPECT_TRUE(R.Findings.empty());
  // Memory safety does not depend on checks.
  R = run("ld.global.u32 %r1, [4];", {32, 1, 1}, CheckSet());
  EXPECT_EQ(R.Status, LaunchStatus::IllegalAddress);
  EXPECT_TRUE(R.Findings.empty());
}

TEST_F(CheckTest, IdenticalFindingsAreCounted) {
  LaunchResult R = run("ld.shared.u32 %r1, [s];", {32, 1, 1}, CheckSet::all(),
                       {3, 1, 1}, SharedVar);
  ASSERT_EQ(R.Findings.size(), 1u);
  EXPECT_EQ(R.Findings[0].Count, 96u);
}

TEST_F(CheckTest, DeviceHeap) {
  const char *Heap = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                     ".extern .func free(.param .b64 p);\n";
  const char *Alloc = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64;\n"
                      "call (r), malloc, (n); ld.param.b64 %rd1, [r]; }\n"
                      "st.u32 [%rd1+60], 1;\n";
  const char *Free = "{ .param .b64 p; st.param.b64 [p], %rd1;\n"
                     "call free, (p); }\n";
  runClean(std::string(Alloc) + Free, {32, 1, 1}, {1, 1, 1}, Heap);
  LaunchResult R = run(std::string(Alloc) + Free + "ld.u32 %r1, [%rd1];",
                       {32, 1, 1}, CheckSet::all(), {1, 1, 1}, Heap);
  EXPECT_EQ(R.Status, LaunchStatus::IllegalAddress);
  EXPECT_EQ(count(R, FindingKind::UseAfterFree), 1u);
}

TEST_F(CheckTest, SmallBlocksOfTheHeapAreNearbyAndApart) {
  const char *Heap = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  std::string Alloc = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16;\n"
                      "call (r), malloc, (n); ld.param.b64 %rd1, [r]; }\n";
  runClean(Alloc + "st.global.u32 [%mine], %rd1;", {32, 1, 1}, {1, 1, 1}, Heap);
  for (unsigned T = 1; T < 32; ++T)
    EXPECT_EQ(at(T) - at(T - 1), 16u + 128u);
  // Who runs over, on either side, runs into nobody.
  for (const char *Beyond : {"16", "76", "-4", "-60"}) {
    LaunchResult R = run(Alloc + "st.u32 [%rd1+" + Beyond + "], 1;", {32, 1, 1},
                         CheckSet::all(), {1, 1, 1}, Heap);
    EXPECT_EQ(R.Status, LaunchStatus::IllegalAddress) << Beyond;
  }
  // Other memory lies as it did.
  EXPECT_EQ(D.allocate(100) % 256, 0u);
}

TEST_F(CheckTest, EachFailedAssertionSaysSo) {
  const char *Assert =
      ".extern .func __assertfail(.param .b64 m, .param .b64 f,\n"
      ".param .b32 l, .param .b64 n, .param .b64 c);\n"
      ".global .b8 text[8] = {120, 62, 48, 0};\n";
  LaunchResult R =
      run("setp.lt.u32 %p1, %t, 30; @%p1 bra END;\n"
          "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"
          ".param .b64 e; mov.u64 %rd1, text; st.param.b64 [a], %rd1;\n"
          "st.param.b64 [b], %rd1; st.param.b32 [c], 7;\n"
          "st.param.b64 [d], %rd1; st.param.b64 [e], 1;\n"
          "call __assertfail, (a, b, c, d, e); }\nEND:",
          {32, 1, 1}, CheckSet::all(), {1, 1, 1}, Assert);
  EXPECT_EQ(R.Status, LaunchStatus::Assert);
  EXPECT_EQ(count(R, FindingKind::Assertion), 1u);
  EXPECT_EQ(Printed,
            "x>0:7: x>0: block: [0,0,0], thread: [30,0,0] Assertion `x>0` "
            "failed.\nx>0:7: x>0: block: [0,0,0], thread: [31,0,0] Assertion "
            "`x>0` failed.\n");
}

TEST_F(CheckTest, CopiesOfWhatWasNeverSet) {
  // A structure is copied and a bit-field set; then a member is used.
  std::string Frame = ".local .align 8 .b8 l[32]; .reg .b64 %sp;\n"
                      "cvta.local.u64 %sp, l;\n";
  runClean(Frame + "ld.u64 %rd1, [%sp]; st.u64 [%sp+8], %rd1;\n"
                   "ld.u32 %r1, [%sp+16]; and.b32 %r2, %r1, -255;\n"
                   "or.b32 %r3, %r2, 7; st.u32 [%sp+16], %r3;");
  expect(LaunchStatus::Ok, FindingKind::UninitLocal,
         Frame + "ld.u32 %r1, [%sp+24]; st.global.u32 [%mine], %r1;");
}

TEST_F(CheckTest, AllocaAsLlvmWritesIt) {
  runClean("mov.u64 %rd2, 24; alloca.u64 %rd1, %rd2, 0;\n"
           "st.local.u64 [%rd1+16], %rd2; ld.local.u64 %rd3, [%rd1+16];\n"
           "st.global.u32 [%mine], %t;");
}

TEST_F(CheckTest, SharedMemoryOfTheSystem) {
  // Zero at first, beside the kernel's own.
  runClean("mov.u32 %r1, %reserved_smem_offset_1;\n"
           "mov.u32 %r2, %reserved_smem_offset_end; sub.u32 %r3, %r2, %r1;\n"
           "st.shared.u32 [s], 9; bar.warp.sync 0xffffffff;\n"
           "ld.shared.u32 %r4, [%r1+284]; add.u32 %r4, %r4, %r3;\n"
           "st.global.u32 [%mine], %r4;",
           {1, 1, 1}, {1, 1, 1}, SharedVar);
  EXPECT_EQ(at(0), 1024u);
}

} // namespace
