//===- IssueQueue.h - When the warps of a scheduler can issue ---*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each warp of one scheduler, the oldest first: the time from which on its
// operands are ready and its pipe is free, and which pipe that is. Times have
// 16 bits and count from a base that moves along, so that 16 warps are two of
// the host's smallest vectors: "the oldest that can issue", "when the next one
// can" and "this pipe is busy until" are each a few vector operations, and the
// scheduler looks only at cycles in which a warp issues. None of it branches on
// what the warps do, which the host could not foresee.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_ISSUEQUEUE_H
#define GEVO_RUNTIME_GPU_TIMING_ISSUEQUEUE_H

#include "runtime/gpu/timing/Lanes16.h"
#include "runtime/gpu/timing/Profile.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace gevo::gpu::timing {

/// Later than all times.
constexpr uint64_t Never = ~uint64_t(0);

class IssueQueue {
public:
  static constexpr unsigned MaxWarps = 64;
  static constexpr unsigned NoPlace = MaxWarps;

  IssueQueue() {
    std::fill_n(When, MaxWarps, Later);
    std::fill_n(Pipe, MaxWarps, int16_t(Unit::None));
  }

  unsigned size() const { return NumWarps; }
  /// A place for a younger warp than all others; it waits.
  unsigned add() {
    assert(NumWarps < MaxWarps && "profiles are checked for it");
    return NumWarps++;
  }

  /// The operands of the warp at \p Place are ready at \p Ready, and its next
  /// instruction goes to \p U. Returns when it can issue.
  uint64_t push(unsigned Place, Unit U, uint64_t Ready) {
    Pipe[Place] = int16_t(U);
    uint64_t Time = std::max(std::max(Ready, Free[unsigned(U)]), Base);
    uint64_t From = Time - Base;
    When[Place] = int16_t(std::min<uint64_t>(From, Later));
    if (From >= Later) {
      Far |= uint64_t(1) << Place;
      FarNext = std::min(FarNext, Time);
    }
    return Time;
  }
  /// The warp at \p Place has issued to \p U, which takes nothing more before
  /// \p Until, and waits. Returns when one of the others can issue.
  uint64_t take(unsigned Place, Unit U, uint64_t Until) {
    Free[unsigned(U)] = Until;
    int16_t From = int16_t(Until - Base), Least = Later;
    for (unsigned First = 0; First < NumWarps; First += Lanes)
      Least = std::min(Least, takeAmong(First, Place, int16_t(U), From));
    return timeOf(Least);
  }
  uint64_t freeAt(Unit U) const { return Free[unsigned(U)]; }
  /// Some pipe is busy at \p Time.
  bool anyBusy(uint64_t Time) const {
    return *std::max_element(Free, Free + NumUnits + 1) > Time;
  }

  /// The pipe that the warp at \p Place goes to next.
  Unit pipeOf(unsigned Place) const { return Unit(Pipe[Place]); }
  bool canIssue(unsigned Place, uint64_t Now) const {
    return When[Place] <= relative(Now);
  }
  /// The oldest warp that can issue, or NoPlace.
  unsigned oldest(uint64_t Now) const {
    int16_t Last = relative(Now);
    for (unsigned First = 0; First < NumWarps; First += Lanes)
      if (unsigned Ready = notLargerLanes(When + First, Last))
        return First + unsigned(__builtin_ctz(Ready));
    return NoPlace;
  }
  /// The same if \p Not takes nothing.
  unsigned oldestBut(Unit Not, uint64_t Now) const {
    for (unsigned K = 0; K < NumWarps; ++K)
      if (canIssue(K, Now) && pipeOf(K) != Not)
        return K;
    return NoPlace;
  }
  /// When a warp can issue first; Never if all wait.
  uint64_t next() const {
    int16_t Least = Later;
    for (unsigned First = 0; First < NumWarps; First += Lanes)
      for (unsigned K = First; K < First + Lanes; ++K)
        Least = std::min(Least, When[K]);
    return timeOf(Least);
  }

  /// Removes the warp at \p Place; the younger ones move down by one.
  void remove(unsigned Place) {
    --NumWarps;
    for (unsigned K = Place; K < NumWarps; ++K) {
      When[K] = When[K + 1];
      Pipe[K] = Pipe[K + 1];
    }
    When[NumWarps] = Later;
    uint64_t Low = (uint64_t(1) << Place) - 1;
    Far = (Far & Low) | (Far >> 1 & ~Low);
  }

  /// Times later than this must not be looked at before mustMove() is heeded.
  bool mustMove(uint64_t Now) const { return Now - Base >= Later / 2; }
  /// Counts from \p Now on. Returns the places that have to be pushed again: a
  /// bit for each warp whose time was too far away.
  uint64_t moveBase(uint64_t Now) {
    uint64_t By = Now - Base;
    for (int16_t &W : When)
      if (W != Later)
        W = int16_t(uint64_t(W) - std::min(uint64_t(W), By));
    Base = Now;
    FarNext = Never;
    uint64_t Again = Far;
    Far = 0;
    return Again;
  }

private:
  static constexpr int16_t Later = INT16_MAX; ///< Or never.
  static constexpr unsigned Lanes = Lanes16;  ///< At a time.

  int16_t relative(uint64_t Now) const {
    return int16_t(std::max(Now, Base) - Base);
  }
  uint64_t timeOf(int16_t From) const {
    return From == Later ? FarNext : Base + uint64_t(From);
  }
  /// take() of the warps from \p First on.
  int16_t takeAmong(unsigned First, unsigned Place, int16_t Busy,
                    int16_t From) {
    // Not by a store to its place: the host would have to wait for that.
    const int16_t *Taken = LaterAt.data() + MaxWarps - Place;
    int16_t Least = Later;
    for (unsigned K = First; K < First + Lanes; ++K) {
      int16_t W = std::max(When[K], Pipe[K] == Busy ? From : int16_t(0));
      W |= Taken[K];
      When[K] = W;
      Least = std::min(Least, W);
    }
    return Least;
  }
  /// Later at one place and zero at all others.
  static constexpr std::array<int16_t, 2 * MaxWarps> LaterAt = [] {
    std::array<int16_t, 2 * MaxWarps> A = {};
    A[MaxWarps] = Later;
    return A;
  }();

  uint64_t Base = 0;
  uint64_t FarNext = Never;
  uint64_t Far = 0; ///< Whose times are known, but too far from the base.
  uint32_t NumWarps = 0;
  alignas(16) int16_t When[MaxWarps]; ///< By place, from Base on.
  alignas(16) int16_t Pipe[MaxWarps];
  uint64_t Free[NumUnits + 1] = {}; ///< By pipe, when it takes the next one.
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_ISSUEQUEUE_H
