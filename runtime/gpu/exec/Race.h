//===- Race.h - Races on shared and global memory ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports accesses of two threads to a byte of which one writes and which
// nothing orders (RaceOrder.h). Accesses that are both strong (atomic,
// volatile, relaxed, acquire, release) do not race if their scopes reach each
// other.
//
// Each word remembers accesses (RaceShadow.h). One is forgotten only if every
// later access that races with it also races with one that stays, so a racing
// word is never missed for lack of room:
//   - one that happened before another which conflicts with no less,
//   - with barriers of whole blocks only, any third one beside two of different
//     threads in the same stretch between barriers, or of different blocks,
//   - any beside one of a block that ended without publishing it.
// A pair of instructions may go without a report of its own if a later access
// stands for an earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACE_H
#define GEVO_RUNTIME_GPU_EXEC_RACE_H

#include "runtime/gpu/exec/RaceShadow.h"
#include "runtime/gpu/exec/SlowAccess.h"
#include "runtime/gpu/exec/Warp.h"

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
  /// All of a block meet at a barrier.
  void barrier(const Block &B);
  /// Lanes reach a barrier of some warps.
  void arrive(const Block &B, uint32_t Number, uint32_t WarpIndex,
              uint32_t Lanes);
  /// That barrier is complete; \p Waiting are its lanes by warp.
  void complete(const Block &B, uint32_t Number,
                const std::vector<uint32_t> &Waiting);
  void fence(const Warp &W, const Inst &I, uint32_t Mask);
  /// Must be called before a store changes memory.
  void access(Warp &W, const Inst &I, uint32_t Mask,
              const uint64_t (&A)[WarpSize], uint32_t Bytes, AccessKind Kind,
              TraceSpace Space);
  /// What it took so far, in accesses that were looked at and in clocks that
  /// were joined: the same on every machine.
  uint64_t work() const { return Looked + joinedRows() - RowsBefore; }
  /// Memory is new to the program.
  void forget(uint64_t Address, uint64_t Bytes) {
    Global.forget(Address, Bytes, GlobalPool);
  }

private:
  struct BlockState {
    BlockOrder Order;
    SharedShadow Shared;
    RecordPool Pool;
  };
  /// One memory instruction of a warp that is being watched.
  struct Visit {
    Warp &W;
    const Inst &I;
    const uint64_t (&A)[WarpSize];
    uint32_t Bytes;
    TraceSpace Space;
    BlockState &B;
    AccessRecord Now; ///< Of some lanes, to one word.
    uint8_t Kind = 0; ///< Of AccessRecord, but for the value that is stored.
  };
  /// A word's cell and mark, and the pool of its lists.
  struct Word {
    ShadowCell *Cell = nullptr; ///< Null: no room to watch it.
    uint32_t *Mark = nullptr;
    RecordPool *Pool = nullptr;
  };

  BlockState &state(const Block &B);
  Word word(const Visit &V, uint64_t Address);
  void synchronise(Visit &V, uint32_t Mask, AccessKind Kind);
  bool allMarked(const Visit &V, uint32_t Mask, AccessKind Kind);
  void touch(Visit &V, uint64_t Address, uint32_t Part);
  bool quick(const Visit &V, const Word &X);
  void markEpoch(const Visit &V, const AccessRecord &R, uint32_t &Mark) const;
  bool conflict(const Visit &V, const AccessRecord &Old) const;
  bool followsAtomic(const Visit &V, const AccessRecord &Old, unsigned Lane,
                     uint64_t Address) const;
  void check(Visit &V, uint64_t Address, uint32_t Part);
  bool sameValue(const Visit &V, unsigned Lane, const AccessRecord &Old,
                 unsigned Other, uint64_t Address, uint32_t Part) const;
  bool stoodFor(const Visit &V, bool &Forever) const;
  void remember(Visit &V, uint32_t &Mark);
  void thin(const Visit &V);

  // RaceReport.cpp
  void report(const Visit &V, unsigned Lane, const AccessRecord &Old,
              unsigned OldLane, uint64_t Address, FindingKind Kind);
  /// There is no room: for this word, or for anything.
  void reportUnwatched(const Visit &V, unsigned Lane, uint64_t Address,
                       bool AllOfIt);

  Grid &G;
  RaceOrder Order;
  std::vector<uint32_t> PlaceBase; ///< By function.
  std::unordered_map<uint64_t, std::unique_ptr<BlockState>> Blocks;
  std::vector<std::unique_ptr<BlockState>> Idle;
  BlockState *Last = nullptr; ///< Of block LastIndex.
  uint64_t LastIndex = 0;
  GlobalShadow Global;
  RecordPool GlobalPool;
  SyncWords GlobalWords;
  uint64_t Looked = 0; ///< Accesses.
  const uint64_t RowsBefore = joinedRows();
  RecordList Scratch;   ///< The accesses of the word that is visited.
  bool Stopped = false; ///< No longer watching.
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACE_H
