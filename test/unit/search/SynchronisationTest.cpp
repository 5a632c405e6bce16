//===- SynchronisationTest.cpp - What keeps threads in order --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Synchronisation.h"
#include "search/ir/ReadOnly.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static const char Text[] = R"(
declare void @llvm.nvvm.membar.gl()
define void @lock(ptr %lock, ptr %best, ptr %part, i32 %x) {
  %own = alloca i32
  br label %retry
retry:
  %pair = cmpxchg ptr %lock, i32 0, i32 1 seq_cst seq_cst
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %enter, label %retry
enter:
  store volatile i32 %x, ptr %part
  store i32 %x, ptr %own
  call void @llvm.nvvm.membar.gl()
  %old = atomicrmw add ptr %best, i32 %x monotonic
  %free = atomicrmw xchg ptr %lock, i32 0 seq_cst
  call void asm sideeffect "membar.cta;", ""()
  %high = icmp sgt i32 %old, 3
  br i1 %high, label %more, label %end
more:
  br label %end
end:
  ret void
})";

static Instruction &at(Function &F, unsigned Number) {
  return *std::next(inst_begin(F), Number);
}

TEST(Synchronisation, FencesAndWhatExchangesDecide) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  Unreached Some = findSynchronising(*M->getFunction("lock"));
  // The exchange, whether it got the lock, the loop, the fences.
  std::set<unsigned> Held;
  for (unsigned Number = 0; Number < 16; ++Number)
    if (Some.contains(Number))
      Held.insert(Number);
  EXPECT_EQ(Held, (std::set<unsigned>{2, 3, 4, 7, 10}));
  EXPECT_EQ(Some.Effects, (std::vector<unsigned>{2, 3, 7, 10}));
  EXPECT_TRUE(Some.Uses.empty());
}

TEST(Synchronisation, AThreadSaysByAConstantThatItIsDone) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
define void @lock(ptr %lock, ptr %p) {
  br label %retry
retry:
  %old = atomicrmw xchg ptr %lock, i32 1 seq_cst
  %free = icmp eq i32 %old, 0
  br i1 %free, label %enter, label %check
enter:
  store i32 %old, ptr %p
  br label %check
check:
  %done = phi i1 [ true, %enter ], [ false, %retry ]
  br i1 %done, label %end, label %retry
end:
  ret void
})",
                                          C);
  Unreached Some = findSynchronising(*M->getFunction("lock"));
  for (unsigned Number : {1, 2, 3, 6, 7})
    EXPECT_TRUE(Some.contains(Number)) << Number;
  EXPECT_FALSE(Some.contains(4));
}

TEST(Synchronisation, AccessesStayOnTheirSideOfFences) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  Function &F = *M->getFunction("lock");
  std::vector<FenceOrder::Order> Before = FenceOrder(F).orders();
  FenceOrder Kept(F);
  EXPECT_EQ(Kept.firstBroken(Before), std::nullopt);
  Instruction &Store = at(F, 5), &Own = at(F, 6), &Fence = at(F, 7);
  Own.moveAfter(&Fence);
  EXPECT_EQ(Kept.firstBroken(Before), std::nullopt) << "nobody else sees it";
  Store.moveAfter(&Own);
  EXPECT_EQ(Kept.firstBroken(Before), 5u);
  Store.eraseFromParent();
  EXPECT_EQ(Kept.firstBroken(Before), std::nullopt) << "inputs tell";
}

TEST(Synchronisation, WhatIsWrittenIsNotReadOnly) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
define void @f(ptr %p, ptr %q, i32 %i) {
  %a = getelementptr i32, ptr %p, i32 %i
  %g = addrspacecast ptr %a to ptr addrspace(1)
  %x = load i32, ptr addrspace(1) %g, !invariant.load !0
  %y = load i32, ptr %q
  %s = add i32 %x, %y
  store i32 %s, ptr %p
  ret void
}
!0 = !{})",
                                          C);
  Function &F = *M->getFunction("f");
  auto &X = cast<LoadInst>(at(F, 2));
  EXPECT_TRUE(isWritten(X));
  EXPECT_FALSE(isWritten(cast<LoadInst>(at(F, 3))));
  EXPECT_EQ(findReadOnlyClash(F), &X);
  at(F, 5).setOperand(1, F.getArg(1));
  EXPECT_EQ(findReadOnlyClash(F), nullptr);
}
