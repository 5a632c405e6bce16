//===- AwakeTime.h - Time that a process was awake --------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ctrl-Z and batch systems stop a search with all that it started, for as long
// as they like. What waits for others goes on then, and must not take that time
// for theirs.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_AWAKETIME_H
#define GEVO_SEARCH_AWAKETIME_H

#include <algorithm>
#include <chrono>

namespace gevo {

/// Time without what this process slept through.
class AwakeTime {
public:
  using Clock = std::chrono::steady_clock;
  /// More than \p Most between two looks at it is sleep; who waits must look at
  /// it so often.
  explicit AwakeTime(Clock::duration Most) : Most(Most) {}
  /// Since it was made.
  Clock::duration soFar() {
    auto Now = Clock::now();
    Total += std::min(Now - Last, Most);
    Last = Now;
    return Total;
  }

private:
  Clock::duration Most, Total = {};
  Clock::time_point Last = Clock::now();
};

/// How long nothing was heard of somebody.
class Silence {
public:
  explicit Silence(AwakeTime::Clock::duration Most) : Time(Most) {}
  void heard() { Heard = Time.soFar(); }
  AwakeTime::Clock::duration soFar() { return Time.soFar() - Heard; }

private:
  AwakeTime Time;
  AwakeTime::Clock::duration Heard = {};
};

} // namespace gevo

#endif // GEVO_SEARCH_AWAKETIME_H
