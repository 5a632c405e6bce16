//===- Memory.h - The global memory of a device -------------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is host memory: a device pointer is a host pointer, so managed
// and host-registered memory and unified addressing need no translation. What
// makes it a GPU's memory is the allocation table, which every device access
// is checked against. Allocations come from one arena at a fixed address where
// the system allows it, so that addresses, and all that depends on them, are
// the same on every run.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_MEMORY_H
#define GEVO_RUNTIME_GPU_EXEC_MEMORY_H

#include "runtime/gpu/exec/PlacedHeap.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gevo::gpu {

/// What an allocation is for. The kind is reported by pointer queries and
/// decides who may free it.
enum class MemoryKind : uint8_t {
  Device,         ///< cuMemAlloc
  Managed,        ///< cuMemAllocManaged
  Host,           ///< cuMemHostAlloc: ours, page-locked in CUDA's words
  HostRegistered, ///< the program's own memory, made visible to the device
  ModuleGlobal,   ///< a .global variable of a module
  ModuleConst,    ///< a .const variable of a module
  DeviceHeap      ///< malloc in device code
};

/// One entry of the allocation table.
struct Allocation {
  uint64_t Base = 0;
  uint64_t Bytes = 0;
  MemoryKind Kind = MemoryKind::Device;
  bool Freed = false;      ///< In quarantine: kept to name use-after-free.
  bool Placed = false;     ///< At an address that was asked for.
  bool OfFile = false;     ///< Some of its pages are a file's; see mapFile.
  uint64_t Id = 0;         ///< Counts allocations of the device, from 1.
  uint64_t Extent = 0;     ///< Bytes taken from the arena, red zones included.
  uint64_t ExtentBase = 0; ///< First byte taken from the arena.
  std::string Name;        ///< Of module variables.

  uint64_t end() const { return Base + Bytes; }
  bool contains(uint64_t Addr, uint64_t Size) const {
    return Addr >= Base && Size <= Bytes && Addr - Base <= Bytes - Size;
  }
};

/// The nearest allocation to an address that lies in none.
struct Neighbour {
  const Allocation *Where = nullptr; ///< Null when there is no allocation.
  int64_t Distance =
      0; ///< Negative: bytes before its start; else past its end.
};

/// The arena, the allocation table and the quarantine. Not thread-safe where
/// nothing else is said; Device serialises access.
class GlobalMemory {
public:
  /// Reserves address space for \p TotalBytes. Instances of one process get
  /// different places, in order of creation.
  explicit GlobalMemory(uint64_t TotalBytes);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// Returns the address of \p Bytes zeroed bytes with red zones around them,
  /// or 0 when the device's memory is used up. \p Align is a power of two.
  uint64_t allocate(uint64_t Bytes, MemoryKind Kind, uint64_t Align = 256,
                    std::string Name = {});
  /// Makes [Base, Base + Bytes) an allocation of zeroed bytes, or returns false
  /// if part of it is taken. It need not lie in the arena. Freed memory of this
  /// kind is not quarantined: its place may be needed at once.
  bool allocateAt(uint64_t Base, uint64_t Bytes, MemoryKind Kind,
                  std::string Name = {});
  /// Puts up a heap, in the place of an earlier one: its blocks of before the
  /// launch are allocations from now on, the others when allocateAt() is called
  /// for them. False if part of it is taken. \p Runs and \p Start as for
  /// PlacedHeap.
  bool placeHeap(const HeapRun *Runs, size_t Count, const char *Start);
  /// Takes it down, with all that was allocated in its place.
  void dropHeap();
  /// PlacedHeap::read.
  void readHeap(char *Packed) const;
  /// Makes [Base, Base + Bytes), which lies in memory of allocateAt(), the
  /// bytes of the open file \p File from \p Skip on. Whole pages are the file's
  /// until they are written to, and nothing is copied. False if it is no such
  /// memory, if the two do not lie alike on their pages or the file has less.
  bool mapFile(uint64_t Base, uint64_t Bytes, int File, uint64_t Skip);
  /// From now on allocate() takes the highest addresses of the arena first, so
  /// that those which programs get by themselves stay free for allocateAt().
  void allocateFromTop() { FromTop = true; }
  /// Frees the allocation that starts at \p Base; false if there is none of
  /// a kind that may be freed. The bytes stay in quarantine for a while.
  bool release(uint64_t Base);
  /// Makes the program's own memory visible; false if it overlaps another
  /// entry or wraps around.
  bool registerHost(void *Ptr, uint64_t Bytes);
  bool unregisterHost(void *Ptr);
  /// registerHost() from any thread, at any time: a launch that has the table
  /// takes the memory in when it meets an address that it does not know.
  void announceHost(void *Ptr, uint64_t Bytes);
  /// Whether arenas of this process lie where \p Addr is, now or earlier.
  static bool isReserved(uint64_t Addr);
  /// Whether \p Addr is in the arena, allocated or not. From any thread.
  bool isInArena(uint64_t Addr) const { return Addr - ArenaBase < ArenaBytes; }

