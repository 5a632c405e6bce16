//===- Race.cpp - Races on shared and global memory -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/RaceValues.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

/// Words that synchronise; beyond so many, nothing is watched any more.
static constexpr size_t MaxSyncWords = size_t(1) << 20;

RaceDetector::RaceDetector(Grid &G)
    : G(G), Order(!G.InStep, RaceOrder::isFine(G.Code)) {
  uint32_t Base = 0;
  for (const auto &F : G.Code.Functions) {
    PlaceBase.push_back(Base);
    Base += uint32_t(F->Insts.size());
  }
}
RaceDetector::~RaceDetector() = default;

void RaceDetector::startBlock(const Block &B) {
  std::unique_ptr<BlockState> S;
  if (Idle.empty()) {
    S = std::make_unique<BlockState>();
  } else {
    S = std::move(Idle.back());
    Idle.pop_back();
  }
  size_t Words = (G.SharedBytes + 3) / 4;
  S->Shared.Words.assign(Words, ShadowCell());
  S->Shared.Marked.assign(Words, MarkNone);
  S->Pool.clear();
  std::vector<uint32_t> Started;
  for (const auto &W : B.Warps)
    Started.push_back(W->Live);
  Order.startBlock(S->Order, uint32_t(B.Index), Started);
  Blocks[B.Index] = std::move(S);
  Last = nullptr;
}

void RaceDetector::endBlock(const Block &B) {
  auto It = Blocks.find(B.Index);
  Order.endBlock(It->second->Order);
  Idle.push_back(std::move(It->second));
  Blocks.erase(It);
  Last = nullptr;
}

RaceDetector::BlockState &RaceDetector::state(const Block &B) {
  if (!Last || LastIndex != B.Index) {
    Last = Blocks.find(B.Index)->second.get();
    LastIndex = B.Index;
  }
  return *Last;
}

void RaceDetector::warpSync(const Block &B, uint32_t WarpIndex,
                            uint32_t Lanes) {
  if (Order.Fine)
    Order.warpSync(state(B).Order, WarpIndex, Lanes);
}

void RaceDetector::barrier(const Block &B) {
  Order.wholeBarrier(state(B).Order);
}

void RaceDetector::arrive(const Block &B, uint32_t Number, uint32_t WarpIndex,
                          uint32_t Lanes) {
  Order.arrive(state(B).Order, Number, WarpIndex, Lanes);
}

void RaceDetector::complete(const Block &B, uint32_t Number,
                            const std::vector<uint32_t> &Waiting) {
  Order.complete(state(B).Order, Number, Waiting);
}

void RaceDetector::fence(const Warp &W, const Inst &I, uint32_t Mask) {
  Order.fence(state(W.Owner).Order, W.Index, Mask, I.Flags & FlagCtaScope);
}

/// Strong accesses hand over what fences published.
void RaceDetector::synchronise(Visit &V, uint32_t Mask, AccessKind Kind) {
  BlockOrder &B = V.B.Order;
  bool Cta = V.I.Flags & FlagCtaScope;
  SyncWords &Words = V.Space == TraceSpace::Shared ? B.Shared : GlobalWords;
  Sight By = V.I.Flags & FlagAcquire      ? Sight::Acquired
             : Kind == AccessKind::Atomic ? Sight::Counted
                                          : Sight::Polled;
  if (V.I.Flags & FlagReleaseOrder)
    Order.fence(B, V.W.Index, Mask, Cta);
  unsigned First = unsigned(__builtin_ctz(Mask));
  while (Mask) {
    uint64_t Address = V.A[__builtin_ctz(Mask)];
    uint32_t Lanes = 0, Write = 0;
    for (; Mask && V.A[__builtin_ctz(Mask)] == Address; Mask &= Mask - 1) {
      Lanes |= Mask & (0u - Mask);
      if (Kind == AccessKind::Store ||
          (Kind == AccessKind::Atomic &&
           !exchangeFails(V.W, V.I, unsigned(__builtin_ctz(Mask)), Address)))
        Write |= Mask & (0u - Mask);
    }
    if (Kind != AccessKind::Store)
      Order.acquire(B, V.W.Index, Lanes, Words, Address, By);
    if (Write)
      Order.release(B, V.W.Index, Write, Words, Address,
                    Kind == AccessKind::Store, Cta);
  }
  if (Words.size() > MaxSyncWords)
    reportUnwatched(V, First, V.A[First], true);
}

