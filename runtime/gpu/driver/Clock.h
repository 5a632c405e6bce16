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

#include "runtime/gpu/driver/Objects.h"

namespace gevo::driver {

/// A bound from below on the time of a launch that the clock did not see, in
/// microseconds: its warp
/// instructions at one a cycle on each of the four schedulers of every
/// multiprocessor that has a block.
double launchMicroseconds(const DeviceProperties &P,
                          const gpu::LaunchCounters &Counters);

/// What the instructions of \p F cost: those of its machine code, which is
/// made of the kernel alone when it is launched first, unless \p Choice are the
/// rules or the tools cannot make it. The context's ClockLock must be held.
const gpu::timing::CostProgram &costsOf(Context &Ctx, Function &F,
                                        gpu::timing::CostChoice Choice);

/// What the driver knows of \p F. The registers are those of its machine code
/// where launches are timed by it, or if \p Assemble, unless it cannot be made
/// or the settings ask for the rules; otherwise they are an estimate. Queries
/// and launches must agree, so all of them ask here.
gpu::KernelAttributes attributesOf(Function &F, bool Assemble = false);

/// Bytes [\p Address, \p Address + \p Bytes) were written by a copy or a fill:
/// they went through the L2 of the context that owns them.
void wroteThroughCache(uint64_t Address, uint64_t Bytes);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_CLOCK_H
