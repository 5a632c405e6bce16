//===- ConvertRows.cpp - Conversions --------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/FloatReference.h"
#include "test/unit/isa/Tables.h"

#include <cmath>

using namespace gevo::isa;

namespace {
using Wide = __int128;

Wide maxOf(Type T) {
  return (Wide(1) << (T.Size - (T.isSigned() ? 1 : 0))) - 1;
}
Wide minOf(Type T) { return T.isSigned() ? -(Wide(1) << (T.Size - 1)) : 0; }
Wide clampTo(Wide V, Type T) {
  return V < minOf(T) ? minOf(T) : V > maxOf(T) ? maxOf(T) : V;
}

/// An integral value, exact.
double integral(double V, Round R) {
  Real In(V), Out;
  mpfr_ptr O = Out.get();
  switch (R) {
  case Round::Zero:
    mpfr_trunc(O, In.get());
    break;
  case Round::Down:
    mpfr_floor(O, In.get());
    break;
  case Round::Up:
    mpfr_ceil(O, In.get());
    break;
  default:
    mpfr_roundeven(O, In.get());
    break;
  }
  return mpfr_get_d(O, MPFR_RNDN);
}

void intToInt(const Form &F, const uint64_t *In, Want *Out) {
  Wide V = valueOf(In[0], F.type(1));
  if (F.has("sat"))
    V = clampTo(V, F.type(0));
  Out[0] = Want::exact(uint64_t(V) & F.type(0).mask());
}

void floatToInt(const Form &F, const uint64_t *In, Want *Out) {
  Type D = F.type(0), S = F.type(1);
  uint64_t A = F.has("ftz") ? flush(In[0], S) : In[0];
  if (isNan(A, S)) {
    // Zero, or the top bit alone when 64 bits are on either side.
    bool Zero = S.Size != 64 && D.Size != 64;
    Out[0] = Want::exact(Zero ? 0 : uint64_t(1) << (D.Size - 1));
    return;
  }
  double V = integral(decode(A, S), F.round());
  Wide Lo = minOf(D), Hi = maxOf(D);
  Wide I = V >= std::ldexp(1.0, 100)    ? Hi
           : V <= -std::ldexp(1.0, 100) ? Lo
                                        : Wide(V);
  Out[0] = Want::exact(uint64_t(clampTo(I, D)) & D.mask());
}

/// .sat, .relu and .satfinite of a result.
Want finishFloat(const Form &F, uint64_t Bits, Type D) {
  if (F.has("ftz") && D.Size == 32)
    Bits = flush(Bits, D);
  if (F.has("sat"))
    Bits = saturate(Bits, D);
  Format Fmt = formatOf(D);
  if (F.has("satfinite") && (Bits & (Fmt.sign() - 1)) == Fmt.inf())
    --Bits;
  if (F.has("relu") && !isNan(Bits, D) && isNegative(Bits, D))
    return Want::between(0, 0);
  return floatWant(Bits, D);
}

void intToFloat(const Form &F, const uint64_t *In, Want *Out) {
  Type D = F.type(0), S = F.type(1);
  uint64_t Bits = rounded(D, F.round(), [&](mpfr_ptr R, mpfr_rnd_t Direction) {
    return S.isSigned()
               ? mpfr_set_si(R, long(signExtend(In[0], S.Size)), Direction)
               : mpfr_set_ui(R, In[0] & S.mask(), Direction);
  });
  Out[0] = finishFloat(F, Bits, D);
}

Want floatToFloatOf(const Form &F, uint64_t A, Type S, Type D) {
  if (F.has("ftz") && S.Size == 32)
    A = flush(A, S);
  Real V(A, S);
  uint64_t Bits = rounded(D, F.round(), [&](mpfr_ptr R, mpfr_rnd_t Direction) {
    return mpfr_set(R, V.get(), Direction);
  });
  return finishFloat(F, Bits, D);
}
void floatToFloat(const Form &F, const uint64_t *In, Want *Out) {
  Out[0] = floatToFloatOf(F, In[0], F.type(1), F.type(0));
}
/// To an integral value of the same type.
void floatToIntegral(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  uint64_t A = F.has("ftz") && T.Size == 32 ? flush(In[0], T) : In[0];
  uint64_t Bits = isNan(A, T) ? canonicalNan(T)
                              : encode(integral(decode(A, T), F.round()), T);
  Out[0] = finishFloat(F, Bits, T);
}

/// Two floats into halves, the first one high.
void toHalves(const Form &F, const uint64_t *In, Want *Out) {
  Type D = F.type(0).part();
  Out[0] = floatToFloatOf(F, In[1], F.type(1), D);
  Out[1] = floatToFloatOf(F, In[0], F.type(1), D);
}

/// tf32 is kept in the high bits of a word; ties go away from zero.
void toTf32(const Form &F, const uint64_t *In, Want *Out) {
  Type S = F.type(1), D = F.type(0);
  uint64_t A = In[0], Sign = A & 0x80000000, M = A & 0x7fffffff;
  if (isNan(A, S)) {
    Out[0] = Want::anything();
    return;
  }
  uint64_t Bits;
  if (F.round() == Round::Away) {
    Bits = M == 0x7f800000 ? M >> 13 : (M + 0x1000) >> 13;
    Bits |= Sign >> 13;
  } else {
    Real V(A, S);
    Bits = rounded(D, F.round(), [&](mpfr_ptr R, mpfr_rnd_t Direction) {
      return mpfr_set(R, V.get(), Direction);
    });
  }
  if (F.has("relu") && (Bits >> 18))
    Bits = 0;
  if (F.has("satfinite") && (Bits & 0x3ffff) == formatOf(D).inf())
    --Bits;
  Out[0] = Want::exact(Bits << 13);
}

/// \name Eight-bit floats
/// @{
double fromEight(uint64_t B, bool E5) {
  int Mant = E5 ? 2 : 3, Bias = E5 ? 15 : 7;
  int Exp = int(B & 0x7f) >> Mant, Low = int(B) & ((1 << Mant) - 1);
  double V = Exp ? std::ldexp(Low + (1 << Mant), Exp - Bias - Mant)
                 : std::ldexp(Low, 1 - Bias - Mant);
  if (E5 && Exp == 31)
    V = Low ? std::nan("") : HUGE_VAL;
  if (!E5 && (B & 0x7f) == 0x7f)
    V = std::nan("");
  return B & 0x80 ? -V : V;
}
/// The nearest of all values, ties to the even code; out of range is the
/// greatest one.
uint64_t toEight(double V, bool E5, bool Relu) {
  if (std::isnan(V))
    return 0x7f;
  uint64_t Sign = std::signbit(V) ? 0x80 : 0;
  if (Relu && Sign)
    return 0;
  V = std::fabs(V);
  uint64_t Greatest = E5 ? 0x7b : 0x7e;
  if (V >= fromEight(Greatest, E5))
    return Sign | Greatest;
  uint64_t Code = 0;
  while (fromEight(Code + 1, E5) <= V)
    ++Code;
  double Low = V - fromEight(Code, E5), High = fromEight(Code + 1, E5) - V;
  return Sign | (Low < High || (Low == High && !(Code & 1)) ? Code : Code + 1);
}
void packEight(const Form &F, const uint64_t *In, Want *Out) {
  bool E5 = F.has("e5m2x2"), Relu = F.has("relu");
  Type F32 = {Type::Float, 32, 1}, F16 = {Type::Float, 16, 1};
  double Hi = F.has("f32") ? decode(In[0], F32) : decode(In[0] >> 16, F16);
  double Lo = F.has("f32") ? decode(In[1], F32) : decode(In[0] & 0xffff, F16);
  Out[0] = Want::exact(toEight(Hi, E5, Relu) << 8 | toEight(Lo, E5, Relu));
}
void unpackEight(const Form &F, const uint64_t *In, Want *Out) {
  Type F16 = {Type::Float, 16, 1};
  for (unsigned P = 0; P < 2; ++P) {
    double V = fromEight(In[0] >> (8 * P) & 0xff, F.has("e5m2x2"));
    Out[P] = F.has("relu") && std::signbit(V) && !std::isnan(V)
                 ? Want::between(0, 0)
                 : Want::exact(encode(V, F16));
  }
}
/// @}

/// cvt.pack: two saturated integers, before them what $c has.
void pack(const Form &F, const uint64_t *In, Want *Out) {
  Type D = F.type(0);
  auto One = [&](uint64_t A) {
    return uint64_t(clampTo(valueOf(A, F.type(1)), D)) & D.mask();
  };
  uint64_t V = One(In[0]) << D.Size | One(In[1]);
  if (D.Size < 16)
    V |= In[2] << (2 * D.Size);
  Out[0] = Want::exact(V & 0xffffffff);
}
} // namespace

