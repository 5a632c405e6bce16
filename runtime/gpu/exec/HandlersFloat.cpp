//===- HandlersFloat.cpp - Roots, reciprocals and transcendental functions ===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximate functions are evaluated in double precision by fixed sequences of
// IEEE operations, so they give the same bits on every machine. Then they are
// rounded to what the error that the PTX manual states leaves of them: whoever
// relies on more than that is found out here, not on a GPU.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Float.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

constexpr double Ln2 = 0x1.62e42fefa39efp-1;

/// 2^K for K in the normal range of double.
double power2(int K) { return bitsToF64(uint64_t(K + 1023) << 52); }

/// 2^X by the Taylor series of the fraction's exponential.
double exp2Of(double X) {
  if (X != X)
    return X;
  if (X >= 1024)
    return __builtin_inf();
  if (X < -1000)
    return 0;
  double N = std::nearbyint(X);
  double T = (X - N) * Ln2;
  double P = 1.0;
  for (int K = 13; K >= 1; --K)
    P = 1.0 + P * T / K;
  return P * power2(int(N));
}

/// log2 of a positive finite number: the exponent, and the mantissa's
/// logarithm from the series of the inverse hyperbolic tangent.
double log2Of(double X) {
  uint64_t B = f64Bits(X);
  int E = int(B >> 52) - 1023;
  double M = bitsToF64((B & ((uint64_t(1) << 52) - 1)) | 0x3ff0000000000000);
  if (M > 1.4142135623730951) {
    M *= 0.5;
    ++E;
  }
  double S = (M - 1) / (M + 1), Q = S * S;
  double P = 0;
  for (int K = 21; K >= 1; K -= 2)
    P = P * Q + 1.0 / K;
  return E + 2 * S * P / Ln2;
}

/// Sine of X + Quarter * pi/2 by reduction to a quarter turn.
double sineOf(double X, int Quarter) {
  if (!(X - X == 0))
    return __builtin_nan("");
  // Arguments come from floats; beyond 2^40 their spacing exceeds a turn and
  // hardware returns noise as well.
  constexpr double HalfPi = 0x1.921fb54442d18p0, Rest = 0x1.1a62633145c07p-54;
  double N = std::nearbyint(X / HalfPi);
  if (N > 0x1p52 || N < -0x1p52)
    return 0;
  // A product of up to 53 + 53 bits is exact in the fused form.
  double R = fusedMulAdd(-N, HalfPi, X) - N * Rest;
  int64_t Q = int64_t(N) + Quarter;
  double Z = R * R, P;
  if (Q & 1) {
    P = 1.0;
    for (int K = 16; K >= 2; K -= 2)
      P = 1.0 - P * Z / (K * (K - 1));
  } else {
    P = 1.0;
    for (int K = 17; K >= 3; K -= 2)
      P = 1.0 - P * Z / (K * (K - 1));
    P *= R;
  }
  return Q & 2 ? -P : P;
}

double tanhOf(double X) {
  if (X != X || X == 0)
    return X;
  double M = X < 0 ? -X : X;
  if (M < 0x1p-6)
    return X - X * X * X / 3; // The quotient below would cancel.
  double T = M > 20 ? 0 : exp2Of(-2 * M / Ln2);
  double R = (1 - T) / (1 + T);
  return X < 0 ? -R : R;
}

double logOf(double X) {
  if (X != X || X < 0)
    return __builtin_nan("");
  if (X == 0)
    return -__builtin_inf();
  return X - X == 0 ? log2Of(X) : X;
}

/// 1/sqrt(X) with one correction step, as the quotient alone rounds twice.
double rsqrtOf(double X) {
  double S = std::sqrt(X);
  double Y = 1.0 / S;
  if (!(X > 0) || !(X - X == 0) || !(Y - Y == 0))
    return Y;
  // S*S = X + e; the relative error of S is half that of S*S.
  double E = fusedMulAdd(-S, S, X);
  double D = fusedMulAdd(-S, Y, 1.0);
  return Y + Y * (D - 0.5 * E / X);
}

