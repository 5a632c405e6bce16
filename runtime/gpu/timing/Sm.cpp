//===- Sm.cpp - Issue of one streaming multiprocessor ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk along traces and issue. Traces that come in pieces are in
// SmTrace.cpp, blocks and barriers in SmBlocks.cpp, memory instructions in
// SmMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

Sm::Sm(const Profile &P, const CostProgram &Code, uint32_t Index,
       uint64_t L1Bytes, uint64_t MaxBlocks, uint64_t MaxWarps,
       std::vector<std::vector<InstructionProfile>> &Statistics, Waits &Events,
       const std::function<void(BlockTrace &)> &MoreTrace)
    : P(P), Code(Code), Index(Index), Statistics(Statistics),
      MoreTrace(MoreTrace), Schedulers(P.Schedulers), Warps(MaxWarps),
      Registers(MaxWarps * std::max(1u, Code.NumRegisters)), Blocks(MaxBlocks),
      L1(P.L1Sets, std::max<uint64_t>(
                       1, L1Bytes / (SectorBytes * SectorsPerLine * P.L1Sets))),
      Events(Events), Gap(P.IssueWidth > 1 ? 0 : 1) {}

/// Opens the next run of the trace.
void Sm::openRun(WarpSlot &W) {
  if (W.Open)
    W.Lines += W.Open->NumLines;
  if (W.Order != W.OrderEnd)
    skipOrders(W, W.Run);
  const TraceRun &R = *W.Trace->Runs[W.Run++];
  W.Open = &R;
  W.Fn = &Code.Functions[R.Function];
  W.File = registersOf(indexOf(W)) + Code.RegisterBase[R.Function];
  W.Stats = Statistics[R.Function].data();
  W.Pos = R.Begin;
  W.End = R.Begin + R.Count;
  W.Lanes = uint8_t(__builtin_popcount(R.Mask));
  W.Accesses = R.Accesses.data();
  W.FirstAccess = W.Fn->AccessesBefore[R.Begin];
  // Branches and barriers look at the run that comes next.
  if (W.Run == W.Trace->Runs.size() && W.Trace->End == TraceEnd::Open)
    more(W, false);
}

/// Opens the next micro-operations of the trace; false at the end of what is
/// there of it.
bool Sm::openUops(WarpSlot &W) {
  if (W.LastCopy) {
    moveToCopy(W, W.LastCopy);
    W.Copy = W.LastCopy = 0;
  }
  while (true) {
    if (W.Pos >= W.End) {
      if (W.Run >= W.Trace->Runs.size())
        return false;
      openRun(W);
    }
    const CostFunction &F = *W.Fn;
    uint32_t Index = F.RegionAt[W.Pos];
    if (Index != NoIndex && F.Regions[Index].End <= W.End) {
      const Region &R = F.Regions[Index];
      if (R.NumLoops && openLoop(W, R))
        return true;
      W.Cur = F.Uops.data() + R.FirstUop;
      W.CurEnd = W.Cur + R.NumUops;
      W.Pos = R.End;
    } else {
      W.Cur = F.Uops.data() + F.FirstUop[W.Pos];
      W.CurEnd = F.Uops.data() + F.FirstUop[W.Pos + 1];
      ++W.Pos;
    }
    if (W.Cur != W.CurEnd)
      return true;
  }
}

/// What costs nothing hands on the readiness of its sources.
[[gnu::noinline]] void Sm::freeUop(WarpSlot &W, const Uop &U) {
  const uint16_t *Source = W.Fn->sources(U), *Result = W.Fn->results(U);
  uint32_t Ready = 0;
  for (unsigned K = 0; K < U.NumSources; ++K)
    Ready = std::max(Ready, W.File[Source[K]]);
  for (unsigned K = 0; K < U.NumResults; ++K) {
    uint32_t *R = &W.File[Result[K]];
    *R = Ready;
    if (isPending(Ready))
      Lists.append(Fetches[Ready & ~PendingBit].Copies,
                   uint64_t(R - registersOf(indexOf(W))));
  }
}

