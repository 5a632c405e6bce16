//===- CoverageTest.cpp - Every form has a row, and the manual is true ----===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opcodes.def says which forms of instructions exist. Each of them must be run
// by a row of the differential tests, so an opcode, a type or a rounding that
// is added without a test fails here. Loads, stores and atomics have too many
// forms for that: there, each two words that go together must be run together.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Opcode.h"
#include "test/unit/isa/Tables.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::isa;

namespace {
/// Opcodes whose effect is not a value of a lane, and who tests them.
const std::map<std::string, std::string> Elsewhere = {
    {"bar", "CheckTest, DivergenceTest"},
    {"barrier", "CheckTest, DivergenceTest"},
    {"bra", "DivergenceTest"},
    {"brx", "DivergenceTest"},
    {"call", "DivergenceTest and the kernels of test/gpu"},
    {"ret", "DivergenceTest"},
    {"exit", "DivergenceTest"},
    {"trap", "CheckTest"},
    {"brkpt", "CheckTest"},
    {"cp.async", "AsyncTest"},
    {"cp.async.commit_group", "AsyncTest"},
    {"cp.async.wait_group", "AsyncTest"},
    {"cp.async.wait_all", "AsyncTest"},
    {"cp.async.mbarrier.arrive", "AsyncTest"},
    {"mbarrier.init", "AsyncTest"},
    {"mbarrier.inval", "AsyncTest"},
    {"mbarrier.expect_tx", "AsyncTest"},
    {"mbarrier.complete_tx", "AsyncTest"},
    {"mbarrier.arrive", "AsyncTest"},
    {"mbarrier.arrive_drop", "AsyncTest"},
    {"mbarrier.test_wait", "AsyncTest"},
    {"mbarrier.try_wait", "AsyncTest"},
    {"mbarrier.pending_count", "AsyncTest"},
};
/// Words of loads and stores that no row can use: the parameters of functions
/// and calls, which the kernels of test/gpu have.
const std::set<std::string> WordsElsewhere = {"ld.param::func",
                                              "st.param::func", "st.param"};

/// The words in an order of their own; types keep theirs, as they have roles.
std::string normalised(const Form &F) {
  std::vector<std::string> Words, Types;
  for (size_t K = 1; K < F.Words.size(); ++K)
    (Type::parse(F.Words[K]).K == Type::None ? Words : Types)
        .push_back(F.Words[K]);
  std::sort(Words.begin(), Words.end());
  Words.insert(Words.end(), Types.begin(), Types.end());
  std::string Text = F.opcode();
  for (const std::string &W : Words)
    Text += "." + W;
  return Text;
}

/// All forms that some test runs.
std::vector<Form> executedForms() {
  std::vector<Form> All;
  for (const auto *Table : allTables())
    for (std::vector<Form> &Forms : formsOf(*Table))
      for (Form &F : Forms)
        All.push_back(std::move(F));
  for (const std::string &Pattern : warpPatterns())
    for (Form &F : expand(Pattern))
      All.push_back(std::move(F));
  return All;
}

std::vector<std::string> patternsOf(const ptx::OpcodeInfo &Info) {
  std::vector<std::string> Patterns;
  std::istringstream In{std::string(Info.FormText)};
  for (std::string P; In >> P;)
    Patterns.push_back(P);
  if (Patterns.empty())
    Patterns.push_back("");
  return Patterns;
}

bool inPairs(const ptx::OpcodeInfo &Info) {
  return Info.Text == "ld" || Info.Text == "st" || Info.Text == "atom" ||
         Info.Text == "red";
}

TEST(IsaCoverageTest, EveryFormHasARow) {
  std::set<std::string> Executed;
  for (const Form &F : executedForms())
    Executed.insert(normalised(F));
  for (unsigned K = 0; K < ptx::NumOpcodes; ++K) {
    const ptx::OpcodeInfo &Info = ptx::opcodeInfo(ptx::Opcode(K));
    std::string Name(Info.Text);
    if (inPairs(Info) || Elsewhere.count(Name))
      continue;
    for (const std::string &P : patternsOf(Info))
      for (const Form &F : expand(Name + P))
        EXPECT_TRUE(Executed.count(normalised(F))) << F.Text << " has no row";
  }
}

TEST(IsaCoverageTest, EveryPairOfWordsHasARow) {
  std::map<std::string, std::set<std::pair<std::string, std::string>>> Pairs;
  for (const Form &F : executedForms())
    for (const std::string &A : F.Words)
      for (const std::string &B : F.Words)
        Pairs[F.opcode()].insert({A, B});
  for (unsigned K = 0; K < ptx::NumOpcodes; ++K) {
    const ptx::OpcodeInfo &Info = ptx::opcodeInfo(ptx::Opcode(K));
    if (!inPairs(Info))
      continue;
    const auto &Run = Pairs[std::string(Info.Text)];
    for (const ptx::FormPattern &P : Info.Forms)
      for (size_t G = 0; G < P.Groups.size(); ++G)
        for (size_t H = G; H < P.Groups.size(); ++H)
          for (const auto &A : P.Groups[G])
            for (const auto &B : P.Groups[H])
              for (ptx::Mod X : A)
                for (ptx::Mod Y : B) {
                  std::string S(ptx::modText(X)), T(ptx::modText(Y));
                  // Of one group, only what one alternative has together.
                  std::string Op = std::string(Info.Text) + ".";
                  if ((G == H && &A != &B) || WordsElsewhere.count(Op + S) ||
                      WordsElsewhere.count(Op + T))
                    continue;
                  EXPECT_TRUE(Run.count({S, T}))
                      << Info.Text << " with ." << S << " and ." << T
                      << " has no row";
                }
  }
}

TEST(IsaCoverageTest, ExceptionsAreNeeded) {
  std::set<std::string> Opcodes;
  for (unsigned K = 0; K < ptx::NumOpcodes; ++K)
    Opcodes.insert(std::string(ptx::opcodeInfo(ptx::Opcode(K)).Text));
  for (const auto &[Name, Where] : Elsewhere)
    EXPECT_TRUE(Opcodes.count(Name)) << Name;
  for (const Form &F : executedForms())
    EXPECT_FALSE(Elsewhere.count(F.opcode())) << F.Text;
}

/// docs/reference/ptx.md lists each opcode with its forms, as Opcodes.def has
/// them.
TEST(IsaCoverageTest, TheManualListsWhatThereIs) {
  std::ifstream In(GEVO_SOURCE_ROOT "/docs/reference/ptx.md");
  ASSERT_TRUE(In);
  std::set<std::string> Listed, Wanted;
  for (std::string Line; std::getline(In, Line);)
    if (Line.rfind("    ", 0) == 0)
      Listed.insert(Line.substr(4));
  for (unsigned K = 0; K < ptx::NumOpcodes; ++K) {
    const ptx::OpcodeInfo &Info = ptx::opcodeInfo(ptx::Opcode(K));
    for (const std::string &P : patternsOf(Info))
      Wanted.insert(std::string(Info.Text) + P);
  }
  for (const std::string &W : Wanted)
    EXPECT_TRUE(Listed.count(W)) << "docs/reference/ptx.md lacks: " << W;
  for (const std::string &L : Listed)
    EXPECT_TRUE(Wanted.count(L)) << "docs/reference/ptx.md has: " << L;
}
} // namespace
