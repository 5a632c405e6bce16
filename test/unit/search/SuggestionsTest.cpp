//===- SuggestionsTest.cpp - Edits that often help ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is found where it is, applies, and is not made up elsewhere.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Suggestions.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Operators.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

// The suggestions for a kernel with this body, each of which must apply to it.
static std::vector<std::string> suggested(const std::string &Body) {
  std::string Text = "declare void @llvm.nvvm.barrier0()\n"
                     "declare float @llvm.sqrt.f32(float)\n"
                     "define void @f(ptr %p, ptr %q, i32 %n) {\n" +
                     Body + "\n}";
  LLVMContext C;
  std::vector<std::string> All;
  std::unique_ptr<Module> M = parseModule(Text.c_str(), C);
  for (const std::vector<Edit> &Edits : suggestEdits(*M->getFunction("f")))
    for (Edit E : Edits) {
      All.push_back(E.key());
      std::unique_ptr<Module> Copy = parseModule(Text.c_str(), C);
      Function &F = *Copy->getFunction("f");
      EditedFunction Edited(F);
      EXPECT_EQ(toString(applyEdit(Edited, E)), "") << E.key();
      Edited.finish();
      EXPECT_FALSE(verifyFunction(F)) << E.key();
    }
  return All;
}

using Keys = std::vector<std::string>;

TEST(Suggestions, LoadsGiveWayToWhatWasThere) {
  EXPECT_EQ(suggested(R"(store i32 %n, ptr %p
    call void @llvm.nvvm.barrier0()
    %v = load i32, ptr %p
    store i32 %v, ptr %q
    ret void)"),
            (Keys{"move at=i0 before=i2", "delete at=i2 uses=a2",
                  "move at=i2 before=i0"}));
  EXPECT_EQ(suggested(R"(%u = load i32, ptr %p
    store i32 %u, ptr %q
    %v = load i32, ptr %p
    store i32 %v, ptr %q
    ret void)"),
            (Keys{"move at=i1 before=i3", "delete at=i2 uses=i0",
                  "move at=i2 before=i1"}));
}

TEST(Suggestions, DivisionsAndRootsAreApproximated) {
  EXPECT_EQ(suggested(R"(%u = load float, ptr %p
    %v = fdiv float %u, 3.0
    %w = call float @llvm.sqrt.f32(float %v)
    %x = fadd float %w, 1.0
    store float %x, ptr %q
    ret void)"),
            (Keys{"math at=i1 relax=div", "math at=i2 relax=sqrt"}));
}

TEST(Suggestions, StoresWaitForTheNextAccess) {
  // A branch away, past a barrier.
  EXPECT_EQ(suggested(R"(store i32 0, ptr %p
    call void @llvm.nvvm.barrier0()
    %some = icmp slt i32 %n, 7
    br i1 %some, label %then, label %exit
  then:
    store i32 %n, ptr %p
    br label %exit
  exit:
    ret void)"),
            Keys{"move at=i0 before=i3"});
}

TEST(Suggestions, OtherTypesAndVolatileLoadsDoNot) {
  EXPECT_EQ(suggested(R"(store i32 %n, ptr %p
    %v = load volatile i32, ptr %p
    store volatile i32 %v, ptr %q
    ret void)"),
            Keys());
  EXPECT_EQ(suggested(R"(store i32 %n, ptr %p
    %v = load float, ptr %p
    store float %v, ptr %q
    ret void)"),
            Keys{"move at=i1 before=i0"});
}

TEST(Suggestions, LoopsAreLeft) {
  // The load has its address from outside; so has the store, whose value is
  // there after the loop.
  EXPECT_EQ(suggested(R"(br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %next, %loop ]
    %v = load i32, ptr %q
    %next = add i32 %i, %v
    store i32 %next, ptr %p
    %more = icmp slt i32 %next, %n
    br i1 %more, label %loop, label %exit
  exit:
    ret void)"),
            (Keys{"move at=i2 before=i0", "move at=i4 before=i7"}));
  // Addresses that change with the loop stay.
  EXPECT_EQ(suggested(R"(br label %loop
  loop:
    %i = phi i32 [ 0, %0 ], [ %next, %loop ]
    %at = getelementptr i32, ptr %q, i32 %i
    %v = load i32, ptr %at
    store i32 %v, ptr %at
    %next = add i32 %i, 1
    %more = icmp slt i32 %next, %n
    br i1 %more, label %loop, label %exit
  exit:
    ret void)"),
            Keys());
}
