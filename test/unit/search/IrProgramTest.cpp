//===- IrProgramTest.cpp - Device modules as a program to evolve ----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That what the search builds is what replay makes of the edit-set file, that
// proposals are repeatable, and that tagged code leads back to instructions.
//
//===----------------------------------------------------------------------===//

#include "search/ir/IrProgram.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Replay.h"
#include "test/unit/ir/Modules.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static std::unique_ptr<IrProgram> programOf(ArrayRef<const char *> Texts) {
  static bool Once = (initializeNVPTX(), true);
  (void)Once;
  LLVMContext C;
  std::vector<RecordedModule> Records;
  for (const char *Text : Texts)
    Records.push_back(recordModule(*parseModule(Text, C), CompileOptions()));
  return cantFail(
      IrProgram::create(std::move(Records), [](StringRef) { return true; }));
}

// The PTX that a compiler makes of the recorded module and the file.
static std::string replayed(const char *Text, const EditSet &Set) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  CompileOptions Options = recordModule(*M, CompileOptions()).Options;
  ReplayReport Report = replay(*M, Set, {});
  for (const FunctionReplay &R : Report.Functions)
    EXPECT_EQ(R.Status, ReplayStatus::Applied) << R.Why.Reason;
  return cantFail(lowerToPTX(*M, Options));
}

TEST(IrProgram, BuildsWhatReplayMakesOfTheFile) {
  for (const char *Text : allModules()) {
    std::unique_ptr<IrProgram> P = programOf(Text);
    unsigned Compared = 0, Failed = 0;
    for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
      Random Dice(Seed);
      EditList Edits;
      for (unsigned Count = 1 + Dice.below(4); Count; --Count)
        if (auto E = P->propose(Edits, Proposal(), Dice))
          Edits.push_back(*E);
      Built B = P->build(Edits);
      if (!B.ok()) {
        ++Failed;
        continue;
      }
      EditSet Set = P->describeSet(Edits, {});
      ASSERT_EQ(B.Code.Modules.size(), 1u);
      EXPECT_EQ(B.Code.Modules[0], replayed(Text, Set)) << keyOf(Edits);
      ++Compared;
    }
    EXPECT_GT(Compared, 20u);
    EXPECT_LT(Failed, 20u);
  }
}

TEST(IrProgram, ProposalsAreRepeatableAndLeaveTheProgramAlone) {
  std::unique_ptr<IrProgram> P = programOf(LoopModule);
  std::unique_ptr<Program> Copy = P->clone();
  EXPECT_EQ(P->identity(), Copy->identity());
  std::string Before = P->build({}).Code.hash();
  for (uint64_t Seed = 1; Seed <= 30; ++Seed) {
    Random A(Seed), B(Seed);
    auto X = P->propose({}, Proposal(), A),
         Y = Copy->propose({}, Proposal(), B);
    ASSERT_EQ(X.has_value(), Y.has_value());
    if (!X)
      continue;
    EXPECT_EQ(X->key(), Y->key());
    EXPECT_EQ(P->build({*X}).Code.hash(), Copy->build({*X}).Code.hash());
  }
  EXPECT_EQ(P->build({}).Code.hash(), Before);
  EXPECT_NE(P->identity(), programOf(SharedModule)->identity());
}

// A program draws edit after edit on the same copies of its functions.
TEST(IrProgram, ProposalsDoNotDependOnEarlierOnes) {
  unsigned Compared = 0;
  for (const char *Text : allModules()) {
    std::unique_ptr<IrProgram> P = programOf(Text);
    for (uint64_t Seed = 1; Seed <= 60; ++Seed) {
      std::unique_ptr<Program> New = P->clone();
      Random A(Seed), B(Seed);
      EditList Edits;
      for (unsigned Count = 0; Count < 6; ++Count) {
        auto X = P->propose(Edits, Proposal(), A),
             Y = New->propose(Edits, Proposal(), B);
        ASSERT_EQ(X, Y) << "seed " << Seed;
        if (!X)
          continue;
        Edits.push_back(*X);
        New = P->clone();
        ++Compared;
      }
      // What does not apply leaves the copy half changed.
      if (!Edits.empty()) {
        PlacedEdit Bad = cantFail(parsePlacedEdit("0 delete at=i999"));
        Bad.Function = Edits[0].Function;
        P->propose({Edits[0], Bad}, Proposal(), A);
      }
    }
  }
  EXPECT_GT(Compared, 500u);
}

