//===- RaceShadow.h - The accesses that words remember ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each word of memory, the accesses that later ones may race with. Most
// words have one, which lies in the word's cell; a list of more lies in a pool.
// Beside it, each word has a mark by which most loads are known to need no
// look at the list at all.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_RACESHADOW_H
#define GEVO_RUNTIME_GPU_EXEC_RACESHADOW_H

#include "runtime/gpu/exec/RaceOrder.h"

namespace gevo::gpu {

/// The accesses of a word.
using RecordList = std::vector<AccessRecord>;

/// Holds the lists of words with several accesses.
class RecordPool {
public:
  uint32_t take();
  void give(uint32_t Index) { Free.push_back(Index); }
  const RecordList &operator[](uint32_t Index) const { return Lists[Index]; }
  void assign(uint32_t Index, const RecordList &From);
  uint64_t bytes() const { return Bytes; }
  void clear();

private:
  std::vector<RecordList> Lists;
  std::vector<uint32_t> Free;
  uint64_t Bytes = 0;
};

/// What one word remembers.
class ShadowCell {
public:
  bool empty() const { return !First.Time; }
  /// The only access, or null if there are several.
  const AccessRecord *single() const { return listed() ? nullptr : &First; }
  /// Replaces a single access.
  void set(const AccessRecord &R) { First = R; }
  void read(const RecordPool &Pool, RecordList &To) const;
  void write(RecordPool &Pool, const RecordList &From);

private:
  bool listed() const { return First.Kind & AccessRecord::Listed; }
  AccessRecord First; ///< If listed, Place is the number of the list.
};

/// Cells and marks of a range of memory.
template <typename Cells, typename Marks> struct ShadowRange {
  Cells Words{};
  Marks Marked{};
};
constexpr uint32_t PageBytes = 4096;
using ShadowPage = ShadowRange<std::array<ShadowCell, PageBytes / 4>,
                               std::array<uint32_t, PageBytes / 4>>;
using SharedShadow =
    ShadowRange<std::vector<ShadowCell>, std::vector<uint32_t>>;

/// Pages of global memory, made when they are touched.
class GlobalShadow {
public:
  /// The page of \p Address, or null if \p Limit bytes are used up.
  ShadowPage *page(uint64_t Address, uint64_t Limit);
  /// Asks for the cells of lanes that are far apart.
  void prefetch(const uint64_t (&A)[32], uint32_t Mask) const;
  /// Memory is new to the program.
  void forget(uint64_t Address, uint64_t Bytes, RecordPool &Pool);
  uint64_t bytes() const { return Pages.size() * sizeof(ShadowPage); }

private:
  struct Recent {
    uint64_t Number = ~uint64_t(0);
    ShadowPage *Page = nullptr;
  };
  std::array<Recent, 1024> Cache;
  std::unordered_map<uint64_t, std::unique_ptr<ShadowPage>> Pages;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_RACESHADOW_H
