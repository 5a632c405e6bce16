//===- Lanes16.h - Sixteen short numbers at once ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons of 16 numbers of 16 bits with one, each answer a bit of a word.
// Compilers make vectors of the other loops over such numbers, but not of this.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_LANES16_H
#define GEVO_RUNTIME_GPU_TIMING_LANES16_H

#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gevo::gpu::timing {

constexpr unsigned Lanes16 = 16;

/// A bit for each number from \p At on that is equal to \p V.
inline unsigned equalLanes(const uint16_t *At, uint16_t V) {
#ifdef __SSE2__
  auto Eight = [&](const uint16_t *From) {
    return _mm_cmpeq_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(From)),
        _mm_set1_epi16(int16_t(V)));
  };
  return unsigned(_mm_movemask_epi8(_mm_packs_epi16(Eight(At), Eight(At + 8))));
#else
  unsigned Bits = 0;
  for (unsigned K = 0; K < Lanes16; ++K)
    Bits |= unsigned(At[K] == V) << K;
  return Bits;
#endif
}

/// A bit for each number from \p At on that is not larger than \p V.
inline unsigned notLargerLanes(const int16_t *At, int16_t V) {
#ifdef __SSE2__
  auto Larger = [&](const int16_t *From) {
    return _mm_cmpgt_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(From)),
        _mm_set1_epi16(V));
  };
  return unsigned(
             _mm_movemask_epi8(_mm_packs_epi16(Larger(At), Larger(At + 8)))) ^
         0xffff;
#else
  unsigned Bits = 0;
  for (unsigned K = 0; K < Lanes16; ++K)
    Bits |= unsigned(At[K] <= V) << K;
  return Bits;
#endif
}

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_LANES16_H
