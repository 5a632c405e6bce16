//===- LargePages.h - Where the memory of captures lies ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocator for the memory of captures. The first touch of a page of 4 KiB
// can cost more than filling it, on virtual machines several times as much;
// what has megabytes asks the system for pages of 2 MiB. And what lies in a
// file as it is need not be copied at all: its memory is the file's.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H
#define GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H

#include <cstddef>
#include <memory>
#include <string>

namespace gevo::capture {

/// Bytes of a file, which must not change meanwhile: [Skip, Skip + Bytes).
struct FilePart {
  std::string Path;
  size_t Skip = 0, Bytes = 0;
};

/// Zeroed memory, of large pages if it is large; throws bad_alloc.
void *takePages(size_t Bytes);
void givePages(void *P, size_t Bytes);
/// The bytes of a file, to be read only. Throws bad_alloc.
void *takeFilePart(const FilePart &File);
void giveFilePart(void *P, const FilePart &File);

/// As many bytes as \p File has are those of the file and must not be changed
/// but in a copy; others are zeros, and are not filled again where a vector
/// grows into memory that it has.
template <typename T> struct LargePages {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  LargePages() = default;
  explicit LargePages(FilePart Part)
      : File(std::make_shared<const FilePart>(std::move(Part))) {}
  template <typename U>
  LargePages(const LargePages<U> &Other) : File(Other.File) {}
  /// A copy is memory like any other.
  LargePages select_on_container_copy_construction() const { return {}; }

  T *allocate(size_t Count) {
    size_t Bytes = Count * sizeof(T);
    return static_cast<T *>(isFile(Bytes) ? takeFilePart(*File)
                                          : takePages(Bytes));
  }
  void deallocate(T *P, size_t Count) {
    size_t Bytes = Count * sizeof(T);
    isFile(Bytes) ? giveFilePart(P, *File) : givePages(P, Bytes);
  }
  /// What there is is there already.
  template <typename U> void construct(U *) {}
  template <typename U, typename... Args>
  void construct(U *P, Args &&...Values) {
    ::new (static_cast<void *>(P)) U(std::forward<Args>(Values)...);
  }
  bool isFile(size_t Bytes) const { return File && File->Bytes == Bytes; }

  friend bool operator==(const LargePages &X, const LargePages &Y) {
    return X.File == Y.File;
  }
  friend bool operator!=(const LargePages &X, const LargePages &Y) {
    return !(X == Y);
  }

  std::shared_ptr<const FilePart> File; ///< Null: memory of its own.
};

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_LARGEPAGES_H
