//===- Memory.cpp - The global memory of a device
//---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First-fit allocation from a reserved range of addresses. Freed extents are
// quarantined before they are handed out again, and their pages are given back
// to the system when they leave the quarantine.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Memory.h"
#include "runtime/gpu/exec/Arena.h"

#include <cassert>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

using namespace gevo::gpu;

namespace {
/// How allocations lie: at multiples of what, and with how much memory of
/// nobody on both sides, so that who runs over does not run into another.
struct Spacing {
  uint64_t Granule = 256, RedZone = 256;
};
/// Device code may allocate a block of some bytes for each thread; spaced like
/// others, all would be space.
Spacing spacingOf(MemoryKind Kind) {
  return Kind == MemoryKind::DeviceHeap ? Spacing{16, 64} : Spacing();
}
constexpr uint64_t QuarantineLimit = uint64_t(64) << 20;

uint64_t roundUp(uint64_t V, uint64_t To) { return (V + To - 1) / To * To; }

/// Pages of \p A that were a file's are memory again.
void takeBackPages(const Allocation &A) {
  uint64_t First = roundUp(A.Base, 4096), End = A.end() & ~4095ull;
  if (First < End)
    mmap(reinterpret_cast<void *>(First), End - First, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// The first touch of a small page costs more than filling it. Of more memory
/// than this a program may touch a little here and there, which large pages
/// would make much.
constexpr uint64_t LargePagesLimit = uint64_t(1) << 30;
constexpr uint64_t LargePageBytes = uint64_t(2) << 20;

/// Asks for large pages for all of a large allocation in the arena, its
/// neighbours on the first and the last of them included. \p Used is what all
/// allocations take.
void wishForLargePages(uint64_t Base, uint64_t Bytes, uint64_t Used) {
  if (Bytes < LargePageBytes || Used > LargePagesLimit)
    return;
  uint64_t First = Base & ~(LargePageBytes - 1);
  madvise(reinterpret_cast<void *>(First),
          roundUp(Base + Bytes, LargePageBytes) - First, MADV_HUGEPAGE);
}
} // namespace

/// Memory handed out again must read as zero, and big extents must not keep
/// their pages.
void GlobalMemory::clearBytes(uint64_t Base, uint64_t Bytes) {
  uint64_t PageBase = roundUp(Base, 4096), PageEnd = (Base + Bytes) & ~4095ull;
  if (PageEnd > PageBase && PageEnd - PageBase >= 65536) {
    std::memset(reinterpret_cast<void *>(Base), 0, PageBase - Base);
    std::memset(reinterpret_cast<void *>(PageEnd), 0, Base + Bytes - PageEnd);
    madvise(reinterpret_cast<void *>(PageBase), PageEnd - PageBase,
            MADV_DONTNEED);
  } else {
    std::memset(reinterpret_cast<void *>(Base), 0, Bytes);
  }
}

GlobalMemory::GlobalMemory(uint64_t TotalBytes) : Total(TotalBytes) {
  // Room for memory of the host, red zones, the quarantine and fragmentation.
  uint64_t Want = roundUp(4 * TotalBytes + QuarantineLimit, uint64_t(1) << 21);
  // A process with limited address space still gets a smaller device.
  while (Want >= (uint64_t(1) << 24) && !(ArenaBase = reserveArena(Want)))
    Want /= 2;
  ArenaBytes = ArenaBase ? Want : 0;
  if (ArenaBytes)
    FreeRanges[ArenaBase] = ArenaBytes;
}

bool GlobalMemory::isReserved(uint64_t Addr) { return isArenaAddress(Addr); }

GlobalMemory::~GlobalMemory() {
  if (ArenaBytes)
    releaseArena(ArenaBase, ArenaBytes);
  for (const auto &[Base, Bytes] : Mapped)
    munmap(reinterpret_cast<void *>(Base), Bytes);
}

/// Memory that a device does not hold, or not all of it at a time.
static bool isOfHost(MemoryKind Kind) {
  return Kind == MemoryKind::Host || Kind == MemoryKind::Managed;
}

bool GlobalMemory::fits(uint64_t Bytes, MemoryKind Kind) const {
  return isOfHost(Kind) || (Bytes <= Total && Used + Bytes <= Total);
}

void GlobalMemory::take(uint64_t Bytes, MemoryKind Kind) {
  (isOfHost(Kind) ? UsedOfHost : Used) += Bytes;
}

uint64_t GlobalMemory::takeExtent(uint64_t Bytes) {
  if (FromTop) {
    for (auto It = FreeRanges.rbegin(); It != FreeRanges.rend(); ++It)
      if (It->second >= Bytes) {
        uint64_t Base = It->first + (It->second - Bytes) / Spacing().Granule *
                                        Spacing().Granule;
        takeExtentAt(Base, Bytes);
        return Base;
      }
    return 0;
  }
  for (auto It = FreeRanges.begin(); It != FreeRanges.end(); ++It) {
    if (It->second < Bytes)
      continue;
    uint64_t Base = It->first, Rest = It->second - Bytes;
    FreeRanges.erase(It);
    if (Rest)
      FreeRanges[Base + Bytes] = Rest;
    return Base;
  }
  return 0;
}

/// Takes exactly this range; false if part of it is taken.
bool GlobalMemory::takeExtentAt(uint64_t Base, uint64_t Bytes) {
  auto It = FreeRanges.upper_bound(Base);
  if (It == FreeRanges.begin())
    return false;
  --It;
  uint64_t First = It->first, End = It->first + It->second;
  if (Base + Bytes > End)
    return false;
  FreeRanges.erase(It);
  if (Base > First)
    FreeRanges[First] = Base - First;
  if (End > Base + Bytes)
    FreeRanges[Base + Bytes] = End - Base - Bytes;
  return true;
}

/// Maps the pages of \p A outside of the arena. Neighbours share pages, so
/// those that are there already stay as they are.
bool GlobalMemory::mapAt(const Allocation &A) {
  uint64_t At = A.Base & ~4095ull, End = roundUp(A.end(), 4096);
  while (At < End) {
    auto Next = Mapped.upper_bound(At);
    if (Next != Mapped.begin() &&
        std::prev(Next)->first + std::prev(Next)->second > At) {
      At = std::prev(Next)->first + std::prev(Next)->second;
      continue;
    }
    uint64_t Stop = Next == Mapped.end() ? End : std::min(End, Next->first);
    void *Want = reinterpret_cast<void *>(At);
    void *P =
        mmap(Want, Stop - At, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0);
    if (P != MAP_FAILED && P != Want)
      munmap(P, Stop - At);
    if (P != Want)
      return false;
    Mapped[At] = Stop - At;
    At = Stop;
  }
  return true;
}

void GlobalMemory::giveExtent(uint64_t Base, uint64_t Bytes) {
  clearBytes(Base, Bytes);
  auto Next = FreeRanges.lower_bound(Base);
  if (Next != FreeRanges.end() && Base + Bytes == Next->first) {
    Bytes += Next->second;
    Next = FreeRanges.erase(Next);
  }
  if (Next != FreeRanges.begin()) {
    auto Prev = std::prev(Next);
    if (Prev->first + Prev->second == Base) {
      Prev->second += Bytes;
      return;
    }
  }
  FreeRanges[Base] = Bytes;
}

uint64_t GlobalMemory::allocate(uint64_t Bytes, MemoryKind Kind, uint64_t Align,
                                std::string Name) {
  assert(Align && (Align & (Align - 1)) == 0 && "alignment is a power of two");
  if (Bytes == 0)
    Bytes = 1;
  if (!fits(Bytes, Kind))
    return 0;
  auto [Granule, RedZone] = spacingOf(Kind);
  if (Align < Granule)
    Align = Granule;
  uint64_t Extent =
      roundUp(Bytes, Granule) + 2 * RedZone + (Align > Granule ? Align : 0);
  uint64_t Base = takeExtent(Extent);
  if (!Base && QuarantineBytes) {
    trimQuarantine(0);
    Base = takeExtent(Extent);
  }
  if (!Base)
    return 0;
  Allocation A;
  A.Base = roundUp(Base + RedZone, Align);
  A.Bytes = Bytes;
  A.Kind = Kind;
  A.Id = NextId++;
  A.Extent = Extent;
  A.ExtentBase = Base;
  A.Name = std::move(Name);
  take(Bytes, Kind);
  wishForLargePages(A.Base, Bytes, Used + UsedOfHost);
  if (Kind == MemoryKind::DeviceHeap)
    Heap += Bytes;
  ++Generation;
  uint64_t Address = A.Base;
  Live.emplace(Address, std::move(A));
  return Address;
}

/// Takes the place where \p A is to be, and says in it what was taken; false if
/// part of it belongs to others.
bool GlobalMemory::takePlace(Allocation &A) {
  if (A.Base < ArenaBase || A.end() > ArenaBase + ArenaBytes)
    return mapAt(A);
  trimQuarantine(0);
  auto [Granule, RedZone] = spacingOf(A.Kind);
  // With red zones where there is room for them, as allocate() leaves.
  for (uint64_t Zone : {RedZone, uint64_t(0)}) {
    uint64_t First = A.Base - Zone;
    uint64_t Extent = roundUp(A.end(), Zone ? Granule : 1) + Zone - First;
    if (!takeExtentAt(First, Extent))
      continue;
    A.ExtentBase = First;
    A.Extent = Extent;
    return true;
  }
  return false;
}

bool GlobalMemory::allocateAt(uint64_t Base, uint64_t Bytes, MemoryKind Kind,
                              std::string Name) {
  uint64_t End;
  if (!Base || !Bytes || __builtin_add_overflow(Base, Bytes, &End) ||
      !fits(Bytes, Kind))
    return false;
  auto Next = Live.lower_bound(Base);
  if ((Next != Live.end() && Next->first < End) ||
      (Next != Live.begin() && std::prev(Next)->second.end() > Base))
    return false;
  Allocation A;
  A.Base = Base;
  A.Bytes = Bytes;
  A.Kind = Kind;
  A.Placed = true;
  A.Name = std::move(Name);
  // The place of the heap is taken already.
  bool OfHeap = Kind == MemoryKind::DeviceHeap && isInHeapArea(Base, Bytes);
  if (OfHeap && PutUp->peek(Base, End))
    return false;
  if (OfHeap && makeInHeap(Base, Bytes))
    return true;
  if (!OfHeap && !takePlace(A))
    return false;
  A.Id = NextId++;
  take(Bytes, Kind);
  if (Kind == MemoryKind::DeviceHeap)
    Heap += Bytes;
  if (A.Extent)
    wishForLargePages(Base, Bytes, Used + UsedOfHost);
  ++Generation;
  Live.emplace(Base, std::move(A));
  return true;
}

bool GlobalMemory::mapFile(uint64_t Base, uint64_t Bytes, int File,
                           uint64_t Skip) {
  auto Next = Live.upper_bound(Base);
  struct stat Info;
  if (Next == Live.begin() || (Base - Skip) % 4096 || fstat(File, &Info) ||
      !S_ISREG(Info.st_mode) || uint64_t(Info.st_size) < Skip ||
      uint64_t(Info.st_size) - Skip < Bytes)
    return false;
  Allocation &A = std::prev(Next)->second;
  if (!A.Placed || !A.contains(Base, Bytes))
    return false;
  auto copy = [&](uint64_t From, uint64_t To) {
    ssize_t Got = pread(File, reinterpret_cast<void *>(From), To - From,
                        off_t(From - Base + Skip));
    return Got == ssize_t(To - From);
  };
  // Pages at the ends may have neighbours.
  uint64_t First = roundUp(Base, 4096), End = (Base + Bytes) & ~4095ull;
  if (First >= End)
    return copy(Base, Base + Bytes);
  if (!copy(Base, First) || !copy(End, Base + Bytes))
    return false;
  A.OfFile = true;
  return mmap(reinterpret_cast<void *>(First), End - First,
              PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED,
              File, off_t(First - Base + Skip)) != MAP_FAILED;
}

bool GlobalMemory::release(uint64_t Base) {
  auto It = Live.find(Base);
  if (It == Live.end())
    return freeInHeap(Base);
  if (It->second.Kind == MemoryKind::HostRegistered)
    return false;
  Allocation A = std::move(It->second);
  Live.erase(It);
  (isOfHost(A.Kind) ? UsedOfHost : Used) -= A.Bytes;
  if (A.Kind == MemoryKind::DeviceHeap)
    Heap -= A.Bytes;
  ++Generation;
  if (A.OfFile)
    takeBackPages(A);
  if (A.Placed) {
    // Memory outside of the arena stays mapped: pages may be shared.
    if (A.Extent)
      giveExtent(A.ExtentBase, A.Extent);
    else
      clearBytes(A.Base, A.Bytes);
    return true;
  }
  A.Freed = true;
  QuarantineBytes += A.Extent;
  DeadOrder.push_back(A.Base);
  Dead.emplace(A.Base, std::move(A));
  trimQuarantine(QuarantineLimit);
  return true;
}

void GlobalMemory::trimQuarantine(uint64_t Limit) {
  while (QuarantineBytes > Limit && !DeadOrder.empty()) {
    auto It = Dead.find(DeadOrder.front());
    DeadOrder.pop_front();
    assert(It != Dead.end() && "quarantine order out of step");
    QuarantineBytes -= It->second.Extent;
    giveExtent(It->second.ExtentBase, It->second.Extent);
    Dead.erase(It);
  }
}

const Allocation *GlobalMemory::find(uint64_t Addr, uint64_t Bytes) {
  do {
    auto It = Live.upper_bound(Addr);
    if (It != Live.begin() && std::prev(It)->second.contains(Addr, Bytes))
      return &std::prev(It)->second;
    if (const Allocation *A = findInHeap(Addr, Bytes))
      return A;
  } while (takeInAnnounced());
  return nullptr;
}

const Allocation *GlobalMemory::findFreed(uint64_t Addr) const {
  auto It = Dead.upper_bound(Addr);
  if (It == Dead.begin())
    return nullptr;
  const Allocation &A = std::prev(It)->second;
  return A.contains(Addr, 1) ? &A : nullptr;
}

uint64_t GlobalMemory::offsetOfHost(uint64_t Addr) {
  constexpr uint64_t Behind = uint64_t(1) << 44, Room = uint64_t(1) << 36;
  const Allocation *A = find(Addr);
  // Memory that was placed has the offset that it had in the first arena.
  if (A && A->Placed)
    return Addr % ArenaStride;
  // Pages keep their alignment wherever they are.
  return A ? Behind + A->Id * Room + (Addr - (A->Base & ~4095ull)) : Addr;
}

Neighbour GlobalMemory::nearest(uint64_t Addr) {
  Neighbour N;
  auto Next = Live.upper_bound(Addr);
  if (Next != Live.begin()) {
    const Allocation &A = std::prev(Next)->second;
    N.Where = &A;
    N.Distance = Addr < A.end() ? 0 : int64_t(Addr - A.end());
  }
  if (Next != Live.end()) {
    uint64_t Before = Next->first - Addr;
    if (!N.Where || Before <= uint64_t(N.Distance)) {
      N.Where = &Next->second;
      N.Distance = -int64_t(Before);
    }
  }
  nearestInHeap(Addr, N);
  return N;
}

std::vector<const Allocation *> GlobalMemory::allocations() const {
  std::vector<const Allocation *> All;
  All.reserve(Live.size());
  for (const auto &Entry : Live)
    All.push_back(&Entry.second);
  return All;
}
