//===- Race.h - Races on shared and global memory ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers, for every word that was accessed, its last write and two of its
// last reads, and reports accesses of two threads of which one writes and which
// nothing orders. What orders accesses:
//   - the program order of a thread; before sm_70 also that of a warp,
//   - barriers of the block and bar.warp.sync, for the lanes that take part,
//   - a fence before, and a strong access or atomic to, a word that another
//     warp then reads by a strong access or atomic.
// Accesses that are both strong (atomic, volatile, relaxed, acquire, release)
// do not race. Releases are taken for the whole block, which errs towards
// silence.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACE_H
#define GEVO_RUNTIME_GPU_EXEC_RACE_H

#include "runtime/gpu/exec/SlowAccess.h"
#include "runtime/gpu/exec/Warp.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

struct Grid;

class RaceDetector {
public:
  explicit RaceDetector(Grid &G);
  ~RaceDetector();

  void startBlock(const Block &B);
  void endBlock(const Block &B);
  /// Lanes of a warp synchronise.
  void warpSync(const Block &B, uint32_t WarpIndex, uint32_t Lanes);
  /// Lanes (by warp) meet at a barrier; \p Whole: it is for the whole block.
  void barrier(const Block &B, const std::vector<uint32_t> &Lanes, bool Whole);
  void fence(const Warp &W);
  /// Must be called before a store changes memory.
  void access(Warp &W, const Inst &I, uint32_t Mask,
              const uint64_t (&A)[WarpSize], uint32_t Bytes, AccessKind Kind,
              TraceSpace Space);

private:
  /// One access to one word.
  struct Record {
    uint64_t Time = 0; ///< 0: none.
    uint32_t BlockIndex = 0;
    uint32_t Place = 0;
    uint16_t Thread = 0;
    uint8_t Bytes = 0; ///< Bit per byte of the word.
    uint8_t Flags = 0;
  };
  enum : uint8_t { Strong = 1, Atomic = 2, Silent = 4, VolatileOnly = 8 };
  struct Cell {
    Record Write;
    Record Read[2];
  };
  using Page = std::array<Cell, 1024>;

  /// What each warp of a running block knows of others.
  struct BlockClock {
    uint32_t NumWarps = 0;
    uint64_t All = 0;            ///< Last barrier of the whole block.
    std::vector<uint64_t> Knows; ///< [Warp][Other]: time seen of Other.
    std::vector<uint64_t> Full;  ///< [Warp]: last sync of all its lanes.
    std::vector<uint64_t> Pairs; ///< [Warp][Lane][Lane]; empty until used.
    std::vector<uint64_t> Fence; ///< [Warp]: last fence.
    std::unordered_map<uint32_t, uint64_t> Blocks; ///< Times of other blocks.
    std::vector<Cell> Shared;
  };
  /// A word that synchronises.
  struct SyncWord {
    std::unordered_map<uint32_t, uint64_t> Blocks;
    std::vector<std::pair<uint32_t, uint64_t>> Warps; ///< Of BlockIndex.
    uint32_t BlockIndex = ~0u;
  };

  Cell *cell(BlockClock &C, const Block &B, uint64_t Address, TraceSpace Space);
  bool ordered(const Record &R, const BlockClock &C, const Warp &W,
               unsigned Lane) const;
  void check(Warp &W, BlockClock &C, Cell &X, const Record &Now,
             AccessKind Kind, unsigned Lane, uint64_t Address, TraceSpace Space,
             bool SameAsWrite);
  bool conflicts(const Record &Old, const Record &Now, const BlockClock &C,
                 const Warp &W, unsigned Lane, TraceSpace Space) const;
  void report(Warp &W, const Record &Old, const Record &Now, unsigned Lane,
              uint64_t Address, TraceSpace Space, bool OldWrites, bool Writes,
              bool SameValue);
  void acquire(BlockClock &C, const Warp &W, uint64_t Address);
  void release(BlockClock &C, const Warp &W, const Inst &I, uint64_t Address);
  void remember(Cell &X, const Record &Now, const BlockClock &C, const Warp &W,
                unsigned Lane);

  Grid &G;
  uint64_t Time = 1;
  std::vector<uint32_t> PlaceBase; ///< By function.
  std::unordered_map<uint64_t, std::unique_ptr<BlockClock>> Clocks;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  uint64_t LastPageNumber = ~uint64_t(0);
  Page *LastPage = nullptr;
  std::unordered_map<uint64_t, SyncWord> SyncWords;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACE_H
