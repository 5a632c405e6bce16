//===- PredicateTest.cpp - Predicates instead of short branches -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose branches became predicates leaves in memory what the kernel
// leaves, has as many branches less, and keeps what cannot have a predicate.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Predicate.h"
#include "test/unit/gpu/KernelTest.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {

class Predicate : public KernelTest {
protected:
  static size_t branchesOf(const ptx::Function &F) {
    return size_t(std::count_if(
        F.Code.begin(), F.Code.end(),
        [](const ptx::Instruction &I) { return I.Op == ptx::Opcode::Bra; }));
  }

  std::vector<uint32_t> outputOf(const Kernel &K) {
    std::vector<uint32_t> Words(BufferBytes / 4, 7);
    D.copyToDevice(Out, Words.data(), BufferBytes);
    LaunchOptions O;
    O.Grid = {1, 1, 1};
    O.Block = {64, 1, 1};
    O.Params = &Out;
    O.ParamBytes = 8;
    O.Checks = CheckSet::all();
    LaunchResult R = D.launch(K, O);
    EXPECT_EQ(R.Status, LaunchStatus::Ok) << R.Message;
    D.copyFromDevice(Words.data(), Out, BufferBytes);
    return Words;
  }

  /// Expects \p Body to have \p Before branches, then \p After, and to do the
  /// same.
  void expectSame(const std::string &Body, size_t Before, size_t After) {
    auto M = D.load(module(Body));
    ASSERT_TRUE(M) << M.error().str();
    const Kernel &K = *(*M)->kernel("k");
    ptx::Function F = *K.functions()[0];
    EXPECT_EQ(branchesOf(F), Before);
    bool Changed = ptx::predicate(F, [](const ptx::Hammock &) { return true; });
    EXPECT_EQ(Changed, Before != After);
    EXPECT_EQ(branchesOf(F), After);
    for (const ptx::Instruction &I : F.Code)
      EXPECT_LT(I.Number, K.functions()[0]->Code.size());
    auto New = (*M)->withCode(K, {F});
    ASSERT_TRUE(New) << New.error().str();
    EXPECT_EQ(outputOf(K), outputOf(**New));
  }
};

const char *const Thirds = "rem.u32 %r1, %t, 3; setp.eq.u32 %p1, %r1, 0;\n"
                           "and.b32 %r2, %t, 1; setp.eq.u32 %p2, %r2, 0;\n";

TEST_F(Predicate, OfWhatIsBranchedAround) {
  expectSame(std::string(Thirds) + "@%p1 bra J; add.u32 %r1, %r1, 5;\n"
                                   "st.global.u32 [%mine], %r1;\n"
                                   "J: st.global.u32 [%mine+256], %r1;",
             1, 0);
}

TEST_F(Predicate, OfABranchWithANegatedOne) {
  expectSame(std::string(Thirds) + "@!%p1 bra J; add.u32 %r1, %r1, 5;\n"
                                   "st.global.u32 [%mine], %r1;\n"
                                   "J: st.global.u32 [%mine+256], %r1;",
             1, 0);
}

// What is branched around may compute the predicate anew.
TEST_F(Predicate, IsACopy) {
  expectSame(std::string(Thirds) +
                 "@%p1 bra J; setp.ne.u32 %p1, %r1, 1;\n"
                 "add.u32 %r1, %r1, 5; st.global.u32 [%mine], %r1;\n"
                 "J: selp.u32 %r3, 3, 4, %p1; st.global.u32 [%mine+256], %r3;",
             1, 0);
}

TEST_F(Predicate, OfBothWays) {
  std::string Stays = "add.u32 %r1, %r1, 5; st.global.u32 [%mine], %r1;\n",
              Jumps =
                  "mul.lo.u32 %r1, %r1, 9; st.global.u32 [%mine+1024], %r1;\n",
              Behind = "st.global.u32 [%mine+512], %r1;\n";
  // The one that jumps behind it may be either, or stand elsewhere.
  expectSame(std::string(Thirds) +
                 "shl.b32 %r4, %t, 1;\n"
                 "add.u64 %mine, %mine, 256;\n@%p1 bra E;\n" +
                 Stays + "bra J;\nE: " + Jumps + "J: " + Behind,
             2, 0);
  expectSame(std::string(Thirds) + "add.u64 %mine, %mine, 256;\n@%p1 bra E;\n" +
                 Stays + "J: " + Behind + "ret;\nE: " + Jumps + "bra J;",
             2, 0);
  // A way that computes the predicate anew cannot have it.
  expectSame(std::string(Thirds) + "add.u64 %mine, %mine, 256;\n@%p1 bra E;\n" +
                 "setp.ne.u32 %p1, %r1, 1;\n" + Stays + "bra J;\nE: " + Jumps +
                 "J: " + Behind,
             2, 2);
}

