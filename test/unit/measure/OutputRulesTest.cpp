//===- OutputRulesTest.cpp - How far each output may be off ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rule an output gets, how rules are written, and one error for outputs
// with different ones.
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/OutputRules.h"
#include <gtest/gtest.h>

using namespace gevo::measure;

namespace {

OutputRules rules(const std::vector<std::string> &Texts) {
  OutputRules R;
  std::string Error;
  for (const std::string &Text : Texts)
    EXPECT_TRUE(R.add(Text, Error)) << Error;
  return R;
}

TEST(OutputRules, AnOutputHasItsOwnOrThatOfTheRest) {
  OutputRules R = rules({"a=b.txt=abs:2", "rel:0.5"});
  EXPECT_EQ(R.of("a=b.txt").Limits.Mode, CompareMode::Absolute);
  EXPECT_EQ(R.of("stdout").Limits.Mode, CompareMode::Relative);
  EXPECT_EQ(*R.findUnknown({"stdout"}), "a=b.txt");
  EXPECT_EQ(R.findUnknown({"stdout", "a=b.txt"}), nullptr);
}

TEST(OutputRules, ASecondRuleForTheSameIsRefused) {
  OutputRules R = rules({"rel:0.5", "x=exact"});
  std::string Error;
  EXPECT_FALSE(R.add("floor:1e-3", Error));
  EXPECT_EQ(Error, "'floor:1e-3' is a second rule for all outputs that have "
                   "none of their own");
  EXPECT_FALSE(R.add("x=abs:1", Error));
  EXPECT_EQ(Error, "'x=abs:1' is a second rule for the output 'x'");
}

TEST(OutputRules, WhatIsWrittenIsReadAsTheSame) {
  std::vector<std::string> Texts = {"rel:0.0001,floor:1e-20,type:f16",
                                    "a=exact",
                                    "b=ulp:300",
                                    "c=sd:2.5",
                                    "d=abs:1e+30",
                                    "e=exact,type:s64"};
  EXPECT_EQ(rules(Texts).texts(), Texts);
  EXPECT_EQ(rules({"1e-4"}).texts(), std::vector<std::string>{"rel:0.0001"});
  EXPECT_EQ(rules({"0"}).texts(), OutputRules().texts());
  double Third = 1.0 / 3;
  std::string Error;
  OutputRules R;
  R.Others.Limits.Mode = CompareMode::Absolute;
  R.Others.Limits.Limit = Third;
  EXPECT_EQ(parseRule(R.texts()[0], Error)->Limits.Limit, Third);
}

TEST(OutputRules, ErrorsOfOneLimitKeepTheirUnit) {
  OutputRules R = rules({"rel:0.5", "a=exact", "b=rel:0.5"});
  EXPECT_EQ(R.largestError(), 0.5);
  EXPECT_EQ(R.errorOf("b", 0.25), 0.25);
  EXPECT_EQ(R.unit(), "rel");
  EXPECT_EQ(OutputRules().largestError(), 0);
  EXPECT_EQ(OutputRules().unit(), "");
}

TEST(OutputRules, ErrorsOfSeveralLimitsAreShares) {
  OutputRules R = rules({"exact", "a=rel:0.5", "b=ulp:8"});
  EXPECT_EQ(R.largestError(), 1);
  EXPECT_EQ(R.errorOf("a", 0.25), 0.5);
  EXPECT_EQ(R.errorOf("b", 2), 0.25);
  EXPECT_EQ(R.errorOf("c", 0), 0);
  EXPECT_EQ(R.unit(), "of what is allowed");
  EXPECT_EQ(rules({"rel:0.5", "a=rel:0.25"}).errorOf("a", 0.25), 1)
      << "the same unit is not enough";
}

} // namespace
