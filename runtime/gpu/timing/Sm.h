//===- Sm.h - One streaming multiprocessor ----------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An SM issues the micro-operations of its resident warps: each scheduler picks
// one ready warp a cycle (the one it issued last if that is ready, otherwise
// the oldest ready one), a scoreboard holds a warp back until its operands are
// there, pipes take one warp instruction per interval, and memory instructions
// go through the load/store path and L1.
//
// The SM runs on its own up to a given time. What it needs from L2 it puts into
// a list of requests, whose answers arrive later than that time by construction
// (see Simulation.h); until then the registers are pending.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_SM_H
#define GEVO_RUNTIME_GPU_TIMING_SM_H

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Cache.h"
#include "runtime/gpu/timing/CostProgram.h"
#include "runtime/gpu/timing/Fetch.h"
#include "runtime/gpu/timing/IssueQueue.h"
#include "runtime/gpu/timing/LaunchTiming.h"
#include "runtime/gpu/timing/MemorySystem.h"
#include "runtime/gpu/timing/Waits.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace gevo::gpu::timing {

class Sm {
public:
  /// Never holds more than \p MaxBlocks blocks and \p MaxWarps warps at once.
  Sm(const Profile &P, const CostProgram &Code, uint32_t Index,
     uint64_t L1Bytes, uint64_t MaxBlocks, uint64_t MaxWarps,
     std::vector<std::vector<InstructionProfile>> &Statistics, Waits &Events,
     const std::function<void(BlockTrace &)> &MoreTrace);

  /// Makes \p Block resident from \p Time on.
  void launch(std::unique_ptr<BlockTrace> Block, uint64_t Time);
  unsigned residentBlocks() const { return unsigned(NumResident); }
  /// The most instructions of a resident block.
  uint64_t longestTrace() const;

  /// Issues until \p End or until a block has finished. Returns true in that
  /// case: finishedAt() says when, and its place may be filled.
  bool run(uint64_t End);
  uint64_t finishedAt() const { return FinishTime; }
  /// A block that has finished, for its memory to be used again.
  std::unique_ptr<BlockTrace> takeFinished();

  /// Asks the host for what run() will touch, while another SM runs: the
  /// state of all SMs together is larger than the caches near a core.
  void prefetch() const;

  /// Nothing happens before this time; Never if it waits for replies alone.
  uint64_t nextEvent() const;
  /// The SM waits but nothing can arrive: a trace whose barriers do not match.
  /// Lets every warp at a barrier go on at \p Time; false if there is none.
  bool releaseBarriers(uint64_t Time);

  /// What is asked of L2 since the last call of clearRequests.
  const std::vector<MemoryRequest> &requests() const { return Requests; }
  const uint64_t *lines() const { return RequestLines.data(); }
  void clearRequests();
  /// Which of them have an order among warps; each names its request.
  const std::vector<OrderedAccess> &orders() const { return Ordered; }
  /// The earliest and the latest time of those.
  std::pair<uint64_t, uint64_t> requestTimes() const {
    return {FirstRequest, LastRequest};
  }
  /// What L2 answered to a request with a fetch.
  struct Answer {
    uint64_t Time; ///< When the data is there.
    uint32_t Fetch;
    uint32_t L2Hits;
    uint32_t NumLines; ///< Of L1 that were asked for; 0: an atomic operation.
  };
  void reply(const Answer &A);
  /// Ask the host for what reply() will touch, each for what the one before
  /// brought.
  /// @{
  void prefetchFetch(const Answer &A) const {
    __builtin_prefetch(&Fetches[A.Fetch]);
  }
  void prefetchLists(const Answer &A) const;
  void prefetchLine(const Answer &A) const;
  /// @}
  /// What was written is at its place at \p Time.
  void written(uint64_t Time) { LastTime = std::max(LastTime, Time); }

  uint64_t uops() const { return Uops; }
  /// When the last instruction was issued or the last data arrived.
  uint64_t lastTime() const { return LastTime; }

private:
  static constexpr unsigned NumBarriers = 16; ///< Of a block.

