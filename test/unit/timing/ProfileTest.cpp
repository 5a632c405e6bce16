//===- ProfileTest.cpp - GPU profiles -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every shipped profile reads; every way to get a profile wrong is refused with
// the line and the field; each figure of a shipped profile names its source.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::vector<std::string> Folders = {GEVO_PROFILE_FOLDER};

std::string textOf(const std::string &Name) {
  std::ifstream In(GEVO_PROFILE_FOLDER "/" + Name + ".gpu");
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

/// The V100 profile with the line of \p Key replaced by \p Line.
std::string withLine(const std::string &Key, const std::string &Line) {
  std::istringstream In(textOf("V100"));
  std::string Out, L;
  bool Found = false;
  while (std::getline(In, L)) {
    bool Hit = L.rfind(Key + " =", 0) == 0;
    Found |= Hit;
    Out += (Hit ? Line : L) + "\n";
  }
  EXPECT_TRUE(Found) << Key;
  return Out;
}

std::string errorOf(const std::string &Text) {
  Result<Profile> P = parseProfile(Text);
  return P ? "" : P.error().str();
}

TEST(Profile, ShippedOnesRead) {
  EXPECT_THAT(profileNames(Folders), ElementsAre("A100", "GTX1080Ti", "H100",
                                                 "P100", "RTX4090", "V100"));
  for (const std::string &Name : profileNames(Folders)) {
    Result<Profile> P = findProfile(Name, Folders);
    ASSERT_TRUE(P) << P.error().str();
    EXPECT_EQ(P->Name, Name);
  }
}

TEST(Profile, EveryFigureHasUnitAndSource) {
  for (const std::string &Name : profileNames(Folders)) {
    std::istringstream In(textOf(Name));
    std::string L;
    while (std::getline(In, L)) {
      if (L.empty() || L[0] == '#' || L.rfind("name", 0) == 0 ||
          L.rfind("full_name", 0) == 0)
        continue;
      size_t Comment = L.find("# ");
      ASSERT_NE(Comment, std::string::npos) << Name << ": " << L;
      size_t Source = L.find("; ", Comment);
      ASSERT_NE(Source, std::string::npos) << Name << ": " << L;
      EXPECT_GT(L.size(), Source + 5) << Name << ": " << L;
    }
  }
}

TEST(Profile, NamesInAnyCase) {
  Result<Profile> P = findProfile("gtx1080ti", Folders);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->SMs, 28u);
  EXPECT_EQ(P->pipe(Unit::Fp32).Interval, 1u);
}

TEST(Profile, PathIsRead) {
  Result<Profile> P = findProfile(GEVO_PROFILE_FOLDER "/A100.gpu", {});
  ASSERT_TRUE(P);
  EXPECT_EQ(P->SMs, 108u);
}

TEST(Profile, ABuildHasItsOwnCopies) {
  std::string Own = profileFolders().back();
  EXPECT_NE(Own, GEVO_PROFILE_FOLDER);
  EXPECT_EQ(profileNames({Own}), profileNames(Folders));
}

TEST(Profile, UnknownNameListsKnownOnes) {
  Result<Profile> P = findProfile("V200", Folders);
  ASSERT_FALSE(P);
  EXPECT_THAT(P.error().Message, HasSubstr("unknown GPU 'V200'; known are "
                                           "A100, GTX1080Ti, H100"));
}

TEST(Profile, UnreadableFileIsNamed) {
  Result<Profile> P = findProfile("/no/such/file.gpu", {});
  ASSERT_FALSE(P);
  EXPECT_EQ(P.error().Message, "/no/such/file.gpu: cannot be read");
}

TEST(Profile, MalformedLines) {
  EXPECT_EQ(errorOf("\n# c\nsms 80\n"), "3:1: expected 'key = value'");
  EXPECT_EQ(errorOf("= 80\n"), "1:1: expected 'key = value'");
  EXPECT_EQ(errorOf("smss = 80\n"), "1:1: unknown field 'smss'");
  EXPECT_EQ(errorOf("sms = 80\nsms = 81\n"), "2:1: field 'sms' is given twice");
  EXPECT_EQ(errorOf("sms =  # none\n"), "1:1: field 'sms' has no value");
  for (const char *Value : {"8x", "-1", "0", "1.5", "0x50", "+8", "8 9", "1025",
                            "99999999999999999999"})
    EXPECT_EQ(errorOf("sms = " + std::string(Value) + "\n"),
              "1:1: field 'sms': '" + std::string(Value) +
                  "' is not a whole number between 1 and 1024");
}

/// A file of a terminal's escapes or of a megabyte of letters cannot fill it.
TEST(Profile, MessagesStayShortAndPrintable) {
  EXPECT_EQ(errorOf(std::string("\x1b[2J\0 = 8\n", 10)),
            "1:1: unknown field '?[2J?'");
  EXPECT_EQ(errorOf("sms = " + std::string(1000000, 'x') + "\n"),
            "1:1: field 'sms': '" + std::string(40, 'x') +
                "...' is not a whole number between 1 and 1024");
}

