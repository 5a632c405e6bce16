//===- Values.cpp - Elements of buffers and arguments ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Values.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace gevo::run;
using nlohmann::ordered_json;

namespace {

const ElementType Types[] = {
    {"f16", 2, ElementKind::Float},    {"bf16", 2, ElementKind::Float, true},
    {"f32", 4, ElementKind::Float},    {"f64", 8, ElementKind::Float},
    {"i8", 1, ElementKind::Signed},    {"i16", 2, ElementKind::Signed},
    {"i32", 4, ElementKind::Signed},   {"i64", 8, ElementKind::Signed},
    {"u8", 1, ElementKind::Unsigned},  {"u16", 2, ElementKind::Unsigned},
    {"u32", 4, ElementKind::Unsigned}, {"u64", 8, ElementKind::Unsigned},
};

/// Rounds \p Value to a 16-bit float with \p ExponentBits, by way of integers
/// so that it is rounded once.
uint16_t encodeSmallFloat(double Value, unsigned ExponentBits) {
  unsigned MantissaBits = 15 - ExponentBits;
  uint64_t Bits;
  std::memcpy(&Bits, &Value, sizeof(Bits));
  uint16_t Sign = uint16_t(Bits >> 63 << 15);
  uint16_t Infinity = uint16_t(((1u << ExponentBits) - 1) << MantissaBits);
  if (std::isnan(Value))
    return uint16_t(Sign | Infinity | 1u << (MantissaBits - 1));
  if (std::isinf(Value))
    return Sign | Infinity;
  int Bias = (1 << (ExponentBits - 1)) - 1;
  int Exponent = 0;
  double Fraction = std::frexp(std::fabs(Value), &Exponent);
  if (Fraction == 0)
    return Sign;
  // Value = Fraction * 2^Exponent with Fraction in [1/2, 1).
  int Biased = Exponent - 1 + Bias;
  int Scale = int(MantissaBits) + 1;
  if (Biased < 1) {
    Scale += Biased - 1;
    Biased = 0;
  }
  double Scaled = std::ldexp(Fraction, Scale);
  uint32_t Mantissa = uint32_t(std::nearbyint(Scaled));
  uint32_t Result =
      Biased ? (uint32_t(Biased - 1) << MantissaBits) + Mantissa : Mantissa;
  return uint16_t(Sign | (Result > Infinity ? Infinity : Result));
}

double decodeSmallFloat(uint16_t Bits, unsigned ExponentBits) {
  unsigned MantissaBits = 15 - ExponentBits;
  int Bias = (1 << (ExponentBits - 1)) - 1;
  int Exponent = Bits >> MantissaBits & ((1 << ExponentBits) - 1);
  int Mantissa = Bits & ((1 << MantissaBits) - 1);
  double Sign = Bits >> 15 ? -1.0 : 1.0;
  if (Exponent == (1 << ExponentBits) - 1)
    return Mantissa ? std::nan("") : Sign * INFINITY;
  if (Exponent == 0)
    return Sign * std::ldexp(Mantissa, 1 - Bias - int(MantissaBits));
  return Sign * std::ldexp(Mantissa + (1 << MantissaBits),
                           Exponent - Bias - int(MantissaBits));
}

unsigned exponentBits(const ElementType &Type) { return Type.IsBFloat ? 8 : 5; }

std::optional<uint64_t> fitSigned(const ElementType &Type, int64_t Value) {
  int64_t Max = int64_t(~uint64_t(0) >> (65 - 8 * Type.Bytes));
  if (Value > Max || Value < -Max - 1)
    return std::nullopt;
  return uint64_t(Value);
}

std::optional<uint64_t> fitUnsigned(const ElementType &Type, uint64_t Value) {
  if (Value > ~uint64_t(0) >> (64 - 8 * Type.Bytes))
    return std::nullopt;
  return Value;
}

} // namespace

const ElementType *gevo::run::findType(const std::string &Name) {
  for (const ElementType &T : Types)
    if (Name == T.Name)
      return &T;
  return nullptr;
}

