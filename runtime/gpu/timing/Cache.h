//===- Cache.h - Tags of a sectored cache -----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Set-associative tags with lines of 128 bytes in four sectors of 32, replaced
// least recently used first. L1 and the slices of L2 are made of it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_CACHE_H
#define GEVO_RUNTIME_GPU_TIMING_CACHE_H

#include <cassert>
#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

constexpr unsigned SectorBytes = 32;
constexpr unsigned SectorsPerLine = 4;

/// One line. Masks have a bit per sector.
struct CacheLine {
  uint64_t Tag = ~uint64_t(0);
  uint64_t Used = 0;     ///< When it was last touched, in touches.
  uint64_t FillTime = 0; ///< When the data of the last fill is there.
  uint32_t Filler = 0;   ///< Who fetches the pending sectors (L1).
  uint8_t Valid = 0;
  uint8_t Pending = 0; ///< Asked for; the time is not known yet.
  uint8_t Dirty = 0;
};

/// The tags.
class Cache {
public:
  Cache(uint64_t Sets, uint64_t Ways) : NumSets(Sets), NumWays(Ways) {
    assert(Sets && Ways && "a cache has lines");
    Lines.resize(Sets * Ways);
  }

  /// The line with tag \p Tag in set \p Set, or null.
  CacheLine *find(uint64_t Set, uint64_t Tag) {
    CacheLine *L = &Lines[Set * NumWays];
    for (uint64_t W = 0; W < NumWays; ++W)
      if (L[W].Tag == Tag) {
        L[W].Used = ++Touches;
        return &L[W];
      }
    return nullptr;
  }

  /// Replaces the line to go; \p Evicted gets what it was.
  CacheLine *replace(uint64_t Set, uint64_t Tag, CacheLine &Evicted) {
    CacheLine *L = &Lines[Set * NumWays], *Victim = L;
    for (uint64_t W = 1; W < NumWays; ++W)
      if (L[W].Used < Victim->Used)
        Victim = &L[W];
    Evicted = *Victim;
    *Victim = CacheLine();
    Victim->Tag = Tag;
    Victim->Used = ++Touches;
    return Victim;
  }

  /// All fills have arrived: times start from zero again.
  void settle() {
    for (CacheLine &L : Lines)
      L.FillTime = 0;
  }

  uint64_t sets() const { return NumSets; }

  void clear() {
    for (CacheLine &L : Lines)
      L = CacheLine();
    Touches = 0;
  }

private:
  uint64_t NumSets, NumWays;
  uint64_t Touches = 0;
  std::vector<CacheLine> Lines;
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_CACHE_H
