//===- StoreTest.cpp - Searches that are interrupted ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That a search that was killed at any moment, or stopped, ends with the result
// of one that was not, and that a store of something else is refused.
//
//===----------------------------------------------------------------------===//

#include "test/unit/search/Synthetic.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fstream>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;

namespace {

class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("gevo-search", Path));
    Folder = Path.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  // Searches in a process of its own until that is killed.
  void searchAndDie(Trial T) {
    pid_t Child = fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      search(T);
      _exit(0);
    }
    int Status;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    ASSERT_TRUE(WIFSIGNALED(Status));
    ASSERT_EQ(WTERMSIG(Status), SIGKILL);
  }

  std::string Folder;
};

} // namespace

TEST_F(StoreTest, KilledSearchesEndAsUnbrokenOnes) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Population = 16;
    T.Families = true;
    T.Evaluations = 150;
    Outcome Unbroken = search(T);
    T.Folder = Folder + "/" + T.Algorithm;
    T.Workers = 2;
    for (uint64_t After : {7, 60, 33}) {
      T.KillAfter = After;
      searchAndDie(T);
      T.Resume = true;
    }
    T.KillAfter = 0;
    Outcome Resumed = search(T);
    ASSERT_EQ(Resumed.Error, "");
    EXPECT_EQ(Unbroken.text(), Resumed.text()) << T.Algorithm;
  }
}

TEST_F(StoreTest, StoppedSearchesEndAsUnbrokenOnes) {
  Trial T;
  T.Evaluations = 200;
  Outcome Unbroken = search(T);
  T.Folder = Folder;
  T.StopAfter = 77;
  Outcome Stopped = search(T);
  ASSERT_EQ(Stopped.Error, "");
  EXPECT_LT(Stopped.State.Evaluations, 200u);
  EXPECT_EQ(Stopped.State.Evaluations,
            std::accumulate(Stopped.State.Stages.begin(),
                            Stopped.State.Stages.end(), uint64_t(0)))
      << "those that were not begun do not count";
  EXPECT_NE(Stopped.State.best(0), nullptr);
  T.Resume = true;
  T.StopAfter = 0;
  EXPECT_EQ(Unbroken.text(), search(T).text());
}

// Torn, emptied, overwritten, or not there at all: the log is enough.
TEST_F(StoreTest, DamagedCheckpointsCostNothing) {
  Trial T;
  T.Families = true;
  T.Evaluations = 200;
  Outcome Unbroken = search(T);
  T.Folder = Folder;
  T.StopAfter = 120;
  search(T);
  T.Resume = true;
  T.StopAfter = 0;
  std::string Path = Folder + "/checkpoint.json";
  auto Read = llvm::MemoryBuffer::getFile(Path);
  ASSERT_TRUE(bool(Read));
  std::string Whole = (*Read)->getBuffer().str();
  std::vector<std::string> Damaged = {"{}", "[]", std::string(4096, '\0')};
  for (size_t Length : {size_t(0), size_t(1), Whole.size() / 3,
                        Whole.size() / 2, Whole.size() - 2})
    Damaged.push_back(Whole.substr(0, Length));
  Damaged.push_back(Whole);
  Damaged.back()[Whole.size() / 2] ^= 0x80;
  // Of a version that knew fewer kinds of edit.
  Damaged.push_back(Whole);
  size_t Kinds = Whole.find("\"kinds\":[") + 9;
  Damaged.back()
      .erase(Kinds, Whole.find("]", Kinds) - Kinds)
      .insert(Kinds, "0,0");
  for (const std::string &Content : Damaged) {
    std::ofstream(Path, std::ios::binary) << Content;
    Outcome Resumed = search(T);
    EXPECT_EQ(Resumed.Error, "");
    EXPECT_NE(Resumed.Problem.find("checkpoint.json' is damaged"),
              std::string::npos)
        << Content.size();
    EXPECT_EQ(Unbroken.text(), Resumed.text()) << Content.size();
  }
  llvm::sys::fs::remove(Path);
  Outcome Resumed = search(T);
  EXPECT_EQ(Resumed.Problem, "");
  EXPECT_EQ(Unbroken.text(), Resumed.text());
  EXPECT_EQ(Resumed.Runs, 0u);
}

