//===- FloatReference.h - Floating point by MPFR ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of any float type as bits, and operations on them rounded once, by
// MPFR, to the type and in the direction asked for.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_ISA_FLOATREFERENCE_H
#define GEVO_TEST_UNIT_ISA_FLOATREFERENCE_H

#include "test/unit/isa/Harness.h"

#include <mpfr.h>

namespace gevo::isa {

/// How a float type is laid out.
struct Format {
  int Mant, Exp;
  uint64_t sign() const { return uint64_t(1) << (Mant + Exp); }
  uint64_t inf() const { return ((uint64_t(1) << Exp) - 1) << Mant; }
  uint64_t one() const { return ((uint64_t(1) << (Exp - 1)) - 1) << Mant; }
};
/// tf32 as its 19 bits.
Format formatOf(Type T);

bool isNan(uint64_t Bits, Type T);
bool isNegative(uint64_t Bits, Type T);
/// The exact value; NaN and infinities too.
double decode(uint64_t Bits, Type T);
/// The inverse for values that \p T has.
uint64_t encode(double V, Type T);
/// The NaN that instructions return, for types where the manual says which.
uint64_t canonicalNan(Type T);
/// Subnormal to zero of the same sign.
uint64_t flush(uint64_t Bits, Type T);

/// A number of MPFR, with 64 bits of precision.
class Real {
public:
  Real() { mpfr_init2(V, 64); }
  explicit Real(double X) : Real() { mpfr_set_d(V, X, MPFR_RNDN); }
  Real(uint64_t Bits, Type T) : Real(decode(Bits, T)) {}
  ~Real() { mpfr_clear(V); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;
  mpfr_ptr get() { return V; }

private:
  mpfr_t V;
};

/// What \p Compute, called as Compute(result, direction), gives when it is
/// rounded once to \p T. NaN is the canonical one.
template <typename Op> uint64_t rounded(Type T, Round R, Op Compute);

/// \name The pieces of rounded
/// @{
mpfr_rnd_t direction(Round R);
/// A variable with \p T's precision.
mpfr_ptr resultOf(Type T);
/// Brings a rounded result into \p T's range.
uint64_t finish(mpfr_ptr V, int Ternary, Type T, Round R);
/// @}

template <typename Op> uint64_t rounded(Type T, Round R, Op Compute) {
  mpfr_ptr V = resultOf(T);
  int Ternary = Compute(V, direction(R));
  return finish(V, Ternary, T, R);
}

/// The exact result of a function of one double, to nearest.
double trueValue(int (*Fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double X);

/// .sat of a float: NaN and what is below zero become +0.
uint64_t saturate(uint64_t Bits, Type T);

/// A result as the manual defines it: NaNs of f64 may have any payload.
Want floatWant(uint64_t Bits, Type T);

} // namespace gevo::isa

#endif // GEVO_TEST_UNIT_ISA_FLOATREFERENCE_H
