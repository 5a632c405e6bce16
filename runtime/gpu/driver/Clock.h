//===- Clock.h - Time on the modelled GPU -----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events are stamped with the time of the modelled GPU, so that what a program
// measures does not depend on the machine it runs on.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_CLOCK_H
#define GEVO_RUNTIME_GPU_DRIVER_CLOCK_H

#include "runtime/gpu/driver/DeviceProperties.h"

namespace gevo::driver {

/// A bound from below on the time of a launch that the clock did not see, in
/// microseconds: its warp
/// instructions at one a cycle on each of the four schedulers of every
/// multiprocessor that has a block.
double launchMicroseconds(const DeviceProperties &P,
                          const gpu::LaunchCounters &Counters);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_CLOCK_H
