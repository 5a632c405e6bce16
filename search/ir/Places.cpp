//===- Places.cpp - Where edits can go, and how hot it is there -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profile of a run comes back by line of code. Code that is lowered for a
// profile therefore carries, instead of the source's lines, the numbers of the
// instructions that it came from.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/EditedFunction.h"
#include "passes/ir/Legality.h"
#include "search/ir/IrProgram.h"
#include "search/ir/Savings.h"
#include "search/ir/Suggestions.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral FilePrefix = "gevo-function-";

static bool hasReplaceable(const Instruction &I) {
  for (unsigned Index = 0; Index < I.getNumOperands(); ++Index)
    if (isReplaceable(I, Index, /*Variable=*/true))
      return true;
  return false;
}

// A barrier may have nobody to wait for, and a store nobody to read it; what is
// computed is mostly needed.
static unsigned deletionWeight(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isConvergent())
    return I.use_empty() ? 12 : 4;
  if (isa<StoreInst>(I))
    return 8;
  return I.use_empty() ? 6 : 2;
}

// Of a loop that is unrolled, so much is taken to be saved: one of this many.
static constexpr uint64_t UnrollSaves = 4;

// \p Loop is the heat of the loop that a branch is in. Some kinds choose at
// random among several changes of one instruction: they get as many tries.
static std::vector<PlaceKind> kindsFor(const Instruction &I,
                                       const Savings &Saved, uint64_t Loop) {
  std::vector<PlaceKind> Kinds;
  if (isTarget(I) && (I.use_empty() || isRepairable(I.getType())))
    Kinds.push_back({EditKind::Delete, deletionWeight(I), Saved.ofDeletion(I)});
  if (const auto *Branch = dyn_cast<BranchInst>(&I);
      Branch && Branch->isConditional()) {
    Kinds.insert(Kinds.end(), 2,
                 {EditKind::Branch, 5, Saved.ofDecision(*Branch)});
    Kinds.push_back({EditKind::Unroll, 4, Loop / UnrollSaves});
  }
  if (hasReplaceable(I))
    Kinds.insert(Kinds.end(), 2, {EditKind::Operand, 1});
  if (isa<LoadInst>(I))
    Kinds.push_back({EditKind::Cache, 1});
  if (isa<FPMathOperator>(I) && !isa<PHINode>(I) && !isa<SelectInst>(I))
    Kinds.push_back({EditKind::Math, 1});
  return Kinds;
}

// What copies of one line of the source have in common.
static uint64_t familyOf(Instruction &I) {
  std::string Text = I.getOpcodeName();
  raw_string_ostream OS(Text);
  const Value *Told = &I;
  if (const auto *Branch = dyn_cast<BranchInst>(&I))
    Told = Branch->isConditional() ? Branch->getCondition() : nullptr;
  if (const auto *Compared = dyn_cast_or_null<CmpInst>(Told))
    OS << CmpInst::getPredicateName(Compared->getPredicate())
       << *Compared->getOperand(0)->getType();
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (const Function *To = Call->getCalledFunction())
      OS << To->getName();
  if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
    OS << *Pointer->getType();
    if (isa<StoreInst>(I))
      OS << *I.getOperand(0)->getType();
    if (const Argument *A = argumentOf(I))
      OS << A->getArgNo();
    else if (const auto *G = dyn_cast<GlobalVariable>(
                 getUnderlyingObject(Pointer, /*MaxLookup=*/0)))
      OS << G->getName();
  }
  OS << *I.getType();
  if (const DebugLoc &Where = I.getDebugLoc())
    OS << Where.getLine();
  return xxh3_64bits(Text) | 1;
}

