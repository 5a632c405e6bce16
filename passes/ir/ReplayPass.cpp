//===- ReplayPass.cpp - gevo-replay ---------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the edit set, replays it, and tells what happened.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/Diagnostics.h"
#include "passes/ir/Passes.h"
#include "passes/ir/Replay.h"
#include "passes/ir/SourceLocation.h"
#include "passes/ir/StableName.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

static std::string describe(const Module &M) {
  return M.getSourceFileName() + " (" + architectureOf(M) + ")";
}

static std::string at(const EditSet &Set, FilePosition P) {
  return Set.Path + ":" + std::to_string(P.Line) + ":" +
         std::to_string(P.Column);
}

// "edits.json:12:9: edit 3 (delete i12, from app.cu:14:7) of 'f(float*)' ..."
static std::string describeMiss(const EditSet &Set, const FunctionReplay &R,
                                bool Remap) {
  const FunctionEdits &FE = *R.Edits;
  std::string Name = "'" + demangle(FE.Name) + "'";
  std::string Text;
  if (R.Why.Edit) {
    size_t I = *R.Why.Edit;
    const Edit &E = FE.Edits[I];
    Text = at(Set, FE.EditPositions[I]) + ": edit " + std::to_string(I + 1) +
           " (" + E.title();
    if (E.Location)
      Text += ", from " + E.Location.str();
    Text += ") of " + Name + " does not apply: ";
  } else {
    Text = at(Set, FE.Position) + ": the edits of " + Name + " do not apply: ";
  }
  Text += R.Why.Reason + "; the function is left as it was. ";
  if (R.Status != ReplayStatus::Stale)
    return Text + "Remove the edit from the file, or search again";
  // Without a function there is nothing to remap to.
  return Text + (Remap || R.Fingerprint.empty()
                     ? "Search again"
                     : "Search again, or let -gevo-remap (GEVO_REMAP=1) find "
                       "the places anew");
}

static void reportMisses(Module &M, const EditSet &Set,
                         const ReplayReport &Report,
                         const ReplayPassOptions &O) {
  for (const FunctionReplay &R : Report.Functions) {
    if (R.Status == ReplayStatus::Applied)
      continue;
    DiagnosticSeverity Severity = O.Strict ? DS_Error : DS_Warning;
    std::string Text = describeMiss(Set, R, O.Remap);
    report(M.getContext(), Severity, Text);
    if (const Function *F = findFunction(M, R.Edits->Name))
      remarkMissed(*F, Text);
  }
}

static void reportRemaps(Module &M, const ReplayReport &Report) {
  for (const FunctionReplay &R : Report.Functions) {
    if (R.Remapped.empty() || R.Status != ReplayStatus::Applied)
      continue;
    std::string Text;
    unsigned Least = 100;
    size_t Same = 0;
    for (const RemappedAnchor &A : R.Remapped) {
      Least = std::min(Least, A.Sureness);
      if (A.From == A.To && A.Sureness == 100) {
        ++Same;
        continue;
      }
      Text += ", " + A.From +
              (A.From == A.To ? " is the same" : " is now " + A.To) + " (" +
              std::to_string(A.Sureness) + " %)";
    }
    if (Same)
      Text += ", " + std::to_string(Same) + " surely the same";
    report(M.getContext(), DS_Warning,
           "the source of '" + demangle(R.Edits->Name) +
               "' changed; its edits were remapped, at least " + Twine(Least) +
               " % sure: " + StringRef(Text).drop_front(2) +
               ". Check the result, and search again");
  }
}

static Error writeReport(StringRef Stem, const EditSet &Set,
                         const ReplayReport &Report, StringRef Folder) {
  if (Error E = makeFolder(Folder))
    return E;
  SmallString<128> Path(Folder);
  sys::path::append(Path, Stem + ".replay.json");
  return writeFileAtomically(
      Path, [&](raw_ostream &OS) { printReport(Report, Set, OS); });
}

// One set may serve builds for several architectures and of several sources: no
// miss, but worth a remark. Says where the edits are if they are about this
// module for another architecture.
static void remarkNone(Module &M, const EditSet &Set,
                       const ReplayReport &Report) {
  std::string Text = Set.Path + " has no edits for ";
  if (Report.Elsewhere.empty())
    Text += "the functions of " + describe(M) + ", which is compiled without";
  else
    Text += Report.Architecture + ", only for " + Report.Elsewhere + "; " +
            describe(M) + " is compiled without. Search for " +
            Report.Architecture + ", too";
  for (const Function &F : M)
    if (!F.isDeclaration())
      return remarkMissed(F, Text);
}

// The last word: to -Rpass=gevo if all went well, and to everybody if not.
static void reportTotal(Module &M, const EditSet &Set,
                        const ReplayReport &Report) {
  std::string Text = describe(M) + ": applied " +
                     std::to_string(Report.applied()) + " of " +
                     std::to_string(Report.total()) + " edits of " + Set.Path;
  if (Report.applied() != Report.total())
    return report(M.getContext(), DS_Warning, Text);
  for (const FunctionReplay &R : Report.Functions)
    if (const Function *F = findFunction(M, R.Edits->Name))
      return remarkApplied(*F, DebugLoc(), Text);
}

PreservedAnalyses ReplayPass::run(Module &M, ModuleAnalysisManager &) {
  if (!isDeviceModule(M) ||
      all_of(M, [](const Function &F) { return F.isDeclaration(); }))
    return PreservedAnalyses::all();
  if (architectureOf(M).empty()) {
    // clang always says; a module by hand may not.
    report(M.getContext(), DS_Warning,
           "no function of " + M.getSourceFileName() +
               " has the attribute target-cpu, which chooses the section of "
               "the edit set; it is compiled without edits");
    return PreservedAnalyses::all();
  }
  if (O.Edits.empty()) {
    report(M.getContext(), DS_Error, "gevo-replay needs edits=<file>");
    return PreservedAnalyses::all();
  }
  Expected<EditSet> Set = readEditSet(O.Edits);
  if (!Set) {
    std::string Why = toString(Set.takeError());
    if (O.Strict || O.MustRead)
      report(M.getContext(), DS_Error, Why);
    else
      report(M.getContext(), DS_Warning,
             Why + "; " + describe(M) + " is compiled without edits");
    return PreservedAnalyses::all();
  }
  ReplayOptions Options;
  Options.Remap = O.Remap;
  Options.OnApply = [](Function &F, const FunctionEdits &FE, size_t Index,
                       const Instruction &I) {
    const Edit &E = FE.Edits[Index];
    remarkApplied(F, DebugLoc(sourceLocation(I)),
                  "edit " + Twine(Index + 1) + " applied: " + E.title() +
                      (E.Note.empty() ? "" : " (" + E.Note + ")"));
  };
  // Named after the module before the edits, as its record is.
  std::string Stem = O.Report.empty() ? "" : moduleFileStem(M);
  ReplayReport Report = replay(M, *Set, Options);
  reportMisses(M, *Set, Report, O);
  reportRemaps(M, Report);
  if (!O.Report.empty())
    if (Error E = writeReport(Stem, *Set, Report, O.Report))
      report(M.getContext(), DS_Error, toString(std::move(E)));
  if (Report.total())
    reportTotal(M, *Set, Report);
  else
    remarkNone(M, *Set, Report);
  return Report.applied() ? PreservedAnalyses::none()
                          : PreservedAnalyses::all();
}
