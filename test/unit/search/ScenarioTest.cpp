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
#include "search/ShellText.h"
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
  EXPECT_EQ(S->Tolerance->texts(), std::vector<std::string>{"rel:0.001"});
  EXPECT_EQ(*S->Evals, 70u);
  EXPECT_FALSE(S->Gpu || S->Budget || S->Build);
}

TEST(Scenario, ToleranceIsARuleOrAListOfThem) {
  auto Texts = [](llvm::StringRef Tolerance) {
    auto S = parseScenario(("run: ./app\ntolerance: " + Tolerance).str(), "s");
    return S ? S->Tolerance->texts()
             : std::vector<std::string>{toString(S.takeError())};
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(Texts("rel:1e-4,floor:1"), List{"rel:0.0001,floor:1"});
  EXPECT_EQ(Texts("[x.txt=abs:0.1, ulp:4]"), (List{"ulp:4", "x.txt=abs:0.1"}));
  EXPECT_EQ(Texts("\n  - stdout=sd:3\n  - 'arg1=rel:1,type:f32'\n"),
            (List{"exact", "arg1=rel:1,type:f32", "stdout=sd:3"}));
  EXPECT_EQ(Texts("[]"), List{"exact"});
}

TEST(Scenario, NamesMistakesInRulesByLineAndColumn) {
  EXPECT_EQ(problemOf("run: ./app\ntolerance: much\n"),
            "s.yaml:2:12: 'much' is no tolerance; expected exact, abs:X, "
            "rel:X, ulp:X or sd:X, and after a comma floor:X, type:T");
  EXPECT_EQ(problemOf("run: ./app\ntolerance:\n  - rel:1\n  - x=rel:no\n")
                .substr(0, 20),
            "s.yaml:4:5: 'rel:no'");
  EXPECT_EQ(problemOf("run: ./app\ntolerance: [rel:1, floor:2]\n"),
            "s.yaml:2:20: 'floor:2' is a second rule for all outputs that have "
            "none of their own");
  EXPECT_NE(problemOf("run: ./app\ntolerance:\n  x: rel:1\n")
                .find("s.yaml:3:3: a tolerance is a rule or a list of them"),
            std::string::npos);
}

TEST(Scenario, NamesMistakesByLineAndColumn) {
  EXPECT_EQ(problemOf("run: ./app\ntolerence: 1\n"),
            "s.yaml:2:1: unknown key 'tolerence'");
  EXPECT_EQ(problemOf("gpu: V100\n"), "s.yaml:1:1: missing required key 'run'");
  EXPECT_EQ(problemOf("runn: ./app\n"), "s.yaml:1:1: unknown key 'runn'");
  EXPECT_EQ(problemOf("run: ./app\nevals: many\n"),
            "s.yaml:2:8: invalid number");
  EXPECT_NE(problemOf("run: [\n").find("s.yaml:"), std::string::npos);
  EXPECT_NE(problemOf("run: ''\n").find("names no program"), std::string::npos);
  EXPECT_NE(problemOf(""), "");
}

TEST(Scenario, KnowsWhereValuesAre) {
  auto S = parseScenario("# a search\nrun: ./app\ngpu:   V100\nheld-out:\n"
                         "  - ./app 1\n  - './app 2'\nbudget: \"2m\"\n",
                         "s.yaml");
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(S->placeOf("run"), "s.yaml:2:6");
  EXPECT_EQ(S->placeOf("gpu"), "s.yaml:3:8");
  EXPECT_EQ(S->placeOf("held-out[1]"), "s.yaml:6:5");
  EXPECT_EQ(S->placeOf("budget"), "s.yaml:7:9");
  EXPECT_EQ(S->placeOf("seed"), "s.yaml:1:1");
}

TEST(Scenario, TakesOneCommandForAList) {
  auto S = parseScenario("run: ./app\nheld-out: ./app 5\noutputs: [a, b]\n",
                         "s.yaml");
  ASSERT_TRUE(bool(S));
  EXPECT_EQ(S->HeldOut, std::vector<std::string>{"./app 5"});
  EXPECT_EQ(S->Outputs.size(), 2u);
  EXPECT_NE(problemOf("run: ./app\nheld-out:\n  a: b\n")
                .find("s.yaml:3:3: this is one text or a list of them"),
            std::string::npos);
}

TEST(Scenario, FindsWordsForAShell) {
  EXPECT_EQ(findShellWord("./ok | sort"), 5u);
  EXPECT_EQ(findShellWord("./ok 2>/dev/null"), 5u);
  EXPECT_EQ(findShellWord("./ok &"), 5u);
  EXPECT_EQ(findShellWord("./ok '|' \\> a|b"), std::nullopt);
}

TEST(Scenario, HoldsOneDocument) {
  EXPECT_EQ(problemOf("run: ./app\n---\nrun: ./other\n"),
            "s.yaml:3:1: a second scenario begins here; a file holds one: put "
            "the other into a file of its own");
  EXPECT_EQ(problemOf("---\nrun: ./app\n"), "");
  EXPECT_EQ(problemOf("run: ./app\n---\n"), "");
  EXPECT_EQ(problemOf("run: ./app\n...\n"), "");
  EXPECT_EQ(problemOf("gpu: V100\nrun: ''\n"),
            "s.yaml:2:6: 'run' names no program");
}

TEST(Scenario, CommandsAreTypedAsTheyAreRead) {
  std::vector<std::string> Words = {"./my app", "it's", "",     "plain-1.0",
                                    "$x",       "a\\b", "\"q\""};
  EXPECT_EQ(shellText(Words),
            "'./my app' 'it'\\''s' '' plain-1.0 '$x' 'a\\b' '\"q\"'");
  EXPECT_EQ(splitCommand(shellText(Words)), Words);
  EXPECT_EQ(splitCommand("  a\\ b \"c 'd' \\\" e\"f\n\t\"\" g\\\\ "),
            (std::vector<std::string>{"a b", "c 'd' \" ef", "", "g\\"}));
}