// As in replay: what has the same name and code is one function, wherever it
// stands, and what has only the same name is another.
TEST(IrProgram, FunctionsAreToldByNameAndCode) {
  std::string Other = LoopModule;
  size_t At = Other.find("xor i32 %m, 255");
  ASSERT_NE(At, Other.npos);
  Other.replace(At, 15, "xor i32 %m, 127");
  std::unique_ptr<IrProgram> P = programOf({LoopModule, Other.c_str()});
  ASSERT_EQ(P->functionCount(), 3u);
  EXPECT_EQ(P->functionName(0), "loop");
  EXPECT_EQ(P->functionName(1), "straight");
  EXPECT_EQ(P->functionName(2), "straight");
  EXPECT_EQ(P->namesakes(), std::set<std::string>{"straight"});

  Payload Before = P->build({}).Code;
  auto ChangedBy = [&](const char *Key) {
    EditList Edits = {cantFail(parsePlacedEdit(Key))};
    Built B = P->build(Edits);
    EXPECT_TRUE(B.ok()) << B.Failure.Reason;
    EXPECT_EQ(P->describeSet(Edits, {}).Architectures[0].Functions.size(), 1u);
    return std::pair(B.Code.Modules[0] != Before.Modules[0],
                     B.Code.Modules[1] != Before.Modules[1]);
  };
  EXPECT_EQ(ChangedBy("0 delete at=i13"), std::pair(true, true));
  EXPECT_EQ(ChangedBy("1 delete at=i3"), std::pair(true, false));
  EXPECT_EQ(ChangedBy("2 delete at=i3"), std::pair(false, true));

  // What one module comes to is reached.
  P->setReached({"000000", "111111"});
  std::set<unsigned> Editable;
  for (const Place &Here : P->places())
    Editable.insert(Here.Function);
  EXPECT_EQ(Editable, (std::set<unsigned>{0, 2}));
}

TEST(IrProgram, EditsThatDoNotApplyFailAtTheirStage) {
  std::unique_ptr<IrProgram> P = programOf(LoopModule);
  PlacedEdit E;
  E.Change.At = "i9999";
  Built B = P->build({E});
  EXPECT_EQ(B.Failure.End, Stage::Apply);
  EXPECT_EQ(P->cleanUp({E}).End, Stage::Apply);
  EXPECT_TRUE(P->cleanUp({}).valid());
  EXPECT_FALSE(B.Failure.Reason.empty());
}

TEST(IrProgram, ProposesWhereItIsTold) {
  std::unique_ptr<IrProgram> P = programOf(LoopModule);
  unsigned Drawn = 0;
  for (const Place &At : P->places())
    for (const PlaceKind &K : At.Kinds) {
      Random Dice(At.Number);
      Proposal What;
      What.Kind = K.Kind;
      What.At = &At;
      if (auto E = P->propose({}, What, Dice)) {
        ++Drawn;
        EXPECT_EQ(E->Change.Kind, K.Kind);
        EXPECT_EQ(E->Function, At.Function);
        EXPECT_EQ(E->Change.At, "i" + std::to_string(At.Number));
      }
    }
  EXPECT_GT(Drawn, 10u);
}

TEST(IrProgram, TargetsAreNoBranchesPhisOrReturns) {
  for (const char *Text : allModules()) {
    std::unique_ptr<IrProgram> P = programOf(Text);
    unsigned Others = 0, Drawn = 0;
    for (bool Only : {false, true})
      for (uint64_t Seed = 1; Seed <= 200; ++Seed) {
        Random Dice(Seed);
        Proposal What;
        What.Kind = EditKind::Operand;
        What.OnlyTargets = Only;
        auto E = P->propose({}, What, Dice);
        if (!E)
          continue;
        // What the edit set tells of it.
        StringRef Shape = E->Change.Note;
        bool Other = Shape.starts_with("br") || Shape.starts_with("phi") ||
                     Shape.starts_with("ret") || Shape.starts_with("switch");
        if (!Only)
          Others += Other;
        else if (++Drawn)
          EXPECT_FALSE(Other) << E->key();
      }
    EXPECT_GT(Others, 0u);
    EXPECT_GT(Drawn, 50u);
  }
}

// One copy serves many draws: what it was used for before makes no difference,
// and edits that are not applied when they are drawn do apply.
TEST(IrProgram, DrawsDoNotDependOnEarlierOnes) {
  unsigned Plain = 0;
  for (const char *Text : allModules()) {
    std::unique_ptr<IrProgram> P = programOf(Text);
    std::vector<Place> Places = P->places();
    Proposal What;
    for (const Place &At : Places)
      for (const PlaceKind &K : At.Kinds)
        for (uint64_t Seed = 1; Seed <= 3; ++Seed) {
          What.Kind = K.Kind;
          What.At = &At;
          What.Plain = false;
          Random A(Seed), B(Seed), C(Seed);
          auto Again = P->propose({}, What, A),
               Fresh = P->clone()->propose({}, What, B);
          ASSERT_EQ(Again.has_value(), Fresh.has_value());
          What.Plain = true;
          auto Alike = P->propose({}, What, C);
          if (!Again)
            continue;
          EXPECT_EQ(Again->key(), Fresh->key());
          EXPECT_EQ(A.next(), B.next());
          ASSERT_EQ(Alike.has_value(),
                    Again->Change.Uses.empty() && Again->Change.Value.empty());
          if (!Alike)
            continue;
          ++Plain;
          EXPECT_EQ(Alike->key(), Again->key());
          EXPECT_NE(P->build({*Alike}).Failure.End, Stage::Apply);
        }
  }
  EXPECT_GT(Plain, 30u);
}

