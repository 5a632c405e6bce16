//===- MemoryWatch.h - No more memory than allowed --------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What processes hold in memory, and the end of those that hold too much. A
// limit of the address space would not do: the embedded GPU reserves far more
// of it than it uses.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_MEMORYWATCH_H
#define GEVO_SEARCH_MEMORYWATCH_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace gevo {

/// What \p Pid has in memory; 0 if there is no such process.
uint64_t residentBytes(pid_t Pid);

/// While it lives, a child of this process and all that it started may have so
/// much together; otherwise they are killed, soon.
class MemoryWatch {
public:
  /// 0 bytes: any.
  MemoryWatch(pid_t Child, uint64_t Bytes);
  ~MemoryWatch();

  bool exceeded() const { return Exceeded; }

private:
  void watch(pid_t Child, uint64_t Bytes);

  std::atomic<bool> Exceeded{false};
  std::mutex Lock;
  std::condition_variable Stop;
  bool Stopped = false;
  std::thread Thread;
};

} // namespace gevo

#endif // GEVO_SEARCH_MEMORYWATCH_H
