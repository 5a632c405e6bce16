//===- LargePages.h - Memory of large pages ---------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocator for the memory of captures. The first touch of a page of 4 KiB
// can cost more than filling it, on virtual machines several times as much;
// what has megabytes asks the system for pages of 2 MiB.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H
#define GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace gevo::capture {

template <typename T> struct LargePages {
  using value_type = T;
  static constexpr size_t PageBytes = size_t(2) << 20;

  LargePages() = default;
  template <typename U> LargePages(const LargePages<U> &) {}

  T *allocate(size_t Count) {
    size_t Bytes = Count * sizeof(T);
    if (Bytes < PageBytes)
      return static_cast<T *>(::operator new(Bytes));
    Bytes = (Bytes + PageBytes - 1) / PageBytes * PageBytes;
    void *P = ::operator new(Bytes, std::align_val_t(PageBytes));
    // A wish: a system that has none gives what it has.
    madvise(P, Bytes, MADV_HUGEPAGE);
    return static_cast<T *>(P);
  }
  void deallocate(T *P, size_t Count) {
    if (Count * sizeof(T) < PageBytes)
      ::operator delete(P);
    else
      ::operator delete(P, std::align_val_t(PageBytes));
  }

  friend bool operator==(LargePages, LargePages) { return true; }
  friend bool operator!=(LargePages, LargePages) { return false; }
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H