double evaluate(Opcode Op, double X) {
  switch (Op) {
  case Opcode::Rcp:
    return 1.0 / X;
  case Opcode::Sqrt:
    return std::sqrt(X);
  case Opcode::Rsqrt:
    return rsqrtOf(X);
  case Opcode::Sin:
    return X == 0 ? X : sineOf(X, 0);
  case Opcode::Cos:
    return sineOf(X, 1);
  case Opcode::Lg2:
    return logOf(X);
  case Opcode::Ex2:
    return exp2Of(X);
  default:
    return tanhOf(X);
  }
}

/// The bits of a result's mantissa that the PTX manual's error leaves: rounding
/// to them has at most that error, and less is exact. So perfect squares have
/// their roots, and functions that come near 1 come to it. Where the manual has
/// an absolute error, results are at most 1.
constexpr int bitsOf(Opcode Op) {
  switch (Op) {
  case Opcode::Lg2:
    return 21;
  case Opcode::Sin:
  case Opcode::Cos:
    return 20;
  case Opcode::Tanh:
    return 10;
  default:
    return 22;
  }
}

template <Opcode Op> void approxF32(Warp &W, const Inst &I, uint32_t Mask) {
  const float *A = W.row<float>(I.A);
  bool Ftz = I.Imm & ArithFtz;
  sparse(Mask, W.row<float>(I.D), [=](unsigned L) {
    float X = Ftz ? flush(A[L]) : A[L];
    // The manual has subnormal numbers as their own hyperbolic tangent.
    bool Same = Op == Opcode::Tanh && flush(X) == 0;
    float R =
        Same ? X : canonical(float(roundToBits(evaluate(Op, X), bitsOf(Op))));
    return Ftz ? flush(R) : R;
  });
}

/// rcp and rsqrt in double precision look at the high word only.
template <Opcode Op> void approxF64(Warp &W, const Inst &I, uint32_t Mask) {
  const double *A = W.row<double>(I.A);
  bool Ftz = I.Imm & ArithFtz;
  sparse(Mask, W.row<double>(I.D), [=](unsigned L) {
    double X = A[L];
    uint64_t B = f64Bits(X);
    if (Ftz && !(B & 0x7ff0000000000000))
      X = bitsToF64(B & (uint64_t(1) << 63));
    double R = evaluate(Op, X);
    if (R != R)
      return nanOf(R, X, X);
    uint64_t Out = f64Bits(R);
    if (Ftz) {
      if (!(Out & 0x7ff0000000000000))
        Out &= uint64_t(1) << 63;
      Out &= ~uint64_t(0xffffffff);
    }
    return bitsToF64(Out);
  });
}

/// Exactly rounded roots and reciprocals, in the direction of Sub.
template <typename T, bool Root>
void exact(Warp &W, const Inst &I, uint32_t Mask) {
  const T *A = W.row<T>(I.A);
  bool Ftz = I.Imm & ArithFtz;
  RoundScope Scope{Rounding(I.Sub)};
  sparse(Mask, W.row<T>(I.D), [=](unsigned L) {
    T In = A[L];
    if constexpr (sizeof(T) == 4)
      In = Ftz ? flush(In) : In;
    volatile T X = In;
    volatile T R = Root ? T(std::sqrt(T(X))) : T(1) / T(X);
    T V = nanOf(T(R), In, In);
    if constexpr (sizeof(T) == 4)
      V = Ftz ? flush(V) : V;
    return V;
  });
}

template <Opcode Op, bool Brain, bool Packed>
void approxHalf(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A);
  bool Ftz = I.Imm & ArithFtz;
  auto One = [=](uint16_t B) -> uint32_t {
    uint16_t ExpMask = Brain ? 0x7f80 : 0x7c00;
    if (Ftz && !(B & ExpMask))
      B &= 0x8000;
    double X = Brain ? toF32(BHalf{B}) : toF32(Half{B});
    double V = roundToBits(evaluate(Op, X), Brain ? 6 : 9);
    uint16_t R = Brain ? toBHalf(V).Bits : toHalf(V).Bits;
    if (Ftz && !(R & ExpMask))
      R &= 0x8000;
    return R;
  };
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t R = One(uint16_t(A[L]));
    if constexpr (Packed)
      R |= One(uint16_t(A[L] >> 16)) << 16;
    return R;
  });
}

