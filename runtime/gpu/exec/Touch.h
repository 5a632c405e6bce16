//===- Touch.h - Which memory a launch touches ------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TouchRecord listens to the global accesses of launches. It knows the pages
// that were written and, if it keeps bytes, what each page held before, which
// bytes were read before anything wrote them, and the type of the last store to
// each byte. Nothing is copied in advance: a page is saved when it is first
// written, so the cost is that of what a launch touches.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_TOUCH_H
#define GEVO_RUNTIME_GPU_EXEC_TOUCH_H

#include "runtime/gpu/ptx/ElementType.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

class Warp;
struct Code;

/// See the file comment. Not for use by several launches at once.
class TouchRecord {
public:
  static constexpr uint64_t PageBytes = 4096;
  /// Bits of the mark of a byte: an ElementType if it was written, and this if
  /// it was read before it was written.
  static constexpr uint8_t ReadFirst = 0x80;

  /// With \p Bytes the record is about bytes, else about written pages only.
  explicit TouchRecord(bool Bytes) : Bytes(Bytes) {}

  /// What is known of a page.
  struct Page {
    bool Written = false;
    std::unique_ptr<char[]> Before;   ///< Null until written.
    std::unique_ptr<uint8_t[]> Marks; ///< One for each byte.
  };

  /// Lanes \p Mask read or write (or both) \p Size bytes at \p A each. Must be
  /// called before memory changes.
  void access(const Warp &W, uint32_t Mask, const uint64_t (&A)[32],
              uint32_t Size, bool Reads, bool Writes);
  /// Accesses to this range are not the program's.
  void ignore(uint64_t Base, uint64_t Size) {
    IgnoredBase = Base;
    IgnoredBytes = Size;
  }
  /// Marks a range as read, whether or not it is.
  void readAll(uint64_t Base, uint64_t Size);

  /// Written pages (address / PageBytes) in order of their first write.
  const std::vector<uint64_t> &written() const { return Written; }
  /// The touched pages in order of address; needs bytes.
  std::vector<uint64_t> touched() const;
  const Page &page(uint64_t Number) const { return *Pages.at(Number); }
  /// Null if it was not touched.
  const Page *find(uint64_t Number) const {
    auto It = Pages.find(Number);
    return It == Pages.end() ? nullptr : It->second.get();
  }
  bool keepsBytes() const { return Bytes; }
  /// Copies the marks of [Base, Base + Size); needs bytes.
  void marks(uint64_t Base, uint64_t Size, uint8_t *Out) const;
  void clear();

private:
  Page &pageAt(uint64_t Number);
  void write(uint64_t Address, uint32_t Size, uint8_t Type);
  void read(uint64_t Address, uint32_t Size);
  uint8_t storedType(const Warp &W);

  const bool Bytes;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  std::vector<uint64_t> Written;
  uint64_t LastNumber = ~uint64_t(0);
  Page *Last = nullptr;
  uint64_t IgnoredBase = 0, IgnoredBytes = 0;
  const Code *LastCode = nullptr;
  std::vector<uint8_t> *LastTypes = nullptr;
  std::unordered_map<const Code *, std::vector<uint8_t>> Types;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_TOUCH_H
