//===- RemapTest.cpp - Anchors found again --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In an unchanged function every anchor is found at its place; one whose
// instruction is gone, or that cannot be told from another, is noticed.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Remap.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Trace.h"
#include "test/unit/ir/Modules.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

// A list with one edit about each instruction of F.
static FunctionEdits allOf(Function &F) {
  FunctionEdits FE;
  FE.Name = F.getName().str();
  forEachAnchored(F, [&](Instruction &, unsigned Number) {
    Edit E;
    E.At = "i" + std::to_string(Number);
    FE.Edits.push_back(std::move(E));
    ++FE.Instructions;
  });
  std::vector<AnchorTrace> All = traceAll(F);
  FE.Outline = outlineOf(ArrayRef(All).drop_front(F.arg_size()));
  FE.Anchors = tracesOf(FE.Edits, All);
  return FE;
}

static FunctionEdits only(FunctionEdits All, StringRef Anchor) {
  llvm::erase_if(All.Edits, [&](const Edit &E) { return E.At != Anchor; });
  llvm::erase_if(All.Anchors,
                 [&](const AnchorTrace &T) { return T.Anchor != Anchor; });
  return All;
}

TEST(Remap, AnUnchangedFunctionMapsToItself) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  for (Function &F : *M) {
    FunctionEdits FE = allOf(F);
    Expected<RemappedEdits> Result = remap(FE, F);
    ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
    EXPECT_EQ(Result->Edits, FE.Edits);
    EXPECT_EQ(Result->Anchors.size(), FE.Anchors.size());
    for (const RemappedAnchor &A : Result->Anchors) {
      EXPECT_EQ(A.From, A.To);
      EXPECT_GE(A.Sureness, RemapThreshold);
      EXPECT_GE(A.Sureness, Result->Sureness);
    }
  }
}

TEST(Remap, AnInsertedInstructionShiftsTheNumbers) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  Function &F = *M->getFunction("straight");
  FunctionEdits FE = allOf(F);
  Instruction *First = &*F.begin()->begin();
  BinaryOperator::CreateOr(F.getArg(0), F.getArg(0), "new",
                           First->getIterator());
  Expected<RemappedEdits> Result = remap(only(FE, "i3"), F);
  ASSERT_TRUE(bool(Result)) << toString(Result.takeError());
  EXPECT_EQ(Result->Anchors[0].From, "i3");
  EXPECT_EQ(Result->Anchors[0].To, "i4");
  EXPECT_EQ(Result->Edits[0].At, "i4");
}

TEST(Remap, ADeletedInstructionIsNoticed) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  Function &F = *M->getFunction("straight");
  FunctionEdits FE = allOf(F);
  for (Instruction &I : make_early_inc_range(*F.begin()))
    if (isa<StoreInst>(I))
      I.eraseFromParent();
  Expected<RemappedEdits> Result = remap(only(FE, "i3"), F);
  ASSERT_FALSE(bool(Result));
  EXPECT_EQ(toString(Result.takeError()), "i3 (store i32) is gone");
}

// Copies of an instruction put around it do not draw its edits to them: the
// rest of the function, of which there is one, holds the alignment.
TEST(Remap, TwinsDoNotMislead) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(R"(
    target triple = "nvptx64-nvidia-cuda"
    declare void @mark()
    define void @f(ptr %p, i32 %n) {
      call void @mark()
      %s = mul i32 %n, %n
      store i32 %n, ptr %p, align 4
      %d = udiv i32 %n, 3
      call void @mark()
      ret void
    }
    define void @g(ptr %p, i32 %n) {
      call void @mark()
      store i32 %n, ptr %p, align 4
      call void @mark()
      %s = mul i32 %n, %n
      store i32 %n, ptr %p, align 4
      %d = udiv i32 %n, 3
      call void @mark()
      store i32 %n, ptr %p, align 4
      call void @mark()
      ret void
    })",
                                          C);
  FunctionEdits FE = only(allOf(*M->getFunction("f")), "i2");
  Expected<RemappedEdits> Same = remap(FE, *M->getFunction("f"));
  ASSERT_TRUE(bool(Same)) << toString(Same.takeError());
  EXPECT_EQ(Same->Anchors[0].To, "i2");
  EXPECT_EQ(Same->Sureness, 100u);
  Expected<RemappedEdits> Twins = remap(FE, *M->getFunction("g"));
  ASSERT_TRUE(bool(Twins)) << toString(Twins.takeError());
  EXPECT_EQ(Twins->Anchors[0].To, "i4");
}

TEST(Remap, AnAnchorWithoutATraceIsRefused) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  Function &F = *M->getFunction("straight");
  FunctionEdits FE = allOf(F);
  FE.Anchors.pop_back();
  Expected<RemappedEdits> Result = remap(FE, F);
  ASSERT_FALSE(bool(Result));
  EXPECT_EQ(toString(Result.takeError()), "the edit set keeps no trace of i5");
}
