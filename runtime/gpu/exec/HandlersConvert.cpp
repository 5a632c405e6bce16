//===- HandlersConvert.cpp - cvt ------------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions that programs use most have loops of their own; all others
// go lane by lane through one function that switches on the types.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Float.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;

namespace gevo::gpu::GEVO_ISA {
namespace {

/// \name Fast conversions
/// RD and RS are the lanes of the registers, which may be wider than the types.
/// @{
template <typename T, typename RD, typename S, typename RS>
void intToInt(Warp &W, const Inst &I, uint32_t Mask) {
  const RS *A = W.row<RS>(I.A);
  dense(Mask, W.row<RD>(I.D), [=](unsigned L) {
    // The result is extended to the register as its type says.
    T V = T(S(A[L]));
    if constexpr (std::is_signed_v<T>)
      return RD(std::make_signed_t<RD>(V));
    else
      return RD(V);
  });
}

template <typename T, typename S>
void intToFloat(Warp &W, const Inst &I, uint32_t Mask) {
  const Lane<S> *A = W.row<Lane<S>>(I.A);
  dense(Mask, W.row<T>(I.D), [=](unsigned L) { return T(get<S>(A[L])); });
}

/// Towards zero with clamping; NaN gives 0, or of a double the top bit alone.
template <typename T, typename S, bool Ftz>
void truncate(Warp &W, const Inst &I, uint32_t Mask) {
  constexpr S Lo = std::is_signed_v<T> ? S(-2147483648.0) : S(0);
  constexpr S Hi = std::is_signed_v<T> ? S(2147483648.0) : S(4294967296.0);
  const S *A = W.row<S>(I.A);
  dense(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    S V = A[L];
    bool Low = V <= Lo, High = V >= Hi, Nan = V != V;
    S Safe = Low || High || Nan ? S(0) : V;
    uint32_t R =
        std::is_signed_v<T> ? uint32_t(int32_t(Safe)) : uint32_t(int64_t(Safe));
    if constexpr (sizeof(S) == 8)
      R = Nan ? 0x80000000u : R;
    R = Low ? (std::is_signed_v<T> ? 0x80000000u : 0u) : R;
    return High ? (std::is_signed_v<T> ? 0x7fffffffu : 0xffffffffu) : R;
  });
}

void f32ToF64(Warp &W, const Inst &I, uint32_t Mask) {
  const float *A = W.row<float>(I.A);
  dense(Mask, W.row<double>(I.D),
        [=](unsigned L) { return nanOf(double(A[L]), double(A[L]), 0.0); });
}
void f64ToF32(Warp &W, const Inst &I, uint32_t Mask) {
  const double *A = W.row<double>(I.A);
  dense(Mask, W.row<float>(I.D),
        [=](unsigned L) { return canonical(float(A[L])); });
}
void f16ToF32(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A);
  sparse(Mask, W.row<float>(I.D),
         [=](unsigned L) { return toF32(Half{uint16_t(A[L])}); });
}
/// @}

/// \name One lane of any conversion
/// @{
struct Options {
  Mod To, From;
  Rounding Round;
  bool Integral, Ftz, Sat, SatFinite, Relu;
};

/// Inst::Imm of a general conversion.
Options unpackOptions(int64_t Imm) {
  Options O;
  O.To = Mod(Imm & 0xff);
  O.From = Mod(Imm >> 8 & 0xff);
  O.Round = Rounding(Imm >> 16 & 0xff);
  O.Integral = Imm >> 24 & 1;
  O.Ftz = Imm >> 25 & 1;
  O.Sat = Imm >> 26 & 1;
  O.SatFinite = Imm >> 27 & 1;
  O.Relu = Imm >> 28 & 1;
  return O;
}

uint64_t maskTo(uint64_t V, unsigned Bits) {
  return Bits >= 64 ? V : V & ((uint64_t(1) << Bits) - 1);
}
int64_t signExtend(uint64_t V, unsigned Bits) {
  return Bits >= 64 ? int64_t(V) : int64_t(V << (64 - Bits)) >> (64 - Bits);
}

/// Rounds to an integral value in the direction given.
double toIntegral(double V, Rounding R) {
  switch (R) {
  case Rounding::Zero:
    return std::trunc(V);
  case Rounding::Down:
    return std::floor(V);
  case Rounding::Up:
    return std::ceil(V);
  default:
    return std::nearbyint(V);
  }
}

double floatValue(uint64_t Bits, Mod Type, bool Ftz) {
  switch (Type) {
  case Mod::F64:
    return bitsToF64(Bits);
  case Mod::F16:
    return toF32(Half{uint16_t(Bits)});
  case Mod::BF16:
    return toF32(BHalf{uint16_t(Bits)});
  default: {
    float V = bitsToF32(uint32_t(Bits));
    return Ftz ? flush(V) : V;
  }
  }
}