  struct Scheduler;
  /// A place for a warp. What issue looks at lies in front.
  struct alignas(64) WarpSlot {
    const Uop *Cur = nullptr, *CurEnd = nullptr;
    uint32_t *File = nullptr; ///< Registers of the function's activation.
    InstructionProfile *Stats = nullptr; ///< Of the function's instructions.
    uint64_t Ready = Never; ///< For its next issue; Never while it waits.
    uint64_t Issued = 0;    ///< When it last issued.
    uint64_t NotBefore = 0; ///< Refetch, barrier.
    uint8_t Lanes = 0;      ///< Active ones of the open run.
    uint8_t Place = 0;      ///< In its scheduler, by age.
    Unit Pipe = Unit::None; ///< Of the next micro-operation.
    Stall NotBeforeWhy = Stall::Branch;
    Stall Why = Stall::Arithmetic; ///< What the next one waits for.
    bool AtBarrier = false;
    bool AtFence = false;
    uint8_t Copy = 0;     ///< Of an unrolled loop: whose run is open,
    uint8_t LastCopy = 0; ///< and which is its last; 0: in none.
    // From here on what few micro-operations need.
    Scheduler *Owner = nullptr;
    const TraceAccess *Accesses = nullptr; ///< Of the open run; the first is
    uint32_t FirstAccess = 0;              ///< that one of the function.
    uint32_t Outstanding = 0;              ///< Fetches without a reply.
    uint64_t MemoryDone = 0;               ///< Latest known end of an access.
    const WarpTrace *Trace = nullptr;
    const CostFunction *Fn = nullptr;
    const TraceOrder *Order = nullptr;    ///< The next of its trace,
    const TraceOrder *OrderEnd = nullptr; ///< if there is one,
    uint64_t OrdersSeen = 0;         ///< and which from there on were issued.
    const TraceRun *Open = nullptr;  ///< The run that it is in.
    const uint64_t *Lines = nullptr; ///< Of that run.
    uint32_t Run = 0; ///< Index into Trace->Runs; the next one to open.
    uint32_t Pos = 0; ///< Instruction to go on with in the open run.
    uint32_t End = 0; ///< Of the open run.
    uint32_t Block = 0;
    uint32_t NextWaiting = 0; ///< At the same barrier, in order of arrival.
  };
  struct BlockSlot {
    std::unique_ptr<BlockTrace> Trace;
    uint32_t LiveWarps = 0;
    uint32_t Waiting = 0; ///< A bit for each barrier that warps wait at.
    struct {
      uint32_t Arrived = 0;
      uint32_t First = 0, Last = 0; ///< Warps that wait, see NextWaiting.
    } Barriers[NumBarriers];
  };
  struct Scheduler {
    uint64_t Time = Never; ///< When to look next.
    uint64_t Earliest = 0; ///< The cycle after the last that was used.
    uint32_t Last = IssueQueue::NoPlace; ///< The place that issued last.
    uint32_t LastWarp = NoIndex;         ///< Its slot, if not its warp.
    bool ForPath = false; ///< At Time the load/store path may have room.
    IssueQueue Queue;
    uint16_t Order[IssueQueue::MaxWarps] = {}; ///< Slots, the oldest first.
  };
  /// Outstanding misses that end.
  struct Release {
    uint64_t Time, Lines;
  };

  static void wake(Scheduler &S, uint64_t Time) {
    S.Time = std::min(S.Time, std::max(Time, S.Earliest));
  }
  uint32_t indexOf(const WarpSlot &W) const {
    return uint32_t(&W - Warps.data());
  }
  uint32_t *registersOf(uint32_t Warp) {
    return Registers.data() + uint64_t(Warp) * Code.NumRegisters;
  }
  /// Scoreboard entries; see below.
  uint32_t readyAt(uint64_t Time, Stall Why) const;
  uint64_t timeOf(uint32_t Entry) const { return Epoch + (Entry >> 2); }
  void moveEpoch(uint64_t To);

  void openRun(WarpSlot &W);
  bool openUops(WarpSlot &W);
  bool openLoop(WarpSlot &W, const Region &R);
  bool repeats(WarpSlot &W, const UnrolledLoop &L);
  void moveToCopy(WarpSlot &W, uint8_t Copy) const;
  void prepare(WarpSlot &W);
  void prepareNext(Scheduler &S, WarpSlot &W);
  bool pick(Scheduler &S, uint64_t Now);
  unsigned pickAroundPath(Scheduler &S, uint64_t Now);
  bool pathFull(uint64_t Now) const { return PathFree > Now + P.MemoryQueue; }
  uint64_t lookAgain(const Scheduler &S, uint64_t Seen) const;
  void moveBase(Scheduler &S, uint64_t Now);
  void endWindow(Scheduler &S) const;
  template <unsigned Fixed> std::pair<uint64_t, uint32_t> turn() const;
  void issue(Scheduler &S, WarpSlot &W, uint64_t Now);
  bool secondIssue(Scheduler &S, WarpSlot &W, Unit First, uint64_t Now);
  void setResults(const WarpSlot &W, const Uop &U, uint64_t Time,
                  Stall Why) const;
  void setSoon(const WarpSlot &W, const Uop &U, uint64_t Time) const;
  static void setEntries(const WarpSlot &W, const Uop &U, uint32_t Entry) {
    W.File[U.Result] = Entry;
    for (unsigned K = 1; K < U.NumResults; ++K)
      W.File[W.Fn->results(U)[K]] = Entry;
  }
  void freeUop(WarpSlot &W, const Uop &U);
  void account(const Scheduler &S, const WarpSlot &W, const Uop &U,
               uint64_t Now) const;
  void branch(WarpSlot &W, uint64_t Now);

  // SmTrace.cpp
  void endPiece(WarpSlot &W, uint64_t Now);
  void more(WarpSlot &W, bool PastBarrier);
  void dropTimed(WarpSlot &W, BlockTrace &T);

  // SmBlocks.cpp
  void finishWarp(WarpSlot &W, uint64_t Now);
  void barrier(WarpSlot &W, const Uop &U, uint64_t Now);
  void await(BlockSlot &B, unsigned Id, WarpSlot &W);
  void releaseBarrier(BlockSlot &B, unsigned Id, uint64_t Now);

