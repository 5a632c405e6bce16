//===- LoweringKeyTest.cpp - What tells modules apart before lowering -----===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That modules with equal keys lower to equal code, over random edit sets, and
// that whatever may decide how a module is lowered shows in its key.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/LoweringKey.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Mutate.h"
#include "passes/ir/Replay.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "gtest/gtest.h"
#include <map>

using namespace gevo;
using namespace llvm;

namespace {

/// A variant, and those of its functions that were edited.
struct Edited {
  std::unique_ptr<Module> M;
  std::vector<const Function *> Changed;
};

} // namespace

static Edited applied(const Module &M, const EditSet &Set,
                      CleanUpPasses &Passes) {
  Edited Result{CloneModule(M), {}};
  std::vector<FunctionTask> Tasks;
  for (const ArchitectureEdits &A : Set.Architectures)
    for (const FunctionEdits &F : A.Functions)
      Tasks.push_back({Result.M->getFunction(F.Name), F.Edits});
  if (replayOnCopy(*Result.M, Tasks, Passes))
    return {};
  for (const ArchitectureEdits &A : Set.Architectures)
    for (const FunctionEdits &F : A.Functions)
      if (const Function *Left = Result.M->getFunction(F.Name))
        Result.Changed.push_back(Left);
  return Result;
}

TEST(LoweringKey, EqualKeysMeanEqualCode) {
  initializeNVPTX();
  LLVMContext C;
  for (const char *Text : allModules()) {
    std::unique_ptr<Module> M = parseModule(Text, C);
    Lowering Generator{{}};
    CleanUpPasses Passes;
    std::map<LoweringKey, std::string> Known;
    std::map<std::string, LoweringKey> Codes;
    unsigned Equal = 0;
    for (uint64_t Seed = 1; Seed <= 600; ++Seed) {
      Edited E = applied(*M, drawEdits(*M, {Seed, unsigned(Seed % 4)}), Passes);
      if (!E.M)
        continue;
      LoweringKey Key = loweringKey(*E.M, E.Changed, /*Names=*/false);
      std::string PTX = cantFail(Generator.run(std::move(E.M)));
      auto [It, New] = Known.try_emplace(Key, PTX);
      Equal += !New;
      EXPECT_EQ(It->second, PTX) << "seed " << Seed;
      Codes.try_emplace(PTX, Key);
    }
    // The unedited alone are a quarter.
    EXPECT_GT(Equal, 140u);
    EXPECT_GT(Codes.size(), 100u);
    EXPECT_GE(Known.size(), Codes.size());
  }
}

static constexpr char Everything[] = R"(
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@cell = internal addrspace(3) global [8 x i32] undef, align 4
@table = constant [2 x { i32, ptr }] [{ i32, ptr } { i32 1, ptr @other }, { i32, ptr } { i32 2, ptr null }]
declare i32 @other(i32, ptr)
define i32 @f(i32 %a, ptr noalias %p, <2 x i32> %v, float %x) #0 {
entry:
  %sum = add nsw i32 %a, 7
  %half = lshr exact i32 %sum, 1
  %y = fadd float %x, 1.000000e+00
  %z = fmul reassoc float %y, %x
  %bits = fptoui float %z to i32
  %gep = getelementptr inbounds i32, ptr %p, i32 %half
  %old = load i32, ptr %gep, align 4, !invariant.load !1
  %two = insertelement <2 x i32> %v, i32 %old, i32 1
  %mix = shufflevector <2 x i32> %two, <2 x i32> %v, <2 x i32> <i32 1, i32 2>
  %lane = extractelement <2 x i32> %mix, i32 0
  %rmw = atomicrmw add ptr %p, i32 %lane syncscope("device") monotonic, align 4
  %cas = cmpxchg ptr %p, i32 %a, i32 %rmw seq_cst monotonic, align 4
  %got = extractvalue { i32, i1 } %cas, 0
  fence acquire
  %call = call i32 @other(i32 %got, ptr %p) #1
  %asm = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %far = load i32, ptr addrspace(3) getelementptr inbounds ([8 x i32], ptr addrspace(3) @cell, i32 0, i32 3), align 4
  store volatile i32 %far, ptr %p, align 4
  %slot = alloca i32, align 4
  store i32 %asm, ptr %slot, align 4
  %less = icmp slt i32 %call, %bits
  %pick = select i1 %less, i32 %call, i32 %sum
  %row = getelementptr inbounds { i32, ptr }, ptr @table, i32 %pick
  %entry_of = load i32, ptr %row, align 4, !range !2
  switch i32 %entry_of, label %done [ i32 1, label %one
                                      i32 2, label %done ]
