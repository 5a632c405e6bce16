//===- TimedLaunch.h - Run a kernel and tell its time -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where execution and timing meet: the engine runs a launch block by block, the
// clock asks for the next block's trace when an SM has room for it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_TIMEDLAUNCH_H
#define GEVO_RUNTIME_GPU_TIMING_TIMEDLAUNCH_H

#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/timing/Sass.h"
#include "runtime/gpu/timing/Simulation.h"

namespace gevo::gpu::timing {

/// What a launch did and how long it took.
struct TimedResult {
  LaunchResult Execution;
  LaunchTiming Timing;
  double ExecutionSeconds = 0; ///< Of the host, without the clock's own time.
};

/// The clock of one GPU: its profile, and what its L2 holds from launch to
/// launch. Not for use by several threads at once.
class Clock {
public:
  explicit Clock(Profile P);
  Clock(const Clock &) = delete;
  Clock &operator=(const Clock &) = delete;

  const Profile &profile() const { return P; }
  /// Whether every block is timed; otherwise blocks of large grids that behave
  /// alike are sampled.
  void setExact(bool Every) { Exact = Every; }
  /// Whether rules keep the order in which PTX stands; see CostChoice::Text.
  void setTextOrder(bool Keep) { TextOrder = Keep; }
  /// Empties L2 before the next launch.
  void flush() { Memory.flush(); }
  /// The host copied \p Bytes to \p Address of \p D: L2 holds the end of
  /// them.
  void copied(Device &D, uint64_t Address, uint64_t Bytes) {
    Memory.copied(D.offsetOf(Address), Bytes);
  }

  /// MemorySystem::keep and recall.
  void keepCaches() { Memory.keep(); }
  bool recallCaches() { return Memory.recall(); }

  /// Runs \p K and tells its time. A launch that ends early is timed up to the
  /// block that failed. With \p Machine, the machine code of the kernel's
  /// module, costs come from that where it has the kernel. A launch that takes
  /// more than \p CycleLimit cycles (0: none) ends with Timeout.
  TimedResult launch(Device &D, const Kernel &K, const LaunchOptions &O,
                     const SassModule *Machine = nullptr,
                     uint64_t CycleLimit = 0);
  /// The same with the costs of \p K that costs() gave.
  TimedResult launch(Device &D, const Kernel &K, const LaunchOptions &O,
                     const CostProgram &Costs, uint64_t CycleLimit = 0);

  /// What the instructions of \p K cost; to be kept for further launches.
  CostProgram costs(const Kernel &K, const SassModule *Machine = nullptr) const;

private:
  Profile P;
  MemorySystem Memory;
  bool Exact = false;
  bool TextOrder = false;
};

/// The limits of a device that \p P describes.
DeviceConfig deviceConfig(const Profile &P);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_TIMEDLAUNCH_H
