//===- Clock.cpp - Time on the modelled GPU -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Clock.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

double gevo::driver::launchMicroseconds(const DeviceProperties &P,
                                        const gpu::LaunchCounters &Counters) {
  constexpr double SchedulersPerSM = 4;
  double SMs =
      double(std::clamp<uint64_t>(Counters.Blocks, 1, P.Config.NumSMs));
  double Cycles = double(Counters.WarpInstructions) / (SMs * SchedulersPerSM);
  return Cycles / (P.Config.ClockKHz / 1000.0);
}
