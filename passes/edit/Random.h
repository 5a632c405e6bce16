//===- Random.h - A random stream that is passed in -------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The standard library leaves its distributions to each implementation; the
// same seed must draw the same edits everywhere, so the stream is our own.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_RANDOM_H
#define GEVO_PASSES_EDIT_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include <cassert>
#include <cstdint>
#include <iterator>

namespace gevo {

/// SplitMix64: 64 bits of state, every seed good, streams split by seed.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}

  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15u;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9u;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111ebu;
    return Z ^ (Z >> 31);
  }

  /// A number from 0 to \p Bound - 1. The bias of the multiplication is below
  /// 2^-32 for every bound that we use.
  uint64_t below(uint64_t Bound) {
    assert(Bound && "nothing to draw from");
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(next()) * Bound) >> 64);
  }

  template <typename List> auto &pick(List &L) {
    return L[below(std::size(L))];
  }

private:
  uint64_t State;
};

} // namespace gevo

#endif // GEVO_PASSES_EDIT_RANDOM_H
