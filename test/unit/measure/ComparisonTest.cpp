//===- ComparisonTest.cpp - Every mode, type and special value ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace gevo;
using namespace gevo::measure;

namespace {

constexpr float Inf = std::numeric_limits<float>::infinity();
const float Nan = std::nanf("");

Tolerance limits(CompareMode M, double Limit, double Floor = 0,
                 double Share = 0) {
  Tolerance T;
  T.Mode = M;
  T.Limit = Limit;
  T.Floor = Floor;
  T.FloorShare = Share;
  return T;
}

Difference floats(const std::vector<float> &X, const std::vector<float> &Y,
                  const Tolerance &T) {
  return compare(ElementType::F32, X.data(), Y.data(), X.size(), T);
}

const Tolerance Exact;

TEST(Comparison, Exact) {
  EXPECT_TRUE(floats({1, 2, 3}, {1, 2, 3}, Exact).passed());
  Difference D = floats({1, 2, 3}, {1, 2.0000002f, 4}, Exact);
  EXPECT_EQ(D.Failing, 2u);
  EXPECT_EQ(D.Differing, 2u);
  EXPECT_EQ(D.Elements, 3u);
  EXPECT_EQ(D.FirstFailing, 1u);
  EXPECT_EQ(D.Expected, "2");
  EXPECT_EQ(D.MaxError, 1);
}

TEST(Comparison, Absolute) {
  Tolerance T = limits(CompareMode::Absolute, 0.25);
  Difference D = floats({1, -1, 100}, {1.25f, -1.25f, 99.75f}, T);
  EXPECT_TRUE(D.passed());
  EXPECT_DOUBLE_EQ(D.MaxError, 0.25);
  EXPECT_DOUBLE_EQ(D.SumError, 0.75);
  EXPECT_DOUBLE_EQ(D.meanError(), 0.25);
  EXPECT_FALSE(floats({1}, {1.5f}, T).passed());
}

TEST(Comparison, RelativeDividesByTheMagnitude) {
  Tolerance T = limits(CompareMode::Relative, 0.1);
  EXPECT_TRUE(floats({-100}, {-109}, T).passed());
  EXPECT_FALSE(floats({-100}, {-111}, T).passed());
  // Not by the signed value, nor by the actual one.
  EXPECT_DOUBLE_EQ(floats({-4}, {4}, T).MaxError, 2);
  EXPECT_DOUBLE_EQ(floats({1}, {1000}, T).MaxError, 999);
}

TEST(Comparison, RelativeHasAFloor) {
  // Without a floor, anything but zero is infinitely far from zero.
  EXPECT_TRUE(std::isinf(
      floats({0}, {1e-20f}, limits(CompareMode::Relative, 1)).MaxError));
  Tolerance T = limits(CompareMode::Relative, 0.1, 1e-3);
  EXPECT_TRUE(floats({0}, {1e-5f}, T).passed());
  EXPECT_FALSE(floats({0}, {1e-3f}, T).passed());
  EXPECT_FALSE(floats({10}, {11.5f}, T).passed());
}

TEST(Comparison, TheDefaultFloorFollowsTheReference) {
  Tolerance T;
  T.Mode = CompareMode::Relative;
  T.Limit = 1e-3;
  // A thousandth of a millionth of the largest is nothing ...
  EXPECT_TRUE(floats({1e6f, 0}, {1e6f, 1e-3f * 0.9f}, T).passed());
  // ... but small data is compared as strictly as large.
  EXPECT_FALSE(floats({1e-20f, 2e-20f}, {1e-20f, 2.1e-20f}, T).passed());
  // A reference of zeros has no floor.
  EXPECT_FALSE(floats({0, 0}, {0, 1e-30f}, T).passed());
}

TEST(Comparison, MagnitudeOfTheWholeBuffer) {
  Tolerance T;
  T.Mode = CompareMode::Relative;
  T.Limit = 1e-3;
  float X = 0, Y = 1e-4f;
  EXPECT_FALSE(compare(ElementType::F32, &X, &Y, 1, T).passed());
  EXPECT_TRUE(compare(ElementType::F32, &X, &Y, 1, T, 1e6).passed());
}

TEST(Comparison, Ulp) {
  Tolerance T = limits(CompareMode::Ulp, 2);
  float One = 1, Next = std::nextafterf(One, 2),
        More = std::nextafterf(Next, 2);
  EXPECT_DOUBLE_EQ(floats({One}, {More}, T).MaxError, 2);
  EXPECT_FALSE(floats({One}, {std::nextafterf(More, 2)}, T).passed());
  // Across zero: the smallest of either sign are two apart.
  float Least = std::numeric_limits<float>::denorm_min();
  EXPECT_DOUBLE_EQ(floats({-Least}, {Least}, T).MaxError, 2);
  EXPECT_TRUE(floats({0.0f}, {-0.0f}, T).passed());
  double A = 1, B = std::nextafter(1.0, 0.0);
  EXPECT_DOUBLE_EQ(compare(ElementType::F64, &A, &B, 1, T).MaxError, 1);
  int32_t X = -1, Y = 1;
  EXPECT_DOUBLE_EQ(compare(ElementType::S32, &X, &Y, 1, T).MaxError, 2);
}

TEST(Comparison, Deviations) {
  Tolerance T = limits(CompareMode::Deviations, 3);
  std::vector<std::vector<float>> Runs = {{10, 5}, {12, 5}, {14, 5}};
  std::vector<const void *> Data;
  for (auto &R : Runs)
    Data.push_back(R.data());
  auto against = [&](std::vector<float> V, const Tolerance &T) {
    return compareToRuns(ElementType::F32, Data, V.data(), V.size(), T);
  };
  // Mean 12, deviation 2.
  EXPECT_TRUE(against({18, 5}, T).passed());
  EXPECT_DOUBLE_EQ(against({18, 5}, T).MaxError, 3);
  EXPECT_FALSE(against({18.5f, 5}, T).passed());
  // What never varied must not vary, but for the floor.
  EXPECT_FALSE(against({12, 5.1f}, T).passed());
  EXPECT_TRUE(
      against({12, 5.1f}, limits(CompareMode::Deviations, 3, 0.05)).passed());
  EXPECT_FALSE(against({12, Nan}, T).passed());
  // One run has no spread.
  EXPECT_TRUE(floats({1}, {1}, T).passed());
  EXPECT_FALSE(floats({1}, {1.5f}, T).passed());
}

TEST(Comparison, Nan) {
  for (CompareMode M :
       {CompareMode::Exact, CompareMode::Absolute, CompareMode::Relative,
        CompareMode::Ulp, CompareMode::Deviations}) {
    Tolerance T = limits(M, 1e30, 1);
    Difference D = floats({1, Nan}, {Nan, Nan}, T);
    EXPECT_EQ(D.Failing, 1u);
    EXPECT_EQ(D.NewNans, 1u);
    EXPECT_EQ(D.FirstFailing, 0u);
    EXPECT_TRUE(std::isinf(D.MaxError));
    EXPECT_EQ(floats({Nan}, {1}, T).Failing, 1u);
    // Where arithmetic made NaN means nothing.
    EXPECT_TRUE(floats({Nan}, {-Nan}, T).passed());
    T.NanMatches = false;
    EXPECT_EQ(floats({1, Nan}, {1, Nan}, T).Failing, 1u);
  }
}

TEST(Comparison, NanThatIsAWholeNumber) {
  for (CompareMode M : {CompareMode::Exact, CompareMode::Absolute,
                        CompareMode::Relative, CompareMode::Ulp}) {
    Tolerance T = limits(M, 1e30, 1);
    uint32_t Single[] = {0xffffffff, 0xfffffffe, 0x7fffffff, 0x7fc00000,
                         0xffc00000};
    auto same = [&](unsigned X, unsigned Y) {
      return compare(ElementType::F32, &Single[X], &Single[Y], 1, T).passed();
    };
    EXPECT_FALSE(same(0, 1)) << "-1 and -2";
    EXPECT_FALSE(same(2, 0)) << "NaN of a GPU, and -1";
    EXPECT_TRUE(same(0, 0));
    EXPECT_TRUE(same(2, 3)) << "computed, and folded by a compiler";
    EXPECT_TRUE(same(2, 4)) << "computed, and on a host";
    Difference D = compare(ElementType::F32, &Single[0], &Single[1], 1, T);
    EXPECT_EQ(D.Expected, "-nan (0xffffffff)");
    EXPECT_EQ(D.Actual, "-nan (0xfffffffe)");
    uint64_t Double[] = {~uint64_t(0), ~uint64_t(1), 0xfff8000000000000,
                         0x7fffffffe0000000};
    EXPECT_FALSE(
        compare(ElementType::F64, &Double[0], &Double[1], 1, T).passed());
    EXPECT_TRUE(
        compare(ElementType::F64, &Double[2], &Double[3], 1, T).passed());
    uint16_t Half[] = {0xffff, 0xfffe, 0x7fff, 0x7e00, 0x7fc0};
    for (ElementType E : {ElementType::F16, ElementType::BF16}) {
      EXPECT_FALSE(compare(E, &Half[0], &Half[1], 1, T).passed());
      bool Wide = E == ElementType::BF16;
      EXPECT_TRUE(compare(E, &Half[2], &Half[Wide ? 4 : 3], 1, T).passed());
    }
  }
}

TEST(Comparison, Infinities) {
  for (CompareMode M : {CompareMode::Absolute, CompareMode::Relative,
                        CompareMode::Ulp, CompareMode::Deviations}) {
    Tolerance T = limits(M, 1e30, 1);
    EXPECT_TRUE(floats({Inf, -Inf}, {Inf, -Inf}, T).passed());
    EXPECT_EQ(floats({Inf}, {-Inf}, T).Failing, 1u);
    EXPECT_EQ(floats({Inf}, {3e38f}, T).Failing, 1u);
    EXPECT_EQ(floats({3e38f}, {Inf}, T).Failing, 1u);
  }
}

TEST(Comparison, SignedZeros) {
  EXPECT_FALSE(floats({0.0f}, {-0.0f}, Exact).passed());
  Tolerance T;
  T.SignedZeros = false;
  EXPECT_TRUE(floats({0.0f}, {-0.0f}, T).passed());
  EXPECT_FALSE(floats({0.0f}, {1e-40f}, T).passed());
  for (CompareMode M : {CompareMode::Absolute, CompareMode::Relative,
                        CompareMode::Ulp, CompareMode::Deviations})
    EXPECT_TRUE(floats({0.0f}, {-0.0f}, limits(M, 0)).passed());
}

TEST(Comparison, Integers) {
  Tolerance T = limits(CompareMode::Absolute, 1);
  uint8_t U[] = {0, 255}, V[] = {1, 254};
  EXPECT_TRUE(compare(ElementType::U8, U, V, 2, T).passed());
  int64_t X = INT64_MIN, Y = INT64_MAX;
  EXPECT_FALSE(compare(ElementType::S64, &X, &Y, 1, T).passed());
  EXPECT_DOUBLE_EQ(compare(ElementType::S64, &X, &Y, 1, T).MaxError,
                   std::ldexp(1.0, 64));
  uint32_t A = 0, B = UINT32_MAX;
  EXPECT_DOUBLE_EQ(compare(ElementType::U32, &A, &B, 1, T).MaxError,
                   double(UINT32_MAX));
  EXPECT_DOUBLE_EQ(compare(ElementType::S32, &A, &B, 1, T).MaxError, 1);
  EXPECT_EQ(compare(ElementType::U16, &A, &B, 2, Exact).Failing, 2u);
}

TEST(Comparison, Halves) {
  uint16_t One = 0x3c00, Next = 0x3c01, Small = 0x0001, Inf16 = 0x7c00,
           Nan16 = 0x7e00;
  Tolerance T = limits(CompareMode::Absolute, 0.001);
  EXPECT_DOUBLE_EQ(compare(ElementType::F16, &One, &Next, 1, T).MaxError,
                   std::ldexp(1.0, -10));
  EXPECT_EQ(elementText(ElementType::F16, &Small), "5.96046448e-08");
  EXPECT_EQ(compare(ElementType::F16, &One, &Inf16, 1, T).Failing, 1u);
  EXPECT_EQ(compare(ElementType::F16, &One, &Nan16, 1, T).NewNans, 1u);
  uint16_t BOne = 0x3f80, BNext = 0x3f81;
  EXPECT_DOUBLE_EQ(compare(ElementType::BF16, &BOne, &BNext, 1, T).MaxError,
                   std::ldexp(1.0, -7));
}

TEST(Comparison, LongArraysAndNone) {
  std::vector<float> X(5000, 1), Y = X;
  Y[4999] = 2;
  Difference D = floats(X, Y, Exact);
  EXPECT_EQ(D.Failing, 1u);
  EXPECT_EQ(D.FirstFailing, 4999u);
  EXPECT_EQ(floats({}, {}, Exact).Elements, 0u);
  Difference Sum;
  Sum.add(floats({1}, {1}, Exact));
  Sum.add(D, 100);
  EXPECT_EQ(Sum.FirstFailing, 5099u);
  EXPECT_EQ(Sum.Elements, 5001u);
}

TEST(Comparison, Rules) {
  std::string Error;
  std::optional<OutputRule> R = parseRule("exact", Error);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Limits.Mode, CompareMode::Exact);
  R = parseRule("rel:1e-4,floor:1e-3,type:f16", Error);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Limits.Mode, CompareMode::Relative);
  EXPECT_DOUBLE_EQ(R->Limits.Limit, 1e-4);
  EXPECT_DOUBLE_EQ(R->Limits.Floor, 1e-3);
  EXPECT_EQ(R->Limits.FloorShare, 0);
  EXPECT_EQ(R->Type, ElementType::F16);
  R = parseRule("abs:5,exact", Error);
  EXPECT_EQ(R->Limits.Mode, CompareMode::Exact);
  EXPECT_EQ(R->Limits.Limit, 0) << "the last mode counts, with its own limit";
  EXPECT_EQ(parseRule("ulp:4", Error)->Limits.Mode, CompareMode::Ulp);
  EXPECT_EQ(parseRule("sd:3", Error)->Limits.Mode, CompareMode::Deviations);
  EXPECT_EQ(parseRule("abs:0", Error)->Limits.Mode, CompareMode::Absolute);
  R = parseRule("1e-4,floor:1", Error);
  EXPECT_EQ(R->Limits.Mode, CompareMode::Relative) << "a number alone";
  EXPECT_EQ(R->Limits.Limit, 1e-4);
  EXPECT_EQ(parseRule("0", Error)->Limits.Mode, CompareMode::Exact);
  for (const char *Bad :
       {"", "rel", "rel:", "rel:x", "rel:-1", "rel:inf", "exact:1", "type:f99",
        "abs:1,", "floor:1e", "-1", "nan", "1e999", "1 ", "ulps:3"})
    EXPECT_FALSE(parseRule(Bad, Error)) << Bad;
  EXPECT_NE(Error.find("'ulps:3' is no tolerance"), std::string::npos) << Error;
}

} // namespace
