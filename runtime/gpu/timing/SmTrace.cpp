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
