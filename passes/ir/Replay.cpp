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
#include "passes/edit/JsonText.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/CleanUp.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Operators.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Path.h"
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

StringRef gevo::name(ReplayStatus Status) {
  switch (Status) {
  case ReplayStatus::Applied:
    return "applied";
  case ReplayStatus::Stale:
    return "stale";
  case ReplayStatus::Refused:
    return "refused";
  }
  llvm_unreachable("a status without a name");
}

size_t ReplayReport::applied() const {
  size_t Count = 0;
  for (const FunctionReplay &F : Functions)
    if (F.Status == ReplayStatus::Applied)
      Count += F.Edits->Edits.size();
  return Count;
}

size_t ReplayReport::total() const {
  size_t Count = 0;
  for (const FunctionReplay &F : Functions)
    Count += F.Edits->Edits.size();
  return Count;
}

namespace {

/// One function of the module with the edits that are to be applied to it.
struct Task {
  Function *F;
  FunctionReplay *Outcome;
  std::vector<Edit> Edits;
};

} // namespace

static bool sameFile(StringRef A, StringRef B) {
  return sys::path::filename(A) == sys::path::filename(B);
}

// Several translation units may define a function of one name (static and
// template functions); the fingerprint tells whose edits these are, and the
// source's name whether a mismatch concerns us.
static std::vector<FunctionReplay> select(Module &M,
                                          const ArchitectureEdits &Section) {
  std::vector<FunctionReplay> Ours;
  StringSet<> Matched;
  for (const FunctionEdits &Edits : Section.Functions) {
    if (Edits.Edits.empty())
      continue;
    Function *F = M.getFunction(Edits.Name);
    FunctionReplay R;
    R.Edits = &Edits;
    if (!F || F->isDeclaration()) {
      R.Status = ReplayStatus::Stale;
      R.Why.Reason = "the module has no such function";
    } else if ((R.Fingerprint = fingerprint(*F)) != Edits.Fingerprint) {
      R.Status = ReplayStatus::Stale;
      R.Why.Reason = "the function is not the one that the edits were made for";
    } else if (!Matched.insert(Edits.Name).second) {
      R.Status = ReplayStatus::Refused;
      R.Why.Reason = "the file has a second list for the same function";
    }
    if (R.Status != ReplayStatus::Stale ||
        sameFile(Edits.Source, M.getSourceFileName()))
      Ours.push_back(std::move(R));
  }
  llvm::erase_if(Ours, [&](const FunctionReplay &R) {
    return R.Status == ReplayStatus::Stale && Matched.contains(R.Edits->Name);
  });
  return Ours;
}

static void tryRemap(FunctionReplay &R, Function &F, std::vector<Edit> &Edits) {
  Expected<RemappedEdits> Remapped = remap(*R.Edits, F);
  if (!Remapped) {
    R.Why.Reason = toString(Remapped.takeError());
    return;
  }
  R.Status = ReplayStatus::Applied;
  R.Remapped = std::move(Remapped->Anchors);
  Edits = std::move(Remapped->Edits);
}

// Applies each task to a copy and drops the tasks that fail there.
static void tryOnCopy(Module &M, std::vector<Task> &Tasks) {
  DenseSet<const GlobalValue *> Wanted;
  for (const Task &T : Tasks)
    Wanted.insert(T.F);
  ValueToValueMapTy Map;
  // The other functions' bodies matter to nothing that happens here.
  std::unique_ptr<Module> Copy = CloneModule(M, Map, [&](const GlobalValue *G) {
    return !isa<Function>(G) || Wanted.contains(G);
  });
  auto CopyOf = [&](const Task &T) { return cast<Function>(&*Map[T.F]); };
  auto Drop = [](Task &T, Refusal Why) {
    T.Outcome->Status = ReplayStatus::Refused;
    T.Outcome->Why = std::move(Why);
  };
  CleanUp Clean(*Copy);
  std::vector<Function *> Changed;
  for (Task &T : Tasks) {
    if (std::optional<Refusal> Why = applyEdits(*CopyOf(T), T.Edits))
      Drop(T, std::move(*Why));
    else if (verifyFunction(*CopyOf(T)))
      Drop(T, {std::nullopt, "the edited function is not valid LLVM IR"});
    else
      Changed.push_back(CopyOf(T));
  }
  // A function that failed is no longer valid IR; nothing may look at it.
  for (Task &T : Tasks)
    if (T.Outcome->Status != ReplayStatus::Applied)
      CopyOf(T)->deleteBody();
  Clean.run(Changed);
  for (Task &T : Tasks)
    if (T.Outcome->Status == ReplayStatus::Applied && Map.lookup(T.F) &&
        verifyFunction(*CopyOf(T)))
      Drop(T, {std::nullopt, "the edited function is not valid LLVM IR after "
                             "its clean-up"});
  llvm::erase_if(Tasks, [](const Task &T) {
    return T.Outcome->Status != ReplayStatus::Applied;
  });
}

static void applyTasks(Module &M, std::vector<Task> &Tasks,
                       const ReplayOptions &Options) {
  CleanUp Clean(M);
  std::vector<Function *> Changed;
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
  }
  Clean.run(Changed);
}

ReplayReport gevo::replay(Module &M, const EditSet &Set,
                          const ReplayOptions &Options) {
  ReplayReport Report;
  Report.Source = M.getSourceFileName();
  Report.Architecture = architectureOf(M);
  const ArchitectureEdits *Section = Set.find(Report.Architecture);
  if (!Section)
    return Report;
  Report.Functions = select(M, *Section);
  std::vector<Task> Tasks;
  for (FunctionReplay &R : Report.Functions) {
    Task T{M.getFunction(R.Edits->Name), &R, R.Edits->Edits};
    if (R.Status == ReplayStatus::Stale && Options.Remap &&
        !R.Fingerprint.empty())
      tryRemap(R, *T.F, T.Edits);
    if (R.Status == ReplayStatus::Applied)
      Tasks.push_back(std::move(T));
  }
  if (Tasks.empty())
    return Report;
  tryOnCopy(M, Tasks);
  if (!Tasks.empty())
    applyTasks(M, Tasks, Options);
  return Report;
}

static void printOutcome(json::OStream &J, const FunctionReplay &R) {
  J.object([&] {
    J.attribute("name", jsonText(R.Edits->Name));
    J.attribute("status", name(R.Status));
    J.attribute("edits", R.Edits->Edits.size());
    J.attribute("fingerprint", R.Fingerprint);
    if (R.Status != ReplayStatus::Applied) {
      if (R.Why.Edit)
        J.attribute("edit", *R.Why.Edit);
      J.attribute("reason", jsonText(R.Why.Reason));
    }
    if (!R.Remapped.empty())
      J.attributeArray("remapped", [&] {
        for (const RemappedAnchor &A : R.Remapped)
          J.object([&] {
            J.attribute("from", A.From);
            J.attribute("to", A.To);
            J.attribute("sure", A.Sureness);
          });
      });
  });
}

void gevo::printReport(const ReplayReport &Report, const EditSet &Set,
                       raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("source", jsonText(Report.Source));
    J.attribute("arch", Report.Architecture);
    J.attribute("edits_file", jsonText(Set.Path));
    J.attribute("applied", Report.applied());
    J.attribute("total", Report.total());
    J.attributeArray("functions", [&] {
      for (const FunctionReplay &R : Report.Functions)
        printOutcome(J, R);
    });
  });
  OS << '\n';
}
