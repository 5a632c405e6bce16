//===- HandlersAtomic.cpp - atom and red ----------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomics run lane by lane in order of lane number, so results are the same on
// every run. Blocks and warps never run at the same time, so a plain read,
// change and write is atomic.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Access.h"
#include "runtime/gpu/exec/Float.h"

#include <cassert>
#include <cstring>

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

template <typename T> T integerOp(Mod Op, T Old, T B, T C) {
  using U = std::make_unsigned_t<T>;
  switch (Op) {
  case Mod::And:
    return Old & B;
  case Mod::Or:
    return Old | B;
  case Mod::Xor:
    return Old ^ B;
  case Mod::Cas:
    return Old == B ? C : Old;
  case Mod::Exch:
    return B;
  case Mod::Add:
    return T(U(Old) + U(B));
  case Mod::Inc:
    return Old >= B ? T(0) : T(Old + 1);
  case Mod::Dec:
    return Old == 0 || Old > B ? B : T(Old - 1);
  case Mod::Min:
    return Old < B ? Old : B;
  default:
    return Old > B ? Old : B;
  }
}

float addFloat(float A, float B) { return canonical(A + B); }
double addFloat(double A, double B) { return nanOf(A + B, A, B); }

uint16_t addHalf(uint16_t A, uint16_t B) {
  double S = double(toF32(Half{A})) + double(toF32(Half{B}));
  return toHalf(S).Bits;
}
uint16_t addBHalf(uint16_t A, uint16_t B) {
  return toBHalf(addToOdd(toF32(BHalf{A}), toF32(BHalf{B}))).Bits;
}
uint16_t minmaxHalf(uint16_t A, uint16_t B, bool Brain, bool Max) {
  float X = Brain ? toF32(BHalf{A}) : toF32(Half{A});
  float Y = Brain ? toF32(BHalf{B}) : toF32(Half{B});
  if (X != X)
    return Y != Y ? NanF16 : B;
  if (Y != Y)
    return A;
  if (X == Y)
    return bool(A & 0x8000) == Max ? B : A;
  return (X < Y) == Max ? B : A;
}

/// Lanes whose additions in single precision flush subnormals: those to global
/// memory do, those to shared memory do not. To be asked while \p A still has
/// addresses.
uint32_t flushingLanes(const Inst &I, uint32_t Mask,
                       const uint64_t (&A)[WarpSize]) {
  if (Mod(I.Target) != Mod::F32 || I.Where == ptx::Space::Shared)
    return 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (I.Where == ptx::Space::Generic && (A[L] & WindowMask))
      Mask &= ~(1u << L);
  }
  return Mask;
}

/// Bits of the new value, for float types.
uint64_t floatOp(Mod Type, Mod Op, uint64_t Old, uint64_t B, bool Flush) {
  bool Max = Op == Mod::Max, MinMax = Max || Op == Mod::Min;
  switch (Type) {
  case Mod::F32: {
    float X = bitsToF32(uint32_t(Old)), Y = bitsToF32(uint32_t(B));
    return f32Bits(Flush ? flush(addFloat(flush(X), flush(Y)))
                         : addFloat(X, Y));
  }
  case Mod::F64:
    return f64Bits(addFloat(bitsToF64(Old), bitsToF64(B)));
  case Mod::F16:
    return MinMax ? minmaxHalf(uint16_t(Old), uint16_t(B), false, Max)
                  : addHalf(uint16_t(Old), uint16_t(B));
  case Mod::BF16:
    return MinMax ? minmaxHalf(uint16_t(Old), uint16_t(B), true, Max)
                  : addBHalf(uint16_t(Old), uint16_t(B));
  default: {
    Mod One = Type == Mod::F16X2 ? Mod::F16 : Mod::BF16;
    return floatOp(One, Op, Old & 0xffff, B & 0xffff, false) |
           floatOp(One, Op, Old >> 16 & 0xffff, B >> 16 & 0xffff, false) << 16;
  }
  }
}

/// E is the element in memory, R the lane. Sub is the operation; the type of
/// float operations is in Imm's place, Target.
template <typename E, bool Float>
void atomic(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<E>;
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  ++W.Owner.G.Result.Counters.Atomics;
  uint32_t Flush = Float ? flushingLanes(I, Mask, A) : 0;
  if (!resolve(W, I, Mask, A, sizeof(E), AccessKind::Atomic))
    return;
  R *D = I.D == NoSlot ? nullptr : W.row<R>(I.D);
  const R *B = W.row<R>(I.B);
  const R *C = I.C == NoSlot ? B : W.row<R>(I.C);
  Mod Op = Mod(I.Sub);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    E Old, New;
    std::memcpy(&Old, reinterpret_cast<const void *>(A[L]), sizeof(E));
    if constexpr (Float)
      New = E(floatOp(Mod(I.Target), Op, put<E>(Old), B[L], Flush >> L & 1));
    else
      New = integerOp<E>(Op, Old, get<E>(B[L]), get<E>(C[L]));
    std::memcpy(reinterpret_cast<void *>(A[L]), &New, sizeof(E));
    if (D)
      D[L] = put<E>(Old);
  }
}