// An argument is restricted through any of its accesses: the hottest is enough,
// and stands for all of them.
static void addRestrict(ArrayRef<std::pair<const Argument *, size_t>> Accesses,
                        std::vector<Place> &All) {
  struct Uses {
    size_t Hottest;
    uint64_t Heat = 0;
  };
  DenseMap<const Argument *, Uses> ByArgument;
  for (auto [A, Access] : Accesses) {
    Uses &U = ByArgument.try_emplace(A, Uses{Access}).first->second;
    U.Heat += All[Access].Heat + All[Access].Around;
    if (All[Access].Heat > All[U.Hottest].Heat)
      U.Hottest = Access;
  }
  for (auto [A, Access] : Accesses)
    if (Uses U = ByArgument.lookup(A); U.Hottest == Access)
      All[Access].Kinds.push_back({EditKind::Restrict, 8, U.Heat});
}

namespace {
/// The heat of the instructions of each innermost loop, or of each block that
/// is in none.
class Surroundings {
public:
  Surroundings(Function &F, ArrayRef<uint64_t> Heat,
               const DominatorTree &Dominators)
      : Loops(Dominators) {
    forEachAnchored(F, [&](Instruction &I, unsigned Number) {
      auto &[Sum, Count] = Means[keyOf(I)];
      Sum += Number < Heat.size() ? Heat[Number] : 0;
      ++Count;
    });
  }
  uint64_t mean(const Instruction &I) const {
    auto [Sum, Count] = Means.lookup(keyOf(I));
    return Sum / Count;
  }
  /// Of the innermost loop; 0 outside of loops.
  uint64_t loop(const Instruction &I) const {
    return Loops.getLoopFor(I.getParent()) ? Means.lookup(keyOf(I)).first : 0;
  }

private:
  const void *keyOf(const Instruction &I) const {
    const Loop *In = Loops.getLoopFor(I.getParent());
    return In ? static_cast<const void *>(In) : I.getParent();
  }

  LoopInfo Loops;
  DenseMap<const void *, std::pair<uint64_t, uint64_t>> Means;
};
} // namespace

std::vector<Place> IrProgram::places() const {
  std::vector<Place> All;
  std::vector<std::pair<const Argument *, size_t>> Accesses;
  for (unsigned Index = 0; Index < Functions.size(); ++Index) {
    if (isUnjudged(Index))
      continue;
    std::vector<std::vector<Edit>> Suggested =
        suggestEdits(*Functions[Index].F);
    ArrayRef<uint64_t> Costs;
    if (Index < Heat.size())
      Costs = Heat[Index];
    DominatorTree Dominators(*Functions[Index].F);
    Surroundings Around(*Functions[Index].F, Costs, Dominators);
    Savings Saved(*Functions[Index].F, Costs, Dominators);
    forEachAnchored(*Functions[Index].F, [&](Instruction &I, unsigned Number) {
      // clang leaves code that nothing leads to at -O0.
      if (!Dominators.isReachableFromEntry(I.getParent()) ||
          isUnreached(Index, Number))
        return;
      if (const Argument *A = argumentOf(I); A && !A->hasNoAliasAttr())
        Accesses.push_back({A, All.size()});
      Place P;
      P.Function = Index;
      P.Number = Number;
      if (Index < Heat.size() && Number < Heat[Index].size())
        P.Heat = Heat[Index][Number];
      P.Around = Around.mean(I);
      P.Kinds = kindsFor(I, Saved, Around.loop(I));
      P.Suggested = std::move(Suggested[Number]);
      P.Family = familyOf(I);
      if (auto Known = Twins.find({Index, Number}); Known != Twins.end())
        P.Twin = Known->second;
      if (!P.Kinds.empty())
        All.push_back(std::move(P));
    });
  }
  addRestrict(Accesses, All);
  llvm::sort(All, [](const Place &A, const Place &B) {
    return std::tuple(B.Heat, A.Function, A.Number) <
           std::tuple(A.Heat, B.Function, B.Number);
  });
  return All;
}