TEST(Profile, FilesOfOtherEditors) {
  std::string Text = textOf("V100"), Dos;
  for (char C : Text)
    Dos += C == '\n' ? "\r\n" : std::string(1, C);
  EXPECT_EQ(errorOf("\xEF\xBB\xBF" + Text), "");
  EXPECT_EQ(errorOf(Dos), "");
}

TEST(Profile, MissingFields) {
  EXPECT_THAT(errorOf(""),
              testing::MatchesRegex("field 'name' is missing, and [0-9]+ "
                                    "others; start from the file of a known "
                                    "GPU"));
  EXPECT_EQ(errorOf(withLine("l2_ways", "")), "field 'l2_ways' is missing");
  EXPECT_EQ(errorOf(withLine("fp64_latency", "")),
            "field 'fp64_latency' is missing");
  std::string File = testing::TempDir() + "/missing.gpu";
  std::ofstream(File) << withLine("l2_ways", "");
  EXPECT_EQ(readProfile(File).error().str(),
            File + ": field 'l2_ways' is missing");
}

/// Files of users that are older than a field go on working.
TEST(Profile, LaterFieldsHaveDefaults) {
  Result<Profile> P = parseProfile(withLine("poll_step", ""));
  ASSERT_TRUE(P) << P.error().str();
  EXPECT_EQ(P->PollStep, 9u);
  P = parseProfile(withLine("l1_keeps_stores", ""));
  ASSERT_TRUE(P) << P.error().str();
  EXPECT_EQ(P->L1KeepsStores, 0u);
  P = parseProfile(withLine("shift_interval", ""));
  ASSERT_TRUE(P) << P.error().str();
  EXPECT_EQ(P->pipe(Unit::Shift).Interval, P->pipe(Unit::Int).Interval);
}

TEST(Profile, FilesThatCannotBeRead) {
  std::string Folder = testing::TempDir();
  EXPECT_EQ(readProfile(Folder).error().str(),
            Folder + ": is a folder, not a profile of a GPU");
  std::string None = Folder + "/no-such.gpu";
  EXPECT_EQ(readProfile(None).error().str(), None + ": cannot be read");
  // It can be opened, but not read from its start.
  EXPECT_EQ(readProfile("/proc/self/mem").error().str(),
            "/proc/self/mem: cannot be read");
  std::string Empty = Folder + "/empty.gpu";
  std::ofstream{Empty};
  EXPECT_EQ(readProfile(Empty).error().str(), Empty + ": " + errorOf(""));
}

TEST(Profile, RelationsBetweenFields) {
  EXPECT_THAT(errorOf(withLine("l2_latency", "l2_latency = 20")),
              HasSubstr("'l2_latency' must be above 'l1_latency'"));
  EXPECT_THAT(errorOf(withLine("dram_latency", "dram_latency = 20")),
              HasSubstr("'dram_latency' must be above 'l2_latency'"));
  EXPECT_THAT(errorOf(withLine("atomic_latency", "atomic_latency = 20")),
              HasSubstr("'atomic_latency' must not be below 'l2_latency'"));
  EXPECT_THAT(errorOf(withLine("max_warps", "max_warps = 63")),
              HasSubstr("'max_warps' must be a multiple of 'schedulers'"));
  EXPECT_THAT(errorOf(withLine("max_threads_per_block",
                               "max_threads_per_block = 2048")),
              "");
  EXPECT_THAT(errorOf(withLine("max_warps", "max_warps = 16")),
              HasSubstr("'max_threads_per_block' must not be above 32 x"));
  EXPECT_THAT(errorOf(withLine("shared_per_block", "shared_per_block = 98305")),
              HasSubstr("must fit into 'shared_bytes'"));
  EXPECT_THAT(errorOf(withLine("shared_reserved", "shared_reserved = 1024")),
              HasSubstr("must fit into 'shared_bytes'"));
  EXPECT_THAT(errorOf(withLine("l1_min", "l1_min = 262144")),
              HasSubstr("'l1_min' must not be above 'l1_pool'"));
  EXPECT_THAT(errorOf(withLine("l1_min", "l1_min = 65536")),
              HasSubstr("must fit into 'l1_pool', as 'l1_unified' is 1"));
  std::string Wide = withLine("max_warps", "max_warps = 128");
  size_t At = Wide.find("\nschedulers = ");
  Wide.replace(At, Wide.find('\n', At + 1) - At, "\nschedulers = 1");
  EXPECT_THAT(errorOf(Wide), HasSubstr("must not be above 64 x 'schedulers'"));
}

} // namespace
