//===- Fetch.h - Loads that wait for L2 -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an SM remembers of a load or an atomic operation until its data is
// there. Between the request and the answer the host works on all other SMs,
// so a fetch is one line of the host's caches and its lists share one pool.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_FETCH_H
#define GEVO_RUNTIME_GPU_TIMING_FETCH_H

#include "runtime/gpu/timing/CostProgram.h"
#include "runtime/gpu/timing/LaunchTiming.h"

#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

/// Short lists in the order in which they were written, in one vector.
class ListPool {
public:
  struct List {
    uint32_t First = NoIndex, Last = NoIndex;
  };
  struct Node {
    uint64_t Value;
    uint32_t Place;
    uint32_t Next;
  };

  void append(List &L, uint64_t Value, uint32_t Place = 0) {
    uint32_t N = Free;
    if (N == NoIndex) {
      N = uint32_t(Nodes.size());
      Nodes.emplace_back();
    } else {
      Free = Nodes[N].Next;
    }
    Nodes[N] = {Value, Place, NoIndex};
    (L.First == NoIndex ? L.First : Nodes[L.Last].Next) = N;
    L.Last = N;
  }

  /// By value: what is called for a node may append to another list.
  Node operator[](uint32_t N) const { return Nodes[N]; }

  void prefetch(uint32_t N) const { __builtin_prefetch(&Nodes[N]); }

  void clear(List &L) {
    if (L.First == NoIndex)
      return;
    Nodes[L.Last].Next = Free;
    Free = L.First;
    L = List();
  }

private:
  std::vector<Node> Nodes;
  uint32_t Free = NoIndex; ///< The first that is in no list.
};

/// Sectors that one load waits for.
struct alignas(64) Fetch {
  uint64_t Done = 0;
  InstructionProfile *Stats = nullptr;
  const uint16_t *Results = nullptr; ///< Of the micro-operation.
  uint32_t FirstRegister = 0;        ///< Of its function in the warp's file.
  uint32_t Warp = NoIndex;           ///< NoIndex: nobody waits any more.
  uint32_t Parts = 0;                ///< Replies to come, own and merged ones.
  uint8_t NumResults = 0;
  Stall Why = Stall::Global;
  ListPool::List Copies;    ///< More registers of the warp's file.
  ListPool::List Followers; ///< Fetches that merged with this one.
  ListPool::List Lines;     ///< Being filled in L1: traceLine, and its place.
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_FETCH_H
