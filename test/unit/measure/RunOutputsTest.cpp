//===- RunOutputsTest.cpp - Whole runs: files, text, numbers, exit codes --===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/RunOutputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include <sys/resource.h>

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
  EXPECT_EQ(D.Reason, "line 1 of standard output has '1.5' instead of '1.000', "
                      "beyond the tolerance");
  EXPECT_EQ(
      compareRuns(S, {Want}, printed("failed = 1.000 after 10 steps\n")).Reason,
      "line 1 of standard output has 'failed' instead of 'error'");
  EXPECT_FALSE(
      compareRuns(S, {Want}, printed("error = nan after 10 steps\n")).Passed);
  EXPECT_FALSE(compareRuns(S, {Want}, printed("error = 1.000\n")).Passed);
  // The same number in another notation is the same number, unless every byte
  // counts.
  RunRecord One = printed("a 0.5, b -1e1\n"),
            Other = printed("a 5e-1, b -10\n");
  EXPECT_TRUE(compareRuns(onStdout("abs:0"), {One}, Other).Passed);
  EXPECT_EQ(compareRuns(onStdout("exact"), {One}, Other).Reason,
            "line 1 of standard output is 'a 5e-1, b -10' instead of "
            "'a 0.5, b -1e1'");
}

TEST(RunOutputs, BlanksMayDifferAndSignsMayNot) {
  OutputSpec S = onStdout("rel:0.1");
  EXPECT_TRUE(
      compareRuns(S, {printed("x= 9.9|y= 1\n")}, printed("x=10.1|y=  1\n"))
          .Passed);
  for (const char *Text : {"x=9.9,y=1\n", "x=9.9|y=1", "x=9.9|y=1\n\n",
                           "x=9.9\n|y=1\n", "x=9.9|y=1 1\n", "x=9.9|y=\n"})
    EXPECT_FALSE(compareRuns(S, {printed("x=9.9|y=1\n")}, printed(Text)).Passed)
        << Text;
}

// What a tolerance of a double cannot see.
TEST(RunOutputs, WholeNumbersAndHashesKeepTheirDigits) {
  auto same = [](const char *Rule, const char *Want, const char *Got) {
    return compareRuns(onStdout(Rule), {printed(Want)}, printed(Got)).Passed;
  };
  const char *Pairs[][2] = {{"9007199254740992", "9007199254740993"},
                            {"18446744073709551614", "18446744073709551615"},
                            {"-9007199254740992", "-9007199254740993"},
                            {"0x1fffffffffffff00", "0x1fffffffffffff01"},
                            {"1e400", "1e401"},
                            {"4e5000a1", "4e5000a2"}};
  for (auto &P : Pairs)
    for (const char *Rule : {"exact", "abs:0.5", "ulp:0"}) {
      EXPECT_TRUE(same(Rule, P[0], P[0])) << Rule << " " << P[0];
      EXPECT_FALSE(same(Rule, P[0], P[1])) << Rule << " " << P[0];
    }
  const char *Long = "123456789012345678901234567890";
  EXPECT_FALSE(same("exact", Long, "123456789012345678901234567891"));
  EXPECT_TRUE(same("rel:1e-9", Long, "123456789012345678901234567891"));
  EXPECT_TRUE(same("abs:1", "9007199254740992", "9007199254740993"));
  EXPECT_TRUE(same("abs:1", "9223372036854775807", "9223372036854775808"));
  OutputSpec S = onStdout("exact", "sum ([^ ]+)");
  EXPECT_FALSE(compareRuns(S, {printed("sum 9007199254740992")},
                           printed("sum 9007199254740993"))
                   .Passed);
}

TEST(RunOutputs, NumbersAtTheEndOfASentence) {
  auto same = [](const char *Want, const char *Got) {
    return compareRuns(onStdout("rel:1e-3"), {printed(Want)}, printed(Got))
        .Passed;
  };
  EXPECT_TRUE(same("The sum is 1.2345678.\n", "The sum is 1.2345679.\n"));
  EXPECT_FALSE(same("The sum is 1.2345678.\n", "The sum is 1.3345678.\n"));
  EXPECT_FALSE(same("The sum is 1.2345678.\n", "The sum is 1.2345678\n"));
  EXPECT_TRUE(same("is -1e-3.", "is -1.0001e-3."));
  EXPECT_TRUE(same("wait 1.5... done", "wait 1.5001... done"));
  EXPECT_TRUE(same("wait 10000... done", "wait 10001... done"));
  EXPECT_TRUE(same("is nan.", "is -nan."));
  EXPECT_TRUE(same("it took 10000.", "it took 10001."));
  EXPECT_TRUE(same("-.5", "-.5001"));
  // As arrays are printed by some.
  EXPECT_TRUE(same("[1. 2. 3.5]", "[1.0001 1.9999 3.5]"));
  // No numbers.
  for (const char *Text : {"v1.2.3.", "1.2.3.", "2ms.", "3.5x", "done.", "..."})
    EXPECT_EQ(wordsOf(Text).at(0).Text, Text);
  EXPECT_FALSE(same("3.5x", "3.5001x"));
  EXPECT_EQ(changedNumbers("a -.5", "a -.25"), WordSet{1});
}

