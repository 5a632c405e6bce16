//===- Arena.cpp - Where the memory of devices lies -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Arena.h"

#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

using namespace gevo::gpu;

namespace {
/// Far from where programs and sanitizers put their memory.
constexpr uint64_t FirstArena = uint64_t(0x2000) << 32;
/// Behind the last one lies what the system gives position-independent
/// programs.
constexpr uint64_t ArenaPlaces = 48;
constexpr int Private = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// The thread sanitizer takes these addresses for its own and, as it does not
// know MAP_FIXED_NOREPLACE, would map address 0 instead.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GEVO_ANY_ADDRESS
#endif
#endif

/// How many arenas this process has made; only picks addresses.
std::atomic<uint64_t> ArenaCount{0};

/// Whether \p Address is where arenas are put.
bool isPlace(uint64_t Address) {
#ifdef GEVO_ANY_ADDRESS
  return false;
#else
  return Address - FirstArena < ArenaPlaces * ArenaStride;
#endif
}

/// Addresses of arenas that had no place and are gone. They are those of the
/// next ones without a place: a process that makes devices one after another
/// needs the addresses of one, not of all.
class StrayArenas {
public:
  /// Never destroyed: contexts may end after all destructors.
  static StrayArenas &get() {
    static StrayArenas *Only = new StrayArenas;
    return *Only;
  }

  /// Takes \p Bytes out of the first range that has them; 0: none does.
  uint64_t take(uint64_t Bytes) {
    std::lock_guard<std::mutex> Guard(Lock);
    for (auto It = Ranges.begin(); It != Ranges.end(); ++It) {
      auto [Base, Size] = *It;
      if (Size < Bytes)
        continue;
      Ranges.erase(It);
      if (Size > Bytes)
        Ranges[Base + Bytes] = Size - Bytes;
      return Base;
    }
    return 0;
  }

  /// Neighbours become one range, so that a larger arena fits into both.
  void add(uint64_t Base, uint64_t Bytes) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Next = Ranges.lower_bound(Base);
    if (Next != Ranges.end() && Next->first == Base + Bytes) {
      Bytes += Next->second;
      Next = Ranges.erase(Next);
    }
    if (Next != Ranges.begin()) {
      auto Before = std::prev(Next);
      if (Before->first + Before->second == Base) {
        Before->second += Bytes;
        return;
      }
    }
    Ranges[Base] = Bytes;
  }

  bool holds(uint64_t Address) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto Next = Ranges.upper_bound(Address);
    return Next != Ranges.begin() &&
           Address - std::prev(Next)->first < std::prev(Next)->second;
  }

private:
  std::mutex Lock;
  std::map<uint64_t, uint64_t> Ranges; ///< Size by first address.
};
} // namespace

uint64_t gevo::gpu::reserveArena(uint64_t Bytes) {
  constexpr int Access = PROT_READ | PROT_WRITE;
#ifndef GEVO_ANY_ADDRESS
  uint64_t First = ArenaCount;
  for (uint64_t K = 0; K < ArenaPlaces; ++K) {
    void *Want = reinterpret_cast<void *>(
        FirstArena + (First + K) % ArenaPlaces * ArenaStride);
    void *P = mmap(Want, Bytes, Access, Private | MAP_FIXED_NOREPLACE, -1, 0);
    if (P == Want) {
      ++ArenaCount;
      return reinterpret_cast<uint64_t>(P);
    }
    if (P != MAP_FAILED)
      munmap(P, Bytes);
  }
#endif
  uint64_t Used = StrayArenas::get().take(Bytes);
  int Place = Used ? MAP_FIXED : 0;
  void *P = mmap(reinterpret_cast<void *>(Used), Bytes, Access, Private | Place,
                 -1, 0);
  if (P == MAP_FAILED && Used)
    StrayArenas::get().add(Used, Bytes);
  return P == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(P);
}

void gevo::gpu::releaseArena(uint64_t Base, uint64_t Bytes) {
  if (isPlace(Base)) {
    munmap(reinterpret_cast<void *>(Base), Bytes);
    return;
  }
  // The addresses stay taken, so that they never become those of the host.
  mmap(reinterpret_cast<void *>(Base), Bytes, PROT_NONE, Private | MAP_FIXED,
       -1, 0);
  StrayArenas::get().add(Base, Bytes);
}

bool gevo::gpu::isArenaAddress(uint64_t Address) {
  return isPlace(Address) || StrayArenas::get().holds(Address);
}
