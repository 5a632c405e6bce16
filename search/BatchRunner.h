//===- BatchRunner.h - Results of several variants at once ------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what comes after a search and judges by other means than it: workers of
// its own, which start with the first batch, and everything is run once.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_BATCHRUNNER_H
#define GEVO_SEARCH_BATCHRUNNER_H

#include "search/DevicesRunner.h"
#include "search/Evaluator.h"

namespace gevo {

class BatchRunner {
public:
  /// \p P and \p Log must outlive it. \p Make is called in each worker. What
  /// \p Log has of code is not run again, if there is one; that the disk does
  /// not take a line more of it is no failure.
  BatchRunner(Program &P, const WorkerLimits &Limits, RunnerMaker Make,
              AppendLog *Log = nullptr)
      : P(P), Limits(Limits), Make(std::move(Make)),
        Codes(Log, PayloadCache::Keep::IfPossible) {}

  /// What each of \p Batch comes to; nothing for those that were not begun
  /// before \p Stop said so. Workers that cannot be started are a failure of
  /// all.
  std::vector<std::optional<Fitness>> run(llvm::ArrayRef<EditList> Batch,
                                          const std::function<bool()> &Stop);
  Fitness run(const EditList &Edits);

private:
  llvm::Error start();

  Program &P;
  WorkerLimits Limits;
  RunnerMaker Make;
  std::unique_ptr<Workers> Pool;
  PayloadCache Codes;
  std::unique_ptr<PoolEvaluator> Base;
  std::unique_ptr<EditCache> Known;
};

} // namespace gevo

#endif // GEVO_SEARCH_BATCHRUNNER_H
