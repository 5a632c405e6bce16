//===- Lanes.h - Loops over the lanes of a warp -----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all handlers share: views of rows as lanes of a type, and the two loops
// over lanes. Included only by files that are compiled once per instruction
// set of the host, with GEVO_ISA naming the set; everything here lives in that
// namespace so that the linker never mixes the sets.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_LANES_H
#define GEVO_RUNTIME_GPU_EXEC_LANES_H

#include "runtime/gpu/exec/Isa.h"
#include "runtime/gpu/exec/Warp.h"

#include <cstdint>
#include <type_traits>

#ifndef GEVO_ISA
#error "compile with -DGEVO_ISA=<name>"
#endif

/// In front of a loop over lanes: rows are either the same or disjoint, so
/// iterations never depend on each other.
#if defined(__clang__)
#define GEVO_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define GEVO_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace gevo::gpu::GEVO_ISA {

/// What a row holds per lane for values of type T.
template <typename T>
using Lane = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// A lane's bits as a value; narrow types are in the low bits.
template <typename T> inline T get(Lane<T> V) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(V);
  else
    return __builtin_bit_cast(T, V);
}

/// The inverse; unused high bits are zero.
template <typename T> inline Lane<T> put(T V) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<Lane<T>>(static_cast<std::make_unsigned_t<T>>(V));
  else
    return __builtin_bit_cast(Lane<T>, V);
}

alignas(128) inline constexpr uint32_t LaneBit[WarpSize] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,
    1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13,
    1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
    1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
    1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// D[l] = Fn(l) for the lanes of \p Mask. Fn is computed for all lanes, so it
/// must be total and cheap.
template <typename R, typename Op>
inline __attribute__((always_inline)) void dense(uint32_t Mask, R *D, Op Fn) {
  if (Mask == FullMask) {
    GEVO_LANE_LOOP
    for (unsigned L = 0; L < WarpSize; ++L)
      D[L] = Fn(L);
  } else {
    GEVO_LANE_LOOP
    for (unsigned L = 0; L < WarpSize; ++L) {
      R V = Fn(L);
      D[L] = (Mask & LaneBit[L]) ? V : D[L];
    }
  }
}

/// The same for functions that are costly: active lanes only, one by one.
template <typename R, typename Op>
inline __attribute__((always_inline)) void sparse(uint32_t Mask, R *D, Op Fn) {
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    D[L] = Fn(L);
  }
}

/// The bits of the lanes for which Fn holds.
template <typename Op>
inline __attribute__((always_inline)) uint32_t ballot(Op Fn) {
  uint32_t Bits = 0;
  GEVO_LANE_LOOP
  for (unsigned L = 0; L < WarpSize; ++L)
    Bits |= Fn(L) ? LaneBit[L] : 0;
  return Bits;
}

/// Writes the bits of \p Value in \p Mask to predicate \p P.
inline void blend(uint32_t &P, uint32_t Value, uint32_t Mask) {
  P = (P & ~Mask) | (Value & Mask);
}

/// Calls Fn with a null pointer to the C++ type of an integer type; false for
/// other types.
template <typename Op> inline bool withInteger(ptx::Mod T, Op Fn) {
  using ptx::Mod;
  switch (T) {
  case Mod::U8:
  case Mod::B8:
    Fn(static_cast<uint8_t *>(nullptr));
    return true;
  case Mod::S8:
    Fn(static_cast<int8_t *>(nullptr));
    return true;
  case Mod::U16:
  case Mod::B16:
    Fn(static_cast<uint16_t *>(nullptr));
    return true;
  case Mod::S16:
    Fn(static_cast<int16_t *>(nullptr));
    return true;
  case Mod::U32:
  case Mod::B32:
    Fn(static_cast<uint32_t *>(nullptr));
    return true;
  case Mod::S32:
    Fn(static_cast<int32_t *>(nullptr));
    return true;
  case Mod::U64:
  case Mod::B64:
    Fn(static_cast<uint64_t *>(nullptr));
    return true;
  case Mod::S64:
    Fn(static_cast<int64_t *>(nullptr));
    return true;
  default:
    return false;
  }
}

} // namespace gevo::gpu::GEVO_ISA

#endif // GEVO_RUNTIME_GPU_EXEC_LANES_H
