//===- Polling.h - What threads wait for, in traces -------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that polls goes round as often as the turns of the interpreter want
// it. So an iteration that read and went round again, without having written
// anything, is taken out of the trace, and what the last one read is noted:
// which write of which warp, as an event. The clock holds the one until it has
// seen the other. Which write that is:
//
// - A word that is stored to several times may have let the poll through before
//   its last value: the first store counts that came after the last poll in
//   vain. A scan that looks back takes what it finds, not what is final.
// - An atomic operation stands for those on the same word before it, too: a
//   barrier's counter is complete when all have arrived, in whatever order.
// - A word that whoever took it gives back is a lock. Its holders may come in
//   any order, so the clock decides who waits for whom.
//
// Only kernels with such loops pay for any of it (see Inst::Polling).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_POLLING_H
#define GEVO_RUNTIME_GPU_EXEC_POLLING_H

#include "runtime/gpu/exec/Trace.h"

#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

/// Who wrote what, in a launch of a kernel that polls.
class PollRecord {
public:
  /// A place in memory: bytes of an access of one lane.
  struct Place {
    uint64_t Key = 0;   ///< Of its first word; see wordKey.
    uint32_t Words = 0; ///< 0: no memory that others see.
  };
  /// What an access did.
  struct Access {
    uint64_t Warp = 0;        ///< Who, from 1 on.
    uint32_t Failed = 0;      ///< Events before it last polled in vain.
    bool Reads = false;       ///< Polls.
    bool Combines = false;    ///< The new value comes from the old one.
    bool Strong = false;      ///< Meant to be seen.
    bool MayLock = false;     ///< Compare and swap, or exchange.
    std::vector<Place> Read;  ///< By lanes that poll.
    std::vector<Place> Wrote; ///< By lanes that wrote.
  };

  /// How many events there were.
  uint32_t events() const { return NumEvents; }
  /// Notes \p A as access \p Index of the run that comes next in \p Trace.
  void note(const Access &A, uint32_t Index, WarpTrace &Trace);

private:
  struct Word {
    uint32_t Event = 0;           ///< The last write.
    std::vector<uint32_t> Stores; ///< Those that are no atomic operations.
    uint32_t Lock = 0;            ///< It is one.
    uint64_t Writer = 0;          ///< Who wrote last.
    uint64_t Holder = 0;          ///< Who has the lock.
    bool Combined = false; ///< The last write stands for those before it.
    bool Free = true;      ///< Never written, or given back by its holder.
  };

  void await(const Access &A, WarpTrace &Trace, TraceOrder &Order);
  bool lock(const Access &A, TraceOrder &Order);
  void write(const Access &A, WarpTrace &Trace, TraceOrder &Order);
  static uint32_t seenBy(const Access &A, const Word &W);
  Word *find(uint64_t Key);
  Word &at(uint64_t Key);

  std::unordered_map<uint64_t, Word> Words;
  /// Lines that have a word, by a hash: most stores are to none.
  std::bitset<1 << 16> Lines;
  uint32_t NumEvents = 0, NumLocks = 0;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_POLLING_H
