//===- MutatePass.cpp - gevo-mutate ---------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws, writes the edit set, and replays it.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Architecture.h"
#include "passes/ir/Diagnostics.h"
#include "passes/ir/Mutate.h"
#include "passes/ir/Passes.h"
#include "passes/ir/Replay.h"

using namespace llvm;
using namespace gevo;

PreservedAnalyses MutatePass::run(Module &M, ModuleAnalysisManager &) {
  if (!isDeviceModule(M) || architectureOf(M).empty()) {
    report(M.getContext(), DS_Warning,
           "gevo-mutate: " + M.getSourceFileName() +
               " has no device code to edit; it takes a module for nvptx64 "
               "whose functions have the attribute target-cpu, as "
               "GEVO_RECORD keeps them");
    return PreservedAnalyses::all();
  }
  EditSet Set = drawEdits(M, {O.Seed, O.Count});
  size_t Drawn = Set.Architectures.front().editCount();
  if (Drawn < O.Count)
    report(M.getContext(), DS_Warning,
           "gevo-mutate: drew " + Twine(Drawn) + " of " + Twine(O.Count) +
               " edits; " + M.getSourceFileName() + " has no place for more");
  if (!O.Edits.empty())
    if (Error E = writeEditSet(Set, O.Edits)) {
      report(M.getContext(), DS_Error, toString(std::move(E)));
      return PreservedAnalyses::all();
    }
  ReplayReport Report = replay(M, Set, {});
  for (const FunctionReplay &R : Report.Functions)
    if (R.Status != ReplayStatus::Applied)
      report(M.getContext(), DS_Warning,
             "the drawn edits of '" + R.Edits->Name +
                 "' do not apply: " + R.Why.Reason);
  return PreservedAnalyses::none();
}
