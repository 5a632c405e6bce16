//===- ProcessTest.cpp - Running the programs of CUDA ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a program does, the one that started it gets its output or a reason,
// and in time.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/time.h>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using std::chrono::milliseconds;

namespace {

TEST(Process, RunsWithoutShell) {
  Result<std::string> Out = runProcess({"/bin/echo", "$HOME", "a b"});
  ASSERT_TRUE(Out);
  EXPECT_EQ(*Out, "$HOME a b\n");
  EXPECT_FALSE(runProcess({"/bin/false"}));
  EXPECT_FALSE(runProcess({"/no/such/program"}));
}

// Whether ptxas aborts may depend on it.
TEST(Process, HasItsMemoryAtTheSameAddresses) {
  auto stack = [] {
    Result<std::string> Maps =
        runProcess({"/bin/grep", "stack", "/proc/self/maps"});
    return Maps ? *Maps : Maps.error().Message;
  };
  std::string First = stack();
  EXPECT_NE(First.find("[stack]"), std::string::npos);
  EXPECT_EQ(stack(), First);
  EXPECT_EQ(stack(), First);
}

// Neither one that says nothing nor one that has closed what it says.
TEST(Process, ThatHangsIsKilled) {
  using namespace std::chrono;
  auto Start = steady_clock::now();
  for (const char *Script :
       {"exec sleep 100", "exec >/dev/null; exec sleep 100"}) {
    Result<std::string> Out =
        runProcess({"/bin/sh", "-c", Script}, false, milliseconds(100));
    ASSERT_FALSE(Out);
    EXPECT_EQ(Out.error().Message,
              "/bin/sh did not end within 1 s and was killed; "
              "GEVO_TOOL_SECONDS gives it more");
  }
  EXPECT_LT(steady_clock::now() - Start, seconds(50));
}

TEST(Process, ThatFailsSaysWhy) {
  auto message = [](const char *Script) {
    Result<std::string> Out = runProcess({"/bin/sh", "-c", Script});
    return Out ? *Out : Out.error().Message;
  };
  EXPECT_EQ(message("echo note >&2; echo 'fatal   : no PTX' >&2; exit 255"),
            "/bin/sh failed: fatal : no PTX");
  EXPECT_EQ(message("echo help; exit 1"), "/bin/sh failed: help");
  EXPECT_EQ(message("exit 1"), "/bin/sh failed");
  EXPECT_EQ(message("kill -9 $$"), "/bin/sh was ended by signal 9");
  EXPECT_EQ(message("echo out; echo in >&2"), "out\n");
}

// A text that is refused will be again; what was killed says nothing of it.
TEST(Process, ThatFailsSaysWhoseFaultItIs) {
  auto cause = [](const std::vector<std::string> &Arguments) {
    Result<std::string> Out = runProcess(Arguments, false, milliseconds(200));
    EXPECT_FALSE(Out);
    return Out.error().Cause;
  };
  EXPECT_EQ(cause({"/bin/sh", "-c", "exit 1"}), FailureCause::Input);
  EXPECT_EQ(cause({"/bin/sh", "-c", "kill -SEGV $$"}), FailureCause::Tool);
  EXPECT_EQ(cause({"/bin/sh", "-c", "exec sleep 100"}), FailureCause::Tool);
  EXPECT_EQ(cause({"/bin/sh", "-c", "kill -9 $$"}), FailureCause::Machine);
  EXPECT_EQ(cause({"/no/such/program"}), FailureCause::Machine);
  EXPECT_EQ(cause({"/bin/sh", "-c",
                   "echo 'ptxas fatal   : Memory allocation failure' >&2; "
                   "exit 255"}),
            FailureCause::Machine);
  EXPECT_EQ(cause({"/bin/sh", "-c",
                   "echo 'out of dynamic memory in yy_get_next_buffer()' >&2; "
                   "exit 2"}),
            FailureCause::Machine);
}

// A library in somebody's program has to live with its signals.
TEST(Process, RunsBesideTimersAndWithoutChildrenToWaitFor) {
  struct sigaction Alarm = {}, Before, Ignore = {}, Children;
  Alarm.sa_handler = [](int) {};
  sigaction(SIGALRM, &Alarm, &Before);
  itimerval Often = {{0, 1000}, {0, 1000}}, Never = {};
  setitimer(ITIMER_REAL, &Often, nullptr);
  Result<std::string> Slow =
      runProcess({"/bin/sh", "-c", "sleep 0.1; echo a; sleep 0.1; echo b"});
  bool Failed = !runProcess({"/bin/sh", "-c", "sleep 0.1; exit 3"});
  setitimer(ITIMER_REAL, &Never, nullptr);
  sigaction(SIGALRM, &Before, nullptr);
  ASSERT_TRUE(Slow);
  EXPECT_EQ(*Slow, "a\nb\n");
  EXPECT_TRUE(Failed);
  Ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &Ignore, &Children);
  Result<std::string> Alone = runProcess({"/bin/echo", "c"});
  sigaction(SIGCHLD, &Children, nullptr);
  ASSERT_TRUE(Alone);
  EXPECT_EQ(*Alone, "c\n");
}

} // namespace