/// Finds the next micro-operation to issue and when its operands are ready.
[[gnu::always_inline]] inline void Sm::prepareNext(Scheduler &S, WarpSlot &W) {
  while (W.Cur->Kind == UopKind::Free) {
    freeUop(W, *W.Cur);
    if (++W.Cur == W.CurEnd && !openUops(W)) {
      endPiece(W, W.Issued + 1);
      return;
    }
  }
  const Uop &U = *W.Cur;
  uint32_t Entry = std::max(std::max(W.File[U.First[0]], W.File[U.First[1]]),
                            std::max(W.File[U.First[2]], W.File[U.First[3]]));
  for (unsigned K = Uop::NumFirst; K < U.NumSources; ++K)
    Entry = std::max(Entry, W.File[W.Fn->sources(U)[K]]);
  W.Pipe = U.Pipe;
  if (isPending(Entry)) {
    W.Why = Fetches[Entry & ~PendingBit].Why;
    W.Ready = Never;
    return;
  }
  uint64_t Ready = Entry ? timeOf(Entry) : 0;
  W.Why = W.NotBefore > Ready ? W.NotBeforeWhy : Stall(Entry & 3);
  Ready = std::max(Ready, W.NotBefore);
  if (U.Kind == UopKind::Fence) {
    if (W.Outstanding) {
      W.AtFence = true;
      W.Why = Stall::Fence;
      W.Ready = Never;
      return;
    }
    if (W.MemoryDone > Ready) {
      Ready = W.MemoryDone;
      W.Why = Stall::Fence;
    }
  }
  W.Ready = Ready;
  wake(S, S.Queue.push(W.Place, U.Pipe, Ready));
}

void Sm::prepare(WarpSlot &W) { prepareNext(*W.Owner, W); }

[[gnu::always_inline]] inline void Sm::account(const Scheduler &S,
                                               const WarpSlot &W, const Uop &U,
                                               uint64_t Now) const {
  InstructionProfile &Cost = W.Stats[U.Instruction];
  uint64_t Ready = W.Ready;
  ++Cost.Issues;
  Cost.Lanes += W.Lanes;
  // Nothing here branches: how long a warp waited is as good as random.
  uint64_t Next = W.Issued + 1, From = std::max(Ready, Next);
  Cost.Stalls[unsigned(W.Why)] += From - Next;
  // In the cycle in which the pipe took another warp's, that was selected.
  uint64_t Free = S.Queue.freeAt(U.Pipe);
  uint64_t Busy = std::max(From, Free - P.pipe(U.Pipe).Interval + 1);
  Free = std::min(Free, Now);
  uint64_t Pipe = Free - std::min(Free, Busy);
  Cost.Stalls[unsigned(Stall::Pipe)] += Pipe;
  Cost.Stalls[unsigned(Stall::Selected)] += std::max(Now, From) - From - Pipe;
}

void Sm::branch(WarpSlot &W, uint64_t Now) {
  if (W.Cur->Copy != W.Copy)
    moveToCopy(W, W.Cur->Copy);
  // A run ends at a branch only if it was taken, by some lanes or by all.
  bool Taken = W.Cur + 1 == W.CurEnd && W.Pos >= W.End;
  if (W.Cur->Flags & FlagInverted) {
    bool ByAll = Taken && W.Run < W.Trace->Runs.size() &&
                 W.Trace->Runs[W.Run]->Mask == W.Open->Mask;
    Taken = !ByAll;
  }
  if (Taken) {
    W.NotBefore = Now + P.pipe(Unit::Branch).Latency;
    W.NotBeforeWhy = Stall::Branch;
  }
}

