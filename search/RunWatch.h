//===- RunWatch.h - No more memory or time than allowed ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What processes hold in memory, and the end of those that hold too much. A
// limit of the address space would not do: the embedded GPU reserves far more
// of it than it uses. An alarm would not do for the time: of several threads it
// may interrupt one that does not wait.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_RUNWATCH_H
#define GEVO_SEARCH_RUNWATCH_H

#include "search/AwakeTime.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace gevo {

/// What \p Pid has in memory; 0 if there is no such process.
uint64_t residentBytes(pid_t Pid);

/// The processes that \p Pid, or a thread of it, started and that have not been
/// waited for.
std::vector<pid_t> childrenOf(pid_t Pid);
/// \p Root, then its children, theirs and so on.
std::vector<pid_t> withDescendants(pid_t Root);

/// While it lives, a child of this process and all that it started may have so
/// much memory together, and take so long; otherwise they are killed, soon.
/// Time for which this process was stopped does not count.
class RunWatch {
public:
  /// 0 bytes, or seconds: any.
  RunWatch(pid_t Child, uint64_t Bytes, unsigned Seconds = 0);
  ~RunWatch();

  /// Until the child has ended, by itself or not. It can be waited for then,
  /// and not before: its number may be another's once somebody has.
  void awaitEnd();

  /// They were killed as they had too much memory. For certain after
  /// awaitEnd(): before, the child may have ended by itself at the same moment.
  bool exceeded() const { return Exceeded; }
  /// They were killed as they took too long; for certain as above.
  bool late() const { return Late; }
  /// Somebody killed the child, be it for want of memory; known after
  /// awaitEnd().
  bool killed() const { return Killed; }

private:
  void watch(uint64_t Bytes, AwakeTime::Clock::duration Most);
  void stop();

  pid_t Child;
  std::atomic<bool> Exceeded{false}, Late{false};
  bool Killed = false;
  std::mutex Lock;
  std::condition_variable Stop;
  bool Stopped = false;
  std::thread Thread;
};

} // namespace gevo

#endif // GEVO_SEARCH_RUNWATCH_H