void RaceDetector::access(Warp &W, const Inst &I, uint32_t Mask,
                          const uint64_t (&A)[WarpSize], uint32_t Bytes,
                          AccessKind Kind, TraceSpace Space) {
  using R = AccessRecord;
  bool Strong = I.Flags & FlagStrong;
  Visit V{W, I, A, Bytes, Space, state(W.Owner), {}};
  if (Stopped)
    return;
  if (Space == TraceSpace::Global)
    Global.prefetch(A, Mask);
  bool Markable = Kind == AccessKind::Atomic
                      ? !Order.Fine && !(I.Flags & FlagCtaScope)
                      : Kind == AccessKind::Load && !Strong;
  if (Markable && Bytes >= 4 && allMarked(V, Mask, Kind))
    return;
  if (Strong && Order.Fine)
    synchronise(V, Mask, Kind);
  R &Now = V.Now;
  Now.Time = Order.tick();
  Now.Block = V.B.Order.Block;
  Now.Warp = uint8_t(W.Index);
  Now.Place = PlaceBase[W.Current->Function] + W.Pc;
  bool Atomic = Kind == AccessKind::Atomic;
  V.Kind = uint8_t((Kind == AccessKind::Load ? 0 : R::Writes) |
                   (Strong ? R::Strong : 0) | (Atomic ? R::Atomic : 0) |
                   (Strong && !Atomic && I.Sub ? R::Volatile : 0) |
                   (Strong && (I.Flags & FlagCtaScope) ? R::CtaScope : 0));
  while (Mask) {
    unsigned L = unsigned(__builtin_ctz(Mask));
    // Loads and atomics of one word do not race with each other.
    uint64_t Address = A[L];
    Now.Lanes = 0;
    do {
      Now.Lanes |= Mask & (0u - Mask);
      Mask &= Mask - 1;
    } while (Kind != AccessKind::Store && Mask &&
             A[__builtin_ctz(Mask)] == Address);
    // Where only barriers order, all lanes of a warp stand alike.
    if (Kind == AccessKind::Store && !Order.Fine)
      Mask = withoutRepeats(W, I, L, Mask, A, Bytes);
    for (uint32_t Done = 0; Done < Bytes;) {
      uint32_t Part = std::min<uint32_t>(4 - (Address & 3), Bytes - Done);
      touch(V, Address, Part);
      Address += Part;
      Done += Part;
    }
  }
}

RaceDetector::Word RaceDetector::word(const Visit &V, uint64_t Address) {
  if (V.Space == TraceSpace::Shared) {
    size_t N = (Address - reinterpret_cast<uint64_t>(V.W.Owner.Shared)) / 4;
    return {&V.B.Shared.Words[N], &V.B.Shared.Marked[N], &V.B.Pool};
  }
  uint64_t Limit = G.Options.RaceBytes, Used = GlobalPool.bytes();
  ShadowPage *P = Global.page(Address, Limit > Used ? Limit - Used : 0);
  if (!P)
    return {};
  size_t N = Address % PageBytes / 4;
  return {&P->Words[N], &P->Marked[N], &GlobalPool};
}