TEST(RunOutputs, OddNumbersByRule) {
  auto same = [](const char *Rule, const char *Want, const char *Got) {
    return compareRuns(onStdout(Rule), {printed(Want)}, printed(Got)).Passed;
  };
  for (const char *Rule : {"abs:1", "rel:1", "ulp:4", "sd:3"}) {
    EXPECT_TRUE(same(Rule, "x nan", "x -nan")) << Rule;
    EXPECT_TRUE(same(Rule, "x inf", "x INF")) << Rule;
    EXPECT_FALSE(same(Rule, "x inf", "x -inf")) << Rule;
    EXPECT_FALSE(same(Rule, "x 1", "x nan")) << Rule;
    EXPECT_FALSE(same(Rule, "x nan", "x 1")) << Rule;
    EXPECT_TRUE(same(Rule, "x 0.0", "x -0.0")) << Rule;
  }
  EXPECT_FALSE(same("exact", "x 0.0", "x -0.0"));
}

TEST(RunOutputs, ErrorsAreRelativeToMagnitudesWithAFloor) {
  auto error = [](const char *Want, const char *Got) {
    return compareRuns(onStdout("rel:9"), {printed(Want)}, printed(Got))
        .Diff.MaxError;
  };
  EXPECT_DOUBLE_EQ(error("a 100 b 2\n", "a 101 b 2\n"), 0.01);
  EXPECT_DOUBLE_EQ(error("-100", "-110"), 0.1);
  EXPECT_DOUBLE_EQ(error("-100", "100"), 2);
  EXPECT_LT(error("1000.5 1e-30", "1000.5 2e-30"), 1e-20);
  EXPECT_DOUBLE_EQ(error("0 1", "1e-6 1"), 1);
  EXPECT_DOUBLE_EQ(error("0\n1\n", "1e-6\n1\n"), 1);
  EXPECT_DOUBLE_EQ(error("x[7] = 0\nx[8] = 1\n", "x[7] = 1e-6\nx[8] = 1\n"), 1);
  // A large number says nothing about what stands elsewhere.
  for (const char *Frame :
       {"seed 123456789012, error ", "at 123456789012:\n",
        "123456789012 = ", "mass 1.5e30 after ", "x[123456789] = "})
    EXPECT_DOUBLE_EQ(error((Frame + std::string("0.5\n")).c_str(),
                           (Frame + std::string("0.75\n")).c_str()),
                     0.5)
        << Frame;
}

// A long line, of which each word took a copy.
TEST(RunOutputs, MemoryIsThatOfTheTextAlsoInOneLine) {
  std::string Line;
  WordSet All;
  for (int I = 0; I < 8000; ++I) {
    Line += "\"key" + std::to_string(I) + "\": 0.5, ";
    All.insert(size_t(I) * 2 + 1);
  }
  auto megabytes = [] {
    rusage Used;
    getrusage(RUSAGE_SELF, &Used);
    return Used.ru_maxrss >> 10;
  };
  long Before = megabytes();
  EXPECT_TRUE(
      compareRuns(onStdout("rel:1e-3"), {printed(Line)}, printed(Line)).Passed);
  EXPECT_EQ(withAlikeLines(Line, All), All);
  EXPECT_LT(megabytes() - Before, 100);
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
  S.Number = "took (\\d+)";
  EXPECT_NE(compareRuns(S, {Want}, Want).Reason.find("write [0-9]"),
            std::string::npos);
  S.Number = "took (.*)";
  EXPECT_NE(compareRuns(S, {Want}, Want).Reason.find("is no number"),
            std::string::npos);
}

TEST(RunOutputs, ExpressionsMatchLinesOfAnyLength) {
  std::string Error, Long = "x" + std::string(400000, 'a') + "=12\ny=3\n";
  EXPECT_EQ(findNumber(Long, "x.*=([0-9]+)", Error), "12");
  EXPECT_EQ(findNumber(Long, "^y=([0-9]+)$", Error), "3");
  EXPECT_EQ(findNumber("a=1 a=2, b", "a=([0-9]+)", Error), "2");
  EXPECT_EQ(findNumber("1 2 3", "[0-9]", Error), "3") << "without a group";
  EXPECT_EQ(findNumber("1 2 3", "^[0-9]", Error), "1");
  EXPECT_EQ(findNumber("x 1", "(9)?x", Error), std::nullopt);
  EXPECT_EQ(findNumber("xx", "y*", Error), std::nullopt);
}

