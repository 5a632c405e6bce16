//===- SavingsTest.cpp - What goes with an instruction --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is for it alone, and nothing that others need.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Savings.h"
#include "test/unit/ir/Modules.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

// Every instruction costs ten to the power of its number.
static constexpr uint64_t Heat[] = {1, 10, 100, 1000, 10000, 100000, 1000000};

static Instruction &at(Function &F, unsigned Number) {
  for (BasicBlock &BB : F)
    for (Instruction &I : BB)
      if (!Number--)
        return I;
  llvm_unreachable("there are fewer");
}

TEST(Savings, AStoreGoesWithWhatIsComputedForIt) {
  LLVMContext C;
  auto M = parseModule(R"(define void @f(ptr %p, ptr %q, i32 %n) {
    %shared = add i32 %n, 1
    %a = mul i32 %shared, %n
    %b = sub i32 %a, %a
    store i32 %b, ptr %p
    store i32 %shared, ptr %q
    ret void })",
                       C);
  Function &F = *M->getFunction("f");
  DominatorTree Dominators(F);
  Savings Saved(F, Heat, Dominators);
  EXPECT_EQ(Saved.ofDeletion(at(F, 3)), 110u);
  EXPECT_EQ(Saved.ofDeletion(at(F, 4)), 0u);
}

TEST(Savings, AGuardGoesWithTheCostlierOfItsWays) {
  LLVMContext C;
  auto M = parseModule(R"(define void @f(ptr %p, i32 %n) {
    %some = icmp slt i32 %n, 7
    br i1 %some, label %then, label %exit
  then:
    %twice = add i32 %n, %n
    store i32 %twice, ptr %p
    br label %exit
  exit:
    store i32 0, ptr %p
    ret void })",
                       C);
  Function &F = *M->getFunction("f");
  DominatorTree Dominators(F);
  Savings Saved(F, Heat, Dominators);
  // The condition and all of `then`; `exit` is reached in any case.
  EXPECT_EQ(Saved.ofDecision(cast<BranchInst>(at(F, 1))), 11101u);
}