uint64_t floatToInt(double V, const Options &O) {
  unsigned Bits = ptx::typeBits(O.To);
  bool Signed = ptx::isSignedType(O.To);
  // With 64 bits on either side NaN gives the top bit alone.
  if (V != V)
    return Bits == 64 || O.From == Mod::F64 ? uint64_t(1) << (Bits - 1) : 0;
  V = toIntegral(V, O.Round);
  double Hi = std::ldexp(1.0, int(Bits) - (Signed ? 1 : 0));
  double Lo = Signed ? -Hi : 0.0;
  uint64_t Max = maskTo(~uint64_t(0), Bits - (Signed ? 1 : 0));
  if (V >= Hi)
    return Max;
  if (V <= Lo)
    return Signed ? maskTo(uint64_t(1) << (Bits - 1), Bits) : 0;
  return maskTo(V < 0 ? uint64_t(int64_t(V))
                : Bits == 64 && !Signed && V >= 0x1p63
                    ? uint64_t(V - 0x1p63) + (uint64_t(1) << 63)
                    : uint64_t(int64_t(V)),
                Bits);
}

uint64_t intToInt(uint64_t Bits, const Options &O) {
  unsigned From = ptx::typeBits(O.From), To = ptx::typeBits(O.To);
  bool FromSigned = ptx::isSignedType(O.From),
       ToSigned = ptx::isSignedType(O.To);
  Bits = maskTo(Bits, From);
  __int128 V = FromSigned ? __int128(signExtend(Bits, From)) : __int128(Bits);
  if (O.Sat) {
    __int128 Hi = (__int128(1) << (To - (ToSigned ? 1 : 0))) - 1;
    __int128 Lo = ToSigned ? -Hi - 1 : 0;
    V = V > Hi ? Hi : V < Lo ? Lo : V;
  }
  return maskTo(uint64_t(V), To);
}

struct Format {
  int Mant, Exp;
};
Format formatOf(Mod T) {
  switch (T) {
  case Mod::F16:
    return {10, 5};
  case Mod::BF16:
    return {7, 8};
  case Mod::TF32:
    return {10, 8};
  case Mod::F64:
    return {52, 11};
  default:
    return {23, 8};
  }
}

/// Saturation, relu and flushing of a result in a float format.
uint64_t finishFloat(uint64_t R, const Options &O) {
  Format F = formatOf(O.To);
  uint64_t Inf = ((uint64_t(1) << F.Exp) - 1) << F.Mant;
  uint64_t Sign = uint64_t(1) << (F.Mant + F.Exp);
  uint64_t One = uint64_t((1 << (F.Exp - 1)) - 1) << F.Mant;
  bool Nan = (R & ~Sign) > Inf;
  if (O.Ftz && O.To == Mod::F32 && !(R & Inf))
    R &= Sign;
  if (O.Sat)
    R = Nan || (R & Sign) ? 0 : R > One ? One : R;
  if (O.Relu && !Nan && (R & Sign))
    R = 0;
  if (O.SatFinite && (R & ~Sign) == Inf)
    R = (R & Sign) | (Inf - 1);
  // A tf32 is the high part of an f32.
  return O.To == Mod::TF32 ? R << 13 : R;
}

uint64_t toFloat(double V, const Options &O) {
  if (O.Integral && V == V)
    V = toIntegral(V, O.Round);
  Format F = formatOf(O.To);
  if (O.To == Mod::F64)
    return finishFloat(f64Bits(nanOf(V, V, V)), O);
  return finishFloat(roundTo(V, F.Mant, F.Exp, O.Round), O);
}

uint64_t convertOne(uint64_t Bits, const Options &O) {
  bool FromFloat = ptx::isFloatType(O.From), ToFloat = ptx::isFloatType(O.To);
  if (!FromFloat && !ToFloat)
    return intToInt(Bits, O);
  if (FromFloat && !ToFloat)
    return floatToInt(floatValue(Bits, O.From, O.Ftz), O);
  if (FromFloat)
    return toFloat(floatValue(Bits, O.From, O.Ftz), O);
  unsigned From = ptx::typeBits(O.From);
  Bits = maskTo(Bits, From);
  bool Neg = ptx::isSignedType(O.From) && signExtend(Bits, From) < 0;
  uint64_t Mag = Neg ? 0 - uint64_t(signExtend(Bits, From)) : Bits;
  Format F = formatOf(O.To);
  return finishFloat(roundBits(Neg, Mag, 0, F.Mant, F.Exp, O.Round), O);
}

