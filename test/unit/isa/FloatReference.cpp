//===- FloatReference.cpp - Floating point by MPFR ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/FloatReference.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <map>

using namespace gevo::isa;

Format gevo::isa::formatOf(Type T) {
  switch (T.K) {
  case Type::Brain:
    return {7, 8};
  case Type::Tf32:
    return {10, 8};
  default:
    return T.Size == 16   ? Format{10, 5}
           : T.Size == 32 ? Format{23, 8}
                          : Format{52, 11};
  }
}

bool gevo::isa::isNan(uint64_t Bits, Type T) {
  Format F = formatOf(T);
  return (Bits & (F.sign() - 1)) > F.inf();
}
bool gevo::isa::isNegative(uint64_t Bits, Type T) {
  return Bits & formatOf(T).sign();
}

double gevo::isa::decode(uint64_t Bits, Type T) {
  Format F = formatOf(T);
  int Exp = int((Bits & F.inf()) >> F.Mant);
  uint64_t Mant = Bits & ((uint64_t(1) << F.Mant) - 1);
  int Bias = (1 << (F.Exp - 1)) - 1;
  double V;
  if (Exp == (1 << F.Exp) - 1)
    V = Mant ? std::nan("") : HUGE_VAL;
  else if (Exp == 0)
    V = std::ldexp(double(Mant), 1 - Bias - F.Mant);
  else
    V = std::ldexp(double(Mant | uint64_t(1) << F.Mant), Exp - Bias - F.Mant);
  return Bits & F.sign() ? -V : V;
}

uint64_t gevo::isa::encode(double V, Type T) {
  Format F = formatOf(T);
  if (std::isnan(V))
    return canonicalNan(T);
  uint64_t Sign = std::signbit(V) ? F.sign() : 0;
  V = std::fabs(V);
  if (std::isinf(V))
    return Sign | F.inf();
  if (V == 0)
    return Sign;
  int Bias = (1 << (F.Exp - 1)) - 1, Exp;
  std::frexp(V, &Exp);
  --Exp;
  uint64_t Bits;
  if (Exp < 1 - Bias)
    Bits = uint64_t(std::ldexp(V, Bias - 1 + F.Mant));
  else
    Bits = (uint64_t(Exp + Bias - 1) << F.Mant) +
           uint64_t(std::ldexp(V, F.Mant - Exp));
  assert(decode(Sign | Bits, T) == (Sign ? -V : V) && "the type has the value");
  return Sign | Bits;
}

uint64_t gevo::isa::canonicalNan(Type T) {
  Format F = formatOf(T);
  return F.sign() - 1;
}

uint64_t gevo::isa::flush(uint64_t Bits, Type T) {
  Format F = formatOf(T);
  return Bits & F.inf() ? Bits : Bits & F.sign();
}

mpfr_rnd_t gevo::isa::direction(Round R) {
  switch (R) {
  case Round::Zero:
    return MPFR_RNDZ;
  case Round::Down:
    return MPFR_RNDD;
  case Round::Up:
    return MPFR_RNDU;
  default:
    return MPFR_RNDN;
  }
}

namespace {
struct Variable {
  explicit Variable(int Precision) { mpfr_init2(V, Precision); }
  ~Variable() { mpfr_clear(V); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  mpfr_t V;
};
} // namespace

mpfr_ptr gevo::isa::resultOf(Type T) {
  static std::map<int, Variable> Variables;
  int Precision = formatOf(T).Mant + 1;
  return Variables.try_emplace(Precision, Precision).first->second.V;
}

uint64_t gevo::isa::finish(mpfr_ptr V, int Ternary, Type T, Round R) {
  if (mpfr_nan_p(V))
    return canonicalNan(T);
  Format F = formatOf(T);
  int Bias = (1 << (F.Exp - 1)) - 1;
  mpfr_exp_t Min = mpfr_get_emin(), Max = mpfr_get_emax();
  // MPFR's mantissas are below one.
  mpfr_set_emin(2 - Bias - F.Mant);
  mpfr_set_emax(Bias + 1);
  Ternary = mpfr_check_range(V, Ternary, direction(R));
  mpfr_subnormalize(V, Ternary, direction(R));
  mpfr_set_emin(Min);
  mpfr_set_emax(Max);
  return encode(mpfr_get_d(V, MPFR_RNDN), T);
}

double gevo::isa::trueValue(int (*Fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t),
                            double X) {
  Real In(X), Out;
  Fn(Out.get(), In.get(), MPFR_RNDN);
  return mpfr_get_d(Out.get(), MPFR_RNDN);
}

uint64_t gevo::isa::saturate(uint64_t Bits, Type T) {
  Format F = formatOf(T);
  if (isNan(Bits, T) || (Bits & F.sign()))
    return 0;
  return Bits > F.one() ? F.one() : Bits;
}

Want gevo::isa::floatWant(uint64_t Bits, Type T) {
  bool AnyNan = T.K == Type::Tf32 || T.Size == 64;
  return AnyNan && isNan(Bits, T) ? Want::nan() : Want::exact(Bits);
}
