//===- ReplayTest.cpp - Edits drawn, written, read and replayed -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded properties over modules of different kinds: what is drawn applies to
// IR that verifies and lowers, replays from its file to identical IR, and any
// subset either applies or names the edit that does not, with the function
// untouched.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Replay.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Mutate.h"
#include "passes/ir/StableName.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static std::string print(const EditSet &Set) {
  std::string Text;
  raw_string_ostream OS(Text);
  printEditSet(Set, OS);
  return Text;
}

static void expectAllApplied(const ReplayReport &Report) {
  EXPECT_EQ(Report.applied(), Report.total());
  for (const FunctionReplay &F : Report.Functions)
    EXPECT_EQ(F.Status, ReplayStatus::Applied)
        << F.Edits->Name << ": " << F.Why.Reason;
}

TEST(Replay, WhatIsDrawnReplaysFromItsFileToIdenticalIR) {
  for (const char *Text : allModules()) {
    LLVMContext C;
    std::unique_ptr<Module> M = parseModule(Text, C);
    ASSERT_TRUE(M);
    std::string Original = printModule(*M);
    for (uint64_t Seed = 1; Seed <= 60; ++Seed) {
      EditSet Set = drawEdits(*M, {Seed, unsigned(1 + Seed % 12)});
      ASSERT_EQ(printModule(*M), Original) << "drawing changes nothing";
      std::unique_ptr<Module> First = CloneModule(*M);
      ReplayReport Report = replay(*First, Set, {});
      expectAllApplied(Report);
      ASSERT_FALSE(verifyModule(*First, &errs())) << "seed " << Seed;

      Expected<EditSet> Read = parseEditSet(print(Set), "set.json");
      ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
      std::unique_ptr<Module> Second = CloneModule(*M);
      expectAllApplied(replay(*Second, *Read, {}));
      ASSERT_EQ(printModule(*First), printModule(*Second)) << "seed " << Seed;
    }
  }
}

// A part of the list applies by the same rules, or the refusal names an edit of
// it; then the module is as it was, to the byte.
TEST(Replay, SubsetsApplyOrNameTheEdit) {
  unsigned Applied = 0, Refused = 0;
  for (const char *Text : allModules()) {
    LLVMContext C;
    std::unique_ptr<Module> M = parseModule(Text, C);
    std::string Original = printModule(*M);
    for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
      EditSet Set = drawEdits(*M, {Seed, 10});
      Random Dice(Seed);
      for (FunctionEdits &F : Set.Architectures[0].Functions)
        llvm::erase_if(F.Edits, [&](const Edit &) { return Dice.below(2); });
      std::unique_ptr<Module> Variant = CloneModule(*M);
      ReplayReport Report = replay(*Variant, Set, {});
      ASSERT_FALSE(verifyModule(*Variant, &errs()));
      bool Any = false;
      for (const FunctionReplay &F : Report.Functions) {
        Any |= F.Status == ReplayStatus::Applied;
        if (F.Status == ReplayStatus::Applied) {
          ++Applied;
          continue;
        }
        ++Refused;
        ASSERT_TRUE(F.Why.Edit.has_value()) << F.Why.Reason;
        EXPECT_LT(*F.Why.Edit, F.Edits->Edits.size());
        EXPECT_FALSE(F.Why.Reason.empty());
      }
      if (!Any)
        EXPECT_EQ(printModule(*Variant), Original);
    }
  }
  EXPECT_GT(Applied, 20u);
  EXPECT_GT(Refused, 5u) << "the draws must have edits that need each other";
}

TEST(Replay, VariantsLower) {
  initializeNVPTX();
  for (const char *Text : allModules()) {
    LLVMContext C;
    std::unique_ptr<Module> M = parseModule(Text, C);
    Expected<std::string> Plain = lowerToPTX(*CloneModule(*M), {});
    ASSERT_TRUE(bool(Plain));
    EXPECT_NE(Plain->find(".target sm_70"), std::string::npos);
    for (uint64_t Seed = 1; Seed <= 5; ++Seed) {
      EditSet Set = drawEdits(*M, {Seed, 6});
      std::unique_ptr<Module> Variant = CloneModule(*M);
      replay(*Variant, Set, {});
      std::unique_ptr<Module> Again = CloneModule(*Variant);
      Expected<std::string> PTX = lowerToPTX(*Variant, {});
      ASSERT_TRUE(bool(PTX));
      Expected<std::string> Same = lowerToPTX(*Again, {});
      ASSERT_TRUE(bool(Same));
      EXPECT_EQ(*PTX, *Same);
    }
  }
}

