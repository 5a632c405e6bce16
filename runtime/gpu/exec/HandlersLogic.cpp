//===- HandlersLogic.cpp - Logic, shifts and byte permutes ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

template <typename R, Opcode Op> inline R logic(R A, R B) {
  return Op == Opcode::And ? A & B : Op == Opcode::Or ? A | B : A ^ B;
}

template <typename R, Opcode Op>
void binaryL(Warp &W, const Inst &I, uint32_t Mask) {
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  dense(Mask, D, [=](unsigned L) { return logic<R, Op>(A[L], B[L]); });
}

template <Opcode Op> void predL(Warp &W, const Inst &I, uint32_t Mask) {
  blend(W.pred(I.D), logic<uint32_t, Op>(W.pred(I.A), W.pred(I.B)), Mask);
}

void notPred(Warp &W, const Inst &I, uint32_t Mask) {
  blend(W.pred(I.D), ~W.pred(I.A), Mask);
}

template <typename T> void notL(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  dense(Mask, D, [=](unsigned L) { return put<T>(T(~A[L])); });
}

template <typename T> void cnotL(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  dense(Mask, D, [=](unsigned L) { return R(get<T>(A[L]) == 0); });
}

/// Shifts clamp the amount, which is 32 bits wide whatever the type.
template <typename T, bool Left>
void shift(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  constexpr uint32_t Bits = 8 * sizeof(T);
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  const uint32_t *B = W.row<uint32_t>(I.B);
  dense(Mask, D, [=](unsigned L) {
    uint32_t N = B[L];
    T V = get<T>(A[L]);
    if constexpr (Left) {
      R S = R(V) << (N & (8 * sizeof(R) - 1));
      return N >= Bits ? R(0) : put<T>(T(S));
    } else if constexpr (std::is_signed_v<T>) {
      return put<T>(T(V >> (N >= Bits ? Bits - 1 : N)));
    } else {
      R S = R(V) >> (N & (8 * sizeof(R) - 1));
      return N >= Bits ? R(0) : S;
    }
  });
}

template <bool Left, bool Clamp>
void funnel(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  dense(Mask, D, [=](unsigned L) {
    uint64_t V = uint64_t(B[L]) << 32 | A[L];
    uint32_t N = Clamp ? (C[L] > 32 ? 32 : C[L]) : C[L] & 31;
    return Left ? uint32_t(V << N >> 32) : uint32_t(V >> N);
  });
}

/// Any function of three bits, as the sum of the minterms in the table.
void lop3(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  uint32_t T[8];
  for (unsigned K = 0; K < 8; ++K)
    T[K] = I.Imm >> K & 1 ? ~0u : 0;
  dense(Mask, D, [=](unsigned L) {
    uint32_t X = A[L], Y = B[L], Z = C[L];
    uint32_t Lo =
        (~Y & ((~Z & T[0]) | (Z & T[1]))) | (Y & ((~Z & T[2]) | (Z & T[3])));
    uint32_t Hi =
        (~Y & ((~Z & T[4]) | (Z & T[5]))) | (Y & ((~Z & T[6]) | (Z & T[7])));
    return (~X & Lo) | (X & Hi);
  });
}

/// lop3.and and lop3.or also set a predicate from the result.
template <bool And> void lop3Pred(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t Scratch[WarpSize];
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  for (unsigned L = 0; L < WarpSize; ++L) {
    uint32_t R = 0;
    for (unsigned K = 0; K < 8; ++K)
      if (I.Imm >> K & 1)
        R |= (K & 4 ? A[L] : ~A[L]) & (K & 2 ? B[L] : ~B[L]) &
             (K & 1 ? C[L] : ~C[L]);
    Scratch[L] = R;
  }
  if (I.D != NoSlot)
    dense(Mask, W.row<uint32_t>(I.D), [&](unsigned L) { return Scratch[L]; });
  uint32_t Set = ballot([&](unsigned L) { return Scratch[L] != 0; });
  uint32_t Q = W.pred(I.E) ^ (I.Flags & FlagNegateC ? FullMask : 0);
  if (I.D2 != NoSlot)
    blend(W.pred(I.D2), And ? Set & Q : Set | Q, Mask);
}

