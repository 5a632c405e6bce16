//===- ReadyQueue.h - Which warps of a scheduler can issue ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of one scheduler are bits of a word, the oldest lowest, so that
// "the oldest that is ready and whose pipe is free" is a few operations on
// words. Warps that become ready within the next 63 cycles, which is what
// arithmetic takes, are in a ring of such words by time; the others are few and
// are looked through when the first of them is due.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_READYQUEUE_H
#define GEVO_RUNTIME_GPU_TIMING_READYQUEUE_H

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

namespace gevo::gpu::timing {

/// Later than all times.
constexpr uint64_t Never = ~uint64_t(0);

class ReadyQueue {
public:
  static constexpr unsigned MaxWarps = 64;

  /// The warps that are ready at the time of the last advance().
  uint64_t ready() const { return Ready; }

  /// The warp at \p Place is ready from \p Time on.
  void push(unsigned Place, uint64_t Time) {
    uint64_t Bit = uint64_t(1) << Place;
    if (Time <= Now) {
      Ready |= Bit;
    } else if (Time - Now < Span) {
      Ring[Time % Span] |= Bit;
      Slots |= uint64_t(1) << Time % Span;
    } else {
      Far |= Bit;
      FarTime[Place] = Time;
      FarNext = std::min(FarNext, Time);
    }
  }

  /// The warp at \p Place has issued.
  void take(unsigned Place) { Ready &= ~(uint64_t(1) << Place); }

  /// Moves time to \p To.
  void advance(uint64_t To) {
    if (To == Now + 1) { // By far the most frequent step.
      uint64_t &Word = Ring[To % Span];
      Ready |= Word;
      Word = 0;
      Slots &= ~(uint64_t(1) << To % Span);
      Now = To;
    } else if (To > Now) {
      leap(To);
    }
    if (FarNext <= Now)
      sortFar();
  }

  /// When the next one becomes ready; Never if none will.
  uint64_t next() const {
    uint64_t Due = upcoming();
    return std::min(FarNext,
                    Due ? Now + 1 + unsigned(__builtin_ctzll(Due)) : Never);
  }

  /// Removes the warp at \p Place; the younger ones move down by one.
  void remove(unsigned Place) {
    Ready = without(Ready, Place);
    Far = without(Far, Place);
    for (uint64_t Rest = Slots; Rest; Rest &= Rest - 1) {
      uint64_t &Word = Ring[unsigned(__builtin_ctzll(Rest))];
      Word = without(Word, Place);
    }
    for (uint64_t Rest = Far >> Place; Rest; Rest &= Rest - 1) {
      unsigned K = Place + unsigned(__builtin_ctzll(Rest));
      FarTime[K] = FarTime[K + 1];
    }
  }

  /// \p Word without bit \p Place; the higher ones move down.
  static uint64_t without(uint64_t Word, unsigned Place) {
    uint64_t Low = (uint64_t(1) << Place) - 1;
    return (Word & Low) | (Word >> 1 & ~Low);
  }

private:
  static constexpr unsigned Span = 64;

  /// Slots in use, bit 0 for the next cycle.
  uint64_t upcoming() const {
    unsigned By = unsigned(Now + 1) % Span;
    return By ? Slots >> By | Slots << (Span - By) : Slots;
  }

  void leap(uint64_t To) {
    uint64_t Due = upcoming();
    if (To - Now < Span)
      Due &= (uint64_t(1) << (To - Now)) - 1;
    for (; Due; Due &= Due - 1) {
      unsigned Slot = unsigned(Now + 1 + unsigned(__builtin_ctzll(Due))) % Span;
      Ready |= Ring[Slot];
      Ring[Slot] = 0;
      Slots &= ~(uint64_t(1) << Slot);
    }
    Now = To;
  }

  void sortFar() {
    uint64_t Rest = Far;
    Far = 0;
    FarNext = Never;
    for (; Rest; Rest &= Rest - 1) {
      unsigned Place = unsigned(__builtin_ctzll(Rest));
      push(Place, FarTime[Place]);
    }
  }

  uint64_t Now = 0;
  uint64_t Ready = 0;
  uint64_t Slots = 0; ///< Words of the ring that may not be zero.
  uint64_t Far = 0;
  uint64_t FarNext = Never;
  std::array<uint64_t, Span> Ring = {};
  std::array<uint64_t, MaxWarps> FarTime = {};
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_READYQUEUE_H
