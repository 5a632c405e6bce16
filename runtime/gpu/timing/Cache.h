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

#include <algorithm>
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
    assert(Ways < NoWay && "ways have numbers of 16 bits");
    while (isWide() && Buckets < Ways)
      Buckets *= 2;
  }

  /// The line with tag \p Tag in set \p Set, or null.
  CacheLine *find(uint64_t Set, uint64_t Tag) {
    if (Lines.empty())
      return nullptr;
    if (isWide())
      return findWide(Set, Tag);
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
    if (!isWide())
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
    if (isWide() && Way < Orders[Set].Count)
      unchain(Set, Way);
    Lines[Victim] = CacheLine();
    setTag(Set, Way, Tag);
    if (isWide())
      chain(Set, Way);
    touch(Set, Way);
    return &Lines[Victim];
  }

  /// All fills have arrived: times start from zero again.
  void settle() {
    for (uint64_t Set : Changed)
      for (uint64_t W = Set * NumWays; W < Set * NumWays + endOf(Set); ++W)
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
          Links[W] = Kept.Links[W];
      }
    for (uint64_t Set : Changed)
      if (isWide()) {
        Orders[Set] = Kept.Orders[Set];
        std::copy_n(&Kept.Heads[Set * Buckets], Buckets, &Heads[Set * Buckets]);
      } else
        Ages[Set] = Kept.Ages[Set];
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
    FromEmpty = true;
    forgetChanges();
  }

private:
  /// \name Age
  /// Up to 16 ways are kept in order of age, four bits each, the oldest in
  /// the lowest ones. More ways, as L1 has, are a list in that order; ways
  /// that had no line yet are in none, and the first of them is the oldest.
  /// @{
  static constexpr uint64_t ByNumber = 0xfedcba9876543210;
  struct Link {
    uint16_t Older, Younger, Next;
  };
  struct Order {
    uint16_t Oldest, Youngest;
    uint32_t Count; ///< Of the ways that had a line.
  };
  bool isWide() const { return NumWays > 16; }
  /// Behind the last way of \p Set that can have a line.
  uint64_t endOf(uint64_t Set) const {
    return isWide() ? Orders[Set].Count : NumWays;
  }
  void touch(uint64_t Set, uint64_t Way) {
    change(Set);
    if (isWide())
      touchWide(Orders[Set], &Links[Set * NumWays], uint16_t(Way));
    else if (Ages[Set] >> Top != Way)
      Ages[Set] = youngest(Ages[Set], Way);
  }
  static void touchWide(Order &O, Link *Of, uint16_t Way) {
    if (Way < O.Count) {
      if (Way == O.Youngest)
        return;
      uint16_t Younger = Of[Way].Younger;
      if (Way == O.Oldest)
        O.Oldest = Younger;
      else
        Of[Of[Way].Older].Younger = Younger;
      Of[Younger].Older = Of[Way].Older;
    } else if (O.Count++ == 0) {
      O.Oldest = O.Youngest = Way;
      return;
    }
    Of[O.Youngest].Younger = Way;
    Of[Way].Older = O.Youngest;
    O.Youngest = Way;
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
    const Order &O = Orders[Set];
    return O.Count < NumWays ? O.Count : O.Oldest;
  }
  /// No way was touched yet; the first is the oldest.
  uint64_t untouched() const { return ByNumber & (~uint64_t(0) >> (60 - Top)); }
  /// @}

  /// \name Look-up among many ways
  /// Those whose tags have the same sign, but for its high bits, are a list.
  /// @{
  static constexpr uint16_t NoWay = 0xffff;
  uint16_t &headOf(uint64_t Set, uint64_t Tag) {
    return Heads[Set * Buckets + (signOf(Tag) & (Buckets - 1))];
  }
  CacheLine *findWide(uint64_t Set, uint64_t Tag) {
    uint64_t First = Set * NumWays;
    for (uint16_t Way = headOf(Set, Tag); Way != NoWay;
         Way = Links[First + Way].Next)
      if (Lines[First + Way].Tag == Tag) {
        touch(Set, Way);
        return &Lines[First + Way];
      }
    return nullptr;
  }
  void chain(uint64_t Set, uint64_t Way) {
    uint16_t &Head = headOf(Set, Lines[Set * NumWays + Way].Tag);
    Links[Set * NumWays + Way].Next = Head;
    Head = uint16_t(Way);
  }
  void unchain(uint64_t Set, uint64_t Way) {
    uint64_t First = Set * NumWays;
    uint16_t *To = &headOf(Set, Lines[First + Way].Tag);
    while (*To != Way)
      To = &Links[First + *To].Next;
    *To = Links[First + Way].Next;
  }
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
    if (isWide()) {
      Links.resize(Lines.size());
      Orders.resize(NumSets);
      Heads.resize(NumSets * Buckets, NoWay);
    } else {
      Ages.resize(NumSets, untouched());
    }
    IsChanged.resize(NumSets);
  }
  void change(uint64_t Set) {
    if (IsChanged[Set])
      return;
    IsChanged[Set] = true;
    Changed.push_back(Set);
  }
  void clear(uint64_t Set) {
    for (uint64_t W = Set * NumWays; W < Set * NumWays + endOf(Set); ++W)
      Lines[W] = CacheLine();
    if (isWide()) {
      Orders[Set] = Order();
      std::fill_n(&Heads[Set * Buckets], Buckets, NoWay);
    } else
      Ages[Set] = untouched();
  }
  void forgetChanges() {
    for (uint64_t Set : Changed)
      IsChanged[Set] = false;
    Changed.clear();
  }

  uint64_t NumSets, NumWays;
  uint64_t Stride;      ///< From the signs of one set to the next.
  uint64_t Buckets = 1; ///< Of a set with many ways.
  unsigned Top;         ///< The place of the youngest way in Ages.
  std::vector<CacheLine> Lines;
  std::vector<uint16_t> Signs; ///< Of the tags, by set and way.
  std::vector<uint64_t> Ages;  ///< By set, unless there are many ways.
  std::vector<Order> Orders;   ///< By set, if there are.
  std::vector<Link> Links;     ///< By line, if there are.
  std::vector<uint16_t> Heads; ///< By set and bucket, if there are.
  /// Sets that were touched since the last clear() or keep().
  std::vector<uint64_t> Changed;
  std::vector<uint8_t> IsChanged; ///< By set.
  bool FromEmpty = true;          ///< The last of the two was clear().
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_CACHE_H
