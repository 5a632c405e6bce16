//===- Waits.h - What warps wait for from each other ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the events of a launch's traces (see exec/Polling.h) happen in modelled
// time, and who holds its locks. A poll that waits is a fetch whose last part
// comes from here: one round trip after the write that it reads is done, or
// after the lock that it takes is given back.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_WAITS_H
#define GEVO_RUNTIME_GPU_TIMING_WAITS_H

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/CostProgram.h"

#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

/// An access that has an order, as an SM hands it on.
struct OrderedAccess {
  TraceOrder Order;
  uint32_t SM = 0;
  uint32_t Fetch = NoIndex;   ///< That waits; NoIndex: none.
  uint32_t Request = NoIndex; ///< Of the SM's list; NoIndex: none.
  uint64_t RoundTrip = 0; ///< From a write that a poll misses to its answer.
  uint64_t Turn = 0;      ///< How long a poll keeps its word busy.
  std::vector<uint32_t> After; ///< Events.
};

class Waits {
public:
  /// A fetch that has nothing to wait for any more.
  struct Ready {
    uint32_t SM, Fetch;
    uint64_t Time;
  };

  /// \p A is done at \p Time.
  void done(const OrderedAccess &A, uint64_t Time);
  /// Nothing else can happen: lets all go that wait, at \p Time. False if none
  /// does. Happens if what they wait for is in no trace.
  bool giveUp(uint64_t Time);
  /// Those that are ready; to be cleared by who takes them.
  std::vector<Ready> &ready() { return Done; }

private:
  /// An event, or a fetch that waits for events.
  struct Node {
    uint64_t Time = 0;    ///< Of the latest of what it waits for.
    uint32_t Missing = 1; ///< Its own access, and events.
    uint32_t FirstEdge = NoIndex;
    uint64_t NextTurn = 0; ///< When the next poll can see this event.
  };
  /// From an event to what waits for it.
  struct Edge {
    uint32_t To, Next;
  };
  struct Poll {
    Node N;
    uint32_t SM = 0, Fetch = 0;
    uint32_t LastEvent = 0; ///< Of those that it waits for; 0: none.
    uint64_t RoundTrip = 0, Turn = 0;
    uint64_t Own = 0; ///< When it is done by itself.
  };
  struct Lock {
    bool Held = false;
    uint64_t FreeAt = 0;
    std::vector<uint32_t> Queue; ///< Polls, from Next on.
    size_t Next = 0;
  };
  static constexpr uint32_t PollBit = uint32_t(1) << 31;

  Node &node(uint32_t Ref);
  Node &event(uint32_t Number);
  void waitFor(uint32_t Ref, const std::vector<uint32_t> &Events);
  void settle(uint32_t Ref, uint64_t Time);
  void finish(uint32_t Poll, uint64_t Time);
  uint32_t newPoll(const OrderedAccess &A, uint64_t Time);
  void acquire(const OrderedAccess &A, uint64_t Time);
  void release(uint32_t Number, uint64_t Time);
  Lock &lock(uint32_t Number);

  std::vector<Node> Events; ///< By number.
  std::vector<Edge> Edges;
  std::vector<Poll> Polls;
  std::vector<Lock> Locks; ///< By number.
  std::vector<uint32_t> Work;
  std::vector<Ready> Done;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_WAITS_H
