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
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace gevo::capture;

namespace {

constexpr size_t LargePage = size_t(2) << 20;
constexpr size_t SmallPage = 4096;

size_t roundUp(size_t Bytes, size_t To) { return (Bytes + To - 1) / To * To; }

/// Where the page starts in which the bytes of \p File do.
size_t firstPage(const FilePart &File) {
  return File.Skip / SmallPage * SmallPage;
}

} // namespace

void *gevo::capture::takePages(size_t Bytes) {
  if (Bytes < LargePage) {
    void *P = std::calloc(1, Bytes);
    if (!P)
      throw std::bad_alloc();
    return P;
  }
  // Pages fresh from the system are zeros; of more of them those between two
  // bounds of a large page are kept.
  size_t Want = roundUp(Bytes, LargePage);
  void *P = mmap(nullptr, Want + LargePage, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    throw std::bad_alloc();
  uintptr_t Base = reinterpret_cast<uintptr_t>(P);
  uintptr_t First = roundUp(Base, LargePage);
  if (First != Base)
    munmap(P, First - Base);
  munmap(reinterpret_cast<void *>(First + Want), Base + LargePage - First);
  // A wish: a system that has none gives what it has.
  madvise(reinterpret_cast<void *>(First), Want, MADV_HUGEPAGE);
  return reinterpret_cast<void *>(First);
}

void gevo::capture::givePages(void *P, size_t Bytes) {
  if (Bytes < LargePage)
    std::free(P);
  else
    munmap(P, roundUp(Bytes, LargePage));
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
