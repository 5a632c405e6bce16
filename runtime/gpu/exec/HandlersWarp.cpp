//===- HandlersWarp.cpp - shfl, vote, match, redux, elect -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations across the lanes of a warp. Lanes publish their value in the
// warp's exchange row, then read those of others. When all lanes are at the
// same instruction both happen in one call.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

bool publishes(const Warp &W) { return W.SyncPhase != Warp::Phase::Complete; }
bool completes(const Warp &W) { return W.SyncPhase != Warp::Phase::Publish; }

template <typename R> void publish(Warp &W, uint32_t Slot, uint32_t Mask) {
  const R *A = W.row<R>(Slot);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    W.Exchange[L] = A[L];
  }
}
void publishPred(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t P = W.pred(I.A) ^ (I.Flags & FlagNegateC ? FullMask : 0);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    W.Exchange[L] = P >> L & 1;
  }
}

/// Sub: 0 up, 1 down, 2 bfly, 3 idx.
void shuffle(Warp &W, const Inst &I, uint32_t Mask) {
  if (publishes(W))
    publish<uint32_t>(W, I.A, Mask);
  if (!completes(W))
    return;
  const uint32_t *B = W.row<uint32_t>(I.B), *C = W.row<uint32_t>(I.C);
  uint32_t Valid = 0, Out[WarpSize] = {};
  bool Check = W.Owner.G.checks(CheckFamily::Shuffle);
  for (uint32_t M = Mask; M; M &= M - 1) {
    int L = __builtin_ctz(M);
    int BVal = int(B[L] & 31), CVal = int(C[L] & 31), Seg = int(C[L] >> 8 & 31);
    int MaxLane = (L & Seg) | (CVal & ~Seg), MinLane = L & Seg;
    int J = L;
    bool P = false;
    switch (I.Sub) {
    case 0:
      J = L - BVal;
      P = J >= MaxLane;
      break;
    case 1:
      J = L + BVal;
      P = J <= MaxLane;
      break;
    case 2:
      J = L ^ BVal;
      P = J <= MaxLane;
      break;
    default:
      J = MinLane | (BVal & ~Seg);
      P = J <= MaxLane;
      break;
    }
    if (!P)
      J = L;
    Valid |= uint32_t(P) << L;
    bool Present = (W.SyncMask | Mask) >> J & 1;
    if (!Present && Check)
      W.report(FindingKind::ShuffleInactive, unsigned(L),
               "lane " + std::to_string(L) + " reads from lane " +
                   std::to_string(J) + ", which takes no part in the shuffle");
    Out[L] = Present ? uint32_t(W.Exchange[J]) : 0;
  }
  if (I.D != NoSlot)
    dense(Mask, W.row<uint32_t>(I.D), [&](unsigned L) { return Out[L]; });
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), Valid, Mask);
}

/// Lanes of the operation whose published predicate is set.
uint32_t votes(const Warp &W) {
  uint32_t Bits = 0;
  for (uint32_t M = W.SyncMask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    Bits |= uint32_t(W.Exchange[L] & 1) << L;
  }
  return Bits;
}

/// Sub: 0 all, 1 any, 2 uni, 3 ballot.
void vote(Warp &W, const Inst &I, uint32_t Mask) {
  if (publishes(W))
    publishPred(W, I, Mask);
  if (!completes(W) || I.D == NoSlot)
    return;
  uint32_t Bits = votes(W);
  if (I.Sub == 3) {
    dense(Mask, W.row<uint32_t>(I.D), [=](unsigned) { return Bits; });
    return;
  }
  bool V = I.Sub == 0   ? Bits == W.SyncMask
           : I.Sub == 1 ? Bits != 0
                        : Bits == 0 || Bits == W.SyncMask;
  blend(W.pred(I.D), V ? FullMask : 0, Mask);
}

/// match.any: lanes with my value; match.all: the members if all agree.
template <typename R, bool All>
void match(Warp &W, const Inst &I, uint32_t Mask) {
  if (publishes(W))
    publish<R>(W, I.A, Mask);
  if (!completes(W))
    return;
  uint32_t Out[WarpSize] = {}, Agree = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    uint32_t Same = 0;
    for (uint32_t N = W.SyncMask; N; N &= N - 1) {
      unsigned J = unsigned(__builtin_ctz(N));
      Same |= uint32_t(W.Exchange[J] == W.Exchange[L]) << J;
    }
    bool Whole = Same == W.SyncMask;
    Out[L] = All && !Whole ? 0 : Same;
    Agree |= uint32_t(Whole) << L;
  }
  if (I.D != NoSlot)
    dense(Mask, W.row<uint32_t>(I.D), [&](unsigned L) { return Out[L]; });
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), Agree, Mask);
}

void activemask(Warp &W, const Inst &I, uint32_t Mask) {
  dense(Mask, W.row<uint32_t>(I.D), [=](unsigned) { return Mask; });
}

template <typename T> T reduce(Mod Op, T A, T B) {
  switch (Op) {
  case Mod::Add:
    return T(uint32_t(A) + uint32_t(B));
  case Mod::Min:
    return A < B ? A : B;
  case Mod::Max:
    return A > B ? A : B;
  case Mod::And:
    return A & B;
  case Mod::Or:
    return A | B;
  default:
    return A ^ B;
  }
}

template <typename T> void redux(Warp &W, const Inst &I, uint32_t Mask) {
  if (publishes(W))
    publish<uint32_t>(W, I.A, Mask);
  if (!completes(W))
    return;
  bool First = true;
  T V = 0;
  for (uint32_t M = W.SyncMask; M; M &= M - 1) {
    T X = T(W.Exchange[__builtin_ctz(M)]);
    V = First ? X : reduce<T>(Mod(I.Sub), V, X);
    First = false;
  }
  dense(Mask, W.row<uint32_t>(I.D), [=](unsigned) { return uint32_t(V); });
}

void elect(Warp &W, const Inst &I, uint32_t Mask) {
  if (!completes(W))
    return;
  uint32_t Leader = W.SyncMask & (0u - W.SyncMask);
  if (I.D != NoSlot) {
    uint32_t Number = uint32_t(__builtin_ctz(W.SyncMask));
    dense(Mask, W.row<uint32_t>(I.D), [=](unsigned) { return Number; });
  }
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), Leader, Mask);
}

} // namespace

Handler pickWarp(const OpDesc &D) {
  bool Wide = ptx::typeBits(D.Type) == 64;
  switch (D.Op) {
  case Opcode::Shfl:
    return shuffle;
  case Opcode::Vote:
    return vote;
  case Opcode::Match:
    return D.Word == Mod::All
               ? (Wide ? match<uint64_t, true> : match<uint32_t, true>)
               : (Wide ? match<uint64_t, false> : match<uint32_t, false>);
  case Opcode::Activemask:
    return activemask;
  case Opcode::Redux:
    return D.Type == Mod::S32                         ? redux<int32_t>
           : D.Type == Mod::U32 || D.Type == Mod::B32 ? redux<uint32_t>
                                                      : Handler(nullptr);
  case Opcode::Elect:
    return elect;
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
