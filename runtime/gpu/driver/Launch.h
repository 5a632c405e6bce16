//===- Launch.h - Launches behind the API -----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_LAUNCH_H
#define GEVO_RUNTIME_GPU_DRIVER_LAUNCH_H

#include "runtime/gpu/driver/Driver.h"

namespace gevo::driver {

/// A launch with all that it needs, its arguments included.
struct LaunchPlan {
  std::shared_ptr<Function> F;
  gpu::Dim3 Grid, Block;
  unsigned DynamicShared = 0;
  bool Cooperative = false;
  std::vector<char> Params;
};

/// Copies the arguments of \p Plan from one of the two forms in which programs
/// pass them.
CUresult takeParams(LaunchPlan &Plan, void **Params, void **Extra);

/// Checks \p Plan against the limits of its device.
CUresult checkPlan(LaunchPlan &Plan);

/// Makes work of \p Plan.
Work launchWork(LaunchPlan Plan);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_LAUNCH_H
