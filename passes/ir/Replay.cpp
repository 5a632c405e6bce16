//===- Replay.cpp - An edit set applied to a module -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which edits are for this module, the try on a copy, and the real thing.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Replay.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Legality.h"
#include "passes/ir/MemorySpaces.h"
#include "passes/ir/Operators.h"
#include "passes/ir/StableName.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gevo;

std::optional<Refusal> gevo::applyEdits(Function &F, ArrayRef<Edit> Edits,
                                        const BeforeEdit &Before) {
  EditedFunction Edited(F);
  for (size_t I = 0; I < Edits.size(); ++I) {
    if (Before) {
      Expected<Instruction *> At = Edited.instruction(Edits[I].At);
      if (At)
        Before(I, **At);
      else
        consumeError(At.takeError());
    }
    if (Error E = applyEdit(Edited, Edits[I]))
      return Refusal{I, toString(std::move(E))};
  }
  Edited.finish();
  return std::nullopt;
}

namespace {

/// One function of the module with the edits that are to be applied to it.
struct Task {
  Function *F;
  FunctionReplay *Outcome;
  std::vector<Edit> Edits;
  unsigned Sureness = 100;
};

} // namespace

// One is the other, or a part of it that starts at a folder: the same file by
// the names of two builds.
static bool sameSource(StringRef A, StringRef B) {
  if (A.size() > B.size())
    std::swap(A, B);
  return B.consume_back(A) && (B.empty() || A.empty() || B.ends_with("/"));
}

// Several translation units may define a function of one name (static and
// template functions). The fingerprint tells whose edits these are; when it
// does not match, they are ours if the name is ours alone or the source is.
// Static kernels have external linkage, as the host must see them.
static bool concerns(const FunctionEdits &Edits, const Function *F,
                     const Module &M) {
  return (F && F->hasExternalLinkage() && !isLocalName(F->getName())) ||
         sameSource(Edits.Source, M.getSourceFileName());
}

static Function *findDefinition(Module &M, StringRef Name) {
  Function *F = findFunction(M, Name);
  return F && !F->isDeclaration() ? F : nullptr;
}

static std::string describeStale(const FunctionEdits &Edits, Function &F) {
  unsigned Count = 0;
  forEachAnchored(F, [&](const Instruction &, unsigned) { ++Count; });
  return "the function is not the one that the edits were made for: its source "
         "or the compiler's options, such as -O, have changed (" +
         std::to_string(Edits.Instructions) + " instructions then, " +
         std::to_string(Count) + " now)";
}

static std::vector<FunctionReplay> select(Module &M,
                                          const ArchitectureEdits &Section) {
  std::vector<FunctionReplay> Ours;
  StringSet<> Matched;
  for (const FunctionEdits &Edits : Section.Functions) {
    if (Edits.Edits.empty())
      continue;
    Function *F = findDefinition(M, Edits.Name);
    FunctionReplay R;
    R.Edits = &Edits;
    if (!F) {
      R.Status = ReplayStatus::Stale;
      R.Why.Reason = "the module has no such function";
    } else if ((R.Fingerprint = fingerprint(*F)) != Edits.Fingerprint) {
      R.Status = ReplayStatus::Stale;
      R.Why.Reason = describeStale(Edits, *F);
    } else if (!Matched.insert(Edits.Name).second) {
      R.Status = ReplayStatus::Refused;
      R.Why.Reason = "the file has a second list for the same function";
    }
    if (R.Status != ReplayStatus::Stale || concerns(Edits, F, M))
      Ours.push_back(std::move(R));
  }
  llvm::erase_if(Ours, [&](const FunctionReplay &R) {
    return R.Status == ReplayStatus::Stale && Matched.contains(R.Edits->Name);
  });
  return Ours;
}

// The architectures for which the set has edits of this module's functions.
static std::string elsewhere(Module &M, const EditSet &Set) {
  std::string Names;
  for (const ArchitectureEdits &A : Set.Architectures)
    if (any_of(A.Functions, [&](const FunctionEdits &Edits) {
          const Function *F = findDefinition(M, Edits.Name);
          return F && !Edits.Edits.empty() && concerns(Edits, F, M);
        }))
      Names += (Names.empty() ? "" : ", ") + A.Architecture;
  return Names;
}

