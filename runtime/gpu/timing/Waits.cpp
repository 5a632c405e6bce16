//===- Waits.cpp - What warps wait for from each other --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Waits.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

Waits::Node &Waits::event(uint32_t Number) {
  if (Events.size() <= Number)
    Events.resize(Number + 1);
  return Events[Number];
}

Waits::Node &Waits::node(uint32_t Ref) {
  return Ref & PollBit ? Polls[Ref & ~PollBit].N : event(Ref);
}

Waits::Lock &Waits::lock(uint32_t Number) {
  if (Locks.size() <= Number)
    Locks.resize(Number + 1);
  return Locks[Number];
}

void Waits::waitFor(uint32_t Ref, const std::vector<uint32_t> &For) {
  for (uint32_t E : For) {
    Node &From = event(E);
    if (From.Missing) {
      Edges.push_back({Ref, From.FirstEdge});
      From.FirstEdge = uint32_t(Edges.size() - 1);
      ++node(Ref).Missing;
      continue;
    }
    uint64_t Time = From.Time;
    node(Ref).Time = std::max(node(Ref).Time, Time);
  }
}

/// One of what \p Ref waits for has happened at \p Time.
void Waits::settle(uint32_t Ref, uint64_t Time) {
  node(Ref).Time = std::max(node(Ref).Time, Time);
  Work.assign(1, Ref);
  while (!Work.empty()) {
    uint32_t At = Work.back();
    Work.pop_back();
    if (!node(At).Missing || --node(At).Missing)
      continue;
    uint64_t When = node(At).Time;
    if (At & PollBit) {
      finish(At & ~PollBit, When);
      continue;
    }
    for (uint32_t E = node(At).FirstEdge; E != NoIndex; E = Edges[E].Next) {
      Node &To = node(Edges[E].To);
      To.Time = std::max(To.Time, When);
      Work.push_back(Edges[E].To);
    }
  }
}

/// What poll \p K waits for happened at \p Time; 0: long ago. Polls that see
/// the same event read the same word, which answers one after another.
void Waits::finish(uint32_t K, uint64_t Time) {
  const Poll &P = Polls[K];
  uint64_t Seen = std::max(P.Own, Time ? Time + P.RoundTrip : 0);
  if (P.LastEvent) {
    uint64_t &Next = event(P.LastEvent).NextTurn;
    Seen = std::max(Seen, Next);
    Next = Seen + P.Turn;
  }
  Done.push_back({P.SM, P.Fetch, Seen});
}

uint32_t Waits::newPoll(const OrderedAccess &A, uint64_t Time) {
  Poll P;
  P.SM = A.SM;
  P.Fetch = A.Fetch;
  P.RoundTrip = A.RoundTrip;
  P.Turn = A.Turn;
  if (!A.After.empty())
    P.LastEvent = *std::max_element(A.After.begin(), A.After.end());
  P.Own = Time;
  Polls.push_back(P);
  return uint32_t(Polls.size() - 1);
}

void Waits::acquire(const OrderedAccess &A, uint64_t Time) {
  Lock &L = lock(A.Order.Lock);
  uint32_t K = newPoll(A, Time);
  if (L.Held) {
    L.Queue.push_back(K);
    return;
  }
  L.Held = true;
  Polls[K].N.Missing = 0;
  finish(K, L.FreeAt);
}

void Waits::release(uint32_t Number, uint64_t Time) {
  Lock &L = lock(Number);
  if (L.Next < L.Queue.size()) {
    uint32_t K = L.Queue[L.Next++];
    Polls[K].N.Missing = 0;
    finish(K, Time);
    return;
  }
  L.Held = false;
  L.FreeAt = Time;
  L.Queue.clear();
  L.Next = 0;
}

void Waits::done(const OrderedAccess &A, uint64_t Time) {
  const TraceOrder &O = A.Order;
  bool Takes = O.Lock && !O.Releases;
  if (Takes && A.Fetch != NoIndex) {
    acquire(A, Time);
  } else if (O.Polls && A.Fetch != NoIndex) {
    uint32_t Ref = newPoll(A, Time) | PollBit;
    waitFor(Ref, A.After);
    settle(Ref, 0);
  }
  if (O.Releases)
    release(O.Lock, Time);
  if (O.Event && event(O.Event).Missing) {
    waitFor(O.Event, A.After);
    settle(O.Event, Time);
  }
}

bool Waits::giveUp(uint64_t Time) {
  size_t Before = Done.size();
  for (uint32_t K = 0; K < Polls.size(); ++K)
    if (Polls[K].N.Missing) {
      Polls[K].N.Missing = 0;
      finish(K, Time);
    }
  for (Lock &L : Locks) {
    L.Queue.clear();
    L.Next = 0;
  }
  return Done.size() != Before;
}
