//===- SmBlocks.cpp - Blocks and barriers of an SM ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to warps as members of a block: they become resident together,
// wait for each other, and make room when the last one has finished.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

void Sm::launch(std::unique_ptr<BlockTrace> Block, uint64_t Time) {
  auto Slot = std::find_if(Blocks.begin(), Blocks.end(),
                           [](const BlockSlot &B) { return !B.Trace; });
  assert(Slot != Blocks.end() &&
         "an SM holds no more blocks than it has slots");
  *Slot = BlockSlot();
  Slot->Trace = std::move(Block);
  Slot->LiveWarps = uint32_t(Slot->Trace->Warps.size());
  ++NumResident;
  uint32_t Warp = 0;
  for (const WarpTrace &T : Slot->Trace->Warps) {
    while (Warp < Warps.size() && Warps[Warp].Trace)
      ++Warp;
    assert(Warp < Warps.size() && "occupancy counts warps");
    WarpSlot &W = Warps[Warp];
    W = WarpSlot();
    W.Trace = &T;
    W.Block = uint32_t(Slot - Blocks.begin());
    W.NotBefore = W.Issued = Time;
    W.Lines = T.Lines.data();
    W.Order = T.Orders.data();
    W.OrderEnd = W.Order + T.Orders.size();
    std::fill_n(registersOf(Warp), Code.NumRegisters, 0);
    W.Owner = &Schedulers[Warp % Schedulers.size()];
    W.Place = uint8_t(W.Owner->Queue.add());
    W.Owner->Order[W.Place] = uint16_t(Warp);
    // Whoever takes the slot of the warp that issued last is next.
    if (W.Owner->LastWarp == Warp)
      W.Owner->Last = W.Place;
    if (openUops(W))
      prepare(W);
    else
      endPiece(W, Time);
  }
}

void Sm::finishWarp(WarpSlot &W, uint64_t Now) {
  if (W.Order != W.OrderEnd)
    skipOrders(W, W.Run);
  Scheduler &S = *W.Owner;
  for (uint32_t K = W.Place + 1; K < S.Queue.size(); ++K) {
    --Warps[S.Order[K]].Place;
    S.Order[K - 1] = S.Order[K];
  }
  S.Queue.remove(W.Place);
  if (S.Last == W.Place)
    S.Last = IssueQueue::NoPlace;
  else if (S.Last != IssueQueue::NoPlace && S.Last > W.Place)
    --S.Last;
  W.Ready = Never;
  W.Trace = nullptr;
  // Data that is still on its way is no one's.
  if (W.Outstanding)
    for (Fetch &F : Fetches)
      if (F.Warp == indexOf(W))
        F.Warp = NoIndex;
  BlockSlot &B = Blocks[W.Block];
  LastTime = std::max(LastTime, Now);
  if (--B.LiveWarps == 0) {
    Finished.push_back(std::move(B.Trace));
    --NumResident;
    FinishTime = Now;
    BlockDone = true;
    return;
  }
  // The others at a barrier may have waited for this one.
  for (uint32_t Rest = B.Waiting; Rest; Rest &= Rest - 1) {
    unsigned Id = unsigned(__builtin_ctz(Rest));
    if (B.Barriers[Id].Arrived >= B.LiveWarps)
      releaseBarrier(B, Id, Now);
  }
}

void Sm::releaseBarrier(BlockSlot &B, unsigned Id, uint64_t Now) {
  B.Barriers[Id].Arrived = 0;
  if (!(B.Waiting >> Id & 1))
    return;
  B.Waiting &= ~(1u << Id);
  uint32_t Next = B.Barriers[Id].First, Last = B.Barriers[Id].Last;
  while (true) {
    uint32_t Warp = Next;
    WarpSlot &W = Warps[Warp];
    Next = W.NextWaiting;
    W.AtBarrier = false;
    W.NotBefore = Now + P.pipe(Unit::Barrier).Latency;
    W.NotBeforeWhy = Stall::Barrier;
    // What comes behind the barrier may have been executed meanwhile.
    if (W.Cur == W.CurEnd && !openUops(W))
      endPiece(W, W.NotBefore);
    else
      prepare(W);
    if (Warp == Last)
      return;
  }
}

void Sm::await(BlockSlot &B, unsigned Id, WarpSlot &W) {
  auto &Queue = B.Barriers[Id];
  bool First = !(B.Waiting >> Id & 1);
  (First ? Queue.First : Warps[Queue.Last].NextWaiting) = indexOf(W);
  Queue.Last = indexOf(W);
  B.Waiting |= 1u << Id;
  W.AtBarrier = true;
}

void Sm::barrier(WarpSlot &W, const Uop &U, uint64_t Now) {
  BlockSlot &B = Blocks[W.Block];
  unsigned Id = U.Flags & FlagBarrierId ? U.Flags >> 8 & 15 : 0;
  // Lanes of a diverged warp arrive one part after the other, and only the last
  // part goes on behind the barrier.
  bool Last = W.Pos < W.End || W.Cur + 1 < W.CurEnd;
  if (!Last && W.Run < W.Trace->Runs.size()) {
    const TraceRun &Next = *W.Trace->Runs[W.Run];
    Last = Next.Function == W.Open->Function && Next.Begin == U.Instruction + 1;
  }
  if (!Last && W.Run < W.Trace->Runs.size())
    return;
  // The SM takes one warp after another, of whichever scheduler.
  uint64_t Start = std::max(Now, BarrierFree);
  BarrierFree = Start + P.pipe(Unit::Barrier).Interval / P.Schedulers;
  uint32_t Expected = B.LiveWarps;
  if (U.Latency) // Named barriers for some warps give the number.
    Expected = std::min<uint32_t>(Expected, U.Latency);
  if (++B.Barriers[Id].Arrived < Expected) {
    if (U.Kind == UopKind::Barrier)
      await(B, Id, W);
    return;
  }
  W.NotBefore = Start + P.pipe(Unit::Barrier).Latency;
  W.NotBeforeWhy = Stall::Barrier;
  releaseBarrier(B, Id, Start);
}

bool Sm::releaseBarriers(uint64_t Time) {
  bool Any = false;
  for (BlockSlot &B : Blocks)
    for (uint32_t Rest = B.Trace ? B.Waiting : 0; Rest; Rest &= Rest - 1) {
      releaseBarrier(B, unsigned(__builtin_ctz(Rest)), Time);
      Any = true;
    }
  return Any;
}

uint64_t Sm::longestTrace() const {
  uint64_t Most = 0;
  for (const BlockSlot &B : Blocks)
    if (B.Trace)
      Most = std::max(Most, B.Trace->instructions());
  return Most;
}

std::unique_ptr<BlockTrace> Sm::takeFinished() {
  if (Finished.empty())
    return nullptr;
  std::unique_ptr<BlockTrace> B = std::move(Finished.back());
  Finished.pop_back();
  return B;
}
