//===- RaceValues.h - What a store is about to write ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the race detector: the values of an instruction that has not written yet,
// and whether they are what another lane writes, or what is there.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACEVALUES_H
#define GEVO_RUNTIME_GPU_EXEC_RACEVALUES_H

#include "runtime/gpu/exec/Block.h"

#include <algorithm>
#include <cstring>

namespace gevo::gpu {

/// The bytes a store writes for one lane.
inline void laneValue(const Warp &W, const Inst &I, unsigned Lane, char *To) {
  bool Wide = I.Target == 8;
  if (I.Count == 1 && I.Bytes <= (Wide ? 8 : 4)) {
    // The usual case; nobody looks at the bytes beyond the element.
    std::memcpy(To, W.row<char>(I.B) + Lane * (Wide ? 8 : 4), Wide ? 8 : 4);
    return;
  }
  for (unsigned K = 0; K < I.Count; ++K) {
    uint32_t Slot = I.Count > 1 ? W.code().VectorSlots[I.B + K] : I.B;
    const char *Row = W.row<char>(Slot);
    std::memcpy(To + K * I.Bytes, Row + Lane * (Wide ? 8 : 4),
                std::min<unsigned>(I.Bytes, Wide ? 8 : 4));
    if (I.Bytes == 16)
      std::memcpy(To + 8, Row + 8 * WarpSize + Lane * 8, 8);
  }
}

/// Does a store leave \p Part bytes at \p Address as they are?
inline bool storesSame(const Warp &W, const Inst &I, unsigned Lane,
                       const uint64_t (&A)[WarpSize], uint64_t Address,
                       uint32_t Part) {
  char Value[32];
  laneValue(W, I, Lane, Value);
  const char *New = Value + (Address - A[Lane]);
  const char *Old = reinterpret_cast<const char *>(Address);
  return Part == 4 ? std::memcmp(New, Old, 4) == 0
                   : std::memcmp(New, Old, Part) == 0;
}

/// The first lanes of \p Mask that access what \p Lane does and of which
/// \p IsSame says that they store the same.
template <typename Compare>
uint32_t repeats(unsigned Lane, uint32_t Mask, const uint64_t (&A)[WarpSize],
                 Compare IsSame) {
  uint32_t Same = 0;
  for (; Mask; Mask &= Mask - 1) {
    unsigned Next = unsigned(__builtin_ctz(Mask));
    if (A[Next] != A[Lane] || !IsSame(Next))
      break;
    Same |= Mask & (0u - Mask);
  }
  return Same;
}

/// The same of a store from a register as wide as T.
template <typename T>
uint32_t repeats(const T *Row, unsigned Lane, uint32_t Mask,
                 const uint64_t (&A)[WarpSize], uint32_t Bytes) {
  T Bits = T(~T(0)) >> 8 * (sizeof(T) - Bytes), Value = Row[Lane];
  return repeats(Lane, Mask, A,
                 [&](unsigned Next) { return !((Row[Next] ^ Value) & Bits); });
}

/// The lanes of \p Mask but for those that store what \p Lane does where it
/// does: the last of them stands for all. A value that all threads of a warp
/// write at once is looked at twice then, not 32 times.
inline uint32_t withoutRepeats(const Warp &W, const Inst &I, unsigned Lane,
                               uint32_t Mask, const uint64_t (&A)[WarpSize],
                               uint32_t Bytes) {
  uint32_t Same;
  if (I.Count == 1 && I.Target == 8 && Bytes <= 8) {
    Same = repeats(W.row<uint64_t>(I.B), Lane, Mask, A, Bytes);
  } else if (I.Count == 1 && I.Target != 8 && Bytes <= 4) {
    Same = repeats(W.row<uint32_t>(I.B), Lane, Mask, A, Bytes);
  } else {
    char First[32], Other[32];
    laneValue(W, I, Lane, First);
    Same = repeats(Lane, Mask, A, [&](unsigned Next) {
      laneValue(W, I, Next, Other);
      return std::memcmp(First, Other, Bytes) == 0;
    });
  }
  return Same ? (Mask & ~Same) | 1u << (31 - __builtin_clz(Same)) : Mask;
}

/// Will an exchange leave memory as it is?
inline bool exchangeFails(const Warp &W, const Inst &I, unsigned Lane,
                          uint64_t Address) {
  if (ptx::Mod(I.Sub) != ptx::Mod::Cas || I.Bytes > 8)
    return false;
  const char *Row = W.row<char>(I.B);
  return std::memcmp(Row + Lane * (I.Bytes == 8 ? 8 : 4),
                     reinterpret_cast<const char *>(Address), I.Bytes) != 0;
}

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACEVALUES_H