#define GEVO_INTS "{.u8,.u16,.u32,.u64,.s8,.s16,.s32,.s64}"
#define GEVO_WORDS "{.u8,.u16,.u32,.s8,.s16,.s32}"

const std::vector<Row> &gevo::isa::convertRows() {
  static const std::vector<Row> Rows = {
      {"cvt" GEVO_INTS GEVO_INTS, "T=U", intToInt},
      {"cvt.sat" GEVO_INTS GEVO_INTS, "T=U", intToInt},
      // Registers may be wider than the types.
      {"cvt{,.sat}" GEVO_WORDS GEVO_WORDS, "T^=U^", intToInt},
      {"cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}" GEVO_INTS ".f32", "T=U",
       floatToInt},
      {"cvt{.rni,.rzi,.rmi,.rpi}{,.sat}" GEVO_INTS "{.f64,.f16}", "T=U",
       floatToInt},
      {"cvt{.rni,.rzi,.rmi,.rpi}" GEVO_INTS ".bf16", "T=U", floatToInt},
      {"cvt.rzi" GEVO_WORDS "{.f32,.f64}", "T^=U", floatToInt},
      {"cvt{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32" GEVO_INTS, "T=U", intToFloat},
      {"cvt{.rn,.rz,.rm,.rp}{,.sat}{.f64,.f16}" GEVO_INTS, "T=U", intToFloat},
      {"cvt{.rn,.rz,.rm,.rp}.bf16" GEVO_INTS, "T=U", intToFloat},
      {"cvt{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32.f64", "T=U", floatToFloat},
      {"cvt{.rn,.rz,.rm,.rp}{,.sat}.f16.f64", "T=U", floatToFloat},
      {"cvt{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f16.f32", "T=U", floatToFloat},
      {"cvt{.rn,.rz}{.relu,.satfinite,.relu.satfinite}{.f16,.bf16}.f32", "T=U",
       floatToFloat},
      {"cvt{.rn,.rz,.rm,.rp}.bf16{.f32,.f64,.f16}", "T=U", floatToFloat},
      {"cvt{.rn,.rz,.rm,.rp}.ftz.bf16.f32", "T=U", floatToFloat},
      {"cvt{,.ftz}{,.sat}{.f64.f32,.f32.f32}", "T=U", floatToFloat},
      {"cvt{,.sat}{.f64.f64,.f16.f16}", "T=U", floatToFloat},
      {"cvt.bf16.bf16", "T=U", floatToFloat},
      {"cvt{,.ftz}{,.sat}.f32.f16", "T=U", floatToFloat},
      {"cvt{,.ftz}.f32.bf16", "T=U", floatToFloat},
      {"cvt{,.sat}.f64.f16", "T=U", floatToFloat},
      {"cvt.f64.bf16", "T=U", floatToFloat},
      {"cvt{.rn,.rz,.rm,.rp}.f16.bf16", "T=U", floatToFloat},
      {"cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}.f32.f32", "T=U",
       floatToIntegral},
      {"cvt{.rni,.rzi,.rmi,.rpi}{,.sat}{.f64.f64,.f16.f16}", "T=U",
       floatToIntegral},
      {"cvt{.rni,.rzi,.rmi,.rpi}.bf16.bf16", "T=U", floatToIntegral},
      {"cvt{.rn,.rz}{,.relu}{,.satfinite}{.f16x2,.bf16x2}.f32", "T=U,U",
       toHalves},
      {"cvt.rna{,.satfinite}.tf32.f32", "b32=U", toTf32},
      {"cvt{.rn,.rz}{,.relu}.tf32.f32", "b32=U", toTf32},
      {"cvt.rn.satfinite{,.relu}{.e4m3x2,.e5m2x2}.f32", "T=U,U", packEight},
      {"cvt.rn.satfinite{,.relu}{.e4m3x2,.e5m2x2}.f16x2", "T=U", packEight},
      {"cvt.rn{,.relu}.f16x2{.e4m3x2,.e5m2x2}", "T=U", unpackEight},
      {"cvt.pack.sat{.u16,.s16}.s32", "b32=s32,s32", pack},
      {"cvt.pack.sat{.u8,.s8,.u4,.s4,.u2,.s2}.s32.b32", "b32=s32,s32,b32",
       pack},
  };
  return Rows;
}
