//===- MemorySystem.h - L2 and DRAM -----------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all SMs share: the slices of L2 and the channels of DRAM. Requests come
// in order of time; each is answered with the time at which its data is back.
// A slice and a channel serve one sector after another, so bandwidth is a queue
// and not a number that is applied afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_MEMORYSYSTEM_H
#define GEVO_RUNTIME_GPU_TIMING_MEMORYSYSTEM_H

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Cache.h"
#include "runtime/gpu/timing/Profile.h"

#include <cstdint>
#include <vector>

namespace gevo::gpu::timing {

/// What was asked of L2 and DRAM.
struct MemoryCounters {
  uint64_t L2Reads = 0, L2ReadHits = 0; ///< Sectors.
  uint64_t L2Writes = 0;
  uint64_t L2Atomics = 0;
  uint64_t DramReads = 0, DramWrites = 0;
  uint64_t L2Replaced = 0; ///< Lines.
};

enum class RequestKind : uint8_t { Read, Write, Atomic };

/// Part of one warp instruction: some sectors for L2.
struct MemoryRequest {
  uint64_t Time = 0; ///< When it leaves the SM.
  uint32_t SM = 0;
  uint32_t Fetch = 0; ///< The SM's number for what waits; Write: unused.
  RequestKind Kind = RequestKind::Read;
  uint16_t Degree = 1; ///< Atomic: the most lanes on one address.
  uint32_t FirstLine = 0, NumLines = 0; ///< Of the SM's list.
  uint32_t NumSectors = 0;
};

/// What a request's data did.
struct MemoryReply {
  uint64_t Time = 0; ///< When the data, or word of the write, is at the SM.
  uint32_t L2Hits = 0;
};

/// L2 and DRAM of one GPU. Its contents last from launch to launch.
class MemorySystem {
public:
  explicit MemorySystem(const Profile &P);

  /// Serves \p R, whose lines (see traceLine) start at \p Lines. Requests
  /// must come in order of time.
  MemoryReply serve(const MemoryRequest &R, const uint64_t *Lines);

  /// Asks the host for what serve() will look at for \p Line (see traceLine).
  void prefetch(uint64_t Line) const {
    Lookup At = locate(lineOf(Line));
    Slices[At.SliceIndex].Tags.prefetch(At.Set);
  }

  /// A new launch: clocks start again, contents stay (a warm L2).
  void restart();
  /// Empties L2 as well (a cold L2).
  void flush();
  /// The host copied \p Bytes to offset \p Address of the device's memory:
  /// copies go through L2 and stay there until something takes their place.
  void copied(uint64_t Address, uint64_t Bytes);
  /// Keeps what L2 holds now, and brings it back: quicker than to empty L2 and
  /// to fill it again. recall() is false if nothing was kept.
  void keep();
  bool recall();

  /// Until when, from \p Now on, L2 is busy with what was asked of it so far,
  /// on average over its slices.
  uint64_t busyUntil(uint64_t Now) const;
  /// Lines that L2 holds.
  uint64_t l2Lines() const;

  const MemoryCounters &counters() const { return Counters; }
  bool warm() const { return Warm; }

private:
  struct Slice {
    Cache Tags;
    uint64_t Free = 0; ///< In 1/1024 cycles, as all queue times.
  };
  struct Lookup {
    uint64_t SliceIndex, Set, Tag;
  };

  /// Bytes that the host copied.
  struct Copy {
    uint64_t Begin, End;
  };

  Lookup locate(uint64_t Line) const;
  void putLine(uint64_t Line, const Lookup &At, const Copy &From);
  void fillSet(uint64_t SliceIndex, uint64_t Set);
  void fillSets();
  /// When the slice can take the request, and occupies it for \p Cost.
  uint64_t queue(uint64_t &Free, uint64_t Arrival, uint64_t Cost);
  uint64_t dramDelay(uint64_t SliceIndex, uint64_t Now, uint64_t Sectors);
  uint64_t serveSector(const MemoryRequest &R, const Lookup &At, CacheLine *&L,
                       uint8_t Bit, uint64_t Arrival, uint64_t PortWait,
                       uint64_t Cost, uint32_t &Hits);
  CacheLine *lineFor(const Lookup &At, uint64_t Now);

  const Profile &P;
  uint64_t SectorCost;     ///< Of a slice.
  uint64_t DramSectorCost; ///< Of a channel.
  uint64_t PortSectorCost; ///< Of the way to or from an SM.
  uint64_t AtomicCost;     ///< Of an atomic operation on the word of another.
  std::vector<Slice> Slices;
  std::vector<Cache> Kept; ///< By slice; empty: nothing was kept.
  std::vector<uint64_t> ChannelFree;
  std::vector<uint64_t> PortFree;  ///< By SM, for data that it reads.
  std::vector<uint64_t> WriteFree; ///< By SM, for data that it writes.
  /// Copies into an empty L2. A set takes its lines of them when it is first
  /// looked at: most launches look at few.
  std::vector<Copy> Waiting;
  std::vector<uint8_t> IsFilled; ///< By slice and set, while some wait.
  bool MayWait = true;           ///< Nothing but copies since it was empty.
  MemoryCounters Counters;
  bool Warm = false;   ///< When the launch started, L2 held something.
  bool Filled = false; ///< By a copy since the last launch.
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_MEMORYSYSTEM_H
