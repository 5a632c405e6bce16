//===- Sync.cpp - Barriers and warp-wide operations -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How lanes wait for each other: named barriers of the block and operations
// that name the lanes of the warp that take part.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Warp.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {
std::string hex(uint32_t V) {
  static const char Digits[] = "0123456789abcdef";
  std::string S = "0x";
  for (int K = 28; K >= 0; K -= 4)
    S += Digits[V >> K & 15];
  return S;
}
} // namespace

/// Lanes of \p Mask that wait at the barrier of the first one, for as many.
uint32_t Warp::sameBarrier(const Inst &I, uint32_t Mask) const {
  uint32_t Same = Mask;
  for (uint32_t Slot : {I.A, I.B}) {
    if (Slot == NoSlot || (Slot & 3) == ConstBase)
      continue;
    const uint32_t *Row = row<uint32_t>(Slot);
    for (uint32_t M = Mask; M; M &= M - 1)
      if (Row[__builtin_ctz(M)] != Row[__builtin_ctz(Mask)])
        Same &= ~(M & (0u - M));
  }
  return Same;
}

/// Sub of a barrier instruction: 0 sync, 1 arrive, 2 red.popc, 3 red.and,
/// 4 red.or.
void Warp::barrier(uint32_t S, const Inst &I, uint32_t Mask) {
  Grid &G = Owner.G;
  splitOff(S, Mask);
  // Lanes that name another barrier stay at the instruction and come to it by
  // themselves.
  if (uint32_t Others = Mask & ~sameBarrier(I, Mask)) {
    addSplit(Others, Splits[S].Pc, Splits[S].Where, Splits[S].Meet);
    Splits[S].Mask = Mask &= ~Others;
  }
  unsigned First = unsigned(__builtin_ctz(Mask));
  uint32_t Number = I.A == NoSlot ? ClusterBarrier : row<uint32_t>(I.A)[First];
  uint32_t Count = I.B == NoSlot ? 0 : row<uint32_t>(I.B)[First];
  if (I.A != NoSlot && Number >= ClusterBarrier) {
    fault(FindingKind::IllegalInstruction, First,
          "barrier number " + std::to_string(Number) + " is not below 16");
    return;
  }
  if (I.B != NoSlot && (Count == 0 || Count % WarpSize)) {
    if (G.checks(CheckFamily::Barrier))
      report(FindingKind::BarrierCount, First,
             "barrier count " + std::to_string(Count) +
                 " is not a multiple of the warp size");
    Count = std::max(Count, 1u);
    Count = (Count + WarpSize - 1) / WarpSize * WarpSize;
  }
  if ((I.Flags & FlagAligned) && Mask != Live && G.checks(CheckFamily::Barrier))
    report(FindingKind::BarrierDivergence, First,
           "only lanes " + hex(Mask) + " of " + hex(Live) +
               " of the warp reach this barrier together");
  ++G.Result.Counters.Barriers;
  uint32_t Values = 0;
  if (I.C != NoSlot)
    Values = (pred(I.C) ^ (I.Flags & FlagNegateC ? FullMask : 0)) & Mask;
  if (I.Sub == 1) {
    Splits[S].Pc += 1;
  } else {
    Splits[S].State = Split::AtBarrier;
    Splits[S].Barrier = Number;
  }
  Owner.arrive(Number, Count, *this, Mask, Values, I.Sub >= 2);
}

void Warp::releaseBarrier(uint32_t Number, uint32_t Popc, bool All, bool Any) {
  for (Split &S : Splits) {
    if (S.State != Split::AtBarrier || S.Barrier != Number)
      continue;
    const Inst &I = S.Where->Fn->Insts[S.Pc];
    if (I.Sub >= 2 && I.D != NoSlot) {
      char *Dst = S.Where->Registers + (I.D & ~3u);
      if (I.Sub == 2) {
        for (uint32_t M = S.Mask; M; M &= M - 1)
          reinterpret_cast<uint32_t *>(Dst)[__builtin_ctz(M)] = Popc;
      } else {
        uint32_t &P = *reinterpret_cast<uint32_t *>(Dst);
        bool V = I.Sub == 3 ? All : Any;
        P = V ? P | S.Mask : P & ~S.Mask;
      }
    }
    S.State = Split::Ready;
    S.Pc += 1;
    S.Spun = 0;
  }
  mergeSplits();
}

/// Splits that waited at the same place go on together.
void Warp::mergeSplits() {
  for (uint32_t A = 0; A < Splits.size(); ++A)
    for (uint32_t B = A + 1; B < Splits.size();) {
      Split &X = Splits[A], &Y = Splits[B];
      if (X.State == Split::Ready && Y.State == Split::Ready && X.Pc == Y.Pc &&
          X.Where == Y.Where && X.Meet == Y.Meet) {
        X.Mask |= Y.Mask;
        X.MaySpin |= Y.MaySpin;
        removeSplit(B);
      } else {
        ++B;
      }
    }
}

