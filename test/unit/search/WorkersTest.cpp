//===- WorkersTest.cpp - Workers that die ---------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker that crashes, hangs, ends or takes too much memory costs one
// message; so does a program that a worker runs.
//
//===----------------------------------------------------------------------===//

#include "search/Workers.h"
#include "search/RunWatch.h"
#include "search/WholeRunner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <csignal>
#include <ctime>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gevo;
using namespace llvm;

static std::string serve(StringRef Message) {
  if (Message == "crash")
    __builtin_trap();
  if (Message == "end")
    _exit(3);
  // The first that comes by makes the folder, and is killed.
  if (Message == "kill" || (Message.consume_front("kill once ") &&
                            !sys::fs::create_directory(Message, false)))
    kill(getpid(), SIGKILL);
  if (Message == "hang up")
    raise(SIGHUP);
  if (Message == "hang")
    for (;;)
      pause();
  if (Message == "nap")
    for (unsigned I = 0; I < 60; ++I)
      usleep(10000);
  if (Message == "work")
    while (clock() < CLOCKS_PER_SEC / 5)
      ;
  if (Message == "eat")
    return std::to_string(std::string(uint64_t(1) << 30, 'x').size());
  return ("did " + Message).str();
}

static std::unique_ptr<Workers> start(unsigned Count, unsigned Seconds = 1) {
  WorkerLimits Limits;
  Limits.Count = Count;
  Limits.MemoryBytes = uint64_t(100) << 20;
  Limits.Seconds = Seconds;
  return cantFail(forkWorkers(Limits, [] { return Service(serve); }));
}

TEST(Workers, Answer) {
  auto Pool = start(3);
  std::set<std::string> Replies;
  for (unsigned W = 0; W < 3; ++W)
    Pool->send(W, std::to_string(W));
  for (unsigned W = 0; W < 3; ++W) {
    Workers::Reply R = cantFail(Pool->wait());
    EXPECT_EQ(*R.Text, "did " + std::to_string(R.Worker));
    Replies.insert(*R.Text);
  }
  EXPECT_EQ(Replies.size(), 3u);
}

TEST(Workers, CarryLargeMessages) {
  auto Pool = start(1);
  std::string Large(5 << 20, 'y');
  Pool->send(0, Large);
  EXPECT_EQ(*cantFail(Pool->wait()).Text, "did " + Large);
}

TEST(Workers, DieAndAreReplaced) {
  auto Pool = start(2);
  for (StringRef Message : {"crash", "end", "hang"}) {
    Pool->send(0, Message);
    Workers::Reply R = cantFail(Pool->wait());
    EXPECT_EQ(R.Worker, 0u);
    EXPECT_FALSE(R.Text) << Message.str();
    EXPECT_FALSE(R.Death.empty());
    bool Late = Message == "hang";
    EXPECT_EQ(R.DiedOf, Late ? Workers::Cause::Late : Workers::Cause::Itself);
    if (Late)
      EXPECT_EQ(R.Death, "no answer in 1 s");
    Pool->send(0, "again");
    EXPECT_EQ(*cantFail(Pool->wait()).Text, "did again");
  }
}

// What somebody else kills a worker over is not to blame: it is tried again.
TEST(Workers, AreKilledAtNoCost) {
  SmallString<128> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-workers", Folder));
  auto Pool = start(2);
  std::string Once = (Folder + "/first").str();
  Pool->send(0, "kill once " + Once);
  Workers::Reply R = cantFail(Pool->wait());
  EXPECT_EQ(R.Worker, 0u);
  EXPECT_EQ(R.Text.value_or(""), "did " + Once);
  // Killed every time: it is the message's fault after all.
  Pool->send(1, "kill");
  R = cantFail(Pool->wait());
  EXPECT_FALSE(R.Text);
  EXPECT_EQ(R.Death, "it ended");
  EXPECT_EQ(R.DiedOf, Workers::Cause::Killed);
  Pool->send(1, "more");
  EXPECT_EQ(*cantFail(Pool->wait()).Text, "did more");
  sys::fs::remove_directories(Folder);
}

