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

#include "runtime/gpu/timing/Lanes16.h"

#include <cassert>
#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

constexpr unsigned SectorBytes = 32;
constexpr unsigned SectorsPerLine = 4;

/// How many sectors a mask of one line has.
inline unsigned numSectors(uint8_t Mask) {
  assert(Mask < 16 && "a line has four");
  return unsigned(0x4332322132212110u >> 4 * Mask & 15);
}

/// One line. Masks have a bit per sector.
struct CacheLine {
  uint64_t Tag = ~uint64_t(0);
  uint64_t FillTime = 0; ///< When the data of the last fill is there.
  uint32_t Filler = 0;   ///< Who fetches the pending sectors (L1).
  uint8_t Valid = 0;
  uint8_t Pending = 0; ///< Asked for; the time is not known yet.
  uint8_t Dirty = 0;
  uint8_t Filled = 0; ///< By fills that had not all arrived at the last one.

  /// The sectors \p Mask are there at \p Time; what came up to \p Now has.
  void fill(uint8_t Mask, uint64_t Time, uint64_t Now) {
    Filled = uint8_t((FillTime > Now ? Filled : 0) | Mask);
    FillTime = FillTime > Time ? FillTime : Time;
    Valid |= Mask;
  }
  /// When the sectors \p Mask, all valid, are there, if not before.
  uint64_t filledAt(uint8_t Mask) const { return Filled & Mask ? FillTime : 0; }
};

/// What a line that had to go leaves behind.
struct EvictedLine {
  uint64_t Tag = 0;
  uint8_t Dirty = 0;
};

/// The tags. They take memory from the first line on: most launches of a
/// program that makes many touch little.
class Cache {
public:
  Cache(uint64_t Sets, uint64_t Ways)
      : NumSets(Sets), NumWays(Ways),
        Stride((Ways + Lanes16 - 1) / Lanes16 * Lanes16),
        Top(unsigned(4 * (Ways - 1) % 64)) {
    assert(Sets && Ways && "a cache has lines");
  }

  /// The line with tag \p Tag in set \p Set, or null.
  CacheLine *find(uint64_t Set, uint64_t Tag) {
    if (Lines.empty())
      return nullptr;
    // Of the other ways hardly one has the same sign.
    const uint16_t *Of = &Signs[Set * Stride];
    for (uint64_t First = 0; First < NumWays; First += Lanes16)
      for (unsigned Same = equalLanes(Of + First, signOf(Tag)); Same;
           Same &= Same - 1) {
        uint64_t Way = First + unsigned(__builtin_ctz(Same));
        // Behind the last way stand signs of no line.
        if (Way >= NumWays)
          break;
        CacheLine *L = &Lines[Set * NumWays + Way];
        if (L->Tag == Tag) {
          touch(Set, Way);
          return L;
        }
      }
    return nullptr;
  }
  /// The same for a line that was at \p Place when last seen.
  CacheLine *findAt(uint64_t Place, uint64_t Set, uint64_t Tag) {
    if (Lines[Place].Tag != Tag)
      return find(Set, Tag);
    touch(Set, Place - Set * NumWays);
    return &Lines[Place];
  }
  uint64_t placeOf(const CacheLine *L) const {
    return uint64_t(L - Lines.data());
  }
  /// Asks the host for what find() will look at in \p Set.
  void prefetch(uint64_t Set) const {
    if (Lines.empty())
      return;
    constexpr uint64_t HostLine = 64;
    uint64_t First = Set * NumWays, End = First + NumWays;
    __builtin_prefetch(&Signs[Set * Stride]);
    for (uint64_t W = First; W < End; W += HostLine / sizeof(Lines[0]))
      __builtin_prefetch(&Lines[W]);
    __builtin_prefetch(&Ages[Set]);
  }
  /// The same for findAt().
  void prefetchAt(uint64_t Place) const { __builtin_prefetch(&Lines[Place]); }