/// The marks say that an access of whole words has nothing to do.
bool RaceDetector::allMarked(const Visit &V, uint32_t Mask, AccessKind Kind) {
  uint32_t Class = Kind == AccessKind::Atomic ? MarkAtomics : 0;
  uint32_t Epoch = V.B.Order.Epoch | Class, Always = MarkAlways | Class;
  uint32_t Missing = 0;
  auto Look = [&](uint32_t Mark) {
    Missing |= uint32_t(Mark != Epoch) & uint32_t(Mark != Always);
  };
  if (!V.B.Order.Epoch)
    return false;
  if (V.Space == TraceSpace::Shared) {
    const uint32_t *Marks = V.B.Shared.Marked.data();
    uint64_t Base = reinterpret_cast<uint64_t>(V.W.Owner.Shared);
    for (uint32_t M = Mask; M && !Missing; M &= M - 1)
      for (uint32_t K = 0; K < V.Bytes; K += 4)
        Look(Marks[(V.A[__builtin_ctz(M)] - Base + K) / 4]);
    return !Missing;
  }
  for (uint32_t M = Mask; M && !Missing; M &= M - 1) {
    uint64_t A = V.A[__builtin_ctz(M)];
    const ShadowPage *P = Global.page(A, 0);
    if (!P)
      return false;
    // An aligned access does not cross pages.
    for (uint32_t K = 0; K < V.Bytes; K += 4)
      Look(P->Marked[(A + K) % PageBytes / 4]);
  }
  return !Missing;
}

/// One word of the access of V.Now's lanes.
void RaceDetector::touch(Visit &V, uint64_t Address, uint32_t Part) {
  Word X = word(V, Address);
  if (!X.Cell)
    return reportUnwatched(V, unsigned(__builtin_ctz(V.Now.Lanes)), Address,
                           false);
  AccessRecord &Now = V.Now;
  Now.Bytes = uint8_t(((1u << Part) - 1) << (Address & 3));
  Now.Kind = V.Kind;
  if (Now.writes() || *X.Mark & MarkAtomics)
    *X.Mark = MarkNone;
  if (Now.writes() && !(Now.Kind & AccessRecord::Atomic) &&
      storesSame(V.W, V.I, unsigned(__builtin_ctz(Now.Lanes)), V.A, Address,
                 Part))
    Now.Kind |= AccessRecord::Silent;
  if (quick(V, X))
    return;
  X.Cell->read(*X.Pool, Scratch);
  Looked += Scratch.size();
  check(V, Address, Part);
  remember(V, *X.Mark);
  if (Scratch.size() > 1 && X.Pool == &GlobalPool &&
      Global.bytes() + GlobalPool.bytes() > G.Options.RaceBytes) {
    reportUnwatched(V, unsigned(__builtin_ctz(V.Now.Lanes)), Address, false);
    Scratch.resize(1);
  }
  X.Cell->write(*X.Pool, Scratch);
}

/// The usual cases of a word with no access or one; true if that was all.
bool RaceDetector::quick(const Visit &V, const Word &X) {
  const AccessRecord *R = X.Cell->single(), &Now = V.Now;
  if (!R)
    return false;
  uint64_t Barrier = V.B.Order.LastBarrier;
  bool Mine = R->Block == Now.Block;
  bool Before =
      R->Time == 0 || (Mine && R->Time <= Barrier &&
                       (V.Space == TraceSpace::Shared || Now.covers(*R)));
  if (!Before) {
    if (!Mine || R->Warp != Now.Warp)
      return false;
    if (R->Time == Now.Time && R->Kind == Now.Kind && R->Bytes == Now.Bytes &&
        (!Now.writes() || Now.atomic())) {
      // More lanes of one instruction.
      AccessRecord Both = Now;
      Both.Lanes |= R->Lanes;
      X.Cell->set(Both);
      markEpoch(V, Both, *X.Mark);
      return true;
    }
    if (R->Lanes != Now.Lanes || Now.Lanes & (Now.Lanes - 1))
      return false;
    // The same thread.
    if (!Now.covers(*R))
      return R->covers(Now) && R->Time > Order.lastSync(V.B.Order);
  }
  X.Cell->set(Now);
  markEpoch(V, Now, *X.Mark);
  return true;
}

