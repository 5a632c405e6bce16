//===- RaceOrder.cpp - What happens before what ---------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/RaceOrder.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {
/// The number of the lowest set bit; drops it from \p Mask.
unsigned takeLane(uint32_t &Mask) {
  unsigned L = unsigned(__builtin_ctz(Mask));
  Mask &= Mask - 1;
  return L;
}

/// When \p Thread of \p Block was last heard of.
uint64_t timeOf(const Knowledge &K, uint32_t Block, uint32_t Thread,
                bool Seen) {
  uint64_t Time = K.Known.time(Block, Thread);
  if (Seen)
    for (const ScopedClock *S : {&K.Polled, &K.Counted})
      Time = std::max(
          {Time, S->Gpu.time(Block, Thread), S->Cta.time(Block, Thread)});
  return Time;
}
} // namespace

void ScopedClock::join(const ScopedClock &O) {
  bool Alike = areAlike() && O.areAlike();
  Cta.join(O.Cta);
  if (Alike)
    Gpu = Cta;
  else
    Gpu.join(O.Gpu);
}

void ScopedClock::publish(const RaceClock &What, bool CtaScope) {
  bool Alike = areAlike();
  Cta.join(What);
  if (CtaScope)
    return;
  if (Alike)
    Gpu = Cta;
  else
    Gpu.join(What);
}

void ScopedClock::raiseThread(uint32_t Block, uint32_t Thread, uint64_t GpuTime,
                              uint64_t CtaTime) {
  bool Alike = areAlike() && GpuTime == CtaTime;
  if (CtaTime)
    Cta.raiseThread(Block, Thread, CtaTime);
  if (Alike)
    Gpu = Cta;
  else if (GpuTime)
    Gpu.raiseThread(Block, Thread, GpuTime);
}

void Knowledge::join(const Knowledge &O) {
  Known.join(O.Known);
  Published.join(O.Published);
  Polled.join(O.Polled);
  Counted.join(O.Counted);
}

void Knowledge::acquire(const Knowledge &From, bool CtaScope) {
  for (const ScopedClock *S : {&From.Polled, &From.Counted}) {
    Known.join(S->Cta);
    if (!CtaScope && !S->areAlike())
      Known.join(S->Gpu);
  }
}

void Knowledge::forgetSeen(bool CtaScope) {
  for (ScopedClock *S : {&Polled, &Counted}) {
    S->Cta.clear();
    if (!CtaScope)
      S->Gpu.clear();
  }
}

void Knowledge::passBarrier() {
  Known.join(Counted.Gpu);
  Known.join(Counted.Cta);
  Counted = ScopedClock();
}

bool RaceOrder::isFine(const KernelCode &K) {
  for (const auto &F : K.Functions)
    for (const Inst &I : F->Insts)
      if ((I.Kind == InstKind::WarpSync && !I.Fn) ||
          (I.Kind == InstKind::Barrier && I.B != NoSlot) ||
          ((I.Kind == InstKind::Nop || I.Kind == InstKind::Memory) &&
           (I.Flags & FlagReleaseOrder)))
        return true;
  return false;
}

void RaceOrder::startBlock(BlockOrder &B, uint32_t Block,
                           const std::vector<uint32_t> &Started) {
  B.Block = Block;
  B.All = Knowledge();
  B.Arrived.clear();
  B.Shared.clear();
  B.Warps.clear();
  if (Fine) {
    B.Warps.resize(Started.size());
    for (size_t W = 0; W < Started.size(); ++W)
      B.Warps[W].Started = Started[W];
  }
  if (Block >= Ended.size())
    Ended.resize(size_t(Block) + 1);
  B.LastBarrier = tick();
  nextEpoch(B);
}

/// Numbers are never used twice: when they run out, blocks get none.
void RaceOrder::nextEpoch(BlockOrder &B) {
  B.Epoch = NextEpoch >> 31 ? 0 : NextEpoch++;
}

void RaceOrder::endBlock(const BlockOrder &B) { Ended[B.Block] = true; }

Knowledge &RaceOrder::lane(BlockOrder::OfWarp &W, unsigned Lane) {
  W.Fresh = false;
  if (!W.Lanes[Lane])
    W.Lanes[Lane] = std::make_unique<Knowledge>();
  return *W.Lanes[Lane];
}

/// Adds all that \p Lanes know beyond what the whole block knows.
void RaceOrder::gather(BlockOrder &B, uint32_t Warp, uint32_t Lanes,
                       Knowledge &To) {
  BlockOrder::OfWarp &W = B.Warps[Warp];
  if (&To != &W.All)
    To.join(W.All);
  for (uint32_t M = Lanes; M;) {
    unsigned L = takeLane(M);
    if (W.Lanes[L])
      To.join(*W.Lanes[L]);
    To.Published.raiseThread(B.Block, Warp * 32 + L, W.GpuFence[L],
                             W.CtaFence[L]);
  }
}