TEST_F(StoreTest, LargerBudgetGoesOn) {
  Trial T;
  T.Evaluations = 300;
  Outcome Long = search(T);
  // Within a sweep, at the end of a round, among the stacks, among islands.
  for (uint64_t Cut : {30, 70, 99, 100, 101, 130, 190, 299}) {
    T.Folder = Folder + "/" + std::to_string(Cut);
    T.Resume = false;
    T.Evaluations = Cut;
    search(T);
    T.Resume = true;
    T.Evaluations = 300;
    EXPECT_EQ(Long.text(), search(T).text()) << Cut;
  }
}

// What is evaluated after a search is not counted, until one that goes on comes
// by it: it has been seen then, however often that one is interrupted.
TEST_F(StoreTest, LargerBudgetGoesOnAfterMinimising) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Population = 16;
    T.Folder = Folder + "/" + T.Algorithm;
    T.Evaluations = 300;
    Outcome Long = search(T);
    auto Log = AppendLog::open(T.Folder + "/evaluations.jsonl", {}, true);
    ASSERT_TRUE(bool(Log));
    std::vector<EditList> All;
    for (const llvm::json::Value &Line : (*Log)->takeLines()) {
      llvm::json::Path::Root Root;
      ASSERT_TRUE(fromJSON(*Line.getAsObject()->get("edits"),
                           All.emplace_back(), Root));
    }
    ASSERT_EQ(All.size(), Long.State.Evaluations);
    Log->reset();
    T.Evaluations = 60;
    search(T, [&](Search &S) { S.evaluateBeyond(All); });
    T.Resume = true;
    T.Evaluations = 300;
    T.StopAfter = 150;
    search(T);
    T.StopAfter = 0;
    EXPECT_EQ(Long.text(), search(T).text()) << T.Algorithm;
  }
}

TEST_F(StoreTest, ExhaustedSearchesEndAsUnbrokenOnes) {
  for (const AlgorithmInfo &A : algorithms()) {
    Trial T;
    T.Algorithm = A.Name.str();
    T.Instructions = 2;
    T.Population = 4;
    Outcome Unbroken = search(T);
    ASSERT_LT(Unbroken.State.Evaluations, T.Evaluations) << T.Algorithm;
    T.Folder = Folder + "/" + T.Algorithm;
    T.StopAfter = 30;
    search(T);
    T.Resume = true;
    search(T);
    T.StopAfter = 0;
    for (unsigned Again = 0; Again < 2; ++Again)
      EXPECT_EQ(Unbroken.text(), search(T).text()) << T.Algorithm;
  }
}

TEST_F(StoreTest, FinishedSearchRunsNothingAgain) {
  Trial T;
  T.Evaluations = 120;
  T.Folder = Folder;
  Outcome First = search(T);
  EXPECT_GT(First.Runs, 0u);
  T.Resume = true;
  Outcome Again = search(T);
  EXPECT_EQ(Again.Runs, 0u);
  EXPECT_EQ(First.text(), Again.text());
}

TEST_F(StoreTest, MeasurementsServeOtherSearches) {
  Trial T;
  T.Folder = Folder;
  search(T);
  T.Seed = 2;
  Trial Alone = T;
  Alone.Folder.clear();
  Outcome Fresh = search(Alone), Warm = search(T);
  EXPECT_LT(Warm.Runs, Fresh.Runs);
  EXPECT_EQ(Warm.text(), Fresh.text());
  EXPECT_TRUE(llvm::sys::fs::exists(Folder + "/evaluations.jsonl.old"));
}

TEST_F(StoreTest, AFolderIsForOneSearch) {
  auto First = FolderLock::take(Folder + "/new");
  ASSERT_TRUE(bool(First));
  auto Second = FolderLock::take(Folder + "/new");
  ASSERT_FALSE(bool(Second));
  EXPECT_NE(toString(Second.takeError()).find("another search is at work in"),
            std::string::npos);
  First->reset();
  EXPECT_TRUE(bool(FolderLock::take(Folder + "/new")));
}

TEST_F(StoreTest, NothingToResume) {
  Trial T;
  T.Folder = Folder;
  T.Resume = true;
  EXPECT_NE(search(T).Error.find("holds no search to resume"),
            std::string::npos);
}

TEST_F(StoreTest, OtherVersionIsRefused) {
  std::ofstream(Folder + "/evaluations.jsonl")
      << "{\"gevo_search\":999,\"scenario\":\"s\",\"setup\":{}}\n";
  Trial T;
  T.Folder = Folder;
  T.Resume = true;
  EXPECT_NE(search(T).Error.find("another version"), std::string::npos);
}