/// Eight-bit floats: e4m3 has no infinity, its largest value is 448.
uint8_t toEight(double V, bool E5, bool Relu) {
  if (V != V)
    return 0x7f;
  uint64_t R = E5 ? roundTo(V, 2, 5, Rounding::Nearest)
                  : roundTo(V, 3, 4, Rounding::Nearest);
  // Out of range is clamped: these conversions always saturate. Values of
  // e4m3 above 240 use the exponent that infinity has elsewhere.
  if (!E5) {
    double M = V < 0 ? -V : V;
    uint64_t Sign = V < 0 || (V == 0 && (f64Bits(V) >> 63)) ? 0x80 : 0;
    if (M >= 248.0) {
      uint64_t Wide = roundTo(M > 1e4 ? 1e4 : M, 3, 5, Rounding::Nearest);
      // Same mantissa, exponents biased by 15 instead of 7.
      uint64_t Exp = Wide >> 3, Mant = Wide & 7;
      uint64_t Narrow = (Exp - 8) << 3 | Mant;
      R = Sign | (Narrow > 0x7e ? 0x7e : Narrow);
    }
  } else if ((R & 0x7f) == 0x7c) {
    R = (R & 0x80) | 0x7b;
  }
  if (Relu && (R & 0x80))
    R = 0;
  return uint8_t(R);
}

double fromEight(uint8_t B, bool E5) {
  int MantBits = E5 ? 2 : 3, Bias = E5 ? 15 : 7;
  int Exp = (B & 0x7f) >> MantBits, Mant = B & ((1 << MantBits) - 1);
  if (E5 && Exp == 31)
    return Mant ? __builtin_nan("") : (B & 0x80 ? -1.0 : 1.0) * __builtin_inf();
  if (!E5 && (B & 0x7f) == 0x7f)
    return __builtin_nan("");
  double V =
      Exp ? std::ldexp(double(Mant + (1 << MantBits)), Exp - Bias - MantBits)
          : std::ldexp(double(Mant), 1 - Bias - MantBits);
  return B & 0x80 ? -V : V;
}
/// @}

template <typename RD, typename RS>
void general(Warp &W, const Inst &I, uint32_t Mask) {
  const RS *A = W.row<RS>(I.A);
  Options O = unpackOptions(I.Imm);
  bool Extend = ptx::isSignedType(O.To);
  unsigned Bits = ptx::typeBits(O.To);
  sparse(Mask, W.row<RD>(I.D), [=](unsigned L) {
    uint64_t V = convertOne(A[L], O);
    return RD(Extend ? uint64_t(signExtend(V, Bits)) : V);
  });
}

/// Two floats into the halves of one register: the first goes high.
void packHalves(Warp &W, const Inst &I, uint32_t Mask) {
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  Options O = unpackOptions(I.Imm);
  O.To = O.To == Mod::F16X2 ? Mod::F16 : Mod::BF16;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    return uint32_t(convertOne(A[L], O) << 16 | convertOne(B[L], O));
  });
}

void packEight(Warp &W, const Inst &I, uint32_t Mask) {
  Options O = unpackOptions(I.Imm);
  bool E5 = O.To == Mod::E5M2X2, Pair = O.From == Mod::F16X2;
  const uint32_t *A = W.row<uint32_t>(I.A);
  const uint32_t *B = Pair ? A : W.row<uint32_t>(I.B);
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    double Hi = Pair ? toF32(Half{uint16_t(A[L] >> 16)}) : bitsToF32(A[L]);
    double Lo = Pair ? toF32(Half{uint16_t(A[L])}) : bitsToF32(B[L]);
    return uint32_t(toEight(Hi, E5, O.Relu)) << 8 |
           uint32_t(toEight(Lo, E5, O.Relu));
  });
}

void unpackEight(Warp &W, const Inst &I, uint32_t Mask) {
  Options O = unpackOptions(I.Imm);
  bool E5 = O.From == Mod::E5M2X2;
  const uint32_t *A = W.row<uint32_t>(I.A);
  O.To = Mod::F16;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    return uint32_t(toFloat(fromEight(uint8_t(A[L] >> 8), E5), O)) << 16 |
           uint32_t(toFloat(fromEight(uint8_t(A[L]), E5), O));
  });
}

/// cvt.pack: two saturated integers in front of the low part of a third.
void packIntegers(Warp &W, const Inst &I, uint32_t Mask) {
  Options O = unpackOptions(I.Imm);
  unsigned Bits = ptx::typeBits(O.To);
  const uint32_t *A = W.row<uint32_t>(I.A), *B = W.row<uint32_t>(I.B);
  const uint32_t *C = I.C == NoSlot ? nullptr : W.row<uint32_t>(I.C);
  O.Sat = true;
  sparse(Mask, W.row<uint32_t>(I.D), [=](unsigned L) {
    uint32_t R =
        uint32_t(intToInt(A[L], O)) << Bits | uint32_t(intToInt(B[L], O));
    if (C && Bits < 16)
      R |= C[L] << (2 * Bits);
    return R;
  });
}

