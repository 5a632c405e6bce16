//===- AppendLogTest.cpp - A file that only grows -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Torn lines, damaged lines, other headers, and two writers.
//
//===----------------------------------------------------------------------===//

#include "search/AppendLog.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fstream>
#include <sys/resource.h>

using namespace gevo;
using namespace llvm;

namespace {

class AppendLogTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Folder;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-log", Folder));
    Path = (Folder + "/log").str();
    this->Folder = Folder.str().str();
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  void write(StringRef Text) {
    std::ofstream(Path, std::ios::app) << Text.str();
  }
  // The lines, or the error.
  std::string open(int Header = 1) {
    auto Log = AppendLog::open(Path, json::Object{{"header", Header}});
    if (!Log)
      return toString(Log.takeError());
    std::string Text;
    raw_string_ostream OS(Text);
    for (const json::Value &Line : (*Log)->takeLines())
      OS << Line << ' ';
    return Text;
  }

  std::string Folder, Path;
};

} // namespace

TEST_F(AppendLogTest, KeepsLines) {
  auto Log = AppendLog::open(Path, json::Object{{"header", 1}});
  ASSERT_TRUE(bool(Log));
  ASSERT_FALSE((*Log)->append(json::Array{1, 2}));
  ASSERT_FALSE((*Log)->append(json::Array{3}));
  Log->reset();
  EXPECT_EQ(open(), "[1,2] [3] ");
}

TEST_F(AppendLogTest, CutsATornLineOff) {
  open();
  write("[1]\n[2,");
  EXPECT_EQ(open(), "[1] ");
  write("[3]\n");
  EXPECT_EQ(open(), "[1] [3] ");
}

TEST_F(AppendLogTest, RefusesDamageInTheMiddle) {
  open();
  write("[1\n[2]\n");
  EXPECT_NE(open().find("line 2, is damaged"), std::string::npos);
}

TEST_F(AppendLogTest, RefusesAnotherHeader) {
  open();
  EXPECT_NE(open(2).find("of another program"), std::string::npos);
}

TEST_F(AppendLogTest, RefusesASecondWriter) {
  auto Log = AppendLog::open(Path, json::Object{{"header", 1}});
  ASSERT_TRUE(bool(Log));
  EXPECT_NE(open().find("another search"), std::string::npos);
}

TEST_F(AppendLogTest, FullDiskIsSaidAndLosesNothing) {
  auto Log = AppendLog::open(Path, json::Object{{"header", 1}});
  ASSERT_TRUE(bool(Log));
  ASSERT_FALSE((*Log)->append(json::Array{1}));
  // A limit of the file's size stands for the end of the disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit Before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &Before), 0);
  rlimit Small = {40, Before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Small), 0);
  Error E = (*Log)->append(json::Value(std::string(100, 'x')));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &Before), 0);
  std::string Message = toString(std::move(E));
  EXPECT_NE(Message.find("cannot write '" + Path + "'"), std::string::npos)
      << Message;
  Log->reset();
  EXPECT_EQ(open(), "[1] ");
}

// Lines reach the disk beside whoever writes them, and none is lost on the way.
TEST_F(AppendLogTest, LinesOfAHurryAreAllThere) {
  constexpr int Count = 2000;
  std::string All;
  for (auto When : {AppendLog::Sync::Promptly, AppendLog::Sync::Soon}) {
    auto Log = AppendLog::open(Path, json::Object{{"header", 1}},
                               /*AnyHeader=*/false, When);
    ASSERT_TRUE(bool(Log));
    for (int I = 0; I < Count; ++I) {
      ASSERT_FALSE((*Log)->append(json::Array{I}));
      All += "[" + std::to_string(I) + "] ";
    }
    ASSERT_FALSE((*Log)->sync());
  }
  EXPECT_EQ(open(), All);
}
