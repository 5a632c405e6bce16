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
// A gap ends at the first block that executes more than those that were timed,
// which is timed from there on, and at a round that differs from them. There
// are no gaps while such a block runs.
//
//   time  |start| round | round |   (gap)    | round | round | (gap) | last |
//                   `-- agree --'                `-- agree --'
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SAMPLER_H
#define GEVO_RUNTIME_GPU_TIMING_SAMPLER_H

#include "runtime/gpu/timing/LaunchTiming.h"
#include "runtime/gpu/timing/Simulation.h"

#include <algorithm>
#include <array>
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
    uint64_t Work = 0; ///< Their instructions.
    AccessCounts Accesses;
    uint64_t Times = 0; ///< The sum of the cycles in which they finished.
    uint64_t Owed = 0;  ///< For how long L2 will be busy with what they asked.
  };
  /// \p T has the statistics so far. Returns how many of the \p Remaining
  /// blocks to skip.
  uint64_t skip(const Progress &Now, uint64_t Remaining, const LaunchTiming &T,
                const MemoryCounters &Memory);

  /// A timed block of \p Work instructions has finished.
  void finished(uint64_t Work, const AccessCounts &A) {
    for (size_t K = 0; K < NumKinds; ++K)
      OfBlocks[K].include(A.*Kinds[K].Field);
    Largest = std::max(Largest, Work);
    Squares += double(Work) * double(Work);
  }

  /// \name For the blocks that skip() asked for
  /// @{
  /// How many to compare with those that were timed, and of these how many to
  /// execute at a time: a block may take many times as long as before with as
  /// many instructions.
  uint64_t round() const { return Resident; }
  uint64_t part() const { return (Resident + 31) / 32; }
  /// False if the accesses of a part, on average, took more or less than those
  /// of any block that was timed: it ends the gap.
  bool isInRange(const SkippedBlocks &Part) const;
  /// A block of more instructions has to be timed, and ends the gap.
  uint64_t most() const;
  /// False if a round of the gap differs from those that were timed: it ends
  /// the gap.
  bool isLike(const SkippedBlocks &Round) const;
  /// What was skipped in the end; \p Whole if nothing ended the gap early.
  void skipped(const SkippedBlocks &All, bool Whole);
  /// @}

  /// Cycles of what was skipped so far.
  uint64_t extra() const { return uint64_t(Extra > 0 ? Extra : 0); }

  /// Adds what the skipped blocks took to \p T. Blocks still ran for
  /// \p Emptying cycles when there were no more to start.
  void finish(LaunchTiming &T, uint64_t Emptying);

private:
  /// What is compared of blocks with as many instructions.
  struct Kind {
    uint64_t AccessCounts::*Field;
    /// One beside fewer instructions decides something.
    double Beside;
  };
  static constexpr size_t NumKinds = 4;
  static const std::array<Kind, NumKinds> Kinds;
  /// The least and the most of one block.
  struct Range {
    uint64_t Least = ~uint64_t(0), Most = 0;
    void include(uint64_t V) {
      Least = std::min(Least, V);
      Most = std::max(Most, V);
    }
  };
  /// The state after a round, and its middle: when its blocks finished on
  /// average, and how much work was done by then. Blocks that start together
  /// finish together; the time of the last one would jump.
  struct Mark {
    double Time = 0, Middle = 0;
    uint64_t Blocks = 0, Work = 0;
    uint64_t Largest = 0; ///< Work of one block.
    double Squares = 0;   ///< Of the work of each block so far.
    MemoryCounters Memory;
    std::vector<std::vector<InstructionProfile>> Profile;
    AccessCounts Accesses;
    std::array<Range, NumKinds> OfBlocks; ///< Of one block, by Kinds.
  };
  double departure(const SkippedBlocks &Blocks) const;
  /// Instructions of a block between two marks, on average.
  static double mean(const Mark &From, const Mark &To);
  /// Cycles of \p Work instructions at the rate between two marks.
  static double cycles(const Mark &From, const Mark &To, uint64_t Work);
  void mark(const Progress &Now, const LaunchTiming &T,
            const MemoryCounters &Memory);
  bool l2Settled(uint64_t Remaining) const;
  bool blocksAlike() const;
  uint64_t largest() const;
  double chance() const;
  void correct();
  void extrapolate(const Mark &From, const Mark &To, uint64_t Work);

  uint64_t Resident, L2Lines;
  uint64_t Gap = 0;        ///< Blocks of the last gap.
  std::deque<Mark> Rounds; ///< Since the last gap, the latest ones.
  Progress Seen;           ///< At the last mark.
  uint64_t Largest = 0;    ///< Work of a block since then.
  double Squares = 0;      ///< Of the work of all that finished.
  std::array<Range, NumKinds> OfBlocks; ///< Of a block since the last mark.
  double Extra = 0;                     ///< Cycles of the skipped blocks.
  double Doubt = 0;                     ///< How many of those may be wrong.
  SkippedBlocks LastGap;    ///< Not yet compared with what comes after it;
  double LastCycles = 0;    ///< what it was charged, and how much of it may be
  double LastDeparture = 0; ///< wrong as its accesses are unlike those before.
  bool LikeBefore = false;  ///< Is it like what came before in all respects?
  double Longest = 0;       ///< Cycles of a timed block around the last gap.
  MemoryCounters Memory;    ///< Of the skipped blocks.
  std::vector<std::vector<InstructionProfile>> Profile;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SAMPLER_H
