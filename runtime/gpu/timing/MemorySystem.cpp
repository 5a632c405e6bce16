//===- MemorySystem.cpp - L2 and DRAM -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/MemorySystem.h"

#include <algorithm>

using namespace gevo::gpu::timing;

namespace {
/// Queue times have ten fractional bits: a sector takes a fraction of a cycle.
constexpr uint64_t One = 1024;

/// Cycles (with fraction) that \p Servers together at \p MBs need per sector,
/// seen from one of them.
uint64_t sectorCost(const Profile &P, uint64_t MBs, uint64_t Servers) {
  // cycles/sector = 32 bytes * servers * clock / bandwidth.
  return std::max<uint64_t>(1, SectorBytes * Servers * P.ClockKHz * One /
                                   (MBs * 1000));
}

/// Sectors that may wait for a channel of DRAM before slices have to.
/// Accel-Sim's published configurations have queues of 64: at the channel and
/// behind each of its two slices.
constexpr uint64_t WriteBackSectors = 192;

constexpr uint64_t LineBytes = SectorBytes * SectorsPerLine;
/// Copies that wait for their sets. Each costs a little at every set.
constexpr size_t MostWaiting = 16;

uint64_t mix(uint64_t V) {
  V ^= V >> 31;
  V *= 0x9e3779b97f4a7c15ull;
  return V ^ V >> 29;
}
} // namespace

MemorySystem::MemorySystem(const Profile &P) : P(P) {
  SectorCost = sectorCost(P, P.L2MBs, P.L2Slices);
  DramSectorCost =
      sectorCost(P, P.DramMBs * P.DramPercent / 100, P.DramChannels);
  PortSectorCost = SectorBytes * One / P.PortBytesPerCycle;
  AtomicCost = (P.AtomicStep * 100 + P.AtomicExtraPercent) * One / 100;
  uint64_t LinesPerSlice =
      P.L2Bytes / (SectorBytes * SectorsPerLine) / P.L2Slices;
  uint64_t Sets = std::max<uint64_t>(1, LinesPerSlice / P.L2Ways);
  for (uint64_t S = 0; S < P.L2Slices; ++S)
    Slices.push_back({Cache(Sets, P.L2Ways)});
  ChannelFree.resize(P.DramChannels);
  PortFree.resize(P.SMs);
  WriteFree.resize(P.SMs);
}

void MemorySystem::restart() {
  for (Slice &S : Slices)
    S.Free = 0;
  std::fill(ChannelFree.begin(), ChannelFree.end(), 0);
  std::fill(PortFree.begin(), PortFree.end(), 0);
  std::fill(WriteFree.begin(), WriteFree.end(), 0);
  // What was fetched in an earlier launch has arrived.
  for (Slice &S : Slices)
    S.Tags.settle();
  Warm =
      Filled || Counters.L2Reads + Counters.L2Writes + Counters.L2Atomics != 0;
  Filled = false;
  Counters = MemoryCounters();
}

void MemorySystem::flush() {
  for (Slice &S : Slices)
    S.Tags.clear();
  // What was kept is told from what is there by changes since, not by this one.
  Kept.clear();
  Waiting.clear();
  MayWait = true;
  restart();
  Warm = false;
}

void MemorySystem::keep() {
  fillSets();
  Kept.clear();
  for (Slice &S : Slices) {
    S.Tags.settle();
    Kept.push_back(S.Tags.keep());
  }
}

bool MemorySystem::recall() {
  if (Kept.empty())
    return false;
  Waiting.clear();
  for (size_t I = 0; I < Slices.size(); ++I)
    Slices[I].Tags.recall(Kept[I]);
  restart();
  Filled = true;
  return true;
}

void MemorySystem::copied(uint64_t Address, uint64_t Bytes) {
  if (!Bytes)
    return;
  // Of a long copy only the end can still be there. Slices fill unevenly, so
  // some of the data before the last L2Bytes may be, too.
  uint64_t End = Address + Bytes;
  uint64_t Begin = std::max(Address, End - std::min(End, 2 * P.L2Bytes));
  Filled = true;
  MayWait = MayWait && Waiting.size() < MostWaiting;
  if (MayWait) {
    if (Waiting.empty())
      IsFilled.assign(Slices.size() * Slices[0].Tags.sets(), 0);
    Waiting.push_back({Begin, End});
    return;
  }
  fillSets();
  for (uint64_t Line = Begin / LineBytes; Line <= (End - 1) / LineBytes; ++Line)
    putLine(Line, locate(Line), {Begin, End});
}

