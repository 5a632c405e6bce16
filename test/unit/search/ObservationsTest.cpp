//===- ObservationsTest.cpp - What the original said about itself ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/Observations.h"
#include "search/MachineError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

using namespace gevo;
using namespace llvm;

namespace {

class ObservationsTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> Name;
    ASSERT_FALSE(sys::fs::createTemporaryFile("observed", "json", Name));
    sys::fs::remove(Name);
    Path = Name.str().str();
    Remover.setFile(Path);
    Code.Modules = {"ret;"};
    Launches.Captured.Cases.emplace_back();
  }

  Observations open(bool Again) {
    return cantFail(Observations::open(Path, Again, /*Memory=*/{}));
  }
  std::string ask(Observations &Of, StringRef What, std::string Says,
                  const LaunchScenario *Guards = nullptr) {
    return cantFail(Of.ask(What, Code, Launches, Guards, [=] { return Says; }));
  }

  std::string Path;
  FileRemover Remover;
  Payload Code;
  LaunchScenario Launches;
};

} // namespace

TEST_F(ObservationsTest, AreMadeOnce) {
  Observations First = open(/*Again=*/false);
  EXPECT_EQ(ask(First, "reach", "\"1\" \xff"), "\"1\" \xEF\xBF\xBD");
  EXPECT_EQ(ask(First, "reach", "2"), "\"1\" \xEF\xBF\xBD");
  EXPECT_EQ(ask(First, "twins", "3"), "3");
  cantFail(First.keep());
  Observations Resumed = open(/*Again=*/true);
  EXPECT_EQ(ask(Resumed, "reach", "4"), "\"1\" \xEF\xBF\xBD");
  EXPECT_EQ(ask(Resumed, "twins", "4"), "3");
  Observations Anew = open(/*Again=*/false);
  EXPECT_EQ(ask(Anew, "twins", "4"), "4");
}

// Who began another search there, and was killed, left what is not about this.
TEST_F(ObservationsTest, AreOfOneCodeOnOneSetOfInputs) {
  Observations First = open(/*Again=*/false);
  ask(First, "reach", "1");
  cantFail(First.keep());
  Observations Resumed = open(/*Again=*/true);
  LaunchScenario Guards = Launches;
  EXPECT_EQ(ask(Resumed, "reach", "2", &Guards), "2");
  Code.Modules = {"exit;"};
  EXPECT_EQ(ask(Resumed, "reach", "3"), "3");
  Code.Modules = {"ret;"};
  EXPECT_EQ(ask(Resumed, "reach", "4"), "1");
  Launches.Captured.Cases[0].Weight = 2;
  EXPECT_EQ(ask(Resumed, "reach", "5"), "5");
}

// Resumed where it does not crash the search would be another one.
TEST_F(ObservationsTest, ThatFailedAreKeptToo) {
  Observations First = open(/*Again=*/false);
  auto Crash = [] {
    raise(SIGHUP);
    return std::string();
  };
  EXPECT_EQ(cantFail(First.ask("reach", Code, Launches, nullptr, Crash)),
            "signal Hangup");
  cantFail(First.keep());
  Observations Resumed = open(/*Again=*/true);
  EXPECT_EQ(ask(Resumed, "reach", "1"), "signal Hangup");
}

static std::string takeTooMuch() {
  constexpr size_t Bytes = size_t(1) << 20;
  std::vector<std::unique_ptr<char[]>> All;
  while (true) {
    std::memset(All.emplace_back(new char[Bytes]).get(), 1, Bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

static std::string killItself() {
  raise(SIGKILL);
  return "";
}

static std::string sleepLong() {
  std::this_thread::sleep_for(std::chrono::seconds(60));
  return "";
}

static std::string problemOf(Expected<std::string> Said) {
  Error E = Said.takeError();
  EXPECT_TRUE(E.isA<MachineError>());
  return toString(std::move(E));
}

// It is no word of the code, and the next one who asks has what it takes.
TEST_F(ObservationsTest, OfWhatThisMachineEndedAreNone) {
  Observations First = cantFail(Observations::open(
      Path, /*Again=*/false, {/*Bytes=*/uint64_t(32) << 20, "this test"}));
  for (auto *Work : {takeTooMuch, killItself})
    problemOf(First.ask("reach", Code, Launches, nullptr, Work));
  EXPECT_EQ(ask(First, "reach", "1"), "1");
}

TEST(AskOnce, TellsWhatCanBeDone) {
  Asking How = {"counting", "--no-count", {/*Bytes=*/1 << 25, "this test"}, 1};
  EXPECT_EQ(problemOf(askOnce(How, takeTooMuch)),
            "the process that is counting lacks memory: it may take 0.0 GiB, "
            "by what this test allows; begin anew with --no-count, or allow "
            "more");
  EXPECT_EQ(problemOf(askOnce(How, killItself)),
            "the process that is counting was killed twice, by somebody or for "
            "want of memory; begin anew with --no-count, or see that there is "
            "enough");
  EXPECT_EQ(problemOf(askOnce(How, sleepLong)),
            "the process that is counting gave no answer in 1 s; begin anew "
            "with --no-count, or stop what else runs here");
}

TEST_F(ObservationsTest, AreNotGuessedFromADamagedFile) {
  for (StringRef Text : {"{\"reach\": \"1", "[1]", "{\"reach\": 1}"}) {
    std::error_code EC;
    raw_fd_ostream(Path, EC) << Text;
    auto Opened = Observations::open(Path, /*Again=*/true, {});
    ASSERT_FALSE(bool(Opened)) << Text.str();
    EXPECT_NE(toString(Opened.takeError()).find("is damaged"),
              std::string::npos);
  }
}