TEST(Workers, TakeNoMoreMemoryThanTheyMay) {
  auto Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "eat");
  Workers::Reply R = cantFail(Pool->wait());
  EXPECT_EQ(R.Death, "out of memory; fewer --jobs need less");
  EXPECT_EQ(R.DiedOf, Workers::Cause::Memory);
  Pool->send(0, "again");
  EXPECT_EQ(*cantFail(Pool->wait()).Text, "did again");
}

TEST(Workers, CanBeAskedWithoutWaiting) {
  auto Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "hang");
  EXPECT_FALSE(cantFail(Pool->waitFor(1)).has_value());
}

// What the process that started it does about a signal, a worker does not.
TEST(Workers, HandleNoSignals) {
  auto Before = std::signal(SIGHUP, [](int) {});
  auto Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "hang up");
  EXPECT_EQ(cantFail(Pool->wait()).Death, "signal Hangup");
  // Below nohup it goes on.
  std::signal(SIGHUP, SIG_IGN);
  Pool = start(1, /*Seconds=*/60);
  Pool->send(0, "hang up");
  EXPECT_EQ(cantFail(Pool->wait()).Text.value_or(""), "did hang up");
  std::signal(SIGHUP, Before);
}

// It is not the program itself that takes it, but one that it starts, and none
// of them is left.
TEST(WholeRun, TakesNoMoreMemoryThanItMay) {
  SmallString<128> Folder, Before;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("gevo-greedy", Folder));
  ASSERT_FALSE(sys::fs::current_path(Before));
  // What a run prints is a file in the working directory.
  ASSERT_FALSE(sys::fs::set_current_path(Folder));
  SmallString<128> Script = Folder;
  sys::path::append(Script, "greedy.sh");
  std::error_code Unwritten;
  raw_fd_ostream(Script, Unwritten)
      << "#!/bin/sh\nhead -c 2G /dev/zero | tail -n 1 | wc -c\n";
  ASSERT_FALSE(sys::fs::setPermissions(Script, sys::fs::all_all));
  WholeScenario S;
  S.GevoRun = Script.str().str();
  S.MemoryBytes = uint64_t(100) << 20;
  S.Seconds = 60;
  ProgramRun P;
  P.Words = {"program"};
  WholeRun R = runWhole(S, P, {});
  EXPECT_EQ(R.Result.End, Stage::Run);
  EXPECT_NE(
      R.Result.Reason.find("the program took more than 0.1 GiB of memory"),
      std::string::npos)
      << R.Result.Reason;
  EXPECT_LT(R.WallSeconds, 30);
  ASSERT_FALSE(sys::fs::set_current_path(Before));
  sys::fs::remove_directories(Folder);
}

TEST(Workers, TellTheirProcessorTime) {
  auto Pool = start(1, /*Seconds=*/60);
  double Before = Pool->processorSeconds();
  Pool->send(0, "work");
  cantFail(Pool->wait());
  EXPECT_GE(Pool->processorSeconds(), Before + 0.15);
}

// What a thread of the child starts counts, too.
TEST(RunWatch, SeesWhatThreadsStart) {
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    std::thread([] {
      if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::string Much(uint64_t(300) << 20, 'x');
        for (;;)
          pause();
      }
      for (;;)
        pause();
    }).join();
    _exit(0);
  }
  RunWatch Watch(Child, uint64_t(200) << 20);
  for (unsigned Try = 0; Try < 500 && !Watch.exceeded(); ++Try)
    usleep(10000);
  EXPECT_TRUE(Watch.exceeded());
  kill(Child, SIGKILL);
  int Status = 0;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
}