/// What the copy \p From brings of \p Line is in L2.
void MemorySystem::putLine(uint64_t Line, const Lookup &At, const Copy &From) {
  Cache &Tags = Slices[At.SliceIndex].Tags;
  CacheLine *L = Tags.find(At.Set, At.Tag);
  EvictedLine Evicted;
  if (!L)
    L = Tags.replace(At.Set, At.Tag, Evicted);
  for (unsigned B = 0; B < SectorsPerLine; ++B) {
    uint64_t First = Line * LineBytes + B * SectorBytes;
    if (First < From.End && First + SectorBytes > From.Begin)
      L->Valid |= uint8_t(1u << B);
  }
}

/// Gives a set what waits for it, in the order of the copies.
void MemorySystem::fillSet(uint64_t SliceIndex, uint64_t Set) {
  uint64_t Sets = Slices[SliceIndex].Tags.sets();
  uint8_t &Done = IsFilled[SliceIndex * Sets + Set];
  if (Done)
    return;
  Done = true;
  for (const Copy &From : Waiting) {
    // Of each row of lines a slice has one; see locate().
    uint64_t FirstLine = From.Begin / LineBytes;
    uint64_t LastLine = (From.End - 1) / LineBytes;
    uint64_t Row = FirstLine / P.L2Slices;
    Row += (Set + Sets - Row % Sets) % Sets;
    // More rows than ways push each other out. The first and the last may have
    // no line of this slice.
    uint64_t LastRow = LastLine / P.L2Slices, Enough = (P.L2Ways + 1) * Sets;
    if (LastRow > Row + Enough)
      Row += (LastRow - Row - Enough) / Sets * Sets;
    for (; Row <= LastRow; Row += Sets) {
      uint64_t Shift = mix(Row) % P.L2Slices;
      uint64_t Line =
          Row * P.L2Slices + (SliceIndex + P.L2Slices - Shift) % P.L2Slices;
      if (Line >= FirstLine && Line <= LastLine)
        putLine(Line, {SliceIndex, Set, Line}, From);
    }
  }
}

void MemorySystem::fillSets() {
  if (Waiting.empty())
    return;
  for (uint64_t S = 0; S < Slices.size(); ++S)
    for (uint64_t Set = 0; Set < Slices[S].Tags.sets(); ++Set)
      fillSet(S, Set);
  Waiting.clear();
}

uint64_t MemorySystem::busyUntil(uint64_t Now) const {
  uint64_t Sum = 0;
  for (const Slice &S : Slices)
    Sum += std::max(S.Free / One, Now);
  return Sum / Slices.size();
}

uint64_t MemorySystem::l2Lines() const {
  return Slices.size() * Slices[0].Tags.sets() * P.L2Ways;
}

MemorySystem::Lookup MemorySystem::locate(uint64_t Line) const {
  uint64_t Row = Line / P.L2Slices;
  // Lines in a row go to different slices; strides of whole rows spread too.
  uint64_t S = (Line % P.L2Slices + mix(Row)) % P.L2Slices;
  return {S, Row % Slices[S].Tags.sets(), Line};
}

uint64_t MemorySystem::queue(uint64_t &Free, uint64_t Arrival, uint64_t Cost) {
  uint64_t Start = std::max(Free, Arrival);
  Free = Start + Cost;
  return Start - Arrival;
}

uint64_t MemorySystem::dramDelay(uint64_t SliceIndex, uint64_t Now,
                                 uint64_t Sectors) {
  uint64_t C = SliceIndex * P.DramChannels / P.L2Slices;
  return queue(ChannelFree[C], Now, Sectors * DramSectorCost);
}

