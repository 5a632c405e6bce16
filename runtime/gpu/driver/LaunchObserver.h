//===- LaunchObserver.h - Those who watch launches --------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every launch of every API (the runtime's, the driver's, a graph's) is
// executed by one function of Launch.cpp, which tells the observers of the
// driver before and after. A LaunchPlan has all there is to know: module,
// kernel, shape and the bytes of the arguments.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_LAUNCHOBSERVER_H
#define GEVO_RUNTIME_GPU_DRIVER_LAUNCHOBSERVER_H

#include "runtime/gpu/driver/Launch.h"

namespace gevo::driver {

/// What a launch came to.
struct LaunchOutcome {
  const gpu::LaunchResult &Result;
  /// Its time by instruction, or null without the model of time.
  const gpu::timing::LaunchTiming *Timing = nullptr;
  double Microseconds = 0;
};

/// One who watches launches. Calls come from any thread, several at a time.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  /// \p Plan will run now with \p Options, which an observer may have record
  /// what the launch touches.
  virtual void before(const LaunchPlan &Plan, gpu::LaunchOptions &Options) {}
  /// \p Plan has run.
  virtual void after(const LaunchPlan &Plan, const LaunchOutcome &Outcome) {}
};

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_LAUNCHOBSERVER_H
