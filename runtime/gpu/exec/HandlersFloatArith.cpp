//===- HandlersFloatArith.cpp - add to max of floats ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float arithmetic in f32, f64, f16, bf16 and the packed halves. The handlers
// for rounding to nearest are templates over flushing and saturation so that
// their loops stay free of branches; all others read their flags when they run.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Float.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

enum class Op2 { Add, Sub, Mul, Div };

template <Op2 O, typename T> inline T apply(T A, T B) {
  return O == Op2::Add   ? A + B
         : O == Op2::Sub ? A - B
         : O == Op2::Mul ? A * B
                         : A / B;
}

template <bool Ftz, typename T> inline T in(T V) {
  if constexpr (Ftz && sizeof(T) == 4)
    return flush(V);
  return V;
}
template <bool Ftz, bool Sat, typename T> inline T out(T V) {
  if constexpr (Ftz && sizeof(T) == 4)
    V = flush(V);
  if constexpr (Sat)
    V = saturate(V);
  return V;
}

template <typename T, Op2 O, bool Ftz, bool Sat>
void binaryF(Warp &W, const Inst &I, uint32_t Mask) {
  T *D = W.row<T>(I.D);
  const T *A = W.row<T>(I.A), *B = W.row<T>(I.B);
  dense(Mask, D, [=](unsigned L) {
    T X = in<Ftz>(A[L]), Y = in<Ftz>(B[L]);
    return out<Ftz, Sat>(nanOf(apply<O>(X, Y), X, Y));
  });
}

