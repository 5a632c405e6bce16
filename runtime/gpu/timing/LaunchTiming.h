//===- LaunchTiming.h - How long a launch took, and where -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that a simulation gathers, once; reports only print them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_LAUNCHTIMING_H
#define GEVO_RUNTIME_GPU_TIMING_LAUNCHTIMING_H

#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/timing/CostProgram.h"
#include "runtime/gpu/timing/MemorySystem.h"

#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

/// Why a warp could not issue its next instruction.
enum class Stall : uint8_t {
#define STALL(Name, Key) Name,
#include "runtime/gpu/timing/Stalls.def"
  None
};
constexpr unsigned NumStalls = unsigned(Stall::None);

/// "arithmetic", "global", ...
const char *stallName(Stall S);

/// What one instruction of the kernel cost, over all warps.
struct InstructionProfile {
  uint64_t Issues = 0; ///< Micro-operations.
  uint64_t Lanes = 0;  ///< Active lanes of them.
  uint64_t Stalls[NumStalls] = {};
  uint64_t Requests = 0;      ///< Accesses to memory.
  uint64_t Sectors = 0;       ///< Of global and local memory.
  uint64_t L1Hits = 0;        ///< Sectors.
  uint64_t L2Hits = 0;        ///< Sectors.
  uint64_t BankConflicts = 0; ///< Replays of shared memory.

  uint64_t stallCycles() const;
  void add(const InstructionProfile &Other);
  /// All of it as numbers, in order; and back: of fewer or more numbers
  /// nothing.
  std::vector<uint64_t> counters() const;
  static InstructionProfile of(const std::vector<uint64_t> &Counters);
};

/// The result of a simulation.
struct LaunchTiming {
  uint64_t Cycles = 0; ///< From the first block's start to the last one's end.
  uint64_t Nanoseconds = 0;        ///< With the launch overhead.
  uint64_t Blocks = 0;             ///< Of the grid.
  uint64_t BlocksTimed = 0;        ///< Simulated; the others were like them.
  uint64_t ExtrapolatedCycles = 0; ///< Of Cycles, those of blocks not timed.
  /// How far off Cycles may be because of them, as a fraction; from how well
  /// timed rounds agree with each other.
  double ErrorEstimate = 0;
  uint64_t Uops = 0;
  bool WarmL2 = false;
  bool OverLimit = false; ///< Stopped by a limit; Cycles is past it.
  CostSource Source = CostSource::PtxRules;
  std::string WhyRules; ///< Why not Sass, if that was wanted.
  FailureCause RulesCause = FailureCause::Input;
  std::vector<std::string> UnknownOpcodes; ///< As in CostProgram.
  Occupancy Full;
  uint32_t RegistersPerThread = 0;
  MemoryCounters Memory;
  /// By function and instruction.
  std::vector<std::vector<InstructionProfile>> Profile;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_LAUNCHTIMING_H