/// After a load or atomic that is all a word remembers.
void RaceDetector::markEpoch(const Visit &V, const AccessRecord &R,
                             uint32_t &Mark) const {
  if (!Order.Fine && Order.Independent && R.markable() &&
      R.Lanes & (R.Lanes - 1))
    Mark = V.B.Order.Epoch | R.markClass();
}

bool RaceDetector::conflict(const Visit &V, const AccessRecord &Old) const {
  using R = AccessRecord;
  const R &Now = V.Now;
  if (!(Old.Bytes & Now.Bytes) || !((Old.Kind | Now.Kind) & R::Writes))
    return false;
  if (!(Old.Kind & Now.Kind & R::Strong))
    return true;
  if (Old.Block != Now.Block)
    return (Old.Kind | Now.Kind) & R::CtaScope;
  // Code that counts on a warp running in step marks its shared memory
  // volatile; that orders nothing between lanes from sm_70 on.
  return V.Space == TraceSpace::Shared && Order.Independent &&
         Old.Warp == Now.Warp && (Old.Kind & Now.Kind & R::Volatile);
}

/// All threads agree on the order of atomics on a word. So after the last one
/// of those that count by a word, having published what they did, the counter
/// may be reset by a plain store, as the CUDA manual does.
bool RaceDetector::followsAtomic(const Visit &V, const AccessRecord &Old,
                                 unsigned Lane, uint64_t Address) const {
  const SyncWords &Words =
      V.Space == TraceSpace::Shared ? V.B.Order.Shared : GlobalWords;
  auto It = Old.atomic() ? Words.find(Address) : Words.end();
  if (It == Words.end() || Old.Kind & AccessRecord::CtaScope)
    return false;
  const AccessRecord &Last = It->second.Last;
  return Last.Time > Old.Time &&
         Order.unordered(Last, V.B.Order, V.W.Index, Lane) != Last.Lanes;
}

/// Reports races of V.Now with what is in Scratch.
void RaceDetector::check(Visit &V, uint64_t Address, uint32_t Part) {
  for (AccessRecord &Old : Scratch) {
    if (!conflict(V, Old))
      continue;
    for (uint32_t M = V.Now.Lanes; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      uint32_t Racing = Order.unordered(Old, V.B.Order, V.W.Index, L);
      if (!Racing)
        continue;
      if (followsAtomic(V, Old, L, Address)) {
        if (V.Now.covers(Old))
          Old.Lanes = 0;
        continue;
      }
      // Of those that nothing orders rather than a fence that is missing here.
      uint32_t Unseen = Order.unordered(Old, V.B.Order, V.W.Index, L, true);
      unsigned Other = unsigned(__builtin_ctz(Unseen ? Unseen : Racing));
      report(V, L, Old, Other, Address,
             sameValue(V, L, Old, Other, Address, Part)
                 ? FindingKind::RaceSameValue
             : !Unseen                       ? FindingKind::RaceNoAcquire
             : V.Space == TraceSpace::Shared ? FindingKind::RaceShared
                                             : FindingKind::RaceGlobal);
      // It is answered for.
      if (V.Now.covers(Old))
        Old.Lanes = 0;
      break;
    }
  }
}

bool RaceDetector::sameValue(const Visit &V, unsigned Lane,
                             const AccessRecord &Old, unsigned Other,
                             uint64_t Address, uint32_t Part) const {
  using R = AccessRecord;
  if (!V.Now.writes())
    return Old.Kind & R::Silent;
  if ((Old.Kind | V.Now.Kind) & R::Atomic)
    return false;
  if (Old.Time != V.Now.Time)
    return V.Now.Kind & R::Silent;
  // Lanes of one instruction, none of which has written yet.
  char Mine[32], Theirs[32];
  laneValue(V.W, V.I, Lane, Mine);
  laneValue(V.W, V.I, Other, Theirs);
  uint64_t From = Address - V.A[Lane], OtherFrom = Address - V.A[Other];
  return OtherFrom + Part <= V.Bytes &&
         std::memcmp(Mine + From, Theirs + OtherFrom, Part) == 0;
}
