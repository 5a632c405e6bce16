//===- ScenarioTest.cpp - A search described in a file --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a file says, and where a mistake in it is.
//
//===----------------------------------------------------------------------===//

#include "search/Scenario.h"
#include "gtest/gtest.h"

using namespace gevo;

static std::string problemOf(llvm::StringRef Text) {
  auto S = parseScenario(Text, "s.yaml");
  return S ? "" : toString(S.takeError());
}

TEST(Scenario, SaysWhatItSays) {
  auto S = parseScenario("run: ./app 'a b' 2\n"
                         "held-out:\n  - ./app 3\n  - ./app 4\n"
                         "tolerance: 1e-3\nevals: 70\noutputs: [x.txt]\n",
                         "s.yaml");
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(splitCommand(S->Run),
            (std::vector<std::string>{"./app", "a b", "2"}));
  EXPECT_EQ(S->HeldOut.size(), 2u);
  EXPECT_EQ(S->Outputs, std::vector<std::string>{"x.txt"});
  EXPECT_EQ(*S->Tolerance, 1e-3);
  EXPECT_EQ(*S->Evals, 70u);
  EXPECT_FALSE(S->Gpu || S->Budget || S->Build);
}

TEST(Scenario, NamesMistakesByLineAndColumn) {
  EXPECT_EQ(problemOf("run: ./app\ntolerence: 1\n"),
            "s.yaml:2:1: unknown key 'tolerence'");
  EXPECT_EQ(problemOf("gpu: V100\n"), "s.yaml:1:1: missing required key 'run'");
  EXPECT_EQ(problemOf("run: ./app\nevals: many\n"),
            "s.yaml:2:8: invalid number");
  EXPECT_NE(problemOf("run: [\n").find("s.yaml:"), std::string::npos);
  EXPECT_NE(problemOf("run: ''\n").find("names no program"), std::string::npos);
  EXPECT_NE(problemOf(""), "");
}