HeatMap IrProgram::estimateHeat(function_ref<double(StringRef)> TimeOf) const {
  // A loop is taken to run this often, and time is counted this finely.
  constexpr uint64_t Trips = 8, DepthLimit = 5;
  constexpr double Scale = 1000;
  HeatMap Result;
  for (const Target &T : Functions) {
    DominatorTree Dominators(*T.F);
    LoopInfo Loops(Dominators);
    std::vector<uint64_t> Weights;
    uint64_t Total = 0;
    forEachAnchored(*T.F, [&](Instruction &I, unsigned) {
      uint64_t Depth =
          std::min<uint64_t>(Loops.getLoopDepth(I.getParent()), DepthLimit);
      uint64_t Weight = 1;
      while (Depth--)
        Weight *= Trips;
      Total += Weight;
      Weights.push_back(Weight);
    });
    double Unit = Total ? TimeOf(T.F->getName()) * Scale / Total : 0;
    for (uint64_t &W : Weights)
      W = 1 + static_cast<uint64_t>(W * Unit);
    Result.push_back(std::move(Weights));
  }
  return Result;
}

Built IrProgram::buildTagged() {
  return buildChanged([&](unsigned M, Module &Copy,
                          const ValueToValueMapTy &Map) {
    StripDebugInfo(Copy);
    DIBuilder Builder(Copy);
    if (!Copy.getModuleFlag("Debug Info Version"))
      Copy.addModuleFlag(Module::Warning, "Debug Info Version",
                         DEBUG_METADATA_VERSION);
    DIFile *Unit = Builder.createFile("gevo", ".");
    Builder.createCompileUnit(dwarf::DW_LANG_C, Unit, "gevo", true, "", 0, "",
                              DICompileUnit::DebugDirectivesOnly);
    for (auto [Index, Original] : targetsOf(M)) {
      auto *F = cast<Function>(Map.lookup(Original));
      DIFile *File = Builder.createFile((FilePrefix + Twine(Index)).str(), ".");
      DISubprogram *Scope = Builder.createFunction(
          File, F->getName(), F->getName(), File, 1,
          Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), 1,
          DINode::FlagZero, DISubprogram::SPFlagDefinition);
      F->setSubprogram(Scope);
      forEachAnchored(*F, [&](Instruction &I, unsigned Number) {
        I.setDebugLoc(DILocation::get(Copy.getContext(), Number + 1, 1, Scope));
      });
    }
    Builder.finalize();
  });
}

std::optional<std::pair<unsigned, unsigned>>
IrProgram::anchorOf(StringRef File, unsigned Line) {
  unsigned Function;
  // The compiler may write the folder before the name.
  File = File.rsplit('/').second.empty() ? File : File.rsplit('/').second;
  if (!File.consume_front(FilePrefix) || File.getAsInteger(10, Function) ||
      Line == 0)
    return std::nullopt;
  return std::pair(Function, Line - 1);
}

IrProgram::TaggedLines::TaggedLines(StringRef PTX) {
  SmallVector<StringRef, 0> Lines;
  PTX.split(Lines, '\n');
  // .file 1 "./name", anywhere; then .loc 1 line column, for what follows.
  DenseMap<unsigned, StringRef> Files;
  for (StringRef Line : Lines) {
    Line = Line.trim();
    unsigned Number;
    if (!Line.consume_front(".file"))
      continue;
    Line = Line.ltrim();
    if (!Line.consumeInteger(10, Number))
      Files[Number] = Line.split('"').second.split('"').first;
  }
  std::optional<std::pair<unsigned, unsigned>> Current;
  for (StringRef Line : Lines) {
    Line = Line.trim();
    if (Line.consume_front(".loc")) {
      unsigned File = 0, Number = 0;
      Line = Line.ltrim();
      Line.consumeInteger(10, File);
      Line = Line.ltrim();
      Line.consumeInteger(10, Number);
      Current = anchorOf(Files.lookup(File), Number);
    } else if (Line == "}") {
      Current = std::nullopt;
    }
    Anchors.push_back(Current);
  }
}

void IrProgram::TaggedLines::add(unsigned Line, uint64_t Cycles,
                                 HeatMap &To) const {
  if (!Line || Line > Anchors.size() || !Anchors[Line - 1])
    return;
  auto [Function, Number] = *Anchors[Line - 1];
  if (To.size() <= Function)
    To.resize(Function + 1);
  if (To[Function].size() <= Number)
    To[Function].resize(Number + 1);
  To[Function][Number] += Cycles;
}