[[gnu::always_inline]] inline void Sm::issue(Scheduler &S, WarpSlot &W,
                                             uint64_t Now) {
  const Uop &U = *W.Cur;
  account(S, W, U, Now);
  ++Uops;
  S.Earliest = Now + 1;
  S.Time = std::max(
      Now + 1, S.Queue.take(W.Place, U.Pipe, Now + P.pipe(U.Pipe).Interval));
  W.Issued = Now;
  W.NotBefore = Now + (U.Stall > 1 ? U.Stall : Gap);
  W.NotBeforeWhy = U.Stall > 1 ? Stall::Arithmetic : W.NotBeforeWhy;
  switch (U.Kind) {
  case UopKind::Alu:
    setSoon(W, U, Now + U.Latency);
    break;
  case UopKind::Load:
  case UopKind::Store:
  case UopKind::Atomic:
  case UopKind::Reduce:
    memory(W, U, Now);
    break;
  case UopKind::Spill:
    spill(W, U, Now);
    break;
  case UopKind::Branch:
    branch(W, Now);
    break;
  case UopKind::Fence:
    if (U.Flags & FlagEmptiesL1)
      L1EmptiedAt = Now;
    W.NotBefore = Now + U.Latency;
    W.NotBeforeWhy = Stall::Fence;
    break;
  case UopKind::Barrier:
  case UopKind::Arrive:
    barrier(W, U, Now);
    break;
  case UopKind::Free:
    assert(false && "what costs nothing is not issued");
  }
  if (++W.Cur == W.CurEnd && !openUops(W)) {
    endPiece(W, Now + 1);
    return;
  }
  if (W.AtBarrier) {
    W.Ready = Never;
    return;
  }
  prepareNext(S, W);
}

/// Issues one warp of \p S at \p Now if one can; otherwise says when to look
/// again.
[[gnu::always_inline]] inline bool Sm::pick(Scheduler &S, uint64_t Now) {
  if (S.Queue.mustMove(Now))
    moveBase(S, Now);
  // Greedy, then oldest.
  unsigned Place = S.Queue.oldest(Now);
  if (Place == IssueQueue::NoPlace) {
    S.Time = S.Queue.next();
    S.ForPath = false;
    return false;
  }
  if (S.Last != IssueQueue::NoPlace)
    Place = S.Queue.canIssue(S.Last, Now) ? S.Last : Place;
  if (S.Queue.pipeOf(Place) == Unit::Memory && pathFull(Now)) {
    Place = pickAroundPath(S, Now);
    if (Place == IssueQueue::NoPlace)
      return false;
  }
  S.ForPath = false;
  S.Last = Place;
  S.LastWarp = S.Order[Place];
  WarpSlot &Chosen = Warps[S.LastWarp];
  Unit First = Chosen.Pipe;
  issue(S, Chosen, Now);
  if (P.IssueWidth > 1)
    secondIssue(S, Chosen, First, Now);
  return true;
}

/// The place to issue from while the load/store path takes nothing.
[[gnu::noinline]] unsigned Sm::pickAroundPath(Scheduler &S, uint64_t Now) {
  if (S.Last != IssueQueue::NoPlace && S.Queue.canIssue(S.Last, Now) &&
      S.Queue.pipeOf(S.Last) != Unit::Memory)
    return S.Last;
  unsigned Place = S.Queue.oldestBut(Unit::Memory, Now);
  if (Place == IssueQueue::NoPlace) {
    S.Time = lookAgain(S, Now);
    S.ForPath = true;
  }
  return Place;
}

/// When something may have changed for a scheduler that could not issue up to
/// \p Seen: another warp's operands are ready, or a pipe is free that one
/// waited for.
[[gnu::noinline]] uint64_t Sm::lookAgain(const Scheduler &S,
                                         uint64_t Seen) const {
  uint64_t Time = Never;
  for (unsigned K = 0; K < S.Queue.size(); ++K) {
    const WarpSlot &W = Warps[S.Order[K]];
    uint64_t Then = W.Ready;
    if (Then <= Seen) {
      Then = S.Queue.freeAt(W.Pipe);
      if (Then <= Seen)
        Then = PathFree - P.MemoryQueue;
    }
    Time = std::min(Time, Then);
  }
  return Time;
}

/// Lets the times of \p S count from \p Now on.
[[gnu::noinline]] void Sm::moveBase(Scheduler &S, uint64_t Now) {
  for (uint64_t Again = S.Queue.moveBase(Now); Again; Again &= Again - 1) {
    unsigned Place = unsigned(__builtin_ctzll(Again));
    const WarpSlot &W = Warps[S.Order[Place]];
    S.Queue.push(Place, W.Pipe, W.Ready);
  }
}