TEST(RunOutputs, DeviationsOfRuns) {
  OutputSpec S = onStdout("sd:2", "loss ([0-9.]+)");
  std::vector<RunRecord> Runs = {printed("loss 10"), printed("loss 12"),
                                 printed("loss 14")};
  EXPECT_TRUE(compareRuns(S, Runs, printed("loss 15.9")).Passed);
  EXPECT_FALSE(compareRuns(S, Runs, printed("loss 16.5")).Passed);
}

TEST(RunOutputs, DeviationsOfNumbersInTexts) {
  OutputSpec S = onStdout("sd:2");
  std::vector<RunRecord> Runs = {printed("a 10 b 1.5\n"),
                                 printed("a 12 b 1.5\n"),
                                 printed("a 14 b 1.5\n")};
  EXPECT_TRUE(compareRuns(S, Runs, printed("a 15.9 b 1.5\n")).Passed);
  EXPECT_FALSE(compareRuns(S, Runs, printed("a 16.5 b 1.5\n")).Passed);
  EXPECT_FALSE(compareRuns(S, Runs, printed("a 12 b 1.6\n")).Passed);
  Runs.push_back(printed("a 12\n"));
  EXPECT_NE(compareRuns(S, Runs, Runs[0]).Reason.find("between runs"),
            std::string::npos);
}

