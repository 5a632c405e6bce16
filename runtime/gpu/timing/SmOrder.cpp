//===- SmOrder.cpp - Accesses that other warps wait for -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In kernels that poll, some accesses of a trace have an order (see
// exec/Polling.h). They are issued as any other; then the result of a poll is
// made to wait for what Waits says, and what others wait for is handed on: of
// shared memory at once, of global memory with the request that L2 serves.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {
constexpr uint32_t MaxOpenOrders = 64; ///< Of one run, see OrdersSeen.
} // namespace

/// The fetch that the result of \p U waits for, with one more part to come.
uint32_t Sm::pollFetch(WarpSlot &W, const Uop &U) {
  if (!U.NumResults)
    return NoIndex;
  uint32_t Entry = W.File[U.Result];
  if (!isPending(Entry)) {
    uint32_t F = newFetch(W, U, Stall(Entry & 3));
    Fetches[F].Done = timeOf(Entry);
    Fetches[F].Parts = 1;
    return F;
  }
  ++Fetches[Entry & ~PendingBit].Parts;
  return Entry & ~PendingBit;
}

/// Order \p O of the trace of \p W.
OrderedAccess Sm::ordered(const WarpSlot &W, const TraceOrder &O) const {
  OrderedAccess A;
  A.Order = O;
  A.SM = Index;
  auto After = W.Trace->After.begin() + O.FirstAfter;
  A.After.assign(After, After + O.NumAfter);
  return A;
}

/// A turn at L2 without data.
void Sm::emptyRequest(uint64_t Time) {
  request(RequestKind::Write, Time, NoIndex, 1, uint32_t(RequestLines.size()),
          0);
  RequestLines.push_back(0); // So that it has a place in the list.
}

void Sm::orderedAccess(WarpSlot &W, const Uop &U, uint64_t Now) {
  uint32_t Access = U.Access - W.FirstAccess;
  const TraceOrder *O = W.Order;
  while (O != W.OrderEnd && O->Run + 1 == W.Run && O->Access != Access)
    ++O;
  bool Found = O != W.OrderEnd && O->Run + 1 == W.Run;
  size_t Before = Requests.size();
  // Issued as any other.
  const TraceOrder *First = W.Order;
  W.Order = W.OrderEnd;
  memory(W, U, Now);
  W.Order = First;
  uint64_t Place = uint64_t(O - W.Order);
  if (!Found || Place >= MaxOpenOrders || W.OrdersSeen >> Place & 1)
    return;
  W.OrdersSeen |= uint64_t(1) << Place;
  OrderedAccess A = ordered(W, *O);
  bool Shared = accessOf(W, U).Space == TraceSpace::Shared;
  // Of all that poll, the last to see a write is one that has just missed it:
  // its answer is compared and branched on before it asks again. Waits in
  // shared memory are those of mbarriers, which sleep until they are let go.
  A.RoundTrip =
      Shared ? P.SharedLatency
             : (U.Kind == UopKind::Atomic ? P.AtomicLatency : P.L2Latency) +
                   P.CompareLatency + P.pipe(Unit::Branch).Latency;
  A.Turn = Shared ? 0 : P.PollStep;
  if (O->Polls)
    A.Fetch = pollFetch(W, U);
  if (!Shared) {
    // A hit in L1 asks L2 for nothing; its turn there is what counts.
    if (Requests.size() == Before)
      emptyRequest(Now);
    A.Request = uint32_t(Requests.size() - 1);
    Ordered.push_back(std::move(A));
    return;
  }
  Events.done(A, PathFree - 1 + P.SharedLatency);
  // Nobody outside of the SM waits for its shared memory.
  std::vector<Waits::Ready> Ready;
  Ready.swap(Events.ready());
  for (const Waits::Ready &R : Ready) {
    assert(R.SM == Index && "shared memory is that of one SM");
    part(R.Fetch, R.Time);
  }
}

/// Machine code need not have every access of PTX: those of runs before \p Run
/// that were not issued are done all the same.
void Sm::skipOrders(WarpSlot &W, uint32_t Run) {
  for (uint64_t Place = 0; W.Order != W.OrderEnd && W.Order->Run < Run;
       ++W.Order, ++Place) {
    if (Place < MaxOpenOrders && W.OrdersSeen >> Place & 1)
      continue;
    OrderedAccess A = ordered(W, *W.Order);
    emptyRequest(W.Issued);
    A.Request = uint32_t(Requests.size() - 1);
    Ordered.push_back(std::move(A));
  }
  W.OrdersSeen = 0;
}
