//===- ReachTest.cpp - Code that no input comes to ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Reach.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static const char Text[] = R"(
declare void @report(ptr)
declare void @llvm.assume(i1)
define void @f(ptr %p, i32 %n, i1 %c) {
  %own = alloca i32, addrspace(5)
  br i1 %c, label %then, label %end
then:
  %x = load volatile i32, ptr %p
  %y = add i32 %x, 1
  call void @llvm.assume(i1 %c)
  store i32 %y, ptr addrspace(5) %own
  store i32 %y, ptr %p
  call void @report(ptr %p)
  %old = atomicrmw add ptr %p, i32 %n monotonic
  br label %end
end:
  %z = phi i32 [ 0, %0 ], [ %y, %then ]
  store i32 %z, ptr %p
  ret void
}
define void @g(ptr %p) {
  store i32 7, ptr %p
  ret void
})";

TEST(Reach, WatchedCodeMarksEveryBlock) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  watchReach(*M, {M->getFunction("f"), M->getFunction("g")});
  EXPECT_FALSE(verifyModule(*M, &errs()));
  unsigned Marks = 0;
  for (Function &F : *M)
    for (Instruction &I : instructions(F))
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isVolatile())
        ++Marks;
  EXPECT_EQ(Marks, 4u);
  auto *Bytes = M->getGlobalVariable(ReachVariable);
  ASSERT_TRUE(Bytes);
  EXPECT_EQ(Bytes->getValueType()->getArrayNumElements(), 5u);
}

TEST(Reach, EffectsAreWhatOthersSee) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  Unreached Some = findUnreached(*M->getFunction("f"), "101");
  EXPECT_FALSE(Some.contains(1));
  for (unsigned Number = 2; Number <= 9; ++Number)
    EXPECT_TRUE(Some.contains(Number)) << Number;
  EXPECT_FALSE(Some.contains(10));
  EXPECT_FALSE(Some.contains(1000));
  EXPECT_EQ(Some.Effects, (std::vector<unsigned>{6, 7, 8}));
  EXPECT_TRUE(findUnreached(*M->getFunction("f"), "111").Effects.empty());
  EXPECT_TRUE(findUnreached(*M->getFunction("g"), "").contains(0))
      << "what was never run was not come to";
}

// Tests that became selects, as a compiler makes of short branches.
TEST(Reach, WhatAllInputsDecideAlikeIsNotProven) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
define void @clamp(ptr %p, float %least, i32 %n) {
  %v = load float, ptr %p
  %d = fsub float %v, %least
  %low = fcmp olt float %d, 0.0
  %r = select i1 %low, float %least, float %v
  %many = icmp sgt i32 %n, 3
  %s = select i1 %many, float %r, float 1.0
  store float %s, ptr %p
  ret void
})",
                                          C);
  Function &F = *M->getFunction("clamp");
  ASSERT_EQ(decisionsOf(F).size(), 2u);
  // The first was always false, the second was both.
  Unreached Some = findUnreached(F, "1", "1011");
  // The difference, the comparison and what it selects.
  for (unsigned Number : {1, 2, 3})
    EXPECT_TRUE(Some.contains(Number) && Some.isUndecided(Number)) << Number;
  for (unsigned Number : {0, 4, 5, 6})
    EXPECT_FALSE(Some.contains(Number)) << Number;
  EXPECT_EQ(Some.Effects, (std::vector<unsigned>{2}));
  EXPECT_FALSE(findUnreached(F, "1", "1111").contains(2));
  EXPECT_FALSE(findUnreached(F, "1").contains(2)) << "nothing is known";
  // Nothing came to it: that is another matter.
  EXPECT_FALSE(findUnreached(F, "0", "0000").isUndecided(2));

  watchReach(*M, {&F});
  EXPECT_FALSE(verifyModule(*M, &errs()));
  EXPECT_EQ(M->getGlobalVariable(ReachVariable)
                ->getValueType()
                ->getArrayNumElements(),
            1u + 2 * 2 + 1);
}

// Arithmetic that did nothing: remainders, limits, saturation.
TEST(Reach, WhatDoesNothingOnAllInputsIsNotProven) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.uadd.sat.i32(i32, i32)
define void @roll(ptr %p, i32 %n, i32 %c) {
  %x = add i32 %n, %c
  %m = xor i32 %c, 7
  %h = urem i32 %x, %m
  %q = udiv i32 %n, %c
  %l = call i32 @llvm.smin.i32(i32 %h, i32 %c)
  %s = call i32 @llvm.uadd.sat.i32(i32 %l, i32 %q)
  %v = or i32 %s, 1
  store i32 %v, ptr %p
  ret void
})",
                                          C);
  Function &F = *M->getFunction("roll");
  // Whether it is the dividend, zero, either operand, the sum.
  ASSERT_EQ(decisionsOf(F).size(), 5u);
  Unreached Some = findUnreached(F, "1", "0101111101");
  // The divisor, not the dividend.
  for (unsigned Number : {1, 2, 3, 5})
    EXPECT_TRUE(Some.contains(Number)) << Number;
  for (unsigned Number : {0, 4, 6, 7})
    EXPECT_FALSE(Some.contains(Number)) << Number;
  EXPECT_EQ(Some.Effects, (std::vector<unsigned>{2, 3, 5}));
  EXPECT_TRUE(Some.Uses.count({4, 0})) << "the remainder";
  EXPECT_FALSE(Some.Uses.count({4, 1}));
  // The smaller one was always the first; what is always changed is proven.
  EXPECT_EQ(findUnreached(F, "1", "1010011010").Effects,
            (std::vector<unsigned>{4}));

  KeptEffects Kept(F, Some);
  Instruction *Remainder = &*std::next(F.getEntryBlock().begin(), 2);
  Remainder->replaceAllUsesWith(Remainder->getOperand(0));
  Remainder->eraseFromParent();
  EXPECT_EQ(Kept.firstLost(), 2u) << "another value is none";

  watchReach(*M, {&F});
  EXPECT_FALSE(verifyModule(*M, &errs()));
}

// h = h * 31 + c, where h is always zero: the loop's first turn is its last.
TEST(Reach, AProductThatIsAlwaysZeroIsNotProven) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
define void @hash(ptr %p, i32 %h, i32 %c) {
  %m = mul i32 %h, 31
  %s = add i32 %m, %c
  store i32 %s, ptr %p
  ret void
})",
                                          C);
  Unreached Some = findUnreached(*M->getFunction("hash"), "1", "01");
  EXPECT_EQ(Some.Effects, (std::vector<unsigned>{0}));
  EXPECT_TRUE(Some.contains(0));
  EXPECT_FALSE(Some.contains(1));
  EXPECT_TRUE(Some.Uses.count({1, 0}));
}

TEST(Reach, EffectsThatAreGoneAreFound) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  Function &F = *M->getFunction("f");
  Unreached Some = findUnreached(F, "101");
  KeptEffects Kept(F, Some);
  EXPECT_EQ(Kept.firstLost(), std::nullopt);
  EXPECT_EQ(Kept.left(), Some.Effects);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (isa<CallInst>(I) && !I.isDebugOrPseudoInst() &&
        cast<CallInst>(I).getCalledFunction()->getName() == "report")
      I.eraseFromParent();
  EXPECT_EQ(Kept.firstLost(), 7u);
  EXPECT_EQ(Kept.left(), (std::vector<unsigned>{6, 8}));
}