one:
  br label %done, !llvm.loop !3
done:
  %r = phi i32 [ 0, %entry ], [ %pick, %one ], [ 0, %entry ]
  ret i32 %r
}
attributes #0 = { "target-cpu"="sm_70" }
attributes #1 = { convergent }
!nvvm.annotations = !{!0}
!0 = !{ptr @f, !"kernel", i32 1}
!1 = !{}
!2 = !{i32 0, i32 9}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.unroll.count", i32 2}
)";

static LoweringKey keyOfF(const Module &M, bool Names = false) {
  return loweringKey(M, {M.getFunction("f")}, Names);
}

TEST(LoweringKey, WhateverMayDecideTheCodeCounts) {
  LLVMContext C;
  const std::string Text = Everything;
  std::unique_ptr<Module> M = parseModule(Everything, C);
  ASSERT_TRUE(M);
  LoweringKey Key = keyOfF(*M);
  EXPECT_EQ(keyOfF(*CloneModule(*M)), Key);
  EXPECT_EQ(keyOfF(*parseModule(Everything, C)), Key);
  for (auto [From, To] : std::initializer_list<std::pair<StringRef, StringRef>>{
           {"add nsw", "add"},
           {"%a, 7", "%a, 8"},
           {"add nsw i32 %a, 7", "add nsw i32 7, %a"},
           {"lshr exact", "lshr"},
           {"lshr exact", "ashr exact"},
           {"1.000000e+00", "2.000000e+00"},
           {"fmul reassoc", "fmul contract"},
           {"fptoui", "fptosi"},
           {"getelementptr inbounds i32, ptr %p", "getelementptr i32, ptr %p"},
           {"inbounds i32, ptr %p", "inbounds i64, ptr %p"},
           {"align 4, !invariant.load !1", "align 4"},
           {"align 4, !invariant.load !1", "align 8, !invariant.load !1"},
           {"!invariant.load !1", "!nontemporal !5"},
           {"i32 1, i32 2>", "i32 1, i32 3>"},
           {"atomicrmw add", "atomicrmw xor"},
           {"syncscope(\"device\") monotonic", "monotonic"},
           {"syncscope(\"device\") monotonic", "syncscope(\"device\") acquire"},
           {"%rmw seq_cst monotonic", "%rmw seq_cst acquire"},
           {"cmpxchg ptr", "cmpxchg weak ptr"},
           {"%cas, 0\n", "%same, 0\n"},
           {"fence acquire", "fence release"},
           {"fence acquire\n", ""},
           {"@other(i32 %got, ptr %p) #1", "@other(i32 %got, ptr %p)"},
           {"call i32 @other", "tail call i32 @other"},
           {"call i32 @other", "call fastcc i32 @other"},
           {"%laneid", "%warpid"},
           {"i32 0, i32 3), align", "i32 0, i32 2), align"},
           {"inbounds ([8", "([8"},
           {"store volatile", "store"},
           {"alloca i32, align 4", "alloca i32, align 8"},
           {"icmp slt", "icmp ult"},
           {"i1 %less, i32 %call, i32 %sum", "i1 %less, i32 %sum, i32 %call"},
           {"i32 0, i32 9", "i32 0, i32 10"},
           {"i32 1, label %one", "i32 3, label %one"},
           {"label %done, !llvm.loop !3", "label %done"},
           {"unroll.count\", i32 2", "unroll.count\", i32 4"},
           {"!1 = !{}", "!1 = distinct !{}"},
           {"[ 0, %entry ], [ %pick, %one ]", "[ %pick, %one ], [ 0, %entry ]"},
           {"ptr noalias %p", "ptr %p"},
           {"float %x) #0", "float %x) \"more\"=\"1\" #0"},
           {"undef, align 4", "undef, align 16"},
           {"undef, align 4", "zeroinitializer, align 4"},
           {"internal addrspace(3)", "addrspace(3)"},
           {"constant [2", "global [2"},
           {"{ i32 2, ptr null }", "{ i32 3, ptr null }"},
           {"declare i32 @other(", "declare noundef i32 @other("},
           {"!\"kernel\", i32 1", "!\"maxntidx\", i32 64"},
       }) {
    std::string Other = Text;
    if (To == "%same, 0\n")
      Other.insert(Other.find("  fence acquire"),
                   "  %more = extractvalue { i32, i1 } %cas, 1\n");
    else {
      size_t At = Other.find(From.str());
      ASSERT_NE(At, Other.npos) << From.str();
      Other.replace(At, From.size(), To.str());
    }
    Other += "!5 = !{i32 1}\n";
    std::unique_ptr<Module> Changed = parseModule(Other.c_str(), C);
    ASSERT_TRUE(Changed) << From.str();
    EXPECT_NE(keyOfF(*Changed), Key) << From.str() << " -> " << To.str();
  }
}