template <Opcode Op> Handler pickHalf(Mod Type) {
  switch (Type) {
  case Mod::F16:
    return approxHalf<Op, false, false>;
  case Mod::F16X2:
    return approxHalf<Op, false, true>;
  case Mod::BF16:
    return approxHalf<Op, true, false>;
  case Mod::BF16X2:
    return approxHalf<Op, true, true>;
  default:
    return nullptr;
  }
}

template <typename R> void copysignOf(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr R SignBit = R(1) << (8 * sizeof(R) - 1);
  const R *A = W.row<R>(I.A), *B = W.row<R>(I.B);
  dense(Mask, W.row<R>(I.D),
        [=](unsigned L) { return (A[L] & SignBit) | (B[L] & ~SignBit); });
}

template <typename R> void testp(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr R ExpMask = sizeof(R) == 8 ? R(0x7ff0000000000000) : R(0x7f800000);
  constexpr R Abs = R(~(R(1) << (8 * sizeof(R) - 1)));
  const R *A = W.row<R>(I.A);
  Mod Class = Mod(I.Sub);
  uint32_t Bits = ballot([=](unsigned L) {
    R V = A[L] & Abs;
    bool Nan = V > ExpMask, Inf = V == ExpMask, Zero = V == 0;
    bool Small = !(V & ExpMask) && !Zero;
    switch (Class) {
    case Mod::Finite:
      return V < ExpMask;
    case Mod::Infinite:
      return Inf;
    case Mod::Number:
      return !Nan;
    case Mod::NotANumber:
      return Nan;
    case Mod::Normal:
      // Zeros count as normal.
      return !Nan && !Inf && !Small;
    default:
      return Small;
    }
  });
  blend(W.pred(I.D), Bits, Mask);
}

template <Opcode Op> Handler pickRoot(const OpDesc &D) {
  constexpr bool Root = Op == Opcode::Sqrt;
  if (!D.Approx)
    return D.Round == Rounding::None      ? nullptr
           : D.Type == Mod::F32           ? exact<float, Root>
           : D.Type == Mod::F64 && !D.Ftz ? exact<double, Root>
                                          : Handler(nullptr);
  if (D.Type == Mod::F32)
    return approxF32<Op>;
  return !Root && D.Type == Mod::F64 ? approxF64<Op> : nullptr;
}

} // namespace

Handler pickFloatOnly(const OpDesc &D) {
  bool Single = D.Type == Mod::F32;
  switch (D.Op) {
  case Opcode::Rcp:
    return pickRoot<Opcode::Rcp>(D);
  case Opcode::Sqrt:
    return pickRoot<Opcode::Sqrt>(D);
  case Opcode::Rsqrt:
    return !D.Approx            ? nullptr
           : Single             ? approxF32<Opcode::Rsqrt>
           : D.Type == Mod::F64 ? approxF64<Opcode::Rsqrt>
                                : Handler(nullptr);
  case Opcode::Sin:
    return Single ? approxF32<Opcode::Sin> : nullptr;
  case Opcode::Cos:
    return Single ? approxF32<Opcode::Cos> : nullptr;
  case Opcode::Lg2:
    return Single ? approxF32<Opcode::Lg2> : nullptr;
  case Opcode::Ex2:
    return Single ? approxF32<Opcode::Ex2> : pickHalf<Opcode::Ex2>(D.Type);
  case Opcode::Tanh:
    return Single ? approxF32<Opcode::Tanh> : pickHalf<Opcode::Tanh>(D.Type);
  case Opcode::Copysign:
    return Single               ? copysignOf<uint32_t>
           : D.Type == Mod::F64 ? copysignOf<uint64_t>
                                : Handler(nullptr);
  case Opcode::Testp:
    return D.Word == Mod::None  ? nullptr
           : Single             ? testp<uint32_t>
           : D.Type == Mod::F64 ? testp<uint64_t>
                                : Handler(nullptr);
  default:
    return nullptr;
  }
}

} // namespace gevo::gpu::GEVO_ISA