static void tryRemap(Task &T) {
  FunctionReplay &R = *T.Outcome;
  Expected<RemappedEdits> Remapped = remap(*R.Edits, *T.F);
  if (!Remapped) {
    R.Why.Reason = toString(Remapped.takeError());
    return;
  }
  R.Status = ReplayStatus::Applied;
  R.Remapped = std::move(Remapped->Anchors);
  T.Sureness = Remapped->Sureness;
  T.Edits = std::move(Remapped->Edits);
}

// A function takes one list of edits; of several remapped ones, the surest.
static void add(Task New, std::vector<Task> &Tasks) {
  auto Rival = find_if(Tasks, [&](const Task &T) { return T.F == New.F; });
  if (Rival == Tasks.end()) {
    Tasks.push_back(std::move(New));
    return;
  }
  if (Rival->Sureness < New.Sureness)
    std::swap(*Rival, New);
  New.Outcome->Status = ReplayStatus::Refused;
  New.Outcome->Why.Reason = "another list of edits for this function fits it "
                            "better";
}

// A copy with the bodies of these functions; the others' matter to nothing that
// happens to it.
static std::unique_ptr<Module> copyOf(Module &M,
                                      const DenseSet<const Function *> &Wanted,
                                      ValueToValueMapTy &Map) {
  return CloneModule(M, Map, [&](const GlobalValue *G) {
    const auto *F = dyn_cast<Function>(G);
    return !F || Wanted.contains(F);
  });
}

// Why the compiler cannot go on with an edited function, or empty.
static std::string defectOf(const Function &F) {
  if (verifyFunction(F))
    return "the edited function is not valid LLVM IR";
  if (const Instruction *Write = findConstantWrite(F))
    return "its " + shapeOf(*Write) + " would write to constant memory";
  if (const Instruction *Cast = findSpaceClash(F))
    return "its " + shapeOf(*Cast) +
           " would take a pointer to one kind of "
           "memory for one to another";
  return "";
}

std::optional<Refusal> gevo::replayOnCopy(Module &M,
                                          ArrayRef<FunctionTask> Tasks,
                                          CleanUpPasses &Passes) {
  CleanUp Clean(M, Passes);
  std::vector<Function *> Changed;
  std::vector<WeakVH> Left;
  for (const FunctionTask &T : Tasks) {
    if (std::optional<Refusal> Why = applyEdits(*T.F, T.Edits))
      return Why;
    if (verifyFunction(*T.F))
      return Refusal{std::nullopt, defectOf(*T.F)};
    Changed.push_back(T.F);
    Left.push_back(T.F);
  }
  Clean.run(Changed);
  // The clean-up may have removed a local function altogether.
  for (const WeakVH &F : Left) {
    std::string Defect = F ? defectOf(*cast<Function>(F)) : "";
    if (!Defect.empty())
      return Refusal{std::nullopt, Defect};
  }
  return std::nullopt;
}

static bool isSound(Module &M, Function &F, ArrayRef<Edit> Edits,
                    CleanUpPasses &Passes) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = copyOf(M, {&F}, Map);
  auto *Edited = cast<Function>(&*Map[&F]);
  CleanUp Clean(*Copy, Passes);
  if (applyEdits(*Edited, Edits) || verifyFunction(*Edited))
    return false;
  Clean.run(Edited);
  return !Map.lookup(&F) || defectOf(*Edited).empty();
}

// An edit with which the list becomes unsound, while what stands before it is
// sound.
static size_t findCulprit(Module &M, const Task &T, CleanUpPasses &Passes) {
  size_t Sound = 0, Unsound = T.Edits.size();
  while (Unsound - Sound > 1) {
    size_t Middle = (Sound + Unsound) / 2;
    bool Holds = isSound(M, *T.F, ArrayRef(T.Edits).take_front(Middle), Passes);
    (Holds ? Sound : Unsound) = Middle;
  }
  return Sound;
}