template <typename T, bool Ftz, bool Sat>
void fmaF(Warp &W, const Inst &I, uint32_t Mask) {
  T *D = W.row<T>(I.D);
  const T *A = W.row<T>(I.A), *B = W.row<T>(I.B), *C = W.row<T>(I.C);
#ifdef __FMA__
  dense(Mask, D, [=](unsigned L) {
#else
  // Without the instruction this is a library call per lane.
  sparse(Mask, D, [=](unsigned L) {
#endif
    T X = in<Ftz>(A[L]), Y = in<Ftz>(B[L]), Z = in<Ftz>(C[L]);
    return out<Ftz, Sat>(nanOf(fusedMulAdd(X, Y, Z), X, Y, Z));
  });
}

/// Rounding other than to nearest. The operands pass through volatile
/// variables, which pins the operation between the changes of mode.
template <typename T, Op2 O>
void binaryDirected(Warp &W, const Inst &I, uint32_t Mask) {
  T *D = W.row<T>(I.D);
  const T *A = W.row<T>(I.A), *B = W.row<T>(I.B);
  bool Ftz = I.Imm & ArithFtz, Sat = I.Imm & ArithSat;
  RoundScope Scope{Rounding(I.Sub)};
  sparse(Mask, D, [=](unsigned L) {
    volatile T X = Ftz ? in<true>(A[L]) : A[L], Y = Ftz ? in<true>(B[L]) : B[L];
    volatile T R = apply<O>(T(X), T(Y));
    T V = nanOf(T(R), T(X), T(Y));
    V = Ftz ? out<true, false>(V) : V;
    return Sat ? saturate(V) : V;
  });
}

template <typename T> void fmaDirected(Warp &W, const Inst &I, uint32_t Mask) {
  T *D = W.row<T>(I.D);
  const T *A = W.row<T>(I.A), *B = W.row<T>(I.B), *C = W.row<T>(I.C);
  bool Ftz = I.Imm & ArithFtz, Sat = I.Imm & ArithSat;
  RoundScope Scope{Rounding(I.Sub)};
  sparse(Mask, D, [=](unsigned L) {
    volatile T X = Ftz ? in<true>(A[L]) : A[L], Y = Ftz ? in<true>(B[L]) : B[L],
               Z = Ftz ? in<true>(C[L]) : C[L];
    volatile T R = fusedMulAdd(T(X), T(Y), T(Z));
    T V = nanOf(T(R), T(X), T(Y), T(Z));
    V = Ftz ? out<true, false>(V) : V;
    return Sat ? saturate(V) : V;
  });
}

/// min and max order -0 before +0; a NaN operand gives the other one unless
/// the instruction asks for NaN.
template <typename T, bool Max> inline T minmax(T A, T B, bool WantNan) {
  using Bits = Lane<T>;
  constexpr Bits SignBit = Bits(1) << (8 * sizeof(T) - 1);
  T Nan = canonical(T(__builtin_nan("")));
  if (A != A)
    return WantNan || B != B ? Nan : B;
  if (B != B)
    return WantNan ? Nan : A;
  if (A == B) { // Equal, or zeros of either sign.
    bool NegA = put<T>(A) & SignBit;
    return NegA == Max ? B : A;
  }
  return (A < B) == Max ? B : A;
}

template <typename T, bool Max>
void minmaxF(Warp &W, const Inst &I, uint32_t Mask) {
  using Bits = Lane<T>;
  constexpr Bits SignBit = Bits(1) << (8 * sizeof(T) - 1);
  T *D = W.row<T>(I.D);
  const T *A = W.row<T>(I.A), *B = W.row<T>(I.B);
  bool Ftz = I.Imm & ArithFtz, Nan = I.Imm & ArithNan;
  bool XorSign = I.Imm & ArithXorSign;
  dense(Mask, D, [=](unsigned L) {
    T X = Ftz ? in<true>(A[L]) : A[L], Y = Ftz ? in<true>(B[L]) : B[L];
    if (!XorSign)
      return minmax<T, Max>(X, Y, Nan);
    Bits Sign = (put<T>(X) ^ put<T>(Y)) & SignBit;
    T R = minmax<T, Max>(get<T>(put<T>(X) & ~SignBit),
                         get<T>(put<T>(Y) & ~SignBit), Nan);
    return R != R ? R : get<T>(put<T>(R) | Sign);
  });
}

/// abs and neg work on the sign alone.
template <typename R, bool Neg>
void signF(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr R SignBit = R(1) << (8 * sizeof(R) - 1);
  R *D = W.row<R>(I.D);
  const R *A = W.row<R>(I.A);
  bool Ftz = sizeof(R) == 4 && (I.Imm & ArithFtz);
  dense(Mask, D, [=](unsigned L) {
    R V = A[L];
    if (Ftz && !(V & R(0x7f800000)))
      V &= SignBit;
    return Neg ? R(V ^ SignBit) : R(V & ~SignBit);
  });
}

/// \name Halves
/// @{
template <typename H> struct HalfTraits;
template <> struct HalfTraits<Half> {
  static constexpr uint16_t Infinity = 0x7c00, One = 0x3c00;
  static Half round(double V) { return toHalf(V); }
};
template <> struct HalfTraits<BHalf> {
  static constexpr uint16_t Infinity = 0x7f80, One = 0x3f80;
  static BHalf round(double V) { return toBHalf(V); }
};

template <typename H> uint16_t flushHalf(uint16_t B) {
  return B & HalfTraits<H>::Infinity ? B : B & 0x8000;
}
template <typename H> bool isNanHalf(uint16_t B) {
  return (B & 0x7fff) > HalfTraits<H>::Infinity;
}

template <typename H> uint16_t finishHalf(uint16_t R, int64_t Flags) {
  using Traits = HalfTraits<H>;
  if (Flags & ArithFtz)
    R = flushHalf<H>(R);
  if (Flags & ArithSat) {
    if (isNanHalf<H>(R) || (R & 0x8000))
      R = 0;
    else if (R > Traits::One)
      R = Traits::One;
  }
  if ((Flags & ArithRelu) && !isNanHalf<H>(R) && (R & 0x8000))
    R = 0;
  return isNanHalf<H>(R) ? NanF16 : R;
}

/// One operation on halves; the sum is exact or rounded to odd in double.
template <typename H>
uint16_t halfOp(Opcode Op, uint16_t A, uint16_t B, uint16_t C, int64_t Flags) {
  using Traits = HalfTraits<H>;
  if (Flags & ArithFtz) {
    A = flushHalf<H>(A);
    B = flushHalf<H>(B);
    C = flushHalf<H>(C);
  }
  double X = toF32(H{A}), Y = toF32(H{B}), Z = toF32(H{C});
  double R = 0;
  switch (Op) {
  case Opcode::Add:
    R = addToOdd(X, Y);
    break;
  case Opcode::Sub:
    R = addToOdd(X, -Y);
    break;
  case Opcode::Mul:
    R = X * Y;
    break;
  case Opcode::Fma:
  case Opcode::Mad:
    R = addToOdd(X * Y, Z);
    break;
  case Opcode::Min:
  case Opcode::Max: {
    bool Nan = Flags & ArithNan;
    uint16_t Sign = 0;
    if (Flags & ArithXorSign) {
      Sign = (A ^ B) & 0x8000;
      X = X < 0 || (A & 0x8000) ? -X : X;
      Y = Y < 0 || (B & 0x8000) ? -Y : Y;
    }
    R = Op == Opcode::Max ? minmax<double, true>(X, Y, Nan)
                          : minmax<double, false>(X, Y, Nan);
    uint16_t Bits = finishHalf<H>(Traits::round(R).Bits, Flags);
    return Flags & ArithXorSign && !isNanHalf<H>(Bits) ? Bits | Sign : Bits;
  }
  default:
    break;
  }
  return finishHalf<H>(Traits::round(R).Bits, Flags);
}

template <typename H, Opcode Op, bool Packed>
void arithHalf(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr bool Three = Op == Opcode::Fma || Op == Opcode::Mad;
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  const uint32_t *C = Three ? W.row<uint32_t>(I.C) : A;
  int64_t Flags = I.Imm;
  sparse(Mask, D, [=](unsigned L) {
    uint32_t R =
        halfOp<H>(Op, uint16_t(A[L]), uint16_t(B[L]), uint16_t(C[L]), Flags);
    if constexpr (Packed)
      R |= uint32_t(halfOp<H>(Op, uint16_t(A[L] >> 16), uint16_t(B[L] >> 16),
                              uint16_t(C[L] >> 16), Flags))
           << 16;
    return R;
  });
}

template <typename H, Opcode Op, bool Packed>
void signHalf(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr uint32_t Signs = Packed ? 0x80008000u : 0x8000u;
  uint32_t *D = W.row<uint32_t>(I.D);
  const uint32_t *A = W.row<uint32_t>(I.A);
  bool Ftz = I.Imm & ArithFtz;
  dense(Mask, D, [=](unsigned L) {
    uint32_t V = A[L];
    if (Ftz)
      V = uint32_t(flushHalf<H>(uint16_t(V))) |
          uint32_t(flushHalf<H>(uint16_t(V >> 16))) << 16;
    return Op == Opcode::Neg ? V ^ Signs : V & ~Signs;
  });
}

template <typename H, bool Packed> Handler pickHalf(const OpDesc &D) {
  switch (D.Op) {
  case Opcode::Add:
    return arithHalf<H, Opcode::Add, Packed>;
  case Opcode::Sub:
    return arithHalf<H, Opcode::Sub, Packed>;
  case Opcode::Mul:
    return arithHalf<H, Opcode::Mul, Packed>;
  case Opcode::Fma:
    return arithHalf<H, Opcode::Fma, Packed>;
  case Opcode::Min:
    return arithHalf<H, Opcode::Min, Packed>;
  case Opcode::Max:
    return arithHalf<H, Opcode::Max, Packed>;
  case Opcode::Abs:
    return signHalf<H, Opcode::Abs, Packed>;
  case Opcode::Neg:
    return signHalf<H, Opcode::Neg, Packed>;
  default:
    return nullptr;
  }
}
/// @}

template <typename T, Op2 O>
Handler pickBinary(const OpDesc &D, bool Directed) {
  if (Directed)
    return binaryDirected<T, O>;
  if constexpr (sizeof(T) == 8)
    return binaryF<T, O, false, false>;
  else
    return D.Ftz ? (D.Sat ? binaryF<T, O, true, true>
                          : binaryF<T, O, true, false>)
                 : (D.Sat ? binaryF<T, O, false, true>
                          : binaryF<T, O, false, false>);
}

/// The product with the reciprocal, as the PTX manual has it, that of
/// rcp.approx: so one divided by something is as far off as that is. Where the
/// product is more than the manual's 2 ulp off, it is the rounded quotient.
float quotientOf(float X, float Y) {
  constexpr int BitsOfRcp = 22;
  constexpr uint64_t Exponent = 0x7ff0000000000000;
  double True = double(X) / double(Y);
  float R = float(double(X) * roundToBits(1.0 / double(Y), BitsOfRcp));
  double Ulp = bitsToF64(f64Bits(True) & Exponent) * 0x1p-23;
  double Off = double(R) - True;
  return (Off < 0 ? -Off : Off) > 2 * Ulp ? float(True) : R;
}

/// For divisors in (2^126, 2^128) div.approx gives 0, or NaN for an infinite
/// dividend; div.full has no such limit.
template <bool Full> void divApprox(Warp &W, const Inst &I, uint32_t Mask) {
  float *D = W.row<float>(I.D);
  const float *A = W.row<float>(I.A), *B = W.row<float>(I.B);
  bool Ftz = I.Imm & ArithFtz;
  dense(Mask, D, [=](unsigned L) {
    float X = Ftz ? flush(A[L]) : A[L], Y = Ftz ? flush(B[L]) : B[L];
    float M = Y < 0 ? -Y : Y;
    float R = quotientOf(X, Y);
    if (!Full && M > 0x1p126f && M < bitsToF32(0x7f800000))
      R = X * 0.0f * (Y < 0 ? -1.0f : 1.0f);
    R = canonical(R);
    return Ftz ? flush(R) : R;
  });
}

template <typename T> Handler pickWide(const OpDesc &D) {
  bool Directed = D.Round == Rounding::Zero || D.Round == Rounding::Down ||
                  D.Round == Rounding::Up;
  if (sizeof(T) == 8 && (D.Sat || D.Ftz))
    return nullptr;
  switch (D.Op) {
  case Opcode::Add:
    return pickBinary<T, Op2::Add>(D, Directed);
  case Opcode::Sub:
    return pickBinary<T, Op2::Sub>(D, Directed);
  case Opcode::Mul:
    return D.Wide || D.Hi ? nullptr : pickBinary<T, Op2::Mul>(D, Directed);
  case Opcode::Div:
    if (D.Approx || D.Full) {
      if constexpr (sizeof(T) == 8)
        return nullptr;
      else
        return D.Approx ? divApprox<false> : divApprox<true>;
    }
    return pickBinary<T, Op2::Div>(D, Directed);
  case Opcode::Mad:
  case Opcode::Fma:
    if (D.Wide || D.Hi || D.Relu)
      return nullptr;
    if (Directed)
      return fmaDirected<T>;
    if constexpr (sizeof(T) == 8)
      return fmaF<T, false, false>;
    else
      return D.Ftz ? (D.Sat ? fmaF<T, true, true> : fmaF<T, true, false>)
                   : (D.Sat ? fmaF<T, false, true> : fmaF<T, false, false>);
  case Opcode::Min:
    return minmaxF<T, false>;
  case Opcode::Max:
    return minmaxF<T, true>;
  case Opcode::Abs:
    return signF<Lane<T>, false>;
  case Opcode::Neg:
    return signF<Lane<T>, true>;
  default:
    return nullptr;
  }
}

} // namespace

Handler pickFloatArith(const OpDesc &D) {
  switch (D.Type) {
  case Mod::F32:
    return pickWide<float>(D);
  case Mod::F64:
    return pickWide<double>(D);
  case Mod::F16:
    return pickHalf<Half, false>(D);
  case Mod::F16X2:
    return pickHalf<Half, true>(D);
  case Mod::BF16:
    return pickHalf<BHalf, false>(D);
  case Mod::BF16X2:
    return pickHalf<BHalf, true>(D);
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
