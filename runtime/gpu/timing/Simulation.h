//===- Simulation.h - The clock of a launch ---------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the SMs of a GPU over the traces of a launch. Time goes in windows as
// long as the latency of L2: within a window an SM cannot see what another one
// does, because nothing comes back from L2 sooner. So each SM runs alone to the
// end of the window, then L2 serves the requests of all of them in order of
// time, and the answers lie in later windows. The result is that of one event
// queue for the whole GPU, without its cost.
//
// Blocks are asked for in order of their index, when an SM has room.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SIMULATION_H
#define GEVO_RUNTIME_GPU_TIMING_SIMULATION_H

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/CostProgram.h"
#include "runtime/gpu/timing/LaunchTiming.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace gevo::gpu::timing {

/// What occupancy depends on.
struct LaunchShape {
  uint64_t Blocks = 1;
  uint32_t ThreadsPerBlock = 32;
  uint32_t SharedBytes = 0; ///< Static and dynamic.
  uint64_t CycleLimit = 0;  ///< Stop when time is past it; 0: never.
};

/// How many blocks of a launch an SM holds at once.
Occupancy occupancy(const Profile &P, const LaunchShape &Shape,
                    uint32_t RegistersPerThread);

/// Writes the next block's trace; false if there is none any more.
using BlockSource = std::function<bool(BlockTrace &)>;

/// Appends the next piece to a trace that is not final; see exec/Trace.h.
using BlockMore = std::function<void(BlockTrace &)>;

/// Blocks that were executed and not timed.
struct SkippedBlocks {
  uint64_t Blocks = 0;
  uint64_t Work = 0; ///< Their warp instructions.
  AccessCounts Accesses;
  bool Unlike = false; ///< The next one has to be timed.

  void add(const SkippedBlocks &O) {
    Blocks += O.Blocks;
    Work += O.Work;
    Accesses.add(O.Accesses);
  }
};

/// Executes \p Count blocks without a trace, up to one that takes more than
/// \p Most instructions: what comes behind these is traced in \p Unlike, as by
/// BlockSource, and they themselves count as skipped.
using BlockSkip = std::function<SkippedBlocks(uint64_t Count, uint64_t Most,
                                              BlockTrace &Unlike)>;

/// Simulates a launch of \p Code on \p P and \p Memory (which it restarts).
/// With \p Skip, blocks of large grids are sampled (see Sampler.h). With
/// \p More, traces may come in pieces; it is called between two instructions.
LaunchTiming simulate(const Profile &P, const CostProgram &Code,
                      const LaunchShape &Shape, MemorySystem &Memory,
                      const BlockSource &NextBlock, const BlockSkip &Skip = {},
                      const BlockMore &More = {});

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SIMULATION_H