// Applies each task to a copy and drops the tasks that fail there.
static void tryOnCopy(Module &M, std::vector<Task> &Tasks,
                      CleanUpPasses &Passes) {
  DenseSet<const Function *> Wanted;
  for (const Task &T : Tasks)
    Wanted.insert(T.F);
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = copyOf(M, Wanted, Map);
  auto EditedOf = [&](const Task &T) { return cast<Function>(&*Map[T.F]); };
  auto Drop = [](Task &T, Refusal Why) {
    T.Outcome->Status = ReplayStatus::Refused;
    T.Outcome->Why = std::move(Why);
  };
  CleanUp Clean(*Copy, Passes);
  std::vector<Function *> Changed;
  for (Task &T : Tasks) {
    if (std::optional<Refusal> Why = applyEdits(*EditedOf(T), T.Edits))
      Drop(T, std::move(*Why));
    else if (verifyFunction(*EditedOf(T)))
      Drop(T, {findCulprit(M, T, Passes), defectOf(*EditedOf(T))});
    else
      Changed.push_back(EditedOf(T));
  }
  // A function that failed is no longer valid IR; nothing may look at it.
  for (Task &T : Tasks)
    if (T.Outcome->Status != ReplayStatus::Applied)
      EditedOf(T)->deleteBody();
  Clean.run(Changed);
  for (Task &T : Tasks) {
    // The clean-up may have removed a local function altogether.
    if (T.Outcome->Status != ReplayStatus::Applied || !Map.lookup(T.F))
      continue;
    std::string Defect = defectOf(*EditedOf(T));
    if (!Defect.empty())
      Drop(T, {findCulprit(M, T, Passes), Defect});
  }
  llvm::erase_if(Tasks, [](const Task &T) {
    return T.Outcome->Status != ReplayStatus::Applied;
  });
}

static void applyTasks(Module &M, std::vector<Task> &Tasks,
                       const ReplayOptions &Options, CleanUpPasses &Passes) {
  CleanUp Clean(M, Passes);
  std::vector<Function *> Changed;
  std::vector<WeakVH> Left;
  for (Task &T : Tasks) {
    BeforeEdit Before;
    if (Options.OnApply)
      Before = [&](size_t Index, const Instruction &I) {
        Options.OnApply(*T.F, *T.Outcome->Edits, Index, I);
      };
    std::optional<Refusal> Why = applyEdits(*T.F, T.Edits, Before);
    assert(!Why && "what applied to the copy must apply to the original");
    (void)Why;
    Changed.push_back(T.F);
    Left.push_back(T.F);
  }
  Clean.run(Changed);
  // A local function may have lost its last use.
  for (const WeakVH &F : Left)
    assert((!F || !verifyFunction(*cast<Function>(F))) &&
           "what verified in the copy must verify in the original");
}

ReplayReport gevo::replay(Module &M, const EditSet &Set,
                          const ReplayOptions &Options) {
  ReplayReport Report;
  Report.Source = M.getSourceFileName();
  Report.Architecture = architectureOf(M);
  const ArchitectureEdits *Section = Set.find(Report.Architecture);
  if (!Section) {
    Report.Elsewhere = elsewhere(M, Set);
    return Report;
  }
  Report.Functions = select(M, *Section);
  std::vector<Task> Tasks;
  for (FunctionReplay &R : Report.Functions) {
    Task T{findDefinition(M, R.Edits->Name), &R, R.Edits->Edits};
    if (R.Status == ReplayStatus::Stale && Options.Remap && T.F)
      tryRemap(T);
    if (R.Status == ReplayStatus::Applied)
      add(std::move(T), Tasks);
  }
  if (Tasks.empty())
    return Report;
  CleanUpPasses Passes;
  tryOnCopy(M, Tasks, Passes);
  if (!Tasks.empty())
    applyTasks(M, Tasks, Options, Passes);
  return Report;
}
