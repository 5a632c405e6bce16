//===- Element.h - Arithmetic on elements of any type -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the comparison needs to know of each type: its value, the distance of
// two elements, and how many representable numbers lie between them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_ELEMENT_H
#define GEVO_RUNTIME_MEASURE_ELEMENT_H

#include "runtime/gpu/ptx/ElementType.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace gevo::measure {

/// Has \p Value a magnitude that people compute with? Bytes that are something
/// else rarely have, taken as floats.
inline bool isUsual(double Value) {
  constexpr double Least = 1e-12, Most = 1e12;
  return std::fabs(Value) >= Least && std::fabs(Value) <= Most;
}

/// Whole numbers.
template <gpu::ElementType T, typename N> struct IntegerElement {
  using Bits = std::make_unsigned_t<N>;
  static constexpr gpu::ElementType Type = T;
  static constexpr bool IsFloat = false;

  static double value(Bits B) { return double(N(B)); }
  static double distance(Bits X, Bits Y) {
    return N(X) < N(Y) ? double(Bits(Y - X)) : double(Bits(X - Y));
  }
  static double steps(Bits X, Bits Y) { return distance(X, Y); }
  static bool sameNan(Bits, Bits) { return false; }
  static std::string text(Bits B) { return std::to_string(N(B)); }
};

/// Floats with \p Mantissa bits, as bits of type \p B; Convert makes doubles.
template <gpu::ElementType T, typename B, unsigned Mantissa,
          double (*Convert)(B)>
struct FloatElement {
  using Bits = B;
  static constexpr gpu::ElementType Type = T;
  static constexpr bool IsFloat = true;

  static double value(Bits X) { return Convert(X); }
  static double distance(Bits X, Bits Y) {
    return std::fabs(Convert(X) - Convert(Y));
  }
  /// Bits of floats are ordered as whole numbers once negative ones are turned
  /// around; both zeros are number 0.
  static double steps(Bits X, Bits Y) {
    int64_t A = order(X), C = order(Y);
    return A < C ? double(uint64_t(C) - uint64_t(A))
                 : double(uint64_t(A) - uint64_t(C));
  }
  /// Are both what arithmetic makes? Which of these depends on where it is
  /// done. The others may be whole numbers that are kept in floats: -1 and -2
  /// are NaN, too.
  static bool sameNan(Bits X, Bits Y) { return isMade(X) && isMade(Y); }
  static std::string text(Bits X) {
    char Text[64];
    int N = std::snprintf(Text, sizeof(Text), sizeof(B) == 8 ? "%.17g" : "%.9g",
                          Convert(X));
    if (std::isnan(Convert(X)))
      std::snprintf(Text + N, sizeof(Text) - size_t(N), " (0x%llx)",
                    (unsigned long long)X);
    return Text;
  }

private:
  static constexpr unsigned Sign = sizeof(B) * 8 - 1;

  /// The NaN of GPUs in all types but f64; that of hosts and compilers, which
  /// is the one of f64 on GPUs, too, in either sign; and in f64 those made of
  /// the first one in f32.
  static bool isMade(Bits X) {
    constexpr Bits Magnitude = Bits(Bits(~Bits(0)) >> 1);
    constexpr Bits Quiet = Bits(Magnitude - (Bits(1) << (Mantissa - 1)) + 1);
    if (X == Magnitude || (X & Magnitude) == Quiet)
      return true;
    return sizeof(B) == 8 && uint64_t(X) == 0x7fffffffe0000000;
  }
  static int64_t order(Bits X) {
    int64_t Rest = int64_t(X & Bits(~(Bits(1) << Sign)));
    return X >> Sign & 1 ? -Rest : Rest;
  }
};

inline double fromF64(uint64_t X) {
  double V;
  std::memcpy(&V, &X, 8);
  return V;
}
inline double fromF32(uint32_t X) {
  float V;
  std::memcpy(&V, &X, 4);
  return double(V);
}
inline double fromBF16(uint16_t X) { return fromF32(uint32_t(X) << 16); }
inline double fromF16(uint16_t X) {
  unsigned Exponent = X >> 10 & 31, Mantissa = X & 1023;
  double V = Exponent == 31 ? (Mantissa ? NAN : INFINITY)
             : Exponent
                 ? std::ldexp(double(Mantissa + 1024), int(Exponent) - 25)
                 : std::ldexp(double(Mantissa), -24);
  return X >> 15 ? -V : V;
}

/// Calls \p Do with the Element of \p T; None counts as bytes.
template <typename Fn> auto withElement(gpu::ElementType T, Fn Do) {
  using gpu::ElementType;
  switch (T) {
  case ElementType::S8:
    return Do(IntegerElement<ElementType::S8, int8_t>());
  case ElementType::U16:
    return Do(IntegerElement<ElementType::U16, uint16_t>());
  case ElementType::S16:
    return Do(IntegerElement<ElementType::S16, int16_t>());
  case ElementType::U32:
    return Do(IntegerElement<ElementType::U32, uint32_t>());
  case ElementType::S32:
    return Do(IntegerElement<ElementType::S32, int32_t>());
  case ElementType::U64:
    return Do(IntegerElement<ElementType::U64, uint64_t>());
  case ElementType::S64:
    return Do(IntegerElement<ElementType::S64, int64_t>());
  case ElementType::F16:
    return Do(FloatElement<ElementType::F16, uint16_t, 10, fromF16>());
  case ElementType::BF16:
    return Do(FloatElement<ElementType::BF16, uint16_t, 7, fromBF16>());
  case ElementType::F32:
    return Do(FloatElement<ElementType::F32, uint32_t, 23, fromF32>());
  case ElementType::F64:
    return Do(FloatElement<ElementType::F64, uint64_t, 52, fromF64>());
  case ElementType::U8:
  case ElementType::None:
    break;
  }
  return Do(IntegerElement<ElementType::U8, uint8_t>());
}

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_ELEMENT_H