CacheLine *MemorySystem::lineFor(const Lookup &At, uint64_t Now) {
  MayWait = false;
  if (!Waiting.empty())
    fillSet(At.SliceIndex, At.Set);
  Cache &Tags = Slices[At.SliceIndex].Tags;
  if (CacheLine *L = Tags.find(At.Set, At.Tag))
    return L;
  EvictedLine Evicted;
  CacheLine *L = Tags.replace(At.Set, At.Tag, Evicted);
  ++Counters.L2Replaced;
  if (Evicted.Dirty) {
    Counters.DramWrites += numSectors(Evicted.Dirty);
    uint64_t Wait = dramDelay(At.SliceIndex, Now, numSectors(Evicted.Dirty));
    uint64_t Room = WriteBackSectors * DramSectorCost;
    // The slice takes nothing new until there is room for what it evicts.
    if (Wait > Room) {
      uint64_t &Free = Slices[At.SliceIndex].Free;
      Free = std::max(Free, Now + Wait - Room);
    }
  }
  return L;
}

/// One sector of \p R, which leaves the SM at \p Arrival; returns when its
/// answer is back at the SM, but for the way over the port. \p L is its line
/// from the first sector on. The slice's queue is kept in terms of when
/// requests left, too: data that has to wait \p PortWait for its SM's port does
/// not hold up what other SMs want of the slice meanwhile.
uint64_t MemorySystem::serveSector(const MemoryRequest &R, const Lookup &At,
                                   CacheLine *&L, uint8_t Bit, uint64_t Arrival,
                                   uint64_t PortWait, uint64_t Cost,
                                   uint32_t &Hits) {
  uint64_t Wait = queue(Slices[At.SliceIndex].Free, Arrival, Cost);
  if (!L)
    L = lineFor(At, Arrival + Wait);
  bool Hit = L->Valid & Bit;
  if (R.Kind == RequestKind::Write) {
    ++Counters.L2Writes;
    L->Valid |= Bit;
    L->Dirty |= Bit;
    return Arrival + std::max(Wait, PortWait) + P.L2Latency * One;
  }
  uint64_t Latency =
      (R.Kind == RequestKind::Atomic ? P.AtomicLatency : P.L2Latency) * One;
  uint64_t Ready = Arrival + Wait + Latency;
  if (R.Kind == RequestKind::Atomic) {
    ++Counters.L2Atomics;
    Ready += Cost - std::min(Cost, One);
    L->Dirty |= Bit;
  } else {
    ++Counters.L2Reads;
    Counters.L2ReadHits += Hit;
  }
  if (Hit) {
    ++Hits;
    return std::max(Ready, L->filledAt(Bit));
  }
  ++Counters.DramReads;
  Ready += (P.DramLatency - P.L2Latency) * One +
           dramDelay(At.SliceIndex, Arrival + Wait, 1);
  L->fill(Bit, Ready, Arrival + Wait);
  return Ready;
}

MemoryReply MemorySystem::serve(const MemoryRequest &R, const uint64_t *Lines) {
  MemoryReply Reply;
  uint64_t Arrival = R.Time * One, Back = R.NumLines ? 0 : Arrival;
  bool Writes = R.Kind == RequestKind::Write, First = true;
  for (uint32_t K = 0; K < R.NumLines; ++K) {
    Lookup At = locate(lineOf(Lines[K]));
    CacheLine *L = nullptr;
    for (unsigned Rest = sectorsOf(Lines[K]); Rest; Rest &= Rest - 1) {
      // Data to be written leaves over the SM's port, one sector after another.
      uint64_t PortWait =
          Writes ? queue(WriteFree[R.SM], Arrival, PortSectorCost) : 0;
      uint64_t Cost = SectorCost;
      if (R.Kind == RequestKind::Atomic)
        Cost = std::max(Cost, (First ? R.Degree : 1) * AtomicCost);
      First = false;
      Back = std::max(Back, serveSector(R, At, L, uint8_t(Rest & -Rest),
                                        Arrival, PortWait, Cost, Reply.L2Hits));
    }
  }
  // Data that was read returns over the port. The queue is kept in terms of
  // when requests left: a late answer from DRAM does not hold up the hits
  // behind it.
  if (!Writes)
    Back += queue(PortFree[R.SM], Arrival, R.NumSectors * PortSectorCost);
  Reply.Time = (Back + One - 1) / One;
  return Reply;
}
