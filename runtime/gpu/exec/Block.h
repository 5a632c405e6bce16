//===- Block.h - The warps of a block and their shared memory ---*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block owns its warps, shared and local memory and barriers, and runs the
// warps in turn. Blocks are reused for later indices of the same launch.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_BLOCK_H
#define GEVO_RUNTIME_GPU_EXEC_BLOCK_H

#include "runtime/gpu/exec/Grid.h"
#include "runtime/gpu/exec/Warp.h"

#include <memory>
#include <vector>

namespace gevo::gpu {

/// One of the 16 named barriers of a block.
struct BarrierState {
  std::vector<uint32_t> Arrived; ///< Lanes, by warp; from the first arrival on.
  uint32_t Count = 0;            ///< Threads to wait for; 0: the whole block.
  uint32_t Popc = 0;             ///< Reduction so far.
  bool All = true;
  bool Any = false;
  bool Used = false;
};

enum class BlockStop : uint8_t { Done, Yielded, Stopped };

class Block {
public:
  /// Of TraceIn: there is one already, or there never is.
  static constexpr uint64_t NoTrace = ~uint64_t(0);

  explicit Block(Grid &G);
  ~Block();

  /// Makes this block number \p Index. \p Trace may be null.
  void start(uint64_t Index, BlockTrace *Trace);
  /// Writes its trace to \p Piece, which is emptied, from now on. Not while it
  /// runs.
  void startPiece(BlockTrace &Piece);
  /// To be called after start() without a trace: writes one to \p Piece if the
  /// block takes more than \p Count instructions, from there on. Its accesses
  /// are counted from the start.
  void traceAfter(uint64_t Count, BlockTrace &Piece);
  /// Begins the trace of traceAfter, between two slices of a warp.
  void startLate();
  /// Runs until done, stopped, or about \p Quantum instructions.
  BlockStop run(uint64_t Quantum);

  /// Memory in the shared space; null if the range is outside.
  char *shared(uint64_t Offset, uint64_t Bytes) {
    if (Offset > G.SharedBytes || Bytes > G.SharedBytes - Offset)
      return nullptr;
    return Shared + Offset;
  }
  /// \p Lanes of warp \p W reach a barrier.
  void arrive(uint32_t Number, uint32_t Count, Warp &W, uint32_t Lanes,
              uint32_t Values, bool Reduces);
  /// Threads exited: barriers may now be complete.
  void recheckBarriers();
  uint64_t globalTimer(const Warp &W) const;
  bool isConstAddress(uint64_t Address) const;
  Dim3 threadAt(uint32_t WarpIndex, unsigned Lane) const;

  Grid &G;
  uint64_t Index = 0;
  Dim3 Where;
  std::vector<std::unique_ptr<Warp>> Warps;
  TraceTable *Runs = nullptr; ///< Of the block's trace.
  AccessCounts Accesses;      ///< While its warps are counted.
  uint64_t TraceIn = NoTrace; ///< Instructions to go until it has one.
  char *Shared = nullptr;
  std::vector<uint8_t> SharedShadow; ///< Initialised bytes, if checked.
  uint64_t SharedUnwritten = 0;      ///< Those that are not.
  uint32_t BarrierEpoch = 0;         ///< Completed barriers.

private:
  bool complete(const BarrierState &B) const;
  void finishBarrier(uint32_t Number);
  void reportDeadlock();
  void reportExited(uint32_t Number);
  void fillSpecials(Warp &W);

  std::vector<char> SharedStorage;
  char *LocalStorage = nullptr; ///< And a shadow behind it if that is checked.
  uint64_t LocalStorageBytes = 0;
  std::vector<std::vector<char>> SpecialRows;
  BarrierState Barriers[ClusterBarrier + 1];
  uint32_t NextWarp = 0;
  BlockTrace *Late = nullptr; ///< Of traceAfter.
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_BLOCK_H