/// Runs a warp-wide operation whose lanes are all here.
void Warp::finishWarpSync(const Inst &I, uint32_t Mask, uint32_t Members) {
  SyncMask = Members;
  SyncPhase = Phase::Whole;
  // Only bar.warp.sync, which has no handler, orders memory.
  if (I.Fn)
    I.Fn(*this, I, Mask);
  else if (Owner.G.Races)
    Owner.G.Races->warpSync(Owner, Index, Members);
}

/// All that is left of the warp is here and named by each: the usual case.
bool Warp::isWholeSync(const Inst &I, uint32_t Mask) const {
  const uint32_t *Members = row<uint32_t>(I.E);
  bool Same = Mask == Live;
  for (uint32_t R = Mask; R; R &= R - 1)
    Same &= (Members[__builtin_ctz(R)] & Mask) == Mask;
  return Same;
}

/// Runs a warp-wide operation for lanes \p Group, whose members \p Need are all
/// here, some with another mask, or are others: that must not be, and hardware
/// runs what it issues at once. All lanes here have published.
void Warp::finishMixedSync(const Inst &I, uint32_t Group, uint32_t Need) {
  if (!I.Fn) {
    finishWarpSync(I, Group, Need | Group);
    return;
  }
  SyncMask = Need;
  SyncPhase = Phase::Complete;
  I.Fn(*this, I, Group);
  SyncPhase = Phase::Whole;
}

/// Lanes may name different members (tiles of a warp), so each group of equal
/// masks is treated by itself.
void Warp::warpSync(uint32_t S, const Inst &I, uint32_t Mask) {
  splitOff(S, Mask);
  const uint32_t *Row = row<uint32_t>(I.E);
  uint32_t Done = 0;
  std::vector<std::pair<uint32_t, uint32_t>> Waiting; // lanes, members
  if (I.Fn) {
    SyncPhase = Phase::Publish;
    I.Fn(*this, I, Mask);
    SyncPhase = Phase::Whole;
  }
  for (uint32_t Left = Mask; Left;) {
    unsigned First = unsigned(__builtin_ctz(Left));
    uint32_t Members = Row[First], Group = 0;
    for (uint32_t M = Left; M; M &= M - 1)
      if (Row[__builtin_ctz(M)] == Members)
        Group |= M & (0u - M);
    Left &= ~Group;
    if ((Group & ~Members) && Owner.G.Independent &&
        Owner.G.checks(CheckFamily::Barrier))
      report(FindingKind::WarpSyncMask,
             unsigned(__builtin_ctz(Group & ~Members)),
             "the executing lane is not in the member mask " + hex(Members));
    uint32_t Need = Members & Live;
    // Before sm_70, and in the forms without member mask, lanes do not wait.
    if (!Owner.G.Independent || (I.Flags & FlagUniform)) {
      finishWarpSync(I, Group, Group);
      Done |= Group;
    } else if (Group == Need) {
      finishWarpSync(I, Group, Need);
      Done |= Group;
    } else if (!(Need & ~Mask)) {
      finishMixedSync(I, Group, Need);
      Done |= Group;
    } else {
      Waiting.push_back({Group, Members});
    }
  }
  Split Whole = Splits[S];
  Splits[S].Pc = Whole.Pc + 1;
  if (Waiting.empty())
    return;
  if (Done)
    Splits[S].Mask = Done;
  else
    removeSplit(S);
  for (auto &G : Waiting) {
    uint32_t N = addSplit(G.first, Whole.Pc, Whole.Where, Whole.Meet);
    Splits[N].State = Split::AtWarpSync;
    Splits[N].Members = G.second;
  }
  for (auto &G : Waiting)
    tryWarpSync(G.second);
}

/// Completes the operation of all lanes that wait with this member mask, if
/// none is missing.
void Warp::tryWarpSync(uint32_t Members) {
  uint32_t Here = 0, Need = Members & Live;
  for (const Split &S : Splits)
    if (S.State == Split::AtWarpSync && S.Members == Members)
      Here |= S.Mask;
  if (!Here || (Here & Need) != Need)
    return;
  Frame *Running = Current;
  SyncMask = Need | Here;
  bool Orders = false;
  for (Phase P : {Phase::Publish, Phase::Complete})
    for (Split &S : Splits) {
      if (S.State != Split::AtWarpSync || S.Members != Members)
        continue;
      const Inst &I = S.Where->Fn->Insts[S.Pc];
      enter(S);
      Pc = S.Pc;
      SyncPhase = P;
      Orders |= !I.Fn;
      if (I.Fn)
        I.Fn(*this, I, S.Mask);
    }
  SyncPhase = Phase::Whole;
  if (Orders && Owner.G.Races)
    Owner.G.Races->warpSync(Owner, Index, SyncMask);
  for (Split &S : Splits)
    if (S.State == Split::AtWarpSync && S.Members == Members) {
      S.State = Split::Ready;
      S.Pc += 1;
      S.Spun = 0;
    }
  if (Running) {
    Current = Running;
    Bases[RegBase] = Running->Registers;
    Bases[ConstBase] = reinterpret_cast<char *>(
        const_cast<uint64_t *>(Running->Fn->Consts.data()));
  }
  mergeSplits();
}
