//===- ApproximateTest.cpp - Approximations are not the rounded results ---===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IsaTests hold each approximation to the error that the PTX manual states.
// Here: it has that error at all, so that a program that an approximation
// changes on a GPU is changed here; and what any GPU has exactly is exact.
//
//===----------------------------------------------------------------------===//

#include "test/unit/gpu/KernelTest.h"

#include <cmath>

using namespace gevo::gpu;

namespace {

class ApproximateTest : public KernelTest {
protected:
  /// What \p Op gives for up to 1,024 values.
  std::vector<float> apply(const std::string &Op,
                           const std::vector<float> &In) {
    for (unsigned I = 0; I < In.size(); ++I)
      put(I, In[I]);
    runClean("ld.global.f32 %f0, [%mine]; " + Op +
                 " %f1, %f0; st.global.f32 [%mine], %f1;",
             {unsigned(In.size()), 1, 1});
    std::vector<float> Results;
    for (unsigned I = 0; I < In.size(); ++I)
      Results.push_back(at<float>(I));
    return Results;
  }
};

struct Function {
  const char *Op;
  double (*True)(double);
};

const Function Functions[] = {
    {"rcp.approx.f32", [](double X) { return 1 / X; }},
    {"sqrt.approx.f32", [](double X) { return std::sqrt(X); }},
    {"rsqrt.approx.f32", [](double X) { return 1 / std::sqrt(X); }},
    {"sin.approx.f32", [](double X) { return std::sin(X); }},
    {"cos.approx.f32", [](double X) { return std::cos(X); }},
    {"lg2.approx.f32", [](double X) { return std::log2(X); }},
    {"ex2.approx.f32", [](double X) { return std::exp2(X); }},
    {"tanh.approx.f32", [](double X) { return std::tanh(X); }},
};

TEST_F(ApproximateTest, ManyResultsAreNotTheRoundedOnes) {
  std::vector<float> In;
  for (unsigned I = 0; I < 1000; ++I)
    In.push_back(0.5f + float(I) * 0.00317f);
  for (const Function &F : Functions) {
    std::vector<float> Results = apply(F.Op, In);
    unsigned Others = 0, Above = 0;
    for (unsigned I = 0; I < In.size(); ++I) {
      float Rounded = float(F.True(double(In[I])));
      Others += Results[I] != Rounded;
      Above += Results[I] > Rounded;
    }
    EXPECT_GT(Others, 300u) << F.Op;
    // To no side: sums of them would drift as they do on no GPU.
    EXPECT_GT(Above, Others / 3) << F.Op;
    EXPECT_LT(Above, Others - Others / 3) << F.Op;
  }
}

TEST_F(ApproximateTest, PerfectSquaresHaveTheirRoots) {
  std::vector<float> In;
  for (unsigned I = 1; I <= 1024; ++I)
    In.push_back(float(I * 4 - 1) * float(I * 4 - 1));
  std::vector<float> Roots = apply("sqrt.approx.f32", In);
  for (unsigned I = 1; I <= 1024; ++I)
    EXPECT_EQ(Roots[I - 1], float(I * 4 - 1));
}

TEST_F(ApproximateTest, PowersOfTwoAreExact) {
  std::vector<float> In;
  for (int K = -40; K <= 40; ++K)
    In.push_back(std::ldexp(1.0f, 2 * K));
  std::vector<float> Reciprocals = apply("rcp.approx.f32", In),
                     Roots = apply("rsqrt.approx.f32", In),
                     Logarithms = apply("lg2.approx.f32", In),
                     Back = apply("ex2.approx.f32", Logarithms);
  for (int K = -40; K <= 40; ++K) {
    EXPECT_EQ(Reciprocals[K + 40], std::ldexp(1.0f, -2 * K));
    EXPECT_EQ(Roots[K + 40], std::ldexp(1.0f, -K));
    EXPECT_EQ(Logarithms[K + 40], float(2 * K));
    EXPECT_EQ(Back[K + 40], In[K + 40]);
  }
}

TEST_F(ApproximateTest, WhatComesNearOneIsNoMoreThanOne) {
  std::vector<float> Large{9.5f, 12, 19, 21, 88, HUGE_VALF};
  for (float R : apply("tanh.approx.f32", Large))
    EXPECT_EQ(R, 1.0f);
  std::vector<float> Small{0, 1e-30f, 1e-5f, -1e-4f, 3e-4f};
  for (float R : apply("cos.approx.f32", Small))
    EXPECT_EQ(R, 1.0f);
}

} // namespace