TEST(IrProgram, HotPlacesComeFirst) {
  std::unique_ptr<IrProgram> P = programOf(LoopModule);
  std::vector<Place> Cold = P->places();
  HeatMap Heat(P->functionCount());
  Heat[Cold.back().Function].resize(Cold.back().Number + 1);
  Heat[Cold.back().Function][Cold.back().Number] = 100;
  P->setHeat(Heat);
  EXPECT_EQ(P->places().front().Number, Cold.back().Number);
  EXPECT_EQ(P->places().front().Function, Cold.back().Function);
  EXPECT_EQ(P->places().front().Heat, 100u);
}

// What a pointer's restriction may save is all that goes through it.
TEST(IrProgram, RestrictionsPromiseAllAccesses) {
  const char *Text = R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %in, ptr %out) {
  %a = load float, ptr %in
  store float %a, ptr %out
  %there = getelementptr float, ptr %in, i64 1
  %b = load float, ptr %there
  store float %b, ptr %out
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
)";
  std::unique_ptr<IrProgram> P = programOf(Text);
  // i0 and i3 load, i1 and i4 store.
  P->setHeat({{1000, 10, 0, 100, 20, 0}});
  std::map<unsigned, uint64_t> Freed;
  uint64_t Around = 0;
  for (const Place &At : P->places())
    for (const PlaceKind &K : At.Kinds)
      if (K.Kind == EditKind::Restrict) {
        Freed[At.Number] = K.Freed;
        Around = At.Around;
      }
  EXPECT_EQ(Freed, (std::map<unsigned, uint64_t>{{0, 1100 + 2 * Around},
                                                 {4, 30 + 2 * Around}}));
}

// Debug locations apart, tagged code is the original's.
static std::string withoutLocations(StringRef PTX) {
  std::string Rest;
  SmallVector<StringRef, 0> Lines;
  PTX.split(Lines, '\n');
  for (StringRef Line : Lines) {
    StringRef Text = Line.trim();
    if (!Text.starts_with(".loc") && !Text.starts_with(".file") &&
        !Text.starts_with("$L__func") && !Text.starts_with("$L__tmp") &&
        !Text.starts_with(".target") && !Text.empty() &&
        !Text.starts_with(".section") && Text != "{" && Text != "}" &&
        !Text.starts_with("//"))
      Rest += Text.split("//").first.trim().str() + "\n";
  }
  return Rest;
}

// clang leaves such code at -O0, as after a return that a label follows.
TEST(IrProgram, WhatNothingLeadsToIsNoPlace) {
  std::unique_ptr<IrProgram> P =
      programOf(R"(target triple = "nvptx64-nvidia-cuda"
    define void @k(ptr %p, i32 %n) {
      store i32 1, ptr %p
      ret void
    again:
      %more = icmp sgt i32 %n, 3
      br i1 %more, label %then, label %again
    then:
      %old = load i32, ptr %p
      %new = sdiv i32 %old, %n
      store i32 %new, ptr %p
      br label %again
    }
    !nvvm.annotations = !{!0}
    !0 = !{ptr @k, !"kernel", i32 1})");
  P->setHeat({{5, 5, 5, 5, 5, 5, 5, 5}});
  for (const Place &At : P->places())
    EXPECT_LT(At.Number, 2u);
  EXPECT_TRUE(P->buildWatched(10).ok());
  EXPECT_TRUE(P->buildTagged().ok());
}

TEST(IrProgram, TaggedCodeIsTheSameCode) {
  for (const char *Text : allModules()) {
    std::unique_ptr<IrProgram> P = programOf(Text);
    std::string Plain = P->build({}).Code.Modules[0];
    std::string Tagged = P->buildTagged().Code.Modules[0];
    EXPECT_NE(Tagged.find(".loc"), std::string::npos);
    EXPECT_EQ(withoutLocations(Tagged), withoutLocations(Plain));
  }
  EXPECT_EQ(IrProgram::anchorOf("./gevo-function-3", 8), std::pair(3u, 7u));
  EXPECT_EQ(IrProgram::anchorOf("kernel.cu", 8), std::nullopt);
}