// A code generator that lowers module after module, a thousand variants and
// their originals in turn, writes for each what a new one writes. The addresses
// of functions that were freed must not come back to it.
TEST(Replay, LoweringManyModulesIsLoweringEach) {
  initializeNVPTX();
  LLVMContext C;
  std::vector<std::unique_ptr<Module>> Modules;
  for (const char *Text : allModules())
    Modules.push_back(parseModule(Text, C));
  Lowering Many{{}};
  CleanUpPasses Passes;
  unsigned Compared = 0;
  for (uint64_t Seed = 1; Seed <= 700; ++Seed) {
    Module &M = *Modules[Seed % Modules.size()];
    EditSet Set = drawEdits(M, {Seed, unsigned(Seed % 4)});
    std::unique_ptr<Module> Variant = CloneModule(M);
    std::vector<FunctionTask> Tasks;
    for (const ArchitectureEdits &A : Set.Architectures)
      for (const FunctionEdits &F : A.Functions)
        Tasks.push_back({Variant->getFunction(F.Name), F.Edits});
    if (replayOnCopy(*Variant, Tasks, Passes))
      continue;
    std::unique_ptr<Module> Again = CloneModule(*Variant);
    Expected<std::string> One = lowerToPTX(*Again, {});
    Expected<std::string> Other = Many.run(std::move(Variant));
    ASSERT_TRUE(bool(One) && bool(Other));
    EXPECT_EQ(*One, *Other) << Seed;
    ++Compared;
  }
  EXPECT_GT(Compared, 500u);
}

// The code generator's count of calls goes on over the modules of a process.
TEST(Replay, CallsAreNumberedPerModule) {
  initializeNVPTX();
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(MixedModule, C);
  for (unsigned Time = 0; Time < 2; ++Time) {
    Expected<std::string> PTX = lowerToPTX(*CloneModule(*M), {});
    ASSERT_TRUE(bool(PTX));
    for (const char *Text :
         {"// callseq 0, 0", "} // callseq 1", "prototype_0 : .callprototype",
          ", prototype_0;", ", prototype_1;"})
      EXPECT_NE(PTX->find(Text), std::string::npos) << Text;
    EXPECT_EQ(PTX->find("callseq 2"), std::string::npos);
  }
}

TEST(Replay, LoweringNeedsACodeGenerator) {
  LLVMContext C;
  Module M("m", C);
  M.setTargetTriple("pdp11-dec-unix");
  Expected<std::string> PTX = lowerToPTX(M, {});
  ASSERT_FALSE(bool(PTX));
  EXPECT_EQ(toString(PTX.takeError()),
            "this LLVM has no code generator for pdp11-dec-unix");
}

TEST(Replay, OnApplyIsCalledForEachEditOfAppliedFunctions) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  EditSet Set = drawEdits(*M, {5, 8});
  size_t Calls = 0;
  ReplayOptions Options;
  Options.OnApply = [&](Function &F, const FunctionEdits &FE, size_t Index,
                        const Instruction &I) {
    EXPECT_EQ(F.getName(), FE.Name);
    EXPECT_LT(Index, FE.Edits.size());
    EXPECT_EQ(I.getFunction(), &F);
    ++Calls;
  };
  ReplayReport Report = replay(*M, Set, Options);
  EXPECT_EQ(Calls, Report.applied());
  EXPECT_EQ(Report.total(), Set.Architectures[0].editCount());
}

TEST(Replay, DrawingMoreThanThereIsEnds) {
  LLVMContext C;
  std::unique_ptr<Module> M =
      parseModule("target triple = \"nvptx64-nvidia-cuda\"\n"
                  "define void @f() \"target-cpu\"=\"sm_70\" { ret void }",
                  C);
  EditSet Set = drawEdits(*M, {1, 1000});
  EXPECT_EQ(Set.Architectures.size(), 1u);
  EXPECT_EQ(Set.Architectures[0].editCount(), 0u);
}

TEST(Replay, EveryKindIsDrawn) {
  std::vector<unsigned> Count(editKinds().size());
  for (const char *Text : allModules()) {
    LLVMContext C;
    std::unique_ptr<Module> M = parseModule(Text, C);
    for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
      EditSet Set = drawEdits(*M, {Seed, 8});
      for (const FunctionEdits &F : Set.Architectures[0].Functions)
        for (const Edit &E : F.Edits)
          ++Count[static_cast<size_t>(E.Kind)];
    }
  }
  for (const EditKindInfo &K : editKinds())
    EXPECT_GT(Count[static_cast<size_t>(K.Kind)], 0u) << K.Name.str();
}

TEST(Fingerprint, ACloneHasTheSameAndAnEditAnother) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(LoopModule, C);
  Function &F = *M->getFunction("straight");
  std::string Before = fingerprint(F);
  EXPECT_EQ(Before.size(), 32u);
  std::unique_ptr<Module> Copy = CloneModule(*M);
  EXPECT_EQ(fingerprint(*Copy->getFunction("straight")), Before);
  LLVMContext Other;
  std::unique_ptr<Module> Fresh = parseModule(LoopModule, Other);
  EXPECT_EQ(fingerprint(*Fresh->getFunction("straight")), Before);
  EXPECT_NE(fingerprint(*M->getFunction("loop")), Before);
  F.begin()->begin()->setOperand(1, F.getArg(0));
  EXPECT_NE(fingerprint(F), Before);
}

TEST(StableName, NamesOfOneSourceAreKnown) {
  for (const char *Name :
       {"_ZL4stepPi", "_ZN12_GLOBAL__N_14stepEPi", "_ZN1a2bcL4stepEPi",
        "_ZL4stepIiEvPT_", "_ZN1aL4stepIiEEvPT_"})
    EXPECT_TRUE(isLocalName(Name)) << Name;
  for (const char *Name : {"_Z4stepPi", "_ZN1a4stepEPi", "_Z4stepIiEvPT_",
                           "_ZN1L4stepEPi", "_Z4LoopPi", "L4step", "step", ""})
    EXPECT_FALSE(isLocalName(Name)) << Name;
}
