//===- HandlersInteger.cpp - Integer-only instructions --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carry chains, 24-bit products, bit counting, bit fields, dot products.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Lanes.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

/// add.cc, addc, sub.cc, subc: the carry or borrow of lane L is bit L of the
/// warp's flag.
template <typename T, bool Sub, bool In, bool Out>
void addCarry(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  uint32_t Old = W.CarryFlag, Carry = Old;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    R X = A[L], Y = B[L], C = In ? R(Old >> L & 1) : R(0);
    R S = Sub ? X - Y : X + Y, S2 = Sub ? S - C : S + C;
    bool Overflow = Sub ? X < Y || S < C : S < X || S2 < S;
    D[L] = S2;
    if (Out)
      Carry = (Carry & ~(1u << L)) | uint32_t(Overflow) << L;
  }
  W.CarryFlag = Carry;
}

/// mad.cc and madc.
template <typename T, bool In, bool Out>
void madCarry(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B), *C = W.row<R>(I.C);
  bool Hi = I.Imm & 1;
  uint32_t Carry = W.CarryFlag;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    Wide P = Wide(get<T>(A[L])) * Wide(get<T>(B[L]));
    R X = Hi ? R(P >> (8 * sizeof(T))) : R(P);
    R Y = C[L], Cin = In ? R(Carry >> L & 1) : 0;
    R S = X + Y, S2 = S + Cin;
    D[L] = S2;
    if (Out)
      Carry = (Carry & ~(1u << L)) | uint32_t(S < X || S2 < S) << L;
  }
  W.CarryFlag = Carry;
}

template <typename T, bool Mad>
void mul24(Warp &W, const Inst &I, uint32_t Mask) {
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  const uint32_t *C = Mad ? W.row<uint32_t>(I.C) : A;
  bool Hi = I.Imm & 1, Sat = I.Imm & 2;
  sparse(Mask, D, [=](unsigned L) {
    auto Low24 = [](uint32_t V) {
      return std::is_signed_v<T> ? int64_t(int32_t(V << 8) >> 8)
                                 : int64_t(V & 0xffffff);
    };
    int64_t P = Low24(A[L]) * Low24(B[L]);
    uint32_t R = uint32_t(Hi ? P >> 16 : P);
    if constexpr (Mad) {
      if (Sat) {
        int64_t S = int64_t(int32_t(R)) + int32_t(C[L]);
        S = S > INT32_MAX ? INT32_MAX : S < INT32_MIN ? INT32_MIN : S;
        return uint32_t(S);
      }
      R += C[L];
    }
    return R;
  });
}

template <typename T> void sad(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  using U = std::make_unsigned_t<T>;
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B), *C = W.row<R>(I.C);
  dense(Mask, D, [=](unsigned L) {
    T X = get<T>(A[L]), Y = get<T>(B[L]);
    U Diff = X < Y ? U(U(Y) - U(X)) : U(U(X) - U(Y));
    return put<U>(U(U(get<T>(C[L])) + Diff));
  });
}

template <typename R> unsigned leadingZeros(R V) {
  if (V == 0)
    return 8 * sizeof(R);
  return sizeof(R) == 8 ? unsigned(__builtin_clzll(V))
                        : unsigned(__builtin_clz(uint32_t(V)));
}

template <typename R> void popc(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A);
  sparse(Mask, W.row<uint32_t>(I.D),
         [=](unsigned L) { return uint32_t(__builtin_popcountll(A[L])); });
}
template <typename R> void clz(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A);
  sparse(Mask, W.row<uint32_t>(I.D),
         [=](unsigned L) { return uint32_t(leadingZeros(A[L])); });
}
template <typename T> void bfind(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  const R *A = W.row<R>(I.A);
  bool Shift = I.Imm & 1;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    R V = A[L];
    if (std::is_signed_v<T> && get<T>(V) < 0)
      V = ~V;
    if (V == 0)
      return ~uint32_t(0);
    uint32_t Z = leadingZeros(V);
    return Shift ? Z : uint32_t(8 * sizeof(R) - 1) - Z;
  });
}
template <typename R> void brev(Warp &W, const Inst &I, uint32_t Mask) {
  const R *A = W.row<R>(I.A);
  sparse(Mask, W.row<R>(I.D), [=](unsigned L) {
    R V = A[L], Out = 0;
    for (unsigned K = 0; K < 8 * sizeof(R); ++K)
      Out |= (V >> K & 1) << (8 * sizeof(R) - 1 - K);
    return Out;
  });
}