template <typename S, typename RS> Handler pickFromInt(const OpDesc &D) {
  Handler H = nullptr;
  withInteger(D.Type, [&](auto *P) {
    using T = std::remove_pointer_t<decltype(P)>;
    if (D.DstRow == 8)
      H = intToInt<T, uint64_t, S, RS>;
    else if constexpr (sizeof(T) <= 4)
      H = intToInt<T, uint32_t, S, RS>;
  });
  return H;
}

Handler pickIntToInt(const OpDesc &D) {
  Handler H = nullptr;
  withInteger(D.Type2, [&](auto *P) {
    using S = std::remove_pointer_t<decltype(P)>;
    if (D.SrcRow == 8)
      H = pickFromInt<S, uint64_t>(D);
    else if constexpr (sizeof(S) <= 4)
      H = pickFromInt<S, uint32_t>(D);
  });
  return H;
}

/// The common ones, or null.
Handler pickFast(const OpDesc &D) {
  bool Nearest = D.Round == Rounding::Nearest || D.Round == Rounding::None;
  bool Plain = !D.Sat && !D.SatFinite && !D.Relu && !D.RoundToInteger;
  bool Rows = D.DstRow == (ptx::typeBits(D.Type) == 64 ? 8u : 4u) &&
              D.SrcRow == (ptx::typeBits(D.Type2) == 64 ? 8u : 4u);
  Mod T = D.Type, S = D.Type2;
  if (!Rows)
    return nullptr;
  if (D.RoundToInteger && D.Round == Rounding::Zero && !D.Ftz) {
    if (T == Mod::S32 && S == Mod::F32)
      return truncate<int32_t, float, false>;
    if (T == Mod::U32 && S == Mod::F32)
      return truncate<uint32_t, float, false>;
    if (T == Mod::S32 && S == Mod::F64)
      return truncate<int32_t, double, false>;
    if (T == Mod::U32 && S == Mod::F64)
      return truncate<uint32_t, double, false>;
  }
  if (!Plain || D.Ftz)
    return nullptr;
  if (T == Mod::F64 && S == Mod::F32)
    return f32ToF64;
  if (T == Mod::F64 && S == Mod::S32)
    return intToFloat<double, int32_t>;
  if (T == Mod::F64 && S == Mod::U32)
    return intToFloat<double, uint32_t>;
  if (T == Mod::F32 && S == Mod::F16)
    return f16ToF32;
  if (!Nearest)
    return nullptr;
  if (T == Mod::F32 && S == Mod::F64)
    return f64ToF32;
  if (T == Mod::F32 && S == Mod::S32)
    return intToFloat<float, int32_t>;
  if (T == Mod::F32 && S == Mod::U32)
    return intToFloat<float, uint32_t>;
  return nullptr;
}

} // namespace

Handler pickConvert(const OpDesc &D) {
  if (D.Word == Mod::Pack)
    return D.Type2 == Mod::S32 ? packIntegers : nullptr;
  if (D.Type == Mod::F16X2 &&
      (D.Type2 == Mod::E4M3X2 || D.Type2 == Mod::E5M2X2))
    return unpackEight;
  if (D.Type == Mod::F16X2 || D.Type == Mod::BF16X2)
    return D.Type2 == Mod::F32 ? packHalves : nullptr;
  if (D.Type == Mod::E4M3X2 || D.Type == Mod::E5M2X2)
    return D.Type2 == Mod::F32 || D.Type2 == Mod::F16X2 ? packEight : nullptr;
  if (D.Type == Mod::TF32 && D.Type2 != Mod::F32)
    return nullptr;
  for (Mod T : {D.Type, D.Type2})
    if (T == Mod::None || ptx::typeBits(T) < 8 || T == Mod::Pred ||
        T == Mod::B128 || T == Mod::F16X2 || T == Mod::BF16X2 ||
        T == Mod::U16X2 || T == Mod::S16X2)
      return nullptr;
  if (!ptx::isFloatType(D.Type) && !ptx::isFloatType(D.Type2) && !D.Sat)
    return pickIntToInt(D);
  if (Handler H = pickFast(D))
    return H;
  return D.DstRow == 8 ? (D.SrcRow == 8 ? general<uint64_t, uint64_t>
                                        : general<uint64_t, uint32_t>)
                       : (D.SrcRow == 8 ? general<uint32_t, uint64_t>
                                        : general<uint32_t, uint32_t>);
}

} // namespace gevo::gpu::GEVO_ISA