  // SmOrder.cpp
  void orderedAccess(WarpSlot &W, const Uop &U, uint64_t Now);
  uint32_t pollFetch(WarpSlot &W, const Uop &U);
  OrderedAccess ordered(const WarpSlot &W, const TraceOrder &O) const;
  void emptyRequest(uint64_t Time);
  void skipOrders(WarpSlot &W, uint32_t Run);

  // SmMemory.cpp
  static const TraceAccess &accessOf(const WarpSlot &W, const Uop &U);
  uint64_t takePath(uint64_t Now, uint64_t Cycles);
  void memory(WarpSlot &W, const Uop &U, uint64_t Now);
  void spill(WarpSlot &W, const Uop &U, uint64_t Now);
  void sharedAccess(WarpSlot &W, const Uop &U, const TraceAccess &A,
                    uint64_t Now);
  void globalLoad(WarpSlot &W, const Uop &U, const TraceAccess &A,
                  uint64_t Now);
  void globalStore(WarpSlot &W, const Uop &U, const TraceAccess &A,
                   uint64_t Now);
  void keepStored(uint64_t Traced, uint64_t Time);
  void globalAtomic(WarpSlot &W, const Uop &U, const TraceAccess &A,
                    uint64_t Now);
  uint32_t newFetch(WarpSlot &W, const Uop &U, Stall Why);
  void request(RequestKind Kind, uint64_t Time, uint32_t FetchIndex,
               uint16_t Degree, uint32_t FirstLine, uint32_t NumSectors);
  void part(uint32_t FetchIndex, uint64_t Time);
  void complete(uint32_t FetchIndex);
  void deliver(const Fetch &F, uint32_t Pending);
  void evict(const EvictedLine &Line, uint64_t Time);
  void releaseMshrs(Release R);
  uint64_t mshrRoom(uint64_t Now, uint64_t Lines);

  const Profile &P;
  const CostProgram &Code;
  uint32_t Index;
  std::vector<std::vector<InstructionProfile>> &Statistics;
  const std::function<void(BlockTrace &)> &MoreTrace;

  std::vector<Scheduler> Schedulers;
  std::vector<WarpSlot> Warps;
  std::vector<uint32_t> Registers; ///< Ready times, see Scoreboard below.
  uint64_t Epoch = 0;              ///< What they count from.
  std::vector<BlockSlot> Blocks;
  std::vector<std::unique_ptr<BlockTrace>> Finished;
  uint64_t NumResident = 0;
  uint64_t FinishTime = 0;
  bool BlockDone = false;
  uint64_t WindowEnd = 0;

  Cache L1;
  uint64_t L1EmptiedAt = 0; ///< What global data came before is gone.
  uint64_t BarrierFree = 0; ///< When the next warp can arrive at a barrier.
  uint64_t PathFree = 0;    ///< The load/store path of the SM.
  uint64_t MshrsUsed = 0;
  std::vector<Release> MshrReleases; ///< By time, from FirstRelease on.
  size_t FirstRelease = 0;
  std::vector<Fetch> Fetches;
  std::vector<uint32_t> FreeFetches;
  ListPool Lists; ///< Of the fetches.
  std::vector<MemoryRequest> Requests;
  uint64_t FirstRequest = Never, LastRequest = 0;
  std::vector<uint64_t> RequestLines; ///< See traceLine.
  std::vector<uint64_t> Misses;       ///< Lines of the current load.
  Waits &Events;
  std::vector<OrderedAccess> Ordered; ///< Of Requests.

  const uint8_t Gap; ///< Cycles from one instruction of a warp to the next.
  uint64_t Uops = 0;
  uint64_t LastTime = 0;
};

/// \name Scoreboard entries
/// The time at which a register is ready, from the epoch of the SM on, with the
/// reason in the low two bits; or, with the top bit set, the number of the
/// fetch that it waits for. Four bytes, because the files of all warps together
/// decide what the simulation's working set is.
/// @{
constexpr uint32_t PendingBit = uint32_t(1) << 31;
constexpr uint64_t MaxEntryTime = (uint64_t(1) << 29) - 1;
inline bool isPending(uint32_t Entry) { return Entry & PendingBit; }
inline uint32_t Sm::readyAt(uint64_t Time, Stall Why) const {
  uint64_t From = Time > Epoch ? Time - Epoch : 0;
  return uint32_t(std::min(From, MaxEntryTime) << 2 | uint64_t(Why));
}
inline void Sm::setResults(const WarpSlot &W, const Uop &U, uint64_t Time,
                           Stall Why) const {
  setEntries(W, U, readyAt(Time, Why));
}
/// The same for what an arithmetic pipe gives: run() sees to it that the entry
/// has room for times a latency from now.
inline void Sm::setSoon(const WarpSlot &W, const Uop &U, uint64_t Time) const {
  setEntries(W, U, uint32_t(Time - Epoch) << 2 | uint32_t(Stall::Arithmetic));
}
/// @}

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_SM_H
