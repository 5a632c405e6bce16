//===- LargePages.cpp - Where the memory of captures lies -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/LargePages.h"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace gevo::capture;

namespace {

constexpr size_t LargePage = size_t(2) << 20;
constexpr size_t SmallPage = 4096;

size_t roundUp(size_t Bytes, size_t To) { return (Bytes + To - 1) / To * To; }

/// Where the page starts in which the bytes of \p File do.
size_t firstPage(const FilePart &File) {
  return File.Skip / SmallPage * SmallPage;
}

/// \p Bytes of large pages at a multiple of \p Align, both multiples of theirs.
/// Fresh from the system, they are zeros.
void *mapPages(size_t Bytes, size_t Align) {
  // Of more pages those between two bounds are kept.
  void *P = mmap(nullptr, Bytes + Align, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    throw std::bad_alloc();
  uintptr_t Base = reinterpret_cast<uintptr_t>(P);
  uintptr_t First = roundUp(Base, Align);
  if (First != Base)
    munmap(P, First - Base);
  munmap(reinterpret_cast<void *>(First + Bytes), Base + Align - First);
  // A wish: a system that has none gives what it has.
  madvise(reinterpret_cast<void *>(First), Bytes, MADV_HUGEPAGE);
  return reinterpret_cast<void *>(First);
}

/// Memory of middling size: enough that small pages would cost more than what
/// is done with it, and not enough to have large pages of its own. Chunks of
/// large pages are handed out from front to back and go when all that came of
/// them is back, so that nothing is used, and need be cleared, twice.
class Chunks {
public:
  static constexpr size_t LeastBytes = size_t(128) << 10;

  /// The one of the process: memory moves between vectors and threads.
  static Chunks &ofProcess() {
    static Chunks All;
    return All;
  }

  void *take(size_t Bytes) {
    std::lock_guard<std::mutex> Guard(Lock);
    Bytes = roundUp(Bytes, SmallPage);
    if (!Now || Now->Taken + Bytes > ChunkBytes) {
      Chunk *Full = std::exchange(Now, nullptr);
      if (Full)
        drop(Full);
      Now = static_cast<Chunk *>(mapPages(ChunkBytes, ChunkBytes));
      // It counts as one of its users while more may come of it.
      Now->Users = 1;
      Now->Taken = SmallPage;
    }
    char *P = reinterpret_cast<char *>(Now) + Now->Taken;
    Now->Taken += Bytes;
    ++Now->Users;
    return P;
  }

  void give(void *P) {
    std::lock_guard<std::mutex> Guard(Lock);
    drop(reinterpret_cast<Chunk *>(reinterpret_cast<uintptr_t>(P) &
                                   ~(uintptr_t(ChunkBytes) - 1)));
  }

private:
  static constexpr size_t ChunkBytes = size_t(8) << 20;
  /// At its start.
  struct Chunk {
    size_t Taken, Users;
  };

  void drop(Chunk *C) {
    if (--C->Users == 0)
      munmap(C, ChunkBytes);
  }

  std::mutex Lock;
  Chunk *Now = nullptr; ///< Where the next bytes come from.
};

} // namespace

void *gevo::capture::takePages(size_t Bytes) {
  if (Bytes >= LargePage)
    return mapPages(roundUp(Bytes, LargePage), LargePage);
  if (Bytes >= Chunks::LeastBytes)
    return Chunks::ofProcess().take(Bytes);
  void *P = std::calloc(1, Bytes);
  if (!P)
    throw std::bad_alloc();
  return P;
}

void gevo::capture::givePages(void *P, size_t Bytes) {
  if (Bytes >= LargePage)
    munmap(P, roundUp(Bytes, LargePage));
  else if (Bytes >= Chunks::LeastBytes)
    Chunks::ofProcess().give(P);
  else
    std::free(P);
}

void *gevo::capture::takeFilePart(const FilePart &File) {
  int Number = open(File.Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Number < 0)
    throw std::bad_alloc();
  size_t First = firstPage(File), Into = File.Skip - First;
  // Whoever wrote here would have other bytes than who maps the file.
  void *P = mmap(nullptr, Into + File.Bytes, PROT_READ, MAP_PRIVATE, Number,
                 off_t(First));
  close(Number);
  if (P == MAP_FAILED)
    throw std::bad_alloc();
  return static_cast<char *>(P) + Into;
}

void gevo::capture::giveFilePart(void *P, const FilePart &File) {
  size_t Into = File.Skip - firstPage(File);
  munmap(static_cast<char *>(P) - Into, Into + File.Bytes);
}