  /// Replaces the line to go; \p Evicted gets what it was.
  CacheLine *replace(uint64_t Set, uint64_t Tag, EvictedLine &Evicted) {
    if (Lines.empty())
      allocate();
    uint64_t Way = oldest(Set), Victim = Set * NumWays + Way;
    Evicted = {Lines[Victim].Tag, Lines[Victim].Dirty};
    Lines[Victim] = CacheLine();
    setTag(Set, Way, Tag);
    touch(Set, Way);
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
      for (uint64_t Way = 0; Way < NumWays; ++Way) {
        uint64_t W = Set * NumWays + Way;
        Lines[W] = Kept.Lines[W];
        setTag(Set, Way, Lines[W].Tag);
        if (isWide())
          Used[W] = Kept.Used[W];
      }
    for (uint64_t Set : Changed)
      Ages[Set] = Kept.Ages[Set];
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
  /// \name Age
  /// Up to 16 ways are kept in order of age, four bits each, the oldest in
  /// the lowest ones. More ways have the number of the touch that was their
  /// last, which takes more memory, and a search for the oldest.
  /// @{
  static constexpr uint64_t ByNumber = 0xfedcba9876543210;
  bool isWide() const { return NumWays > 16; }
  void touch(uint64_t Set, uint64_t Way) {
    change(Set);
    if (isWide())
      Used[Set * NumWays + Way] = ++Touches;
    else if (Ages[Set] >> Top != Way)
      Ages[Set] = youngest(Ages[Set], Way);
  }
  /// \p Order with \p Way moved to the end.
  uint64_t youngest(uint64_t Order, uint64_t Way) const {
    constexpr uint64_t Ones = 0x1111111111111111;
    uint64_t Differ = Order ^ Way * Ones;
    uint64_t Same = (Differ - Ones) & ~Differ & Ones << 3;
    uint64_t Older =
        (uint64_t(1) << (unsigned(__builtin_ctzll(Same)) & ~3u)) - 1;
    uint64_t Rest = (Order & Older) | (Order >> 4 & ~Older);
    return (Rest & ((uint64_t(1) << Top) - 1)) | Way << Top;
  }
  uint64_t oldest(uint64_t Set) const {
    if (!isWide())
      return Ages[Set] & 15;
    uint64_t First = Set * NumWays, Victim = First;
    for (uint64_t W = First + 1; W < First + NumWays; ++W)
      if (Used[W] < Used[Victim])
        Victim = W;
    return Victim - First;
  }
  /// No way was touched yet; the first is the oldest.
  uint64_t untouched() const { return ByNumber & (~uint64_t(0) >> (60 - Top)); }
  /// @}

  /// Some bits of a tag in which those of one set differ mostly.
  static uint16_t signOf(uint64_t Tag) {
    return uint16_t(Tag * 0x9e3779b97f4a7c15ull >> 48);
  }
  void setTag(uint64_t Set, uint64_t Way, uint64_t Tag) {
    Lines[Set * NumWays + Way].Tag = Tag;
    Signs[Set * Stride + Way] = signOf(Tag);
  }

  void allocate() {
    Lines.resize(NumSets * NumWays);
    Signs.resize(NumSets * Stride);
    Ages.resize(NumSets, untouched());
    if (isWide())
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
      if (isWide())
        Used[W] = 0;
    }
    Ages[Set] = untouched();
  }
  void forgetChanges() {
    for (uint64_t Set : Changed)
      IsChanged[Set] = false;
    Changed.clear();
  }

  uint64_t NumSets, NumWays;
  uint64_t Stride; ///< From the signs of one set to the next.
  unsigned Top;    ///< The place of the youngest way in Ages.
  uint64_t Touches = 0;
  std::vector<CacheLine> Lines;
  std::vector<uint16_t> Signs; ///< Of the tags, by set and way.
  std::vector<uint64_t> Ages;  ///< By set.
  std::vector<uint64_t> Used;  ///< By line, if there are many ways.
  /// Sets that were touched since the last clear() or keep().
  std::vector<uint64_t> Changed;
  std::vector<uint8_t> IsChanged; ///< By set.
  bool FromEmpty = true;          ///< The last of the two was clear().
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_CACHE_H
