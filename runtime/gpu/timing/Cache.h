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
  uint64_t FillTime = 0; ///< When the data of the last fill is there.
  uint32_t Filler = 0;   ///< Who fetches the pending sectors (L1).
  uint8_t Valid = 0;
  uint8_t Pending = 0; ///< Asked for; the time is not known yet.
  uint8_t Dirty = 0;
};

/// The tags. They take memory from the first line on: most launches of a
/// program that makes many touch little.
class Cache {
public:
  Cache(uint64_t Sets, uint64_t Ways) : NumSets(Sets), NumWays(Ways) {
    assert(Sets && Ways && "a cache has lines");
  }

  /// The line with tag \p Tag in set \p Set, or null.
  CacheLine *find(uint64_t Set, uint64_t Tag) {
    // Tags lie together: a look-up mostly misses in all ways but one.
    if (Tags.empty())
      return nullptr;
    uint64_t First = Set * NumWays;
    for (uint64_t W = First; W < First + NumWays; ++W)
      if (Tags[W] == Tag) {
        change(Set);
        Used[W] = ++Touches;
        return &Lines[W];
      }
    return nullptr;
  }

  /// Replaces the line to go; \p Evicted gets what it was.
  CacheLine *replace(uint64_t Set, uint64_t Tag, CacheLine &Evicted) {
    if (Lines.empty())
      allocate();
    uint64_t First = Set * NumWays, Victim = First;
    for (uint64_t W = First + 1; W < First + NumWays; ++W)
      if (Used[W] < Used[Victim])
        Victim = W;
    change(Set);
    Evicted = Lines[Victim];
    Lines[Victim] = CacheLine();
    Lines[Victim].Tag = Tags[Victim] = Tag;
    Used[Victim] = ++Touches;
    return &Lines[Victim];
  }

  /// All fills have arrived: times start from zero again.
  void settle() {
    for (uint64_t Set : Changed)
      for (uint64_t W = Set * NumWays; W < (Set + 1) * NumWays; ++W)
        Lines[W].FillTime = 0;
  }

  /// A copy to go back to, from now on. Fills must have arrived.
  Cache keep() {
    // Without a line yet, what is kept is an empty cache.
    FromEmpty = Lines.empty();
    forgetChanges();
    return *this;
  }
  /// Makes this the cache that keep() last gave, \p Kept. What a launch left
  /// alone of a large cache costs nothing.
  void recall(const Cache &Kept) {
    if (Kept.Lines.empty())
      return clear();
    for (uint64_t Set : Changed)
      for (uint64_t W = Set * NumWays; W < (Set + 1) * NumWays; ++W) {
        Lines[W] = Kept.Lines[W];
        Tags[W] = Kept.Tags[W];
        Used[W] = Kept.Used[W];
      }
    Touches = Kept.Touches;
    forgetChanges();
  }

  uint64_t sets() const { return NumSets; }
  /// Where the line with number \p Line goes.
  uint64_t setOf(uint64_t Line) const {
    return NumSets & (NumSets - 1) ? Line % NumSets : Line & (NumSets - 1);
  }

  /// What was not touched since it was empty costs nothing.
  void clear() {
    if (FromEmpty) {
      for (uint64_t Set : Changed)
        clear(Set);
    } else {
      for (uint64_t Set = 0; Set < NumSets; ++Set)
        clear(Set);
    }
    Touches = 0;
    FromEmpty = true;
    forgetChanges();
  }

private:
  void allocate() {
    Lines.resize(NumSets * NumWays);
    Tags.resize(Lines.size(), ~uint64_t(0));
    Used.resize(Lines.size());
    IsChanged.resize(NumSets);
  }
  void change(uint64_t Set) {
    if (IsChanged[Set])
      return;
    IsChanged[Set] = true;
    Changed.push_back(Set);
  }
  void clear(uint64_t Set) {
    for (uint64_t W = Set * NumWays; W < (Set + 1) * NumWays; ++W) {
      Lines[W] = CacheLine();
      Tags[W] = ~uint64_t(0);
      Used[W] = 0;
    }
  }
  void forgetChanges() {
    for (uint64_t Set : Changed)
      IsChanged[Set] = false;
    Changed.clear();
  }

  uint64_t NumSets, NumWays;
  uint64_t Touches = 0;
  std::vector<CacheLine> Lines;
  std::vector<uint64_t> Tags; ///< As in Lines.
  std::vector<uint64_t> Used; ///< When each was last touched, in touches.
  /// Sets that were touched since the last clear() or keep().
  std::vector<uint64_t> Changed;
  std::vector<uint8_t> IsChanged; ///< By set.
  bool FromEmpty = true;          ///< The last of the two was clear().
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_CACHE_H