void prmt(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  dense(Mask, D, [=](unsigned L) {
    uint64_t V = uint64_t(B[L]) << 32 | A[L];
    uint32_t S = C[L], R = 0;
    for (unsigned K = 0; K < 4; ++K) {
      uint32_t Sel = S >> (4 * K) & 15;
      uint32_t Byte = uint32_t(V >> (8 * (Sel & 7))) & 0xff;
      if (Sel & 8)
        Byte = Byte & 0x80 ? 0xff : 0;
      R |= Byte << (8 * K);
    }
    return R;
  });
}

/// The special modes of prmt, by the two low bits of the selector.
void prmtMode(Warp &W, const Inst &I, uint32_t Mask) {
  static const uint16_t Selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  const uint16_t *Row = Selectors[I.Sub];
  sparse(Mask, D, [=](unsigned L) {
    uint64_t V = uint64_t(B[L]) << 32 | A[L];
    uint32_t S = Row[C[L] & 3], R = 0;
    for (unsigned K = 0; K < 4; ++K)
      R |= (uint32_t(V >> (8 * (S >> (4 * K) & 7))) & 0xff) << (8 * K);
    return R;
  });
}

template <Opcode Op> Handler pickBinary(Mod T) {
  switch (ptx::typeBits(T)) {
  case 1:
    return predL<Op>;
  case 16:
  case 32:
    return binaryL<uint32_t, Op>;
  case 64:
    return binaryL<uint64_t, Op>;
  default:
    return nullptr;
  }
}

Handler pickShift(const OpDesc &D) {
  Handler H = nullptr;
  bool Left = D.Op == Opcode::Shl;
  withInteger(D.Type, [&](auto *P) {
    using T = std::remove_pointer_t<decltype(P)>;
    if constexpr (sizeof(T) > 1)
      H = Left ? shift<T, true> : shift<T, false>;
  });
  return H;
}

} // namespace

Handler pickLogic(const OpDesc &D) {
  if (ptx::isFloatType(D.Type))
    return nullptr;
  unsigned Bits = ptx::typeBits(D.Type);
  switch (D.Op) {
  case Opcode::And:
    return pickBinary<Opcode::And>(D.Type);
  case Opcode::Or:
    return pickBinary<Opcode::Or>(D.Type);
  case Opcode::Xor:
    return pickBinary<Opcode::Xor>(D.Type);
  case Opcode::Not:
    return Bits == 1    ? notPred
           : Bits == 16 ? notL<uint16_t>
           : Bits == 32 ? notL<uint32_t>
           : Bits == 64 ? notL<uint64_t>
                        : Handler(nullptr);
  case Opcode::Cnot:
    return Bits == 16   ? cnotL<uint16_t>
           : Bits == 32 ? cnotL<uint32_t>
           : Bits == 64 ? cnotL<uint64_t>
                        : Handler(nullptr);
  case Opcode::Shl:
  case Opcode::Shr:
    return pickShift(D);
  case Opcode::Shf:
    if (Bits != 32)
      return nullptr;
    return D.Left ? (D.Clamp ? funnel<true, true> : funnel<true, false>)
                  : (D.Clamp ? funnel<false, true> : funnel<false, false>);
  case Opcode::Lop3:
    if (Bits != 32)
      return nullptr;
    return D.Combine == Mod::And    ? lop3Pred<true>
           : D.Combine == Mod::Or   ? lop3Pred<false>
           : D.Combine == Mod::None ? lop3
                                    : Handler(nullptr);
  case Opcode::Prmt:
    return Bits != 32 ? nullptr : D.Word == Mod::None ? prmt : prmtMode;
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
