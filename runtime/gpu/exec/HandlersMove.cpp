//===- HandlersMove.cpp - mov, cvta, isspacep -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;
using ptx::SpecialRegister;

namespace gevo::gpu::GEVO_ISA {
namespace {

template <typename R> void move(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A);
  dense(Mask, W.row<R>(I.D), [=](unsigned L) { return A[L]; });
}

/// 128-bit registers are two rows of 64 bits.
void move128(Warp &W, const Inst &I, uint32_t Mask) {
  const uint64_t *A = W.row<uint64_t>(I.A);
  uint64_t *D = W.row<uint64_t>(I.D);
  dense(Mask, D, [=](unsigned L) { return A[L]; });
  dense(Mask, D + WarpSize, [=](unsigned L) { return A[WarpSize + L]; });
}

void movePred(Warp &W, const Inst &I, uint32_t Mask) {
  blend(W.pred(I.D), W.pred(I.A) ^ (I.Flags & FlagNegateC ? FullMask : 0),
        Mask);
}

/// The address of a variable in the frame.
template <typename R> void moveFrame(Warp &W, const Inst &I, uint32_t Mask) {
  R Address = R(W.Current->LocalBase + I.Imm);
  dense(Mask, W.row<R>(I.D), [=](unsigned) { return Address; });
}

/// %clock and its kin, whose value depends on when they are read. Time is
/// counted in instructions of the warp.
template <typename R> void moveClock(Warp &W, const Inst &I, uint32_t Mask) {
  uint64_t V = 0;
  switch (SpecialRegister(I.Sub)) {
  case SpecialRegister::Clock:
  case SpecialRegister::Clock64:
    V = W.NowExecuted;
    break;
  case SpecialRegister::ClockHi:
    V = W.NowExecuted >> 32;
    break;
  case SpecialRegister::GlobalTimer:
  case SpecialRegister::GlobalTimerLo:
    V = W.Owner.globalTimer(W);
    break;
  case SpecialRegister::GlobalTimerHi:
    V = W.Owner.globalTimer(W) >> 32;
    break;
  default:
    break;
  }
  dense(Mask, W.row<R>(I.D), [=](unsigned) { return R(V); });
}

/// Elements into one register: element K is K-th from the low end.
template <typename R> void pack(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *Slots = W.code().VectorSlots.data() + I.B;
  unsigned Bits = 8u * I.Bytes;
  R Out[WarpSize] = {};
  for (unsigned K = 0; K < I.Count; ++K) {
    const uint32_t *E = W.row<uint32_t>(Slots[K]);
    R Keep = R((uint64_t(1) << Bits) - 1);
    for (unsigned L = 0; L < WarpSize; ++L)
      Out[L] |= (R(E[L]) & Keep) << (Bits * K);
  }
  dense(Mask, W.row<R>(I.D), [&](unsigned L) { return Out[L]; });
}
template <typename R> void unpack(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *Slots = W.code().VectorSlots.data() + I.D;
  unsigned Bits = 8u * I.Bytes;
  R In[WarpSize];
  const R *A = W.row<R>(I.A);
  for (unsigned L = 0; L < WarpSize; ++L)
    In[L] = A[L];
  R Keep = R((uint64_t(1) << Bits) - 1);
  for (unsigned K = 0; K < I.Count; ++K)
    if (Slots[K] != NoSlot)
      dense(Mask, W.row<uint32_t>(Slots[K]),
            [&](unsigned L) { return uint32_t(In[L] >> (Bits * K) & Keep); });
}
void pack128(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *Slots = W.code().VectorSlots.data() + I.B;
  for (unsigned K = 0; K < 2; ++K) {
    const uint64_t *E = W.row<uint64_t>(Slots[K]);
    dense(Mask, W.row<uint64_t>(I.D) + K * WarpSize,
          [=](unsigned L) { return E[L]; });
  }
}
void unpack128(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *Slots = W.code().VectorSlots.data() + I.D;
  for (unsigned K = 0; K < 2; ++K) {
    const uint64_t *A = W.row<uint64_t>(I.A) + K * WarpSize;
    if (Slots[K] != NoSlot)
      dense(Mask, W.row<uint64_t>(Slots[K]), [=](unsigned L) { return A[L]; });
  }
}

/// cvta adds the start of the window (Imm), cvta.to subtracts it.
void cvta(Warp &W, const Inst &I, uint32_t Mask) {
  const uint64_t *A = W.row<uint64_t>(I.A);
  uint64_t Delta = uint64_t(I.Imm);
  dense(Mask, W.row<uint64_t>(I.D), [=](unsigned L) { return A[L] + Delta; });
}

/// Of addresses of 32 or 64 bits.
template <typename T> void isspacep(Warp &W, const Inst &I, uint32_t Mask) {
  const T *A = W.row<T>(I.A);
  uint64_t Window = uint64_t(I.Imm);
  blend(W.pred(I.D),
        ballot([=](unsigned L) { return (A[L] & WindowMask) == Window; }),
        Mask);
}

/// Constants lie among the global addresses; the table tells them apart. The
/// window of a kernel's parameters counts as global, as the manual says.
template <typename T>
void isspacepConst(Warp &W, const Inst &I, uint32_t Mask) {
  const T *A = W.row<T>(I.A);
  uint32_t Bits = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    bool IsConst = W.Owner.isConstAddress(A[L]);
    uint64_t Window = A[L] & WindowMask;
    bool IsGlobal = !IsConst && (!Window || Window == ParamWindow);
    Bits |= uint32_t(I.Sub ? IsConst : IsGlobal) << L;
  }
  blend(W.pred(I.D), Bits, Mask);
}

template <typename T> Handler pickIsspacep(const OpDesc &D) {
  return D.Word == Mod::Const ? isspacepConst<T> : isspacep<T>;
}

Handler pickMov(const OpDesc &D) {
  unsigned Bits = ptx::typeBits(D.Type);
  switch (D.Word) {
  case Mod::Local:
    return Bits == 64 ? moveFrame<uint64_t> : moveFrame<uint32_t>;
  case Mod::Volatile: // A clock.
    return Bits == 64 ? moveClock<uint64_t> : moveClock<uint32_t>;
  case Mod::Pack:
    return Bits == 128 ? pack128 : Bits == 64 ? pack<uint64_t> : pack<uint32_t>;
  case Mod::Unpack:
    return Bits == 128  ? unpack128
           : Bits == 64 ? unpack<uint64_t>
                        : unpack<uint32_t>;
  default:
    return Bits == 1     ? movePred
           : Bits == 64  ? move<uint64_t>
           : Bits == 128 ? move128
                         : move<uint32_t>;
  }
}

} // namespace

Handler pickMove(const OpDesc &D) {
  switch (D.Op) {
  case Opcode::Mov:
    return pickMov(D);
  case Opcode::Cvta:
    return ptx::typeBits(D.Type) == 64 ? cvta : nullptr;
  case Opcode::Isspacep:
    return ptx::typeBits(D.Type) == 64 ? pickIsspacep<uint64_t>(D)
                                       : pickIsspacep<uint32_t>(D);
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
