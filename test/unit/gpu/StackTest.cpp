//===- StackTest.cpp - Local memory that is nobody's ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses inside of a thread's stack, but outside of the variables of the
// calls that it is in: with all checks, and with those of bounds alone.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

using namespace gevo::gpu;

namespace {

/// leak returns the address of its array; set writes word n of one.
const char *const Functions =
    ".func (.param .b64 r) leak(.param .b32 v) { .local .u32 a[4]; "
    ".reg .b32 %v; .reg .b64 %p; ld.param.u32 %v, [v]; st.local.u32 [a+8], %v; "
    "mov.u64 %p, a; cvta.local.u64 %p, %p; st.param.b64 [r], %p; ret; }\n"
    ".func set(.param .b64 p, .param .b32 n) { .reg .b64 %p, %o; .reg .b32 %n; "
    "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mul.wide.s32 %o, %n, 4; "
    "add.u64 %p, %p, %o; st.u32 [%p], %n; ret; }\n";

std::string callLeak() {
  return "{ .param .b32 v; .param .b64 r; st.param.b32 [v], %t; "
         "call (r), leak, (v); ld.param.b64 %rd1, [r]; }\n";
}
std::string callSet(unsigned Word) {
  return ".local .u32 own[4]; .local .u32 next[4]; mov.u64 %rd1, own; "
         "cvta.local.u64 %rd1, %rd1;\n{ .param .b64 p; .param .b32 n; "
         "st.param.b64 [p], %rd1; st.param.b32 [n], " +
         std::to_string(Word) + "; call set, (p, n); }\n";
}

class StackTest : public KernelTest,
                  public ::testing::WithParamInterface<bool> {
protected:
  /// Expects one finding of \p K whose message holds \p Text.
  void expect(FindingKind K, const std::string &Text, const std::string &Body) {
    LaunchResult R =
        run(Body, {32, 1, 1}, GetParam() ? CheckSet::all() : CheckSet::bounds(),
            {1, 1, 1}, Functions);
    ASSERT_EQ(R.Findings.size(), 1u) << R.Message;
    EXPECT_EQ(R.Findings[0].Kind, K);
    EXPECT_NE(R.Findings[0].str().find(Text), std::string::npos)
        << R.Findings[0].str();
    // Where nobody asks, it is an access like others.
    EXPECT_TRUE(run(Body, {32, 1, 1}, CheckSet::none(), {1, 1, 1}, Functions)
                    .Findings.empty());
  }
  void expectNothing(const std::string &Body) {
    LaunchResult R =
        run(Body, {32, 1, 1}, GetParam() ? CheckSet::all() : CheckSet::bounds(),
            {2, 1, 1}, Functions);
    EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    for (const Finding &F : R.Findings)
      ADD_FAILURE() << F.str();
  }
};
} // namespace

TEST_P(StackTest, VariablesOfACallAreGoneWithIt) {
  const std::string Gone = "is in the stack of a call that has returned";
  expect(FindingKind::UseAfterFree, "local read of 4 bytes",
         callLeak() + "ld.u32 %r1, [%rd1+8];");
  expect(FindingKind::UseAfterFree, Gone,
         callLeak() + "st.v2.u32 [%rd1+8], {%t, %t};");
  // Only some lanes have returned: the others may go on.
  expect(FindingKind::UseAfterFree, Gone,
         "setp.gt.u32 %p1, %t, 15; @%p1 bra M;\n" + callLeak() +
             "cvta.to.local.u64 %rd2, %rd1; ld.local.u32 %r1, [%rd2+8];\nM:");
  expectNothing(callLeak() + callSet(3) + "ld.local.u32 %r1, [own+12];");
}

TEST_P(StackTest, MemoryOfAnAllocaIsGoneWithItsRestore) {
  const std::string Body = "stacksave.u64 %rd1; alloca.u64 %rd2, 64; "
                           "st.local.u32 [%rd2+60], %t; ";
  expect(FindingKind::UseAfterFree, "that has returned",
         Body + "stackrestore.u64 %rd1; ld.local.u32 %r1, [%rd2+60];");
  expect(FindingKind::OutOfBoundsLocal, "outside of the thread's variables",
         Body + "st.local.u32 [%rd2+64], %t;");
  expectNothing(Body + "stackrestore.u64 %rd1; alloca.u64 %rd2, 64; "
                       "st.local.u32 [%rd2+60], %t;");
}

TEST_P(StackTest, CalleesStayInTheArraysOfTheirCallers) {
  // Behind "own" comes "next", which a pointer may not reach but a byte can.
  expectNothing(callSet(4));
  expect(FindingKind::OutOfBoundsLocal, "past the end of variable 'next'",
         callSet(8));
  expect(FindingKind::OutOfBoundsLocal, "bytes before variable 'own'",
         callSet(0u - 1));
}

TEST_P(StackTest, LanesAtOtherPlacesKeepTheirAllocas) {
  // The upper half restores its stack while the lower one's memory is in use;
  // what the lower half then calls must not lie there.
  LaunchResult R =
      run("stacksave.u64 %rd1; setp.gt.u32 %p1, %t, 15; @%p1 bra HIGH;\n"
          "alloca.u64 %rd2, 64; st.local.u32 [%rd2+8], %t;\n"
          "bar.warp.sync 0xffffffff; bar.warp.sync 0xffffffff;\n"
          "{ .param .b32 v; .param .b64 r; st.param.b32 [v], 99; "
          "call (r), leak, (v); ld.param.b64 %rd3, [r]; }\n"
          "ld.local.u32 %r1, [%rd2+8]; bra DONE;\n"
          "HIGH: bar.warp.sync 0xffffffff; mul.wide.u32 %rd4, %t, 2;\n"
          "alloca.u64 %rd2, %rd4; st.local.u32 [%rd2+4], %t;\n"
          "ld.local.u32 %r1, [%rd2+4]; stackrestore.u64 %rd1;\n"
          "bar.warp.sync 0xffffffff;\n"
          "DONE: st.global.u32 [%mine], %r1;",
          {32, 1, 1}, GetParam() ? CheckSet::all() : CheckSet::bounds(),
          {1, 1, 1}, Functions);
  EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
  for (const Finding &F : R.Findings)
    ADD_FAILURE() << F.str();
  for (unsigned K = 0; K < 32; ++K)
    EXPECT_EQ(at(K), K);
}

INSTANTIATE_TEST_SUITE_P(AllAndBounds, StackTest, ::testing::Bool());
