//===- KernelTextTest.cpp - One kernel of a text --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is cut out with all that it uses and nothing else, its lines are
// known by their numbers in the whole, and what does not cut stays whole.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/KernelText.h"
#include "runtime/gpu/ptx/Parser.h"
#include <gtest/gtest.h>

using namespace gevo::gpu::ptx;

namespace {

const std::string Head = ".version 7.0\n.target sm_70 // any\n"
                         ".address_size 64\n";

std::string entry(const std::string &Name, const std::string &Body) {
  return "\t// .globl " + Name + "\n.visible .entry " + Name +
         "(\n.param .u64 p\n)\n.maxntid 32, 1, 1\n{\n" + Body + "ret;\n}\n";
}

bool has(const KernelText &T, const std::string &Word) {
  return T.Text.find(Word) != std::string::npos;
}

/// The line \p Number, from 1, of \p Text.
std::string line(const std::string &Text, size_t Number) {
  size_t At = 0;
  while (--Number)
    At = Text.find('\n', At) + 1;
  return Text.substr(At, Text.find('\n', At) - At);
}

TEST(KernelText, OtherKernelsDoNotCount) {
  std::string Kernel = entry("k", "membar.gl;\n");
  std::string A = Head + entry("a", "") + Kernel + entry("z", "");
  std::string B = Head + entry("a", "bar.sync 0;\nbar.sync 0;\n") + Kernel;
  KernelText Cut = kernelText(A, "k");
  EXPECT_EQ(Cut.Text, kernelText(B, "k").Text);
  EXPECT_FALSE(has(Cut, "globl"));
  EXPECT_FALSE(has(Cut, "entry a"));
  EXPECT_TRUE(parseModule(Cut.Text));
  EXPECT_NE(Cut.Text, kernelText(A, "a").Text);
}

TEST(KernelText, LinesAreThoseOfTheWhole) {
  std::string Text = Head + entry("a", "bar.sync 0;\n") +
                     ".global .u32 g; .global .u32 h;\n" +
                     entry("k", "ld.global.u32 %r1, [h];\n");
  KernelText Cut = kernelText(Text, "k");
  unsigned Lines = 0;
  for (char C : Cut.Text)
    Lines += C == '\n';
  for (unsigned L = 1; L <= Lines; ++L) {
    std::string Whole = line(Text, Cut.lineInModule(L));
    EXPECT_NE(Whole.find(line(Cut.Text, L)), std::string::npos) << L;
  }
  EXPECT_TRUE(has(Cut, ".u32 h"));
  EXPECT_FALSE(has(Cut, ".u32 g"));
  EXPECT_EQ(Cut.lineInModule(Lines + 1), 0u);
  EXPECT_EQ(Cut.lineInModule(0), 0u);
}

TEST(KernelText, WhatIsUsedComesAlongHoweverFarItIs) {
  std::string Call = "call (r), leaf, (p);\n";
  std::string Text =
      Head +
      ".func (.param .b32 out) leaf(.param .b32 in);\n"
      ".extern .func other(.param .b32 in);\n"
      ".const .align 4 .b8 table[8] = {1, 2, 3, 4}, spare[4];\n"
      ".global .u64 pointer = generic(table);\n"
      ".global .align 8 .u64 both[2] = {k, unused}, after = far;\n"
      ".global .u64 far;\n.global .u64 unused;\n"
      ".func (.param .b32 out) leaf(.param .b32 in) {\n"
      "ld.global.u64 %rd1, [pointer];\nret; }\n"
      ".func apart() { ret; }\n" +
      entry("k", Call) + entry("b", "ld [spare];\n");
  KernelText K = kernelText(Text, "k");
  EXPECT_TRUE(has(K, "in);"));
  EXPECT_TRUE(has(K, "leaf(.param .b32 in) {"));
  EXPECT_TRUE(has(K, "pointer ="));
  EXPECT_TRUE(has(K, "table[8]"));
  for (const char *Not :
       {"other", "apart", "unused", "far", "alias", "entry q"})
    EXPECT_FALSE(has(K, Not)) << Not;
  EXPECT_TRUE(has(kernelText(Text, "b"), "table[8]"));
  EXPECT_FALSE(has(kernelText(Text, "b"), "leaf"));
  std::string After = Text + entry("q", "ld [after];\n");
  EXPECT_TRUE(has(kernelText(After, "q"), ".u64 far"));
  EXPECT_TRUE(has(kernelText(After, "q"), ".u64 unused"));
  std::string Alias = Head + ".func f() { ret; }\n.alias same, f;\n" +
                      entry("a", "") + entry("k", "call same;\n");
  EXPECT_TRUE(has(kernelText(Alias, "k"), ".alias same, f;"));
  EXPECT_TRUE(has(kernelText(Alias, "k"), ".func f"));
  EXPECT_FALSE(has(kernelText(Alias, "k"), "entry a"));
}

// Where constants stand in their bank is part of the code.
TEST(KernelText, ConstantsComeTogether) {
  std::string Text =
      Head + ".const .align 4 .b8 pad[400];\n" +
      entry("a", "ld.const.u32 %r1, [pad];\n") +
      ".visible .const .align 4 .b8 used[4];\n" + ".global .u32 other;\n" +
      entry("k", "ld.const.u32 %r1, [used];\n") + entry("none", "");
  EXPECT_TRUE(has(kernelText(Text, "k"), "pad[400]"));
  EXPECT_FALSE(has(kernelText(Text, "k"), "other"));
  EXPECT_FALSE(has(kernelText(Text, "k"), "entry a"));
  EXPECT_FALSE(has(kernelText(Text, "none"), "pad[400]"));
}

TEST(KernelText, PragmasBeforeABodyAreNoEnd) {
  std::string Text = Head + entry("a", "") +
                     ".visible .entry k(.param .u64 p)\n"
                     ".pragma \"nounroll\";\n{\nmembar.gl;\nret;\n}\n";
  KernelText Cut = kernelText(Text, "k");
  EXPECT_TRUE(has(Cut, "membar.gl;\nret;\n}"));
  EXPECT_FALSE(has(Cut, "entry a"));
}

TEST(KernelText, WhatDoesNotCutStaysWhole) {
  std::string Other = entry("a", "");
  auto Whole = [](const std::string &Text) {
    KernelText Cut = kernelText(Text, "k");
    return Cut.Text == Text && Cut.lineInModule(7) == 7;
  };
  // Any function may be behind a pointer.
  EXPECT_TRUE(Whole(Head + Other +
                    entry("k", "p0: .callprototype (.param .b32 _) _ ();\n"
                               "call (r), %rd1, (x), p0;\n")));
  EXPECT_TRUE(Whole(Head + Other +
                    ".func f() { p0: .callprototype _ (); ret; }\n" +
                    entry("k", "call f;\n")));
  // A function that others call, or that pointers are of.
  std::string F = ".func f() { ret; }\n", Calls = entry("k", "call f;\n");
  EXPECT_FALSE(Whole(Head + Other + F + Calls));
  EXPECT_TRUE(Whole(Head + Other + F + entry("z", "call f;\n") + Calls));
  EXPECT_TRUE(Whole(Head + F + Calls + ".global .u64 table = f;\n"));
  // Of another kernel that is none of its business.
  EXPECT_FALSE(
      Whole(Head + entry("a", "p0: .callprototype _ ();\n") + entry("k", "")));
  // Debug information is about all functions; an empty section is not.
  EXPECT_TRUE(Whole(Head + Other + entry("k", "") +
                    ".section .debug_info { .b32 a; }\n"));
  KernelText Cut = kernelText(Head + Other + entry("k", "") +
                                  ".section .debug_loc { }\n.file 1 \"x.cu\"\n",
                              "k");
  EXPECT_TRUE(has(Cut, "{ }\n.file 1 \"x.cu\"\n"));
  EXPECT_FALSE(has(Cut, "entry a"));
  // No such kernel, or no PTX.
  EXPECT_TRUE(Whole(Head + Other));
  EXPECT_TRUE(Whole(Head + ".func k() { ret; }\n"));
  EXPECT_TRUE(Whole(Head + entry("k", "") + ".file 2 \"x\n"));
  EXPECT_TRUE(Whole(""));
}

} // namespace
