//===- RunOutputsTest.cpp - Whole runs: files, text, numbers, exit codes --===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/RunOutputs.h"

#include <gtest/gtest.h>

using namespace gevo;
using namespace gevo::measure;

namespace {

OutputSpec onStdout(const std::string &Rule, const std::string &Number = "") {
  OutputSpec S;
  std::string Error;
  S.Rule = parseRule(Rule, Error).value();
  S.Number = Number;
  return S;
}

OutputSpec onFile(const std::string &Name, const std::string &Rule) {
  OutputSpec S = onStdout(Rule);
  S.What = OutputSpec::Kind::File;
  S.File = Name;
  return S;
}

RunRecord printed(const std::string &Text) {
  RunRecord R;
  R.Stdout = Text;
  return R;
}

std::string bytes(const std::vector<float> &V) {
  return std::string(reinterpret_cast<const char *>(V.data()), V.size() * 4);
}

TEST(RunOutputs, ExitCodes) {
  OutputSpec S;
  S.What = OutputSpec::Kind::ExitCode;
  RunRecord Good, Bad;
  Bad.ExitCode = 3;
  EXPECT_TRUE(compareRuns(S, {Good}, Good).Passed);
  EXPECT_EQ(compareRuns(S, {Good}, Bad).Reason,
            "the exit code is 3, expected 0");
}

TEST(RunOutputs, TextWithNumbers) {
  RunRecord Want = printed("error = 1.000 after 10 steps\n");
  OutputSpec S = onStdout("rel:0.01");
  EXPECT_TRUE(
      compareRuns(S, {Want}, printed("error = 1.005 after 10 steps\n")).Passed);
  RunDifference D =
      compareRuns(S, {Want}, printed("error = 1.5 after 10 steps\n"));
  EXPECT_EQ(D.Reason, "number 0 of standard output is 1.5, expected 1");
  EXPECT_EQ(
      compareRuns(S, {Want}, printed("failed = 1.000 after 10 steps\n")).Reason,
      "the text of standard output differs in line 1");
  EXPECT_FALSE(
      compareRuns(S, {Want}, printed("error = nan after 10 steps\n")).Passed);
  EXPECT_FALSE(compareRuns(S, {Want}, printed("error = 1.000\n")).Passed);
  // The same number in another notation is the same number.
  EXPECT_TRUE(compareRuns(onStdout("exact"), {printed("a 0.5, b -1e1\n")},
                          printed("a 5e-1, b -10\n"))
                  .Passed);
}

TEST(RunOutputs, NumberByExpression) {
  OutputSpec S = onStdout("abs:0.5", "accuracy: ([0-9.]+)%");
  RunRecord Want = printed("took 1.2 s\naccuracy: 10.0%\naccuracy: 91.0%\n");
  EXPECT_TRUE(
      compareRuns(S, {Want}, printed("took 9 s\naccuracy: 91.4%\n")).Passed);
  RunDifference D = compareRuns(S, {Want}, printed("accuracy: 90.0%\n"));
  EXPECT_FALSE(D.Passed);
  EXPECT_DOUBLE_EQ(D.Diff.MaxError, 1);
  EXPECT_NE(compareRuns(S, {Want}, printed("took 9 s\n"))
                .Reason.find("nothing matches"),
            std::string::npos);
  S.Number = "(";
  EXPECT_NE(compareRuns(S, {Want}, Want).Reason.find("no regular expression"),
            std::string::npos);
  S.Number = "took (.*)\n";
  EXPECT_NE(compareRuns(S, {Want}, Want).Reason.find("is no number"),
            std::string::npos);
}

TEST(RunOutputs, DeviationsOfRuns) {
  OutputSpec S = onStdout("sd:2", "loss ([0-9.]+)");
  std::vector<RunRecord> Runs = {printed("loss 10"), printed("loss 12"),
                                 printed("loss 14")};
  EXPECT_TRUE(compareRuns(S, Runs, printed("loss 15.9")).Passed);
  EXPECT_FALSE(compareRuns(S, Runs, printed("loss 16.5")).Passed);
}

TEST(RunOutputs, MissingOrEmptyAlwaysFails) {
  OutputSpec S = onFile("out.txt", "exact");
  RunRecord With, Empty, Without;
  With.Files["out.txt"] = "1\n";
  Empty.Files["out.txt"] = "";
  EXPECT_TRUE(compareRuns(S, {With}, With).Passed);
  EXPECT_EQ(compareRuns(S, {With}, Without).Reason, "'out.txt' is missing");
  EXPECT_EQ(compareRuns(S, {With}, Empty).Reason, "'out.txt' is empty");
  // Also if the reference has nothing.
  EXPECT_FALSE(compareRuns(S, {Empty}, Empty).Passed);
  EXPECT_FALSE(compareRuns(S, {Without}, Without).Passed);
  EXPECT_FALSE(
      compareRuns(onStdout("exact"), {printed("")}, printed("")).Passed);
  EXPECT_FALSE(compareRuns(S, {}, With).Passed);
}

TEST(RunOutputs, ArraysInFiles) {
  OutputSpec S = onFile("out.bin", "rel:1e-3,type:f32");
  RunRecord Want, Near, Far, Short;
  Want.Files["out.bin"] = bytes({1, 2, 3});
  Near.Files["out.bin"] = bytes({1, 2.001f, 3});
  Far.Files["out.bin"] = bytes({1, 2, 4});
  Short.Files["out.bin"] = bytes({1, 2});
  EXPECT_TRUE(compareRuns(S, {Want}, Near).Passed);
  EXPECT_EQ(compareRuns(S, {Want}, Far).Reason,
            "number 2 of 'out.bin' is 4, expected 3");
  EXPECT_NE(
      compareRuns(S, {Want}, Short).Reason.find("has 8 bytes, expected 12"),
      std::string::npos);
}

} // namespace
