//===- DevicesRunner.h - One judgement over several GPUs --------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The embedded GPU is one model per process, so each model has a process of its
// own below the worker. A variant is judged on one after the other, and the
// first that refuses it ends it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_DEVICESRUNNER_H
#define GEVO_SEARCH_DEVICESRUNNER_H

#include "search/Program.h"
#include "search/Workers.h"

namespace gevo {

/// Makes a runner.
using RunnerMaker = std::function<std::unique_ptr<Runner>()>;

/// A runner in a process of its own, which starts with the first run and is
/// replaced if it dies.
class IsolatedRunner : public Runner {
public:
  IsolatedRunner(const WorkerLimits &Limits, RunnerMaker Make)
      : Limits(Limits), Make(std::move(Make)) {}
  Fitness run(const Payload &Code) override;

private:
  WorkerLimits Limits;
  RunnerMaker Make;
  std::unique_ptr<Workers> Process;
};

/// No loss on any: the time is the geometric mean over the devices, but for a
/// variant that is slower than the original on one of them it is the mean of
/// the original times that loss, so that it is never better than the original.
class DevicesRunner : public Runner {
public:
  DevicesRunner(std::vector<std::unique_ptr<Runner>> Each, Payload Original)
      : Each(std::move(Each)), Original(std::move(Original)) {}
  Fitness run(const Payload &Code) override;

private:
  std::vector<std::unique_ptr<Runner>> Each;
  Payload Original;
  /// Of the original, by device; empty until it was run.
  std::vector<double> Times;
};

} // namespace gevo

#endif // GEVO_SEARCH_DEVICESRUNNER_H