TEST(LoweringKey, OrderOfUsesCounts) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Everything, C);
  LoweringKey Key = keyOfF(*M);
  Function &F = *M->getFunction("f");
  unsigned Reversed = 0;
  auto Reverse = [&](Value &V) {
    if (!V.hasNUsesOrMore(2))
      return;
    V.reverseUseList();
    EXPECT_NE(keyOfF(*M), Key);
    V.reverseUseList();
    EXPECT_EQ(keyOfF(*M), Key);
    ++Reversed;
  };
  for (Argument &A : F.args())
    Reverse(A);
  for (BasicBlock &BB : F)
    Reverse(BB);
  for (Instruction &I : instructions(F))
    Reverse(I);
  // Used in a table and in the function.
  Reverse(*M->getFunction("other"));
  EXPECT_GT(Reversed, 6u);
}

TEST(LoweringKey, NamesCountOnlyIfTheyAreKept) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Everything, C);
  LoweringKey Without = keyOfF(*M), With = keyOfF(*M, /*Names=*/true);
  M->getFunction("f")->getArg(0)->setName("renamed");
  EXPECT_EQ(keyOfF(*M), Without);
  EXPECT_NE(keyOfF(*M, /*Names=*/true), With);
}

// Of a function that is not changed it counts that it is there, and debug
// locations, which the writer does not know, count as LLVM writes them.
TEST(LoweringKey, OtherFunctionsAndDebugLocationsCount) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(SharedModule, C);
  LoweringKey Key = loweringKey(*M, {M->getFunction("shared")}, false);
  std::unique_ptr<Module> Less = CloneModule(*M);
  Less->getFunction("weight")->deleteBody();
  EXPECT_NE(loweringKey(*Less, {Less->getFunction("shared")}, false), Key);

  auto KeyAt = [&](const char *Line) {
    std::string Text = R"(
define void @f(ptr %p) !dbg !3 {
  store i32 1, ptr %p, align 4, !dbg !4
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "f", file: !1, line: 1, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DILocation(scope: !3, line: )";
    return keyOfF(*parseModule((Text + Line + ")\n").c_str(), C));
  };
  EXPECT_EQ(KeyAt("2"), KeyAt("2"));
  EXPECT_NE(KeyAt("2"), KeyAt("3"));
}