TEST(RunOutputs, ReferencesThatDifferAreNamed) {
  auto reason = [](const char *Rule, const std::vector<const char *> &Want,
                   const char *Got) {
    std::vector<RunRecord> Runs;
    for (const char *Text : Want)
      Runs.push_back(printed(Text));
    return compareRuns(onStdout(Rule), Runs, printed(Got)).Reason;
  };
  const char *Differs = "line 1 of standard output differs between runs of the "
                        "reference, at 'v1x'";
  EXPECT_EQ(reason("rel:1e-3", {"a v1x", "a v2x"}, "a v1x"), Differs);
  EXPECT_EQ(reason("rel:1e-3", {"a, v1x", "a; v1x"}, "a, v1x"), Differs);
  EXPECT_EQ(reason("rel:1e-3", {"a v1x", "a v1x"}, "a v2x"),
            "line 1 of standard output has 'v2x' instead of 'v1x'");
  EXPECT_EQ(reason("sd:3", {"a 1.5", "a 2.5"}, "a lost"),
            "line 1 of standard output has 'lost' instead of '1.5'");
  EXPECT_EQ(reason("sd:0.5", {"a 1.5", "a 2.5", "a 2.5"}, "a 1.5"),
            "line 1 of standard output has '1.5', as the first run of the "
            "reference, but far from the mean of its runs, beyond the "
            "tolerance");
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

RunDifference compareFiles(const char *Rule, const std::string &Want,
                           const std::string &Got) {
  RunRecord A, B;
  A.Files["x"] = Want;
  B.Files["x"] = Got;
  return compareRuns(onFile("x", Rule), {A}, B);
}

TEST(RunOutputs, BinaryFilesAreComparedByValue) {
  std::string Wanted = bytes({0, 1, -100}), Near = bytes({0, 1, -101});
  EXPECT_TRUE(isBinary(Wanted));
  EXPECT_FALSE(isBinary("text"));
  EXPECT_TRUE(compareFiles("exact", Wanted, Wanted).Passed);
  EXPECT_DOUBLE_EQ(compareFiles("rel:1", Wanted, Near).Diff.MaxError, 0.01);
  EXPECT_EQ(compareFiles("exact", Wanted, Near).Reason,
            "byte 10 of 'x' differs");
  EXPECT_FALSE(compareFiles("rel:1", Wanted, bytes({0, 1, NAN})).Passed);
  EXPECT_FALSE(compareFiles("rel:1", Wanted, bytes({0, 1})).Passed);
  EXPECT_EQ(compareFiles("rel:1", std::string("\0\0\0\1ab", 6),
                         std::string("\0\0\0\1ac", 6))
                .Reason,
            "byte 5 of 'x' differs (its bytes do not look like floats; type:T "
            "in its rule says what they are, as in rel:1e-3,type:f16)");
  std::vector<double> Long = {1.0 / 3, 2e5};
  std::string Doubles(reinterpret_cast<const char *>(Long.data()), 16);
  Long[1] *= 1.5;
  std::string Other(reinterpret_cast<const char *>(Long.data()), 16);
  EXPECT_DOUBLE_EQ(compareFiles("rel:1", Doubles, Other).Diff.MaxError, 0.5);
}

// A type that was guessed is named, and so is the way to say another one.
TEST(RunOutputs, TypesThatWereGuessedAreNamed) {
  std::string Wanted = bytes({0, 1, -100}), Far = bytes({0, 1, -200});
  RunDifference D = compareFiles("rel:0.1", Wanted, Far);
  EXPECT_EQ(D.Type, ElementType::F32);
  EXPECT_EQ(D.Reason, "number 2 of 'x' is -200, expected -100 (as f32, which "
                      "its bytes look like; type:T in its rule says what they "
                      "are, as in rel:1e-3,type:f64)");
  D = compareFiles("rel:0.1,type:f32", Wanted, Far);
  EXPECT_EQ(D.Type, ElementType::F32);
  EXPECT_EQ(D.Reason, "number 2 of 'x' is -200, expected -100");
  EXPECT_EQ(compareFiles("rel:2", Wanted, Far).Type, ElementType::F32);
  EXPECT_EQ(compareFiles("exact", Wanted, Wanted).Type, ElementType::None);
}

std::string doubles(const std::vector<double> &V) {
  return std::string(reinterpret_cast<const char *>(V.data()), V.size() * 8);
}

// Bytes that could be floats or doubles pass only if they do so as both.
TEST(RunOutputs, FloatsAreNotTakenForDoublesNorDoublesForFloats) {
  const char *Unclear = "'x' could be f32 or f64, and passes as one of them "
                        "only: say type:f32 or type:f64 in its rule, as in "
                        "rel:1e-3,type:f64";
  std::string Round = doubles({1, 2, 3, 4});
  EXPECT_TRUE(compareFiles("rel:1e-2", Round, Round).Passed);
  for (double Off : {1.0625, 1.0001})
    EXPECT_EQ(compareFiles("rel:1e-2", Round, doubles({Off, 2, 3, 4})).Reason,
              Unclear)
        << Off;
  EXPECT_TRUE(
      compareFiles("rel:1e-2,type:f64", Round, doubles({1.0001, 2, 3, 4}))
          .Passed);
  EXPECT_EQ(compareFiles("rel:1e-2", Round, doubles({1, 2, 9, 4})).Reason,
            "number 5 of 'x' is 2.53125, expected 2.125 (as f32; it could be "
            "f64 as well)");
  EXPECT_EQ(compareFiles("rel:1e-2", doubles({1, 0x1p-60}),
                         doubles({1.0625, 0x1p-60}))
                .Reason,
            Unclear);
  // Every other float is the half of a double that hardly counts.
  EXPECT_EQ(
      compareFiles("rel:1e-2", bytes({0, 1, 0, 2}), bytes({5, 1, 0, 2})).Reason,
      Unclear);
  EXPECT_EQ(compareFiles("rel:1e-2", bytes({1e-15F, 1, 0, 2}),
                         bytes({9e-1F, 1, 0, 2}))
                .Reason,
            Unclear);
  // Enough numbers tell.
  EXPECT_TRUE(compareFiles("rel:1e-2", bytes({1, 2, 3, 4, 5, 6, 7, 8}),
                           bytes({1, 2.018F, 3, 4, 5.04F, 6, 7, 8}))
                  .Passed);
  std::vector<double> Narrow(40, 0.3);
  for (size_t I = 0; I < Narrow.size(); ++I)
    Narrow[I] += double(I) * 1e-15;
  Narrow.push_back(0);
  std::vector<double> Other = Narrow;
  Other[0] += 0x1p-10; // 0.3 %, and as a float 0.03 %.
  EXPECT_EQ(compareFiles("rel:1e-3", doubles(Narrow), doubles(Other)).Reason,
            Unclear);
  std::vector<float> Floats;
  std::vector<double> Doubles;
  for (int I = 1; I <= 40; ++I) {
    Floats.push_back(float(I) / 8);
    Doubles.push_back(1.0 / I);
  }
  std::string Want = bytes(Floats);
  Floats[1] *= 1.009F;
  EXPECT_TRUE(compareFiles("rel:1e-2", Want, bytes(Floats)).Passed);
  Floats[0] *= 1.02F;
  EXPECT_FALSE(compareFiles("rel:1e-2", Want, bytes(Floats)).Passed);
  Doubles.push_back(0);
  Want = doubles(Doubles);
  Doubles[4] *= 1.009;
  EXPECT_TRUE(compareFiles("rel:1e-2", Want, doubles(Doubles)).Passed);
  Doubles[4] *= 1.02;
  EXPECT_FALSE(compareFiles("rel:1e-2", Want, doubles(Doubles)).Passed);
}

} // namespace