void atomic128(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  ++W.Owner.G.Result.Counters.Atomics;
  if (!resolve(W, I, Mask, A, 16, AccessKind::Atomic))
    return;
  uint64_t *D = I.D == NoSlot ? nullptr : W.row<uint64_t>(I.D);
  const uint64_t *B = W.row<uint64_t>(I.B);
  const uint64_t *C = I.C == NoSlot ? B : W.row<uint64_t>(I.C);
  bool Cas = Mod(I.Sub) == Mod::Cas;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M)), H = L + WarpSize;
    uint64_t Old[2];
    std::memcpy(Old, reinterpret_cast<const void *>(A[L]), 16);
    uint64_t New[2] = {C[L], C[H]};
    if (!Cas || (Old[0] == B[L] && Old[1] == B[H]))
      std::memcpy(reinterpret_cast<void *>(A[L]), New, 16);
    if (D) {
      D[L] = Old[0];
      D[H] = Old[1];
    }
  }
}

/// atom.v2 and the like: each element by itself.
template <typename E> void atomicVector(Warp &W, const Inst &I, uint32_t Mask) {
  alignas(64) uint64_t A[WarpSize];
  addresses(W, I, A);
  ++W.Owner.G.Result.Counters.Atomics;
  uint32_t Bytes = uint32_t(sizeof(E) * I.Count);
  uint32_t Flush = flushingLanes(I, Mask, A);
  if (!resolve(W, I, Mask, A, Bytes, AccessKind::Atomic))
    return;
  const uint32_t *Slots = W.code().VectorSlots.data();
  constexpr unsigned MaxElements = 8;
  assert(I.Count <= MaxElements && "the longest vector is .v8 of halves");
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    // A register may be both an operand and the place of another's old value.
    uint32_t Operands[MaxElements];
    for (unsigned K = 0; K < I.Count; ++K)
      Operands[K] = W.row<uint32_t>(Slots[I.B + K])[L];
    for (unsigned K = 0; K < I.Count; ++K) {
      char *P = reinterpret_cast<char *>(A[L]) + K * sizeof(E);
      E Old;
      std::memcpy(&Old, P, sizeof(E));
      E New = E(
          floatOp(Mod(I.Target), Mod(I.Sub), Old, Operands[K], Flush >> L & 1));
      std::memcpy(P, &New, sizeof(E));
      if (I.D != NoSlot && Slots[I.D + K] != NoSlot)
        W.row<uint32_t>(Slots[I.D + K])[L] = Old;
    }
  }
}

bool integerAllowed(Mod Op, Mod Type) {
  unsigned Bits = ptx::typeBits(Type);
  switch (Op) {
  case Mod::Inc:
  case Mod::Dec:
    return Type == Mod::U32;
  case Mod::Cas:
    return Bits >= 16;
  case Mod::Exch:
    return Bits >= 32;
  case Mod::Popc:
    return false;
  default:
    return Bits == 32 || Bits == 64;
  }
}

} // namespace

Handler pickAtomic(const OpDesc &D) {
  if (D.Type == Mod::B128 && !D.Vector)
    return D.Combine == Mod::Cas || D.Combine == Mod::Exch ? atomic128
                                                           : nullptr;
  if (ptx::isFloatType(D.Type)) {
    bool Half = D.Type != Mod::F32 && D.Type != Mod::F64;
    bool Ok = D.Combine == Mod::Add ||
              (Half && (D.Combine == Mod::Min || D.Combine == Mod::Max));
    if (!Ok || D.Type == Mod::TF32)
      return nullptr;
    if (D.Vector)
      return ptx::typeBits(D.Type) == 16   ? atomicVector<uint16_t>
             : ptx::typeBits(D.Type) == 32 ? atomicVector<uint32_t>
                                           : Handler(nullptr);
    switch (ptx::typeBits(D.Type)) {
    case 16:
      return atomic<uint16_t, true>;
    case 32:
      return atomic<uint32_t, true>;
    default:
      return atomic<uint64_t, true>;
    }
  }
  if (D.Vector || !integerAllowed(D.Combine, D.Type))
    return nullptr;
  Handler H = nullptr;
  withInteger(D.Type, [&](auto *P) {
    using T = std::remove_pointer_t<decltype(P)>;
    if constexpr (sizeof(T) > 1)
      H = atomic<T, false>;
  });
  return H;
}

} // namespace gevo::gpu::GEVO_ISA
