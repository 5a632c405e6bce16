//===- Float.h - Floating point as PTX defines it ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flushing, saturation, canonical NaNs, directed rounding and the narrow types.
// Rounding to nearest is the host's; other directions set the host's rounding
// mode around a loop of lanes. Compiled once per instruction set, like Lanes.h.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_FLOAT_H
#define GEVO_RUNTIME_GPU_EXEC_FLOAT_H

#include "runtime/gpu/exec/Lanes.h"

#include <cfenv>
#include <cmath>

namespace gevo::gpu::GEVO_ISA {

constexpr uint32_t NanF32 = 0x7fffffff;
constexpr uint64_t NanF64 = 0xfff8000000000000;
constexpr uint16_t NanF16 = 0x7fff;

inline float bitsToF32(uint32_t B) { return __builtin_bit_cast(float, B); }
inline double bitsToF64(uint64_t B) { return __builtin_bit_cast(double, B); }
inline uint32_t f32Bits(float V) { return __builtin_bit_cast(uint32_t, V); }
inline uint64_t f64Bits(double V) { return __builtin_bit_cast(uint64_t, V); }

/// Subnormal to zero of the same sign.
inline float flush(float V) {
  uint32_t B = f32Bits(V);
  return bitsToF32((B & 0x7f800000) ? B : B & 0x80000000);
}
inline float canonical(float V) { return V != V ? bitsToF32(NanF32) : V; }
inline double canonical(double V) { return V != V ? bitsToF64(NanF64) : V; }
inline double quiet(double V) {
  return bitsToF64(f64Bits(V) | 0x0008000000000000);
}
/// NaN results: one value in single precision; in double precision the first
/// NaN operand, made quiet, or the default NaN.
inline float nanOf(float R, float, float) { return canonical(R); }
inline float nanOf(float R, float, float, float) { return canonical(R); }
inline double nanOf(double R, double A, double B) {
  return R == R ? R : A != A ? quiet(A) : B != B ? quiet(B) : bitsToF64(NanF64);
}
inline double nanOf(double R, double A, double B, double C) {
  return R == R ? R : C != C && A == A && B == B ? quiet(C) : nanOf(R, A, B);
}
/// Clamp to [0,1]; NaN gives +0.
template <typename T> inline T saturate(T V) {
  return V > T(0) ? (V < T(1) ? V : T(1)) : T(0);
}

/// 16-bit floats; arithmetic on them goes through float or double.
struct Half {
  uint16_t Bits;
};
struct BHalf {
  uint16_t Bits;
};

/// (-1)^Neg * Sig * 2^Exp rounded to a format with \p MantBits stored mantissa
/// bits and \p ExpBits exponent bits, as its bits. Overflow follows the
/// direction.
inline uint64_t roundBits(bool Neg, uint64_t Sig, int Exp, int MantBits,
                          int ExpBits, Rounding R) {
  uint64_t Sign = uint64_t(Neg) << (MantBits + ExpBits);
  if (Sig == 0)
    return Sign;
  int Bias = (1 << (ExpBits - 1)) - 1;
  uint64_t Inf = ((uint64_t(1) << ExpBits) - 1) << MantBits;
  int Lead = __builtin_clzll(Sig);
  Sig <<= Lead;
  int E = Exp - Lead + 63; // Exponent of the leading bit.
  int Target = E < 1 - Bias ? 1 - Bias : E;
  // Keep MantBits below the leading place of exponent Target.
  int Drop = 63 - MantBits + (Target - E);
  uint64_t Kept = Drop > 63 ? 0 : Sig >> Drop;
  bool Half, More;
  if (Drop > 64) {
    Half = false;
    More = true;
  } else {
    uint64_t Rest = Drop == 64 ? Sig : Sig & ((uint64_t(1) << Drop) - 1);
    uint64_t HalfWay = uint64_t(1) << (Drop - 1);
    Half = Rest & HalfWay;
    More = Rest & (HalfWay - 1);
  }
  bool Up = false;
  switch (R) {
  case Rounding::None:
  case Rounding::Nearest:
    Up = Half && (More || (Kept & 1));
    break;
  case Rounding::NearestAway:
    Up = Half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    Up = Neg && (Half || More);
    break;
  case Rounding::Up:
    Up = !Neg && (Half || More);
    break;
  }
  // Kept has the hidden bit if the result is normal; a carry runs into the
  // exponent as it should.
  uint64_t Out = Kept + Up + (uint64_t(Target + Bias - 1) << MantBits);
  if (Out >= Inf) {
    bool ToMax = R == Rounding::Zero || (R == Rounding::Down && !Neg) ||
                 (R == Rounding::Up && Neg);
    return Sign | (ToMax ? Inf - 1 : Inf);
  }
  return Sign | Out;
}

/// A double rounded to a narrower format; NaN becomes all ones but the sign.
inline uint64_t roundTo(double X, int MantBits, int ExpBits, Rounding R) {
  uint64_t B = f64Bits(X);
  int Exp = int(B >> 52 & 0x7ff);
  uint64_t Frac = B & ((uint64_t(1) << 52) - 1);
  uint64_t Inf = ((uint64_t(1) << ExpBits) - 1) << MantBits;
  if (Exp == 0x7ff)
    return Frac ? Inf | ((uint64_t(1) << MantBits) - 1)
                : (B >> 63 << (MantBits + ExpBits)) | Inf;
  uint64_t Sig = Exp ? Frac | uint64_t(1) << 52 : Frac;
  return roundBits(B >> 63, Sig, (Exp ? Exp : 1) - 1075, MantBits, ExpBits, R);
}

inline float toF32(Half H) {
  uint32_t Sign = uint32_t(H.Bits & 0x8000) << 16;
  uint32_t Exp = H.Bits >> 10 & 0x1f, Mant = H.Bits & 0x3ff;
  if (Exp == 31)
    return bitsToF32(Mant ? NanF32 : Sign | 0x7f800000);
  if (Exp == 0)
    return bitsToF32(Sign | f32Bits(float(Mant) * 0x1p-24f));
  return bitsToF32(Sign | (Exp + 112) << 23 | Mant << 13);
}
inline float toF32(BHalf H) {
  float V = bitsToF32(uint32_t(H.Bits) << 16);
  return canonical(V);
}
inline Half toHalf(double V, Rounding R = Rounding::Nearest) {
  return {uint16_t(roundTo(V, 10, 5, R))};
}
inline BHalf toBHalf(double V, Rounding R = Rounding::Nearest) {
  return {uint16_t(roundTo(V, 7, 8, R))};
}

/// The nearest number with \p Bits bits behind its first one.
inline double roundToBits(double V, int Bits) {
  uint64_t Unit = uint64_t(1) << (52 - Bits);
  return V - V == 0 ? bitsToF64((f64Bits(V) + Unit / 2) & ~(Unit - 1)) : V;
}

/// A + B in double rounded to odd, so that a second rounding to a narrower
/// type gives what one rounding would.
inline double addToOdd(double A, double B) {
  double S = A + B;
  double BB = S - A;
  double Err = (A - (S - BB)) + (B - BB);
  uint64_t Bits = f64Bits(S);
  if (Err != 0 && Err == Err && !(Bits & 1) && S - S == 0)
    Bits += (Err > 0) == (S > 0) ? 1 : uint64_t(-1);
  return bitsToF64(Bits);
}

/// Sets the host's rounding mode for its lifetime.
class RoundScope {
public:
  explicit RoundScope(Rounding R) : Old(std::fegetround()) {
    std::fesetround(R == Rounding::Zero   ? FE_TOWARDZERO
                    : R == Rounding::Down ? FE_DOWNWARD
                    : R == Rounding::Up   ? FE_UPWARD
                                          : FE_TONEAREST);
  }
  ~RoundScope() { std::fesetround(Old); }

private:
  int Old;
};

inline float fusedMulAdd(float A, float B, float C) {
  return __builtin_fmaf(A, B, C);
}
inline double fusedMulAdd(double A, double B, double C) {
  return __builtin_fma(A, B, C);
}

} // namespace gevo::gpu::GEVO_ISA

#endif // GEVO_RUNTIME_GPU_EXEC_FLOAT_H
