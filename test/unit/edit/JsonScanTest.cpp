//===- JsonScanTest.cpp - Places in JSON texts ----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of a text is visited once with its path and place; too deep
// texts are found before a parser recurses into them.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/JsonScan.h"
#include "gtest/gtest.h"

using namespace gevo;

static std::vector<std::string> scan(llvm::StringRef Text) {
  std::vector<std::string> Seen;
  scanJson(Text, [&](const JsonPath &Path, FilePosition P) {
    std::string Entry;
    for (const JsonStep &S : Path)
      Entry += "/" + (S.Key.empty() ? std::to_string(S.Index) : S.Key.str());
    Seen.push_back(Entry + " " + std::to_string(P.Line) + ":" +
                   std::to_string(P.Column));
  });
  return Seen;
}

TEST(JsonScan, VisitsEveryValueWithItsPlace) {
  using Entries = std::vector<std::string>;
  EXPECT_EQ(scan("{\"a\": [1, {\"b\": \"x,\\\"]\"}],\n  \"c\":\ttrue}"),
            (Entries{" 1:1", "/a 1:7", "/a/0 1:8", "/a/1 1:11", "/a/1/b 1:17",
                     "/c 2:8"}));
  EXPECT_EQ(scan("[]"), Entries{" 1:1"});
  EXPECT_EQ(scan("\n\n {}"), Entries{" 3:2"});
  EXPECT_EQ(scan("[ ]"), Entries{" 1:1"});
  EXPECT_EQ(scan("-1.5e3"), Entries{" 1:1"});
}

TEST(JsonScan, FindsTheFirstSecondKey) {
  auto Second = [](llvm::StringRef Text) -> std::string {
    auto Found = scanJson(Text, [](const JsonPath &, FilePosition) {});
    return Found ? Found->Key.str() + " " + std::to_string(Found->Where.Line) +
                       ":" + std::to_string(Found->Where.Column)
                 : "";
  };
  EXPECT_EQ(Second("{\"a\": 1, \"b\": {\"a\": 2}, \"c\": [\"a\", \"a\"]}"), "");
  EXPECT_EQ(Second("[{\"a\": 1}, {\"a\": 2}]"), "");
  EXPECT_EQ(Second("{\"a\": 1, \"b\": {\"x\": 1,\n\"x\": 2}, \"a\": 1}"),
            "x 2:6");
}

// The text is not always JSON after all: the scan ends anyhow.
TEST(JsonScan, EndsOnBrokenTexts) {
  for (const char *Text : {"", "{", "[", "{\"a", "{\"a\\", "[1,",
                           "{\"a\":", "\"", "[[[", "{,}", "]"})
    EXPECT_GE(scan(Text).size(), 1u) << Text;
}

TEST(JsonScan, Positions) {
  llvm::StringRef Text = "ab\ncd\n";
  auto At = [&](size_t Offset) {
    FilePosition P = positionAt(Text, Offset);
    return std::to_string(P.Line) + ":" + std::to_string(P.Column);
  };
  EXPECT_EQ(At(0), "1:1");
  EXPECT_EQ(At(2), "1:3");
  EXPECT_EQ(At(3), "2:1");
  EXPECT_EQ(At(6), "3:1");
  EXPECT_EQ(At(99), "3:1");
}

TEST(JsonScan, Depth) {
  EXPECT_EQ(findTooDeep("[[[]]]", 3), llvm::StringRef::npos);
  EXPECT_EQ(findTooDeep("[[[]]]", 2), 2u);
  EXPECT_EQ(findTooDeep("[[],[],{}]", 2), llvm::StringRef::npos);
  EXPECT_EQ(findTooDeep("[\"[[[[\\\"[[\"]", 1), llvm::StringRef::npos);
  EXPECT_EQ(findTooDeep("]]]][", 1), llvm::StringRef::npos);
  EXPECT_EQ(findTooDeep(std::string(1000000, '['), 64), 64u);
}