void RaceOrder::warpSync(BlockOrder &B, uint32_t Warp, uint32_t Lanes) {
  LastSync = tick();
  BlockOrder::OfWarp &W = B.Warps[Warp];
  W.Fresh = false;
  if ((Lanes & W.Started) == W.Started) {
    gather(B, Warp, W.Started, W.All);
    W.All.passBarrier();
    for (auto &L : W.Lanes)
      L.reset();
    W.All.Known.raiseWarp(B.Block, Warp, Now);
    return;
  }
  Knowledge Joint;
  gather(B, Warp, Lanes, Joint);
  Joint.passBarrier();
  for (uint32_t M = Lanes; M;)
    Joint.Known.raiseThread(B.Block, Warp * 32 + takeLane(M), Now);
  for (uint32_t M = Lanes; M;)
    lane(W, takeLane(M)).join(Joint);
}

void RaceOrder::wholeBarrier(BlockOrder &B) {
  LastSync = B.LastBarrier = tick();
  nextEpoch(B);
  for (uint32_t Warp = 0; Warp < B.Warps.size(); ++Warp) {
    BlockOrder::OfWarp &W = B.Warps[Warp];
    if (W.Fresh)
      continue;
    gather(B, Warp, W.Started, B.All);
    W.All = Knowledge();
    for (auto &L : W.Lanes)
      L.reset();
    W.GpuFence.fill(0);
    W.CtaFence.fill(0);
    W.Fenced = false;
    W.Fresh = true;
    W.SeenLanes = 0;
  }
  B.All.passBarrier();
  if (Fine)
    B.All.Known.raiseAll(B.Block, Now);
}

void RaceOrder::arrive(BlockOrder &B, uint32_t Number, uint32_t Warp,
                       uint32_t Lanes) {
  LastSync = tick();
  Knowledge &To = B.Arrived[Number];
  gather(B, Warp, Lanes, To);
  for (uint32_t M = Lanes; M;)
    To.Known.raiseThread(B.Block, Warp * 32 + takeLane(M), Now);
}

void RaceOrder::complete(BlockOrder &B, uint32_t Number,
                         const std::vector<uint32_t> &Waiting) {
  LastSync = tick();
  Knowledge &Joint = B.Arrived[Number];
  Joint.passBarrier();
  for (uint32_t Warp = 0; Warp < Waiting.size(); ++Warp) {
    BlockOrder::OfWarp &W = B.Warps[Warp];
    if (!Waiting[Warp])
      continue;
    W.Fresh = false;
    if ((Waiting[Warp] & W.Started) == W.Started)
      W.All.join(Joint);
    else
      for (uint32_t M = Waiting[Warp]; M;)
        lane(W, takeLane(M)).join(Joint);
  }
  B.Arrived.erase(Number);
}

void RaceOrder::fence(BlockOrder &B, uint32_t Warp, uint32_t Lanes,
                      bool CtaScope) {
  LastSync = tick();
  BlockOrder::OfWarp &W = B.Warps[Warp];
  W.Fresh = false;
  W.Fenced = true;
  auto Publish = [&](Knowledge &To, const RaceClock &What) {
    To.Published.publish(What, CtaScope);
  };
  bool Whole = (Lanes & W.Started) == W.Started;
  if (Whole) {
    W.All.acquire(B.All, CtaScope);
    W.All.acquire(W.All, CtaScope);
    W.All.forgetSeen(CtaScope);
    Publish(W.All, B.All.Known);
    Publish(W.All, W.All.Known);
  }
  for (uint32_t M = Lanes; M;) {
    unsigned L = takeLane(M);
    W.CtaFence[L] = Now;
    if (!CtaScope)
      W.GpuFence[L] = Now;
    if (!Whole) {
      lane(W, L).acquire(B.All, CtaScope);
      lane(W, L).acquire(W.All, CtaScope);
      Publish(lane(W, L), B.All.Known);
      Publish(lane(W, L), W.All.Known);
    }
    if (Knowledge *Own = W.Lanes[L].get()) {
      Own->acquire(*Own, CtaScope);
      Own->forgetSeen(CtaScope);
      Publish(*Own, Own->Known);
    }
  }
}

