//===- SmTrace.cpp - Traces that come in pieces ---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that runs for long is executed while it is timed. A warp that comes
// to the end of its trace asks for more, and the SM forgets what its warps have
// done. Time is the same as with the whole trace: at each branch and barrier
// it is known how the warp goes on, or that it cannot before the others of its
// block are at the barrier, too.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

/// Opens the run of copy \p Copy of the unrolled loop that \p W is in.
void Sm::moveToCopy(WarpSlot &W, uint8_t Copy) const {
  const std::vector<const TraceRun *> &Runs = W.Trace->Runs;
  for (; W.Copy < Copy; ++W.Copy, ++W.Run)
    W.Lines += Runs[W.Run - 1]->NumLines;
  for (; W.Copy > Copy; --W.Copy, --W.Run)
    W.Lines -= Runs[W.Run - 2]->NumLines;
  W.Open = Runs[W.Run - 1];
  W.Accesses = W.Open->Accesses.data();
  W.FirstAccess = W.Fn->AccessesBefore[W.Open->Begin];
}

/// Does \p W go through the body of \p L as often as that has copies, with the
/// same lanes? Accesses that other warps wait for are issued one by one.
bool Sm::repeats(WarpSlot &W, const UnrolledLoop &L) {
  if (L.Copies > 1 ? W.End != L.End : W.End < L.End)
    return false;
  // The branch at the end looks at the run behind it.
  while (W.Run + L.Copies > W.Trace->Runs.size() &&
         W.Trace->End == TraceEnd::Open)
    more(W, false);
  if (W.Order != W.OrderEnd || W.Run + L.Copies - 1 > W.Trace->Runs.size())
    return false;
  for (uint32_t K = 1; K < L.Copies; ++K) {
    const TraceRun &R = *W.Trace->Runs[W.Run - 1 + K];
    bool Last = K + 1 == L.Copies;
    if (R.Function != W.Open->Function || R.Begin != L.Begin ||
        R.Mask != W.Open->Mask || R.Count < L.End - L.Begin ||
        (!Last && R.Count != L.End - L.Begin))
      return false;
  }
  return true;
}

/// Opens as many iterations at once as a loop that begins with \p R has copies,
/// if that many follow.
[[gnu::noinline]] bool Sm::openLoop(WarpSlot &W, const Region &R) {
  for (uint32_t K = 0; K < R.NumLoops; ++K) {
    const UnrolledLoop &L = W.Fn->Loops[R.FirstLoop + K];
    if (!repeats(W, L))
      continue;
    const TraceRun &Last = *W.Trace->Runs[W.Run + L.Copies - 2];
    W.Cur = W.Fn->Uops.data() + L.FirstUop;
    W.CurEnd = W.Cur + L.NumUops;
    W.Pos = L.End;
    W.End = Last.Begin + Last.Count;
    W.Copy = 0;
    W.LastCopy = uint8_t(L.Copies - 1);
    return true;
  }
  return false;
}

/// \p W has issued all that there is of its trace. At a barrier it waits for
/// the others, even if nothing is left to do behind it.
void Sm::endPiece(WarpSlot &W, uint64_t Now) {
  if (W.AtBarrier) {
    W.Ready = Never;
    return;
  }
  // What comes next may not have been executed before.
  if (W.Trace->End != TraceEnd::Final) {
    more(W, true);
    if (openUops(W))
      return prepare(W);
  }
  finishWarp(W, Now);
}

/// Forgets what \p W has issued of its trace, which is one of \p T, if that is
/// most of what is there.
void Sm::dropTimed(WarpSlot &W, BlockTrace &T) {
  WarpTrace &Mine = T.Warps[size_t(W.Trace - T.Warps.data())];
  if (W.Copy)
    moveToCopy(W, 0);
  size_t Runs = W.Open ? W.Run - 1 : 0;
  if (2 * Runs < Mine.Runs.size())
    return;
  for (size_t K = 0; K < Runs; ++K)
    T.Dropped += Mine.Runs[K]->Count;
  size_t Orders = 0;
  const TraceOrder *First = Mine.Orders.data();
  while (First + Orders < W.Order && First[Orders].Run < Runs)
    ++Orders;
  uint64_t OrdersAt = uint64_t(W.Order - First) - Orders;
  Mine.drop(Runs, size_t(W.Lines - Mine.Lines.data()), Orders);
  W.Run -= uint32_t(Runs);
  W.Lines = Mine.Lines.data();
  W.Order = Mine.Orders.data() + OrdersAt;
}

/// Asks for the next run of \p W, whose trace ends here; behind a barrier that
/// it waits at only if \p PastBarrier.
void Sm::more(WarpSlot &W, bool PastBarrier) {
  assert(MoreTrace && "only who can give more leaves a trace open");
  BlockTrace &T = *Blocks[W.Block].Trace;
  struct Place {
    WarpSlot *Warp;
    ptrdiff_t Lines, Order;
  };
  std::vector<Place> Places;
  for (WarpSlot &X : Warps)
    if (X.Trace && X.Block == W.Block) {
      dropTimed(X, T);
      Places.push_back({&X, X.Lines - X.Trace->Lines.data(),
                        X.Order - X.Trace->Orders.data()});
    }
  do
    MoreTrace(T);
  while (W.Run >= W.Trace->Runs.size() &&
         (W.Trace->End == TraceEnd::Open ||
          (PastBarrier && W.Trace->End == TraceEnd::AtBarrier)));
  for (const Place &At : Places) {
    WarpSlot &X = *At.Warp;
    X.Lines = X.Trace->Lines.data() + At.Lines;
    X.Order = X.Trace->Orders.data() + At.Order;
    X.OrderEnd = X.Trace->Orders.data() + X.Trace->Orders.size();
    if (!X.Open)
      continue;
    X.Open = X.Trace->Runs[X.Run - 1];
    X.Accesses = X.Open->Accesses.data();
  }
}
