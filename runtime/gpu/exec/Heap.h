//===- Heap.h - malloc and free of device code ------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch may be watched: its calls of malloc are noted by thread and number,
// and what it frees. Given the notes of an earlier launch, malloc returns the
// addresses that it returned then, whatever the order of the threads: pointers
// in memory stay what they were, so that captured launches can be replayed and
// compared.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_HEAP_H
#define GEVO_RUNTIME_GPU_EXEC_HEAP_H

#include "runtime/gpu/exec/Memory.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

class Warp;

/// One call of malloc.
struct HeapCall {
  uint64_t Thread = 0;  ///< In the grid: blocks in order, threads in order.
  uint64_t Number = 0;  ///< Of the thread's calls, from 0.
  uint64_t Bytes = 0;   ///< Asked for.
  uint64_t Address = 0; ///< 0: the heap was used up.
};

/// By number and thread.
inline bool isBefore(const HeapCall &X, const HeapCall &Y) {
  return X.Number != Y.Number ? X.Number < Y.Number : X.Thread < Y.Thread;
}

/// The calls of one number and size by threads at equal distances, which
/// returned addresses at equal distances.
struct HeapCallRun {
  HeapCall First;
  uint64_t Count = 1;
  uint64_t ThreadStep = 0, AddressStep = 0; ///< From a call to the next.
};

/// What launches did with the heap. Not for use by several at once.
class HeapRecord {
public:
  /// Calls are to return what they returned in \p Plan, which is in order of
  /// number and thread and must stay as it is.
  explicit HeapRecord(const HeapCallRun *Plan = nullptr, size_t Count = 0)
      : Plan(Plan), Planned(Count) {}

  const std::vector<HeapCall> &calls() const { return Calls; }
  /// Blocks that were there before and are freed now, as they were.
  const std::vector<Allocation> &freed() const { return Freed; }
  /// Is \p A, a block that is there, what a call made?
  bool isMade(const Allocation &A) const { return A.Id >= FirstId; }
  /// Bytes that were allocated, less those that were freed.
  int64_t change() const { return Change; }

private:
  friend uint64_t deviceMalloc(Warp &W, unsigned Lane, uint64_t Bytes);
  friend bool deviceFree(Warp &W, uint64_t Address);
  void begin(const GlobalMemory &Memory);
  uint64_t nextNumber(uint64_t Thread);
  bool isPlanned(HeapCall &Call);
  bool allocate(GlobalMemory &Memory, HeapCall &Call);
  void release(const Allocation &A);

  const HeapCallRun *const Plan;
  const size_t Planned;
  size_t LastPlanned = 0; ///< The run that the last call was found in.
  /// How many calls threads have made, for so many threads at a time: in most
  /// kernels all threads call, or none.
  static constexpr uint64_t ThreadsTogether = 1024;
  std::unordered_map<uint64_t, std::vector<uint64_t>> Numbers;
  std::vector<HeapCall> Calls;
  std::vector<Allocation> Freed;
  /// Allocations from here on are made by calls; none yet.
  uint64_t FirstId = ~uint64_t(0);
  int64_t Change = 0;
};

/// 0 if the heap is used up.
uint64_t deviceMalloc(Warp &W, unsigned Lane, uint64_t Bytes);
/// False if malloc did not return \p Address.
bool deviceFree(Warp &W, uint64_t Address);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_HEAP_H