std::string gevo::run::typeNames() {
  std::string Names;
  for (const ElementType &T : Types)
    Names += (Names.empty() ? "" : ", ") + std::string(T.Name);
  return Names;
}

uint64_t gevo::run::encodeFloat(const ElementType &Type, double Value) {
  if (Type.Bytes == 2)
    return encodeSmallFloat(Value, exponentBits(Type));
  uint64_t Bits = 0;
  if (Type.Bytes == 4) {
    float Single = float(Value);
    std::memcpy(&Bits, &Single, sizeof(Single));
  } else {
    std::memcpy(&Bits, &Value, sizeof(Value));
  }
  return Bits;
}

std::optional<uint64_t> gevo::run::parseValue(const ElementType &Type,
                                              const std::string &Text) {
  if (Text.empty() || std::isspace((unsigned char)Text[0]))
    return std::nullopt;
  char *End;
  errno = 0;
  if (Type.Kind == ElementKind::Float) {
    // strtof rounds once where strtod and a conversion would round twice.
    if (Type.Bytes == 4) {
      float Single = std::strtof(Text.c_str(), &End);
      uint64_t Bits = 0;
      std::memcpy(&Bits, &Single, sizeof(Single));
      return *End ? std::nullopt : std::optional<uint64_t>(Bits);
    }
    double Value = std::strtod(Text.c_str(), &End);
    return *End ? std::nullopt
                : std::optional<uint64_t>(encodeFloat(Type, Value));
  }
  if (Type.Kind == ElementKind::Signed) {
    long long Value = std::strtoll(Text.c_str(), &End, 0);
    return *End || errno ? std::nullopt : fitSigned(Type, Value);
  }
  if (Text[0] == '-')
    return std::nullopt;
  unsigned long long Value = std::strtoull(Text.c_str(), &End, 0);
  return *End || errno ? std::nullopt : fitUnsigned(Type, Value);
}

std::optional<uint64_t> gevo::run::parseValue(const ElementType &Type,
                                              const ordered_json &Value) {
  if (Value.is_string())
    return parseValue(Type, Value.get<std::string>());
  if (!Value.is_number())
    return std::nullopt;
  if (Type.Kind == ElementKind::Float)
    return encodeFloat(Type, Value.get<double>());
  if (!Value.is_number_integer())
    return std::nullopt;
  if (Type.Kind == ElementKind::Unsigned) {
    if (!Value.is_number_unsigned())
      return std::nullopt;
    return fitUnsigned(Type, Value.get<uint64_t>());
  }
  if (Value.is_number_unsigned() && Value.get<uint64_t>() > uint64_t(INT64_MAX))
    return std::nullopt;
  return fitSigned(Type, Value.get<int64_t>());
}

ordered_json gevo::run::valueJson(const ElementType &Type, uint64_t Bits) {
  if (Type.Kind == ElementKind::Unsigned)
    return Bits;
  if (Type.Kind == ElementKind::Signed) {
    unsigned Shift = 64 - 8 * Type.Bytes;
    return int64_t(Bits << Shift) >> Shift;
  }
  double Value;
  if (Type.Bytes == 2) {
    Value = decodeSmallFloat(uint16_t(Bits), exponentBits(Type));
  } else if (Type.Bytes == 4) {
    float Single;
    std::memcpy(&Single, &Bits, sizeof(Single));
    Value = double(Single);
  } else {
    std::memcpy(&Value, &Bits, sizeof(Value));
  }
  if (std::isnan(Value))
    return "nan";
  if (std::isinf(Value))
    return Value > 0 ? "inf" : "-inf";
  return Value;
}

uint64_t gevo::run::randomBits(uint64_t Seed, uint64_t Index) {
  // SplitMix64 with the index as its position.
  uint64_t Z = Seed + (Index + 1) * 0x9E3779B97F4A7C15u;
  Z = (Z ^ Z >> 30) * 0xBF58476D1CE4E5B9u;
  Z = (Z ^ Z >> 27) * 0x94D049BB133111EBu;
  return Z ^ Z >> 31;
}