void RaceOrder::acquire(BlockOrder &B, uint32_t Warp, uint32_t Lanes,
                        SyncWords &Words, uint64_t Address, Sight By) {
  auto It = Words.find(Address);
  if (It == Words.end())
    return;
  const SyncWord &S = It->second;
  BlockOrder::OfWarp &W = B.Warps[Warp];
  // A wait reads the same again and again.
  if (W.SeenAddress == Address && W.SeenVersion == S.Version &&
      By <= W.SeenBy && (Lanes & ~W.SeenLanes) == 0)
    return;
  W.SeenAddress = Address;
  W.SeenVersion = S.Version;
  W.SeenLanes = Lanes;
  W.SeenBy = By;
  W.Fresh = false;
  LastSync = tick();
  auto Learn = [&](Knowledge &K) {
    ScopedClock &Seen = By == Sight::Polled ? K.Polled : K.Counted;
    bool Acquired = By == Sight::Acquired;
    (Acquired ? K.Known : Seen.Gpu).join(S.Gpu);
    auto Cta = S.Cta.find(B.Block);
    if (Cta != S.Cta.end())
      (Acquired ? K.Known : Seen.Cta).join(Cta->second);
  };
  if ((Lanes & W.Started) == W.Started)
    return Learn(W.All);
  for (uint32_t M = Lanes; M;)
    Learn(lane(W, takeLane(M)));
}

void RaceOrder::release(BlockOrder &B, uint32_t Warp, uint32_t Lanes,
                        SyncWords &Words, uint64_t Address, bool Replace,
                        bool CtaScope) {
  BlockOrder::OfWarp &W = B.Warps[Warp];
  if (Replace)
    Words.erase(Address);
  // What is published to everybody is published to the block.
  bool Any =
      !B.All.Published.Cta.empty() || !W.All.Published.Cta.empty() || W.Fenced;
  for (uint32_t M = Lanes; M && !Any;) {
    unsigned L = takeLane(M);
    Any = W.Lanes[L] && !W.Lanes[L]->Published.Cta.empty();
  }
  if (!Any)
    return;
  LastSync = tick();
  SyncWord &S = Words[Address];
  S.Version = Now;
  S.Last.Time = Now;
  S.Last.Block = B.Block;
  S.Last.Warp = uint8_t(Warp);
  S.Last.Lanes = Lanes;
  // Both scopes as one, as they are often alike.
  RaceClock &OfBlock = S.Cta[B.Block];
  ScopedClock To{CtaScope ? RaceClock() : std::move(S.Gpu), std::move(OfBlock)};
  auto Publish = [&](const ScopedClock &What) {
    if (CtaScope)
      To.Cta.join(What.Cta);
    else
      To.join(What);
  };
  Publish(B.All.Published);
  Publish(W.All.Published);
  for (uint32_t M = Lanes; M;) {
    unsigned L = takeLane(M);
    if (W.Lanes[L])
      Publish(W.Lanes[L]->Published);
    To.raiseThread(B.Block, Warp * 32 + L, CtaScope ? 0 : W.GpuFence[L],
                   W.CtaFence[L]);
  }
  OfBlock = std::move(To.Cta);
  if (CtaScope)
    return;
  S.Gpu = std::move(To.Gpu);
  // What others know of this block has been published before.
  Published.joinBlock(B.Block, S.Gpu);
}

uint32_t RaceOrder::unordered(const AccessRecord &R, const BlockOrder &B,
                              uint32_t Warp, unsigned Lane, bool Seen) const {
  uint32_t Lanes = R.Lanes;
  if (R.Block == B.Block) {
    if (R.Time <= B.LastBarrier)
      return 0;
    if (R.Warp == Warp) {
      Lanes &= ~(1u << Lane);
      if (!Independent && R.Time < Now)
        return 0; // Lanes run in step.
    }
  }
  if (!Fine)
    return Lanes;
  const BlockOrder::OfWarp &W = B.Warps[Warp];
  for (uint32_t M = Lanes; M;) {
    unsigned L = takeLane(M);
    uint32_t Thread = R.thread(L);
    uint64_t Time = std::max(timeOf(B.All, R.Block, Thread, Seen),
                             timeOf(W.All, R.Block, Thread, Seen));
    if (W.Lanes[Lane])
      Time = std::max(Time, timeOf(*W.Lanes[Lane], R.Block, Thread, Seen));
    if (R.Time <= Time)
      Lanes &= ~(1u << L);
  }
  return Lanes;
}

bool RaceOrder::unreachable(const AccessRecord &R, const BlockOrder &B) const {
  if (R.Block == B.Block || !Ended[R.Block])
    return false;
  if (!Fine || Published.empty())
    return true;
  for (uint32_t M = R.Lanes; M;)
    if (R.Time > Published.time(R.Block, R.thread(takeLane(M))))
      return true;
  return false;
}