/// The second dispatch unit takes the same warp's next instruction if it is
/// independent and goes to another kind of pipe.
[[gnu::noinline]] bool Sm::secondIssue(Scheduler &S, WarpSlot &W, Unit First,
                                       uint64_t Now) {
  if (W.Ready > Now || !W.Trace)
    return false;
  Unit U = W.Pipe;
  bool Arithmetic = U == Unit::Fp32 || U == Unit::Int || U == Unit::Mul;
  bool FirstArithmetic =
      First == Unit::Fp32 || First == Unit::Int || First == Unit::Mul;
  if (U == First || (Arithmetic && FirstArithmetic) || S.Queue.freeAt(U) > Now)
    return false;
  if (U == Unit::Memory && pathFull(Now))
    return false;
  issue(S, W, Now);
  return true;
}

/// Lets the scoreboard count from \p To on; what was ready before stays so.
void Sm::moveEpoch(uint64_t To) {
  uint64_t By = To - Epoch;
  for (uint32_t &Entry : Registers)
    if (!isPending(Entry))
      Entry = Entry >> 2 > By ? uint32_t(Entry - (By << 2)) : 0;
  Epoch = To;
}

/// Where the next window starts is part of the result, and that is the earliest
/// time at which a scheduler may look again, whether or not it then issues.
void Sm::endWindow(Scheduler &S) const {
  if (S.Earliest == WindowEnd)
    S.Time = WindowEnd;
  else if (!S.ForPath && S.Queue.anyBusy(WindowEnd))
    S.Time = lookAgain(S, WindowEnd - 1);
}

/// The next cycle in which schedulers look, and a bit for each that does: who
/// is due is hard to foresee. \p Fixed is how many there are, or 0.
template <unsigned Fixed>
[[gnu::always_inline]] inline std::pair<uint64_t, uint32_t> Sm::turn() const {
  const Scheduler *First = Schedulers.data();
  unsigned Count = Fixed ? Fixed : unsigned(Schedulers.size());
  uint64_t Now = Never;
  for (unsigned K = 0; K < Count; ++K)
    Now = std::min(Now, First[K].Time);
  uint32_t Due = 0;
  for (unsigned K = 0; K < Count; ++K)
    Due |= uint32_t(First[K].Time == Now) << K;
  return {Now, Due};
}

bool Sm::run(uint64_t End) {
  WindowEnd = End;
  if (End - Epoch > MaxEntryTime / 2 && nextEvent() != Never)
    moveEpoch(nextEvent());
  Scheduler *First = Schedulers.data(), *Last = First + Schedulers.size();
  while (!BlockDone) {
    // What one scheduler does in a cycle concerns others in later ones.
    auto [Now, Due] = Schedulers.size() == 4 ? turn<4>() : turn<0>();
    if (Now >= End) {
      for (Scheduler *S = First; S != Last; ++S)
        endWindow(*S);
      return false;
    }
    bool Issued = false;
    for (; Due && !BlockDone; Due &= Due - 1)
      Issued |= pick(First[__builtin_ctz(Due)], Now);
    if (Issued)
      LastTime = std::max(LastTime, Now + 1);
  }
  BlockDone = false;
  return true;
}

void Sm::prefetch() const {
  auto Touch = [](const void *Start, size_t Bytes) {
    constexpr size_t HostLine = 64;
    const char *From = static_cast<const char *>(Start);
    for (size_t Offset = 0; Offset < Bytes; Offset += HostLine)
      __builtin_prefetch(From + Offset);
  };
  Touch(Schedulers.data(), Schedulers.size() * sizeof(Scheduler));
  for (uint32_t W = 0; W < Warps.size(); ++W)
    if (Warps[W].Trace) {
      Touch(&Warps[W], sizeof(WarpSlot));
      Touch(Registers.data() + uint64_t(W) * Code.NumRegisters,
            Code.NumRegisters * sizeof(uint32_t));
    }
}

uint64_t Sm::nextEvent() const {
  uint64_t Time = Never;
  for (const Scheduler &S : Schedulers)
    Time = std::min(Time, S.Time);
  return Time;
}
