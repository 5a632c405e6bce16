//===- ValuesTest.cpp - Elements of buffers and arguments -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace gevo::run;

namespace {

uint64_t bitsOf(_Float16 Value) {
  uint16_t Bits;
  std::memcpy(&Bits, &Value, sizeof(Bits));
  return Bits;
}

/// bfloat16 is the upper half of a float; round to nearest even there.
uint64_t roundedBFloat(double Value) {
  // Odd rounding to float keeps the second rounding exact.
  float Single = float(Value);
  uint32_t Bits;
  if (double(Single) != Value) {
    float Toward = std::fabs(double(Single)) > std::fabs(Value)
                       ? std::nextafter(Single, 0.0f)
                       : Single;
    std::memcpy(&Bits, &Toward, sizeof(Bits));
    Bits |= 1;
  } else {
    std::memcpy(&Bits, &Single, sizeof(Bits));
  }
  return (Bits + 0x7FFF + (Bits >> 16 & 1)) >> 16;
}

} // namespace

// Every 16-bit float is spelled so that it is read back as itself.
TEST(Values, SmallFloatsRoundTrip) {
  for (const char *Name : {"f16", "bf16"}) {
    const ElementType &T = *findType(Name);
    for (uint32_t Bits = 0; Bits < 65536; ++Bits) {
      nlohmann::ordered_json J = valueJson(T, Bits);
      if (J == "nan")
        continue;
      ASSERT_EQ(parseValue(T, J), Bits) << Name << " " << J;
    }
  }
}

// Rounding is to nearest even, once, subnormals and overflow included.
TEST(Values, SmallFloatsRound) {
  const ElementType &Half = *findType("f16"), &BFloat = *findType("bf16");
  for (uint64_t I = 0; I < 200000; ++I) {
    double Fraction = double(randomBits(5, I) >> 11) * 0x1p-53 + 0.5;
    int Exponent = int(randomBits(6, I) % 50) - 28;
    double Value = std::ldexp(Fraction, Exponent) * (I % 2 ? -1 : 1);
    ASSERT_EQ(encodeFloat(Half, Value), bitsOf(_Float16(Value))) << Value;
    ASSERT_EQ(encodeFloat(BFloat, Value), roundedBFloat(Value)) << Value;
  }
  for (uint32_t Bits = 0; Bits < 0x7BFF; ++Bits) {
    // Ties between neighbours go to the even one.
    double Low = valueJson(Half, Bits).get<double>();
    double High = valueJson(Half, Bits + 1).get<double>();
    ASSERT_EQ(encodeFloat(Half, (Low + High) / 2), Bits + (Bits & 1));
  }
  EXPECT_EQ(encodeFloat(Half, 65519.999), 0x7BFFu);
  EXPECT_EQ(encodeFloat(Half, 65520.0), 0x7C00u);
  EXPECT_EQ(encodeFloat(Half, -1e300), 0xFC00u);
}

TEST(Values, Ranges) {
  auto parse = [](const char *Type, const char *Text) {
    return parseValue(*findType(Type), std::string(Text));
  };
  EXPECT_EQ(parse("i8", "-128"), uint64_t(-128));
  EXPECT_EQ(parse("i8", "128"), std::nullopt);
  EXPECT_EQ(parse("u8", "255"), 255u);
  EXPECT_EQ(parse("u8", "256"), std::nullopt);
  EXPECT_EQ(parse("u8", "-1"), std::nullopt);
  EXPECT_EQ(parse("u64", "0xFFFFFFFFFFFFFFFF"), ~uint64_t(0));
  EXPECT_EQ(parse("i64", "9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse("i64", "-9223372036854775808"), uint64_t(1) << 63);
  EXPECT_EQ(parse("i32", "12x"), std::nullopt);
  EXPECT_EQ(parse("i32", ""), std::nullopt);
  EXPECT_EQ(parse("f32", "1.5"), 0x3FC00000u);
  EXPECT_EQ(parse("f32", "-inf"), 0xFF800000u);
  EXPECT_EQ(parse("f64", "1.5z"), std::nullopt);
  EXPECT_EQ(findType("float"), nullptr);
}
