//===- CachesTest.cpp - What was measured before --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache on disk that is damaged loses what is damaged, and tells nothing
// wrong.
//
//===----------------------------------------------------------------------===//

#include "search/Evaluator.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fstream>
#include <utility>

using namespace gevo;
using namespace llvm;

namespace {

class CacheTest : public testing::Test {
protected:
  static constexpr unsigned Count = 5;

  void SetUp() override {
    SmallString<128> Made;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-cache", Made));
    Folder = Made.str().str();
    Path = Folder + "/measured.jsonl";
    auto Log = AppendLog::openCache(Path, Header);
    ASSERT_TRUE(bool(Log));
    PayloadCache Cache(Log->get());
    for (unsigned I = 0; I < Count; ++I)
      ASSERT_FALSE(bool(Cache.add("code" + std::to_string(I), result(I))));
    Log->reset();
    auto Text = MemoryBuffer::getFile(Path);
    ASSERT_TRUE(bool(Text));
    StringRef((*Text)->getBuffer()).rtrim().split(Lines, '\n');
    for (StringRef Line : Lines)
      Written.push_back(Line.str());
    ASSERT_EQ(Written.size(), Count + 1);
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  // Some are whole numbers, some fail.
  static Fitness result(unsigned I) {
    if (I == 1)
      return Fitness::failed(Stage::Run, "it \xff faults");
    Fitness F;
    F.Time = I == 2 ? 1000 : 1000.0 / 3 * (I + 1);
    F.Error = I * 1e-20;
    return F;
  }

  // What is known when the file holds that: "0 2 3", and "+1" if a line is
  // damaged. What is known wrongly is "wrong".
  std::string known(const std::string &Text) {
    std::ofstream(Path, std::ios::binary | std::ios::trunc) << Text;
    std::string All;
    for (bool Again : {false, true}) {
      auto Log = AppendLog::openCache(Path, Header);
      if (!Log)
        return toString(Log.takeError());
      PayloadCache Cache(Log->get());
      size_t Damaged = Cache.load();
      std::string Now;
      for (unsigned I = 0; I < Count; ++I)
        if (const Fitness *F = Cache.find("code" + std::to_string(I))) {
          Fitness Want = result(I);
          bool Same = F->End == Want.End && F->Time == Want.Time &&
                      F->Error == Want.Error;
          Now += Same ? std::to_string(I) + " " : "wrong ";
        }
      // It takes further lines, and they are there the next time.
      const Fitness *Further = Cache.find("further");
      if (Again && (!Further || Further->Time != 7))
        return "forgot a line";
      Fitness Seven;
      Seven.Time = 7;
      if (Error E = Cache.add("further", Seven))
        return toString(std::move(E));
      if (Again && Now != All.substr(0, All.find('+')))
        return "not the same again";
      if (!Again)
        All = Now + (Damaged ? "+" + std::to_string(Damaged) : "");
    }
    return All;
  }

  // The file with another line in the place of one.
  std::string with(unsigned Number, const std::string &Line) const {
    std::vector<std::string> All = Written;
    All[Number] = Line;
    return join(All, "\n") + "\n";
  }

  const json::Object Header{{"version", 1}, {"scenario", "a"}};
  std::string Folder, Path;
  std::vector<std::string> Written;

private:
  SmallVector<StringRef, 8> Lines;
};

} // namespace

TEST_F(CacheTest, KnowsAllOfAWholeFile) {
  EXPECT_EQ(known(join(Written, "\n") + "\n"), "0 1 2 3 4 ");
  EXPECT_EQ(known(""), "");
}

TEST_F(CacheTest, LosesADamagedLineAlone) {
  const std::string &Line = Written[3];
  EXPECT_EQ(known(with(3, "")), "0 1 3 4 +1");
  EXPECT_EQ(known(with(3, "no JSON")), "0 1 3 4 +1");
  EXPECT_EQ(known(with(3, std::string("\0\xff\x80{\"", 5))), "0 1 3 4 +1");
  EXPECT_EQ(known(with(3, Line.substr(0, 20))), "0 1 3 4 +1");
  EXPECT_EQ(known(with(3, Line.substr(0, 20) + Line)), "0 1 3 4 +1");
  EXPECT_EQ(known(with(3, Line + "\n" + Line.substr(30))), "0 1 2 3 4 +1");
  EXPECT_EQ(known(with(3, Line + "\n" + Line)), "0 1 2 3 4 ");
  for (const char *Types :
       {"7", "[]", "null", "{}", "{\"code\":1,\"result\":{}}",
        "{\"code\":\"code2\",\"result\":{\"stage\":\"done\"}}",
        "{\"code\":\"code2\",\"result\":{\"stage\":\"done\",\"time\":\"1\","
        "\"error\":0}}",
        "{\"code\":\"code2\",\"result\":{\"stage\":\"odd\",\"reason\":\"\"}}"})
    EXPECT_EQ(known(with(3, Types)), "0 1 3 4 +1") << Types;
}

TEST_F(CacheTest, TakesNoOtherNumber) {
  std::string Other = Written[3];
  size_t At = Other.find("1000");
  ASSERT_NE(At, std::string::npos);
  Other[At] = '2';
  EXPECT_EQ(known(with(3, Other)), "0 1 3 4 +1");
}

TEST_F(CacheTest, LosesALineThatWasNotWrittenWhole) {
  std::string All = join(Written, "\n") + "\n";
  EXPECT_EQ(known(All.substr(0, All.size() - 1)), "0 1 2 3 ");
  EXPECT_EQ(known(All.substr(0, All.size() - 20)), "0 1 2 3 ");
}

TEST_F(CacheTest, GoesByItsNameWithoutAHeader) {
  EXPECT_EQ(known(with(0, "\xff")), "0 1 2 3 4 +1");
  EXPECT_EQ(known(join(ArrayRef(Written).drop_front(), "\n") + "\n"),
            "0 1 2 3 4 ");
}

// Any one character of it.
TEST_F(CacheTest, LosesNothingByADamagedHeader) {
  for (size_t At = 0; At < Written[0].size(); ++At)
    for (char With : {'0', 'c', '"'}) {
      std::string Header = Written[0];
      if (std::exchange(Header[At], With) != With)
        EXPECT_EQ(known(with(0, Header)), "0 1 2 3 4 +1") << Header;
    }
  EXPECT_FALSE(sys::fs::exists(Path + ".old"));
}

TEST_F(CacheTest, PutsAsideWhatIsOfAnother) {
  json::Object Other{{"scenario", "b"}, {"version", 1}};
  std::string Earlier = formatv("{0}", json::Value(json::Object(Other)));
  std::string Sealed = formatv("{0}", json::Value(withSum(Other)));
  for (const std::string &First : {Earlier, Sealed}) {
    EXPECT_EQ(known(with(0, First)), "") << First;
    EXPECT_TRUE(sys::fs::exists(Path + ".old")) << First;
    ASSERT_FALSE(sys::fs::remove(Path + ".old"));
  }
  // One of this scenario from before headers had sums is as good.
  EXPECT_EQ(known(with(0, formatv("{0}", json::Value(json::Object(Header))))),
            "0 1 2 3 4 ");
}
