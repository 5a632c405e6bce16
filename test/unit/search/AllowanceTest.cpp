//===- AllowanceTest.cpp - The time for what comes after a search ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps that take all that they may end with the allowance, whatever the number
// of finalists, and what one leaves is for the next.
//
//===----------------------------------------------------------------------===//

#include "search/Allowance.h"
#include "gtest/gtest.h"

using namespace gevo;

namespace {

TEST(AllowanceTest, AllStepsTogetherTakeAsLongAsTheSearch) {
  double Now = 1000;
  Allowance Time(600, Now);
  for (unsigned Left : {2, 1}) {
    Time.begin(Now, Left);
    for (double Share : {0.25, 0.45, 1.0})
      Now += Time.step(Now, Share);
  }
  EXPECT_NEAR(Now, 1600, 2 * Allowance::Moment);
}

TEST(AllowanceTest, ValidationHasItsPart) {
  Allowance Time(600, 0);
  Time.begin(0, 1);
  double Now = Time.step(0, 0.25);
  Now += Time.step(Now, 0.45);
  EXPECT_LT(Now, 600 * 0.6);
}

TEST(AllowanceTest, WhatOneLeavesIsForTheNext) {
  Allowance Time(600, 0);
  Time.begin(0, 2);
  EXPECT_DOUBLE_EQ(Time.step(0, 1), 300);
  Time.begin(10, 1);
  EXPECT_DOUBLE_EQ(Time.step(10, 1), 590);
}

TEST(AllowanceTest, AfterALongValidationAMomentIsLeft) {
  Allowance Time(600, 0);
  Time.begin(0, 1);
  EXPECT_DOUBLE_EQ(Time.step(5000, 1), Allowance::Moment);
  Time.begin(5000, 1);
  EXPECT_DOUBLE_EQ(Time.step(5000, 1), Allowance::Moment);
}

TEST(AllowanceTest, SmallBudgetsHaveTheLeast) {
  Allowance Time(1, 0);
  Time.begin(0, 1);
  EXPECT_DOUBLE_EQ(Time.step(0, 1), Allowance::Least);
}

TEST(AllowanceTest, CountsAloneBoundNothing) {
  EXPECT_FALSE(Allowance(0, 7).bounded());
  EXPECT_TRUE(Allowance(1, 7).bounded());
}

} // namespace