TEST_F(Predicate, OfWhatStandsElsewhere) {
  expectSame(std::string(Thirds) +
                 "@%p1 bra E; J: st.global.u32 [%mine+256], %r1; ret;\n"
                 "E: add.u32 %r1, %r1, 5; st.global.u32 [%mine], %r1; bra J;",
             2, 0);
}

TEST_F(Predicate, OfOneInTheOther) {
  std::string Text = "@%p1 bra J; st.global.u32 [%mine], %t;\n@%p2 bra I;\n"
                     "st.global.u32 [%mine+256], %t;\nI: add.u32 %r1, %r1, 4;\n"
                     "J: st.global.u32 [%mine+512], %r1;";
  expectSame(Thirds + Text, 2, 0);
  // Three deep.
  expectSame(std::string(Thirds) + "setp.lt.u32 %p3, %t, 40;\n@%p3 bra K;\n" +
                 Text + "\nK: st.global.u32 [%mine+768], %t;",
             3, 0);
  // Of a negated one in the other there is no copy that both can be in.
  Text.replace(Text.find("@%p2"), 4, "@!%p2");
  expectSame(Thirds + Text, 2, 1);
}

// A loop around them becomes one block, also where its end stands first.
TEST_F(Predicate, MakesOneBlockOfALoop) {
  std::string Body =
      "mov.u32 %r5, 0; mov.u32 %r6, 0; bra H;\n"
      "E: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 9;\n"
      "@%p3 bra H; bra O;\n"
      "H: add.u32 %r7, %t, %r5; and.b32 %r7, %r7, 3;\n"
      "setp.eq.u32 %p4, %r7, 0; @%p4 bra E;\n"
      "add.u32 %r6, %r6, %r7; st.global.u32 [%mine], %r6; bra E;\n"
      "O: st.global.u32 [%mine+256], %r6;";
  auto M = D.load(module(Body));
  ASSERT_TRUE(M) << M.error().str();
  expectSame(Body, branchesOf(*(*M)->kernel("k")->functions()[0]), 1);
}

TEST_F(Predicate, IsNotGivenToWhatLanesDoTogether) {
  for (const char *Stays :
       {"activemask.b32 %r3; st.global.u32 [%mine], %r3;\n", "bar.sync 0;\n",
        "membar.gl;\n", "ret;\n", "@%p2 st.global.u32 [%mine], %t;\n"})
    expectSame(std::string("setp.gt.u32 %p1, %t, 1000; ") +
                   "setp.eq.u32 %p2, %t, 3;\n@%p1 bra J;\n" + Stays +
                   "J: st.global.u32 [%mine+256], %t;",
               1, 1);
}

TEST_F(Predicate, IsOnlyGivenWhereItIsWanted) {
  auto M = D.load(module("setp.eq.u32 %p1, %t, 3;\n@%p1 bra J;\n"
                         "st.global.u32 [%mine], %t;\nJ: "));
  ASSERT_TRUE(M) << M.error().str();
  ptx::Function F = *(*M)->kernel("k")->functions()[0];
  ptx::Hammock Asked;
  EXPECT_FALSE(ptx::predicate(F, [&](const ptx::Hammock &H) {
    Asked = H;
    return false;
  }));
  EXPECT_EQ(branchesOf(F), 1u);
  EXPECT_EQ(F.Code[Asked.Branch].Op, ptx::Opcode::Bra);
  EXPECT_EQ(F.Code[Asked.Stays.Begin].Op, ptx::Opcode::St);
  EXPECT_EQ(Asked.Stays.End, Asked.Behind);
  EXPECT_TRUE(Asked.Jumps.empty());
}

} // namespace
