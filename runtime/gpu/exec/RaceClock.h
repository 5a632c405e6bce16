//===- RaceClock.h - What is known of other threads' progress ---*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector clock over all threads of a grid: of each thread, the time up to
// which its accesses happened before. Threads mostly learn of whole blocks or
// warps, so a clock keeps times of blocks, of warps that are further, and of
// threads that are further still. Nothing is rounded.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H
#define GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H

#include <cstdint>
#include <map>
#include <vector>

namespace gevo::gpu {

/// The threads of one block, numbered by warp and lane.
class BlockView {
public:
  /// Accesses of \p Thread up to this time are known.
  uint64_t time(uint32_t Thread) const;
  void raiseAll(uint64_t Time);
  void raiseWarp(uint32_t Warp, uint64_t Time);
  void raiseThread(uint32_t Thread, uint64_t Time);
  void join(const BlockView &O);

private:
  /// Forgets what coarser times say as well.
  void prune();
  uint64_t coarse(uint32_t Warp) const;

  uint64_t All = 0;
  std::vector<uint64_t> Warps; ///< By number; may be short.
  std::map<uint32_t, uint64_t> Threads;
};

class RaceClock {
public:
  bool empty() const { return Blocks.empty(); }
  void clear() { Blocks.clear(); }
  uint64_t time(uint32_t Block, uint32_t Thread) const;
  BlockView &of(uint32_t Block) { return Blocks[Block]; }
  void join(const RaceClock &O);

private:
  std::map<uint32_t, BlockView> Blocks;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACECLOCK_H
