//===- Sampler.h - Which blocks of a large grid are timed -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid of many times what the GPU holds at once settles: each round of
// resident blocks takes about as long per instruction as the one before. Once
// pairs of rounds agree and L2 has settled (what it evicts, and has to write
// back, is the launch's own), the blocks that follow are executed but not
// timed; they are charged at that rate for the instructions they execute. Then
// the next rounds are timed again, and so on with longer and longer gaps, until
// the last blocks, an eighth of a round: the last one of a grid often does more
// than the others. With them and the resident blocks it is timed how the GPU
// empties. Rounds that do not agree are timed in full, so a grid that never
// settles is exact.
//
//   time  |start| round | round |   (gap)    | round | round | (gap) | last |
//                   `-- agree --'                `-- agree --'
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SAMPLER_H
#define GEVO_RUNTIME_GPU_TIMING_SAMPLER_H

#include "runtime/gpu/timing/LaunchTiming.h"

#include <cstdint>
#include <deque>

namespace gevo::gpu::timing {

class Sampler {
public:
  /// For grids whose GPU holds \p Resident blocks at once and \p L2Lines.
  Sampler(uint64_t Resident, uint64_t L2Lines)
      : Resident(Resident), L2Lines(L2Lines) {}

  /// What has finished since the start of the launch.
  struct Progress {
    uint64_t Blocks = 0;
    uint64_t Work = 0;  ///< Their instructions.
    uint64_t Times = 0; ///< The sum of the cycles in which they finished.
    uint64_t Owed = 0;  ///< For how long L2 will be busy with what they asked.
  };
  /// \p T has the statistics so far. Returns how many of the \p Remaining
  /// blocks to skip.
  uint64_t skip(const Progress &Now, uint64_t Remaining, const LaunchTiming &T,
                const MemoryCounters &Memory);

  /// The blocks that skip() asked for executed \p Work instructions.
  void skipped(uint64_t Work);

  /// Cycles of what was skipped so far.
  uint64_t extra() const { return uint64_t(Extra > 0 ? Extra : 0); }

  /// Adds what the skipped blocks took to \p T.
  void finish(LaunchTiming &T);

private:
  /// The state after a round, and its middle: when its blocks finished on
  /// average, and how much work was done by then. Blocks that start together
  /// finish together; the time of the last one would jump.
  struct Mark {
    double Time = 0, Middle = 0;
    uint64_t Blocks = 0, Work = 0;
    MemoryCounters Memory;
    std::vector<std::vector<InstructionProfile>> Profile;
  };
  /// Cycles of \p Work instructions at the rate between two marks.
  static double cycles(const Mark &From, const Mark &To, uint64_t Work);
  void mark(const Progress &Now, const LaunchTiming &T,
            const MemoryCounters &Memory);
  bool l2Settled(uint64_t Remaining) const;
  void correct();
  void extrapolate(const Mark &From, const Mark &To, uint64_t Work);

  uint64_t Resident, L2Lines;
  uint64_t Gap = 0;        ///< Blocks of the last gap.
  std::deque<Mark> Rounds; ///< Since the last gap, the latest ones.
  Progress Seen;           ///< At the last mark.
  double Extra = 0;        ///< Cycles of the skipped blocks.
  double Doubt = 0;        ///< How many of those may be wrong.
  uint64_t LastWork = 0;   ///< Of the last gap, not yet compared with what
  double LastCycles = 0;   ///< comes after it; and what it was charged.
  MemoryCounters Memory;   ///< Of the skipped blocks.
  std::vector<std::vector<InstructionProfile>> Profile;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SAMPLER_H