/// The position of the n-th set bit from a base, up or down.
void fns(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t Bits = A[L];
    int32_t Base = int32_t(B[L]), N = int32_t(C[L]);
    if (Base < 0 || Base > 31)
      return ~uint32_t(0);
    if (N == 0)
      return Bits >> Base & 1 ? uint32_t(Base) : ~uint32_t(0);
    int Step = N > 0 ? 1 : -1;
    uint32_t Left = N > 0 ? uint32_t(N) : 0u - uint32_t(N);
    for (int P = Base; P >= 0 && P < 32; P += Step)
      if ((Bits >> P & 1) && --Left == 0)
        return uint32_t(P);
    return ~uint32_t(0);
  });
}

template <typename T> void bfe(Warp &W, const Inst &I, uint32_t Mask) {
  using R = Lane<T>;
  constexpr uint32_t Msb = 8 * sizeof(T) - 1;
  const R *A = W.row<R>(I.A);
  const uint32_t *B = W.row<uint32_t>(I.B), *C = W.row<uint32_t>(I.C);
  dense(Mask, W.row<R>(I.D), [=](unsigned L) {
    uint32_t Pos = B[L] & 0xff, Len = C[L] & 0xff;
    R V = A[L];
    if (Len == 0)
      return R(0);
    uint32_t Top = Pos + Len - 1 < Msb ? Pos + Len - 1 : Msb;
    R Sign = std::is_signed_v<T> ? R(V >> Top & 1) : R(0);
    R Field = Pos > Msb ? R(0) : R(V >> Pos);
    R Keep = Len > Msb ? ~R(0) : R((R(1) << Len) - 1);
    // Bits past the top of the source are copies of the sign.
    if (Pos > Msb)
      return Sign ? ~R(0) : R(0);
    uint32_t Have = Msb + 1 - Pos;
    R HaveMask = Have > Msb ? ~R(0) : R((R(1) << Have) - 1);
    R Out = Field & Keep & HaveMask;
    R Fill = ~(Keep & HaveMask);
    return Sign ? Out | Fill : Out;
  });
}

template <typename R> void bfi(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr uint32_t Msb = 8 * sizeof(R) - 1;
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  const uint32_t *C = W.row<uint32_t>(I.C), *E = W.row<uint32_t>(I.E);
  dense(Mask, W.row<R>(I.D), [=](unsigned L) {
    uint32_t Pos = C[L] & 0xff, Len = E[L] & 0xff;
    R Field = Len > Msb ? ~R(0) : R((R(1) << Len) - 1);
    R Place = Pos > Msb ? R(0) : R(Field << Pos);
    R Value = Pos > Msb ? R(0) : R(A[L] << Pos);
    return (B[L] & ~Place) | (Value & Place);
  });
}

void bmsk(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  bool Clamp = I.Imm & 1;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t Pos = A[L], Len = B[L];
    if (Clamp) {
      if (Pos > 31)
        return 0u;
      Len = Len > 32 ? 32 : Len;
    } else {
      Pos &= 31;
      Len &= 31;
    }
    uint32_t Ones = Len > 31 ? ~0u : (1u << Len) - 1;
    return Ones << Pos;
  });
}

template <typename T> void szext(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  bool Clamp = I.Imm & 1;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t N = Clamp ? (B[L] > 32 ? 32 : B[L]) : B[L] & 31;
    if (N == 0)
      return 0u;
    uint32_t Shift = 32 - N;
    return std::is_signed_v<T> ? uint32_t(int32_t(A[L] << Shift) >> Shift)
                               : A[L] << Shift >> Shift;
  });
}

/// dp4a and dp2a; the types of A and B are independent.
template <bool SignedA, bool SignedB, bool Two>
void dotProduct(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B),
                 *C = W.row<uint32_t>(I.C);
  bool Hi = I.Imm & 1;
  dense(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    auto ByteOf = [](uint32_t V, unsigned K, bool Signed) {
      uint32_t X = V >> (8 * K) & 0xff;
      return Signed ? int32_t(int8_t(X)) : int32_t(X);
    };
    uint32_t Sum = C[L];
    if constexpr (Two) {
      for (unsigned K = 0; K < 2; ++K) {
        uint32_t X = A[L] >> (16 * K) & 0xffff;
        int32_t V = SignedA ? int32_t(int16_t(X)) : int32_t(X);
        Sum += uint32_t(V * ByteOf(B[L], K + (Hi ? 2 : 0), SignedB));
      }
    } else {
      for (unsigned K = 0; K < 4; ++K)
        Sum += uint32_t(ByteOf(A[L], K, SignedA) * ByteOf(B[L], K, SignedB));
    }
    return Sum;
  });
}