  /// The live allocation that holds all of [Addr, Addr+Bytes), or null. It may
  /// be another one after the next question.
  const Allocation *find(uint64_t Addr, uint64_t Bytes = 1);
  /// The quarantined allocation that \p Addr lies in, or null.
  const Allocation *findFreed(uint64_t Addr) const;
  /// The live allocation nearest to \p Addr.
  Neighbour nearest(uint64_t Addr);

  /// A number for \p Addr that does not depend on where the host has the
  /// memory: the offset in the arena, or, for memory of the program's own, a
  /// place behind it by number of allocation.
  uint64_t offsetOf(uint64_t Addr) {
    return isInArena(Addr) ? Addr - ArenaBase : offsetOfHost(Addr);
  }

  /// From any thread.
  uint64_t totalBytes() const { return Total; }
  /// Without what is the host's. From any thread.
  uint64_t usedBytes() const { return Used; }
  /// Taken by malloc in device code.
  uint64_t heapBytes() const { return Heap; }
  /// Live allocations in order of address, those of a placed heap left out.
  std::vector<const Allocation *> allocations() const;
  /// The next allocation's Id; see renew().
  uint64_t nextId() const { return NextId; }
  /// Counts the allocation at \p Base as made now.
  void renew(uint64_t Base) { Live.at(Base).Id = NextId++; }
  /// Changes whenever an allocation is made or freed: invalidates caches of
  /// pointers into the table.
  uint64_t generation() const { return Generation; }

private:
  uint64_t offsetOfHost(uint64_t Addr);
  bool takeInAnnounced();
  bool fits(uint64_t Bytes, MemoryKind Kind) const;
  void take(uint64_t Bytes, MemoryKind Kind);
  uint64_t takeExtent(uint64_t Bytes);
  bool takeExtentAt(uint64_t Base, uint64_t Bytes);
  bool takePlace(Allocation &A);
  bool mapAt(const Allocation &A);
  bool addArea(uint64_t Begin, uint64_t End,
               std::vector<Allocation> &Areas) const;
  bool layOutAreas(const HeapRun *Runs, size_t Count,
                   std::vector<Allocation> &Areas) const;
  uint64_t dropAreas();
  bool isInHeapArea(uint64_t Base, uint64_t Bytes) const;
  const Allocation *asAllocation(const HeapBlock &B);
  const Allocation *findInHeap(uint64_t Addr, uint64_t Bytes);
  bool makeInHeap(uint64_t Base, uint64_t Bytes);
  bool freeInHeap(uint64_t Base);
  void nearestInHeap(uint64_t Addr, Neighbour &N);
  static void clearBytes(uint64_t Base, uint64_t Bytes);
  void giveExtent(uint64_t Base, uint64_t Bytes);
  void trimQuarantine(uint64_t Limit);

  uint64_t ArenaBase = 0;
  uint64_t ArenaBytes = 0;
  uint64_t Total;
  std::atomic<uint64_t> Used{0};
  std::atomic<uint64_t> UsedOfHost{0};
  uint64_t Heap = 0;
  uint64_t NextId = 1;
  uint64_t Generation = 1;
  uint64_t QuarantineBytes = 0;
  bool FromTop = false;
  std::map<uint64_t, Allocation> Live;     ///< By Base.
  std::map<uint64_t, Allocation> Dead;     ///< Quarantine, by Base.
  std::deque<uint64_t> DeadOrder;          ///< Bases, oldest first.
  std::map<uint64_t, uint64_t> FreeRanges; ///< Base to size, coalesced.
  std::map<uint64_t, uint64_t> Mapped;     ///< Outside of the arena, by base.
  std::unique_ptr<PlacedHeap> PutUp;       ///< Null: no heap is placed.
  std::vector<Allocation> HeapAreas;       ///< Its place; no part of Live.
  Allocation Asked;                        ///< The block that was found last.
  std::mutex AnnounceLock;                 ///< For what follows.
  std::vector<std::pair<void *, uint64_t>> Announced;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_MEMORY_H