// With all that it started, whoever waits for it.
TEST(RunWatch, EndsWhatTakesTooLong) {
  int Pipe[2];
  ASSERT_EQ(pipe(Pipe), 0);
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    fork();
    for (;;)
      pause();
  }
  close(Pipe[1]);
  auto Start = std::chrono::steady_clock::now();
  RunWatch Watch(Child, /*Bytes=*/0, /*Seconds=*/1);
  // Ends when nobody holds the other end.
  char Byte;
  EXPECT_EQ(read(Pipe[0], &Byte, 1), 0);
  EXPECT_GE(std::chrono::steady_clock::now() - Start, std::chrono::seconds(1));
  Watch.awaitEnd();
  int Status = 0;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFSIGNALED(Status) && WTERMSIG(Status) == SIGKILL);
  EXPECT_TRUE(Watch.late());
  EXPECT_FALSE(Watch.exceeded());
  close(Pipe[0]);
}

// The limit comes while nobody has waited for it yet.
TEST(RunWatch, DoesNotBlameWhatHasEnded) {
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0)
    _exit(7);
  RunWatch Watch(Child, /*Bytes=*/0, /*Seconds=*/1);
  for (unsigned Try = 0; Try < 500 && !Watch.late(); ++Try)
    usleep(10000);
  EXPECT_TRUE(Watch.late());
  Watch.awaitEnd();
  EXPECT_FALSE(Watch.late());
  int Status = 0;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 7);
}

// Runs \p Body in a process that is stopped for three seconds with all that it
// started, as by Ctrl-Z, and returns what its status is.
static int stopped(const std::function<bool()> &Body) {
  pid_t Child = fork();
  if (Child == 0) {
    setpgid(0, 0);
    _exit(Body() ? 0 : 1);
  }
  setpgid(Child, Child);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(-Child, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  kill(-Child, SIGCONT);
  int Status = 0;
  waitpid(Child, &Status, 0);
  return Status;
}

TEST(RunWatch, DoesNotCountWhatItSleptThrough) {
  EXPECT_EQ(stopped([] {
              pid_t Child = fork();
              if (Child == 0) {
                for (unsigned I = 0; I < 60; ++I)
                  usleep(10000);
                _exit(0);
              }
              RunWatch Watch(Child, /*Bytes=*/0, /*Seconds=*/2);
              Watch.awaitEnd();
              return !Watch.late() && !Watch.killed();
            }),
            0);
}

TEST(RunWatch, KnowsWhatOthersKilled) {
  pid_t Child = fork();
  ASSERT_GE(Child, 0);
  if (Child == 0)
    raise(SIGKILL);
  RunWatch Watch(Child, /*Bytes=*/0, /*Seconds=*/60);
  Watch.awaitEnd();
  EXPECT_TRUE(Watch.killed());
  EXPECT_FALSE(Watch.late());
  int Status = 0;
  EXPECT_EQ(waitpid(Child, &Status, 0), Child);
}

TEST(Workers, MayBeStoppedForAWhile) {
  EXPECT_EQ(stopped([] {
              auto W = start(1, /*Seconds=*/2);
              W->send(0, "nap");
              return cantFail(W->wait()).Text == "did nap";
            }),
            0);
}

TEST(Workers, AreWaitedForAsLongAsIsSaid) {
  auto W = start(1, /*Seconds=*/60);
  W->send(0, "nap");
  auto Start = std::chrono::steady_clock::now();
  EXPECT_FALSE(cantFail(W->waitFor(450)));
  EXPECT_GE(std::chrono::steady_clock::now() - Start,
            std::chrono::milliseconds(450));
  EXPECT_EQ(cantFail(W->wait()).Text, "did nap");
}

TEST(WholeCase, RefusesARunThatLaunchesNothing) {
  WholeCase Case;
  Case.Original.Kernels.push_back({"k", 1, 0, 5.0});
  WholeRun R = Case.Original;
  EXPECT_TRUE(Case.compare(R).valid());
  R.Kernels.clear();
  Fitness F = Case.compare(R);
  EXPECT_EQ(F.End, Stage::Run);
  EXPECT_EQ(F.Reason, "the program launched no kernel");
}