template <bool Two> Handler pickDot(const OpDesc &D) {
  bool SA = D.Type == Mod::S32, SB = D.Type2 == Mod::S32;
  if ((!SA && D.Type != Mod::U32) || (!SB && D.Type2 != Mod::U32))
    return nullptr;
  return SA ? (SB ? dotProduct<true, true, Two> : dotProduct<true, false, Two>)
            : (SB ? dotProduct<false, true, Two>
                  : dotProduct<false, false, Two>);
}

template <typename T, bool Sub> Handler pickAdd(bool In, bool Out) {
  return In ? (Out ? addCarry<T, Sub, true, true>
                   : addCarry<T, Sub, true, false>)
            : addCarry<T, Sub, false, true>;
}
template <typename T> Handler pickMad(bool In, bool Out) {
  return In ? (Out ? madCarry<T, true, true> : madCarry<T, true, false>)
            : madCarry<T, false, true>;
}

Handler pickCarry(const OpDesc &D) {
  bool In =
      D.Op == Opcode::Addc || D.Op == Opcode::Subc || D.Op == Opcode::Madc;
  bool Sub = D.Op == Opcode::Sub || D.Op == Opcode::Subc;
  bool Mad = D.Op == Opcode::Mad || D.Op == Opcode::Madc;
  bool Wide = ptx::typeBits(D.Type) == 64;
  if (!Wide && ptx::typeBits(D.Type) != 32)
    return nullptr;
  bool Signed = ptx::isSignedType(D.Type);
  if (Mad)
    return Wide ? (Signed ? pickMad<int64_t>(In, D.CarryOut)
                          : pickMad<uint64_t>(In, D.CarryOut))
                : (Signed ? pickMad<int32_t>(In, D.CarryOut)
                          : pickMad<uint32_t>(In, D.CarryOut));
  if (Sub)
    return Wide ? pickAdd<uint64_t, true>(In, D.CarryOut)
                : pickAdd<uint32_t, true>(In, D.CarryOut);
  return Wide ? pickAdd<uint64_t, false>(In, D.CarryOut)
              : pickAdd<uint32_t, false>(In, D.CarryOut);
}

} // namespace

Handler pickIntegerOnly(const OpDesc &D) {
  if (ptx::isFloatType(D.Type))
    return nullptr;
  unsigned Bits = ptx::typeBits(D.Type);
  bool Signed = ptx::isSignedType(D.Type), Wide = Bits == 64;
  if (Bits != 32 && Bits != 64 && D.Op != Opcode::Sad)
    return nullptr;
  Handler H = nullptr;
  switch (D.Op) {
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Mad:
  case Opcode::Addc:
  case Opcode::Subc:
  case Opcode::Madc:
    return pickCarry(D);
  case Opcode::Mul24:
    return Wide     ? nullptr
           : Signed ? mul24<int32_t, false>
                    : mul24<uint32_t, false>;
  case Opcode::Mad24:
    return Wide     ? nullptr
           : Signed ? mul24<int32_t, true>
                    : mul24<uint32_t, true>;
  case Opcode::Sad:
    withInteger(D.Type, [&](auto *P) {
      using T = std::remove_pointer_t<decltype(P)>;
      if constexpr (sizeof(T) > 1)
        H = sad<T>;
    });
    return H;
  case Opcode::Popc:
    return Wide ? popc<uint64_t> : popc<uint32_t>;
  case Opcode::Clz:
    return Wide ? clz<uint64_t> : clz<uint32_t>;
  case Opcode::Bfind:
    return Wide ? (Signed ? bfind<int64_t> : bfind<uint64_t>)
                : (Signed ? bfind<int32_t> : bfind<uint32_t>);
  case Opcode::Fns:
    return Wide ? nullptr : fns;
  case Opcode::Brev:
    return Wide ? brev<uint64_t> : brev<uint32_t>;
  case Opcode::Bfe:
    return Wide ? (Signed ? bfe<int64_t> : bfe<uint64_t>)
                : (Signed ? bfe<int32_t> : bfe<uint32_t>);
  case Opcode::Bfi:
    return Wide ? bfi<uint64_t> : bfi<uint32_t>;
  case Opcode::Bmsk:
    return Wide ? nullptr : bmsk;
  case Opcode::Szext:
    return Wide ? nullptr : Signed ? szext<int32_t> : szext<uint32_t>;
  case Opcode::Dp4a:
    return pickDot<false>(D);
  case Opcode::Dp2a:
    return pickDot<true>(D);
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
