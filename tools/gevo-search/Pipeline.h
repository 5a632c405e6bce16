//===- Pipeline.h - From a program to an edit set ---------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gevo-search does, step by step: reads the recorded modules, runs the
// original, searches, minimises, validates, writes.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_PIPELINE_H
#define GEVO_TOOLS_GEVO_SEARCH_PIPELINE_H

#include "search/Ranks.h"
#include "search/Store.h"
#include "tools/gevo-search/Settings.h"
#include "tools/gevo-search/View.h"

namespace gevo {

struct PipelineOptions {
  Settings Asked;
  /// Where the search is kept.
  std::string Folder;
  bool Resume = false;
  /// The budget is not the one that a resumed search had.
  bool NewBudget = false;
  /// Only judge this edit set, and remove the folder; empty: search.
  std::string Judge;
  /// What the names of folders begin with that judge; empty: nothing is judged.
  std::string JudgeFolders;
  unsigned Jobs = 1;
  /// Other ranks, which evaluate, too; may be null.
  RankLink *Ranks = nullptr;
};

/// Ends the search that is running with the best so far, and the process if
/// none has begun yet, or if \p Signal is one that asks for its end; for a
/// signal handler.
void stopSearch(int Signal);

/// Does all of it.
llvm::Error runPipeline(const PipelineOptions &Options, View &V);

/// Evaluates for the search of rank 0 until it is over. The error is that rank
/// 0 is gone.
llvm::Error followPipeline(RankLink &Ranks);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_PIPELINE_H
