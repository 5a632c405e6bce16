//===- ScreenTest.cpp - What code tells before it is lowered --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is certain is refused, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Screen.h"
#include "passes/ir/Lower.h"
#include "search/ir/IrProgram.h"
#include "test/unit/ir/Modules.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static const char Head[] = R"(
@tile = internal addrspace(3) global [64 x i32] undef, align 4
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.exit()
declare void @other(ptr)
define void @original(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
define void @f(ptr %p, i32 %n) {
)";

// The verdict on a kernel with this body.
static std::string verdict(const std::string &Body) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule((Head + Body + "\n}").c_str(), C);
  return hopeless(*M->getFunction("f"), *M->getFunction("original"));
}

TEST(Screen, KernelsThatWriteNothing) {
  EXPECT_EQ(verdict("ret void"), "it writes nothing");
  EXPECT_EQ(verdict(R"(%own = alloca i32
    store i32 %n, ptr %own
    %cell = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %n
    store i32 %n, ptr %cell
    call void @llvm.nvvm.barrier0()
    fence seq_cst
    %v = load volatile i32, ptr %p
    ret void)"),
            "it writes nothing");
  EXPECT_EQ(verdict("store i32 1, ptr %p\nret void"), "");
  EXPECT_EQ(verdict("%x = atomicrmw add ptr %p, i32 1 monotonic\nret void"),
            "");
  EXPECT_EQ(verdict("call void @other(ptr %p)\nret void"), "");
  EXPECT_EQ(verdict("call void asm sideeffect \"nop;\", \"\"()\nret void"), "");
}

TEST(Screen, KernelsThatNeverEnd) {
  EXPECT_EQ(verdict("br label %b\nb:\nstore i32 1, ptr %p\nbr label %b"),
            "it never ends");
  EXPECT_EQ(verdict("br label %b\nb:\nstore i32 1, ptr %p\n"
                    "call void @llvm.nvvm.exit()\nbr label %b"),
            "");
  EXPECT_EQ(verdict("br label %b\nb:\ncall void @other(ptr %p)\nbr label %b"),
            "");
}

TEST(Screen, KernelsThatStartAtNull) {
  std::string Store = "store i32 1, ptr %p\nret void";
  EXPECT_EQ(verdict("%v = load volatile i32, ptr null\n" + Store),
            "every thread accesses address 0");
  // Address 0 of shared memory is as good as any.
  EXPECT_EQ(verdict("%v = load volatile i32, ptr addrspace(3) null\n" + Store),
            "");
  EXPECT_EQ(verdict("%c = icmp eq i32 %n, 0\nbr i1 %c, label %a, label %b\na:\n"
                    "%v = load volatile i32, ptr null\nbr label %b\nb:\n" +
                    Store),
            "");
}

static std::unique_ptr<IrProgram> loops() {
  initializeNVPTX();
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  return cantFail(IrProgram::create({recordModule(*M, CompileOptions())},
                                    [](StringRef) { return true; }));
}

static Stage endWithout(IrProgram &P, const std::string &Anchor) {
  return P.build({cantFail(parsePlacedEdit("0 delete at=" + Anchor))})
      .Failure.End;
}

TEST(Screen, OnlyKernelsThatAreJudgedByWhatTheyWrite) {
  std::unique_ptr<IrProgram> P = loops();
  // The only store of "loop".
  EXPECT_EQ(endWithout(*P, "i13"), Stage::Done);
  P->setJudged({"straight"});
  EXPECT_EQ(endWithout(*P, "i13"), Stage::Done);
  P->setJudged({"loop"});
  EXPECT_EQ(endWithout(*P, "i13"), Stage::Screen);
  EXPECT_EQ(P->clone()->build({}).Failure.End, Stage::Done);
}

TEST(IrProgram, EqualModulesAreLoweredOnce) {
  std::unique_ptr<IrProgram> P = loops();
  // Copies whose values nobody needs.
  auto Hash = [&](const char *Key) {
    return P->build({cantFail(parsePlacedEdit(Key))}).Code.hash();
  };
  std::string One = Hash("0 copy at=i4 before=i8 as=c1");
  EXPECT_EQ(Hash("0 copy at=i6 before=i8 as=c1"), One);
  EXPECT_EQ(P->lowerings(), 1u);
  EXPECT_NE(Hash("0 delete at=i13"), One);
  EXPECT_EQ(P->lowerings(), 2u);
}
