//===- Process.cpp - Running the programs of CUDA -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// A file descriptor that is closed.
class Descriptor {
public:
  explicit Descriptor(int Number = -1) : Number(Number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void reset(int Other = -1) {
    if (Number >= 0)
      close(Number);
    Number = Other;
  }
  int get() const { return Number; }

private:
  int Number;
};

/// As long as this lives, what this thread starts has its memory at the same
/// addresses every time: with some texts ptxas 12.5 aborts or does not by where
/// that is.
class SameAddresses {
public:
  SameAddresses() : Before(personality(Ask)) {
    if (Before != -1)
      personality(static_cast<unsigned long>(Before) | ADDR_NO_RANDOMIZE);
  }
  ~SameAddresses() {
    if (Before != -1)
      personality(static_cast<unsigned long>(Before));
  }
  SameAddresses(const SameAddresses &) = delete;
  SameAddresses &operator=(const SameAddresses &) = delete;

private:
  static constexpr unsigned long Ask = 0xffffffff;
  int Before;
};

/// Whether \p File can be read before \p End; a process can if it has ended.
bool waitFor(int File, steady_clock::time_point End) {
  while (true) {
    auto Left = std::chrono::ceil<milliseconds>(End - steady_clock::now());
    if (Left.count() <= 0)
      return false;
    pollfd P = {File, POLLIN, 0};
    int Ready = poll(&P, 1, int(std::min<int64_t>(Left.count(), 1 << 30)));
    // The program may have timers of its own.
    if (Ready > 0 || (Ready < 0 && errno != EINTR))
      return true;
  }
}

/// Appends what \p Pipe has until its end; false if that is not before \p End.
bool readAll(int Pipe, steady_clock::time_point End, std::string &Output) {
  char Buffer[65536];
  while (waitFor(Pipe, End)) {
    ssize_t Got = read(Pipe, Buffer, sizeof(Buffer));
    if (Got == 0 || (Got < 0 && errno != EINTR))
      return true;
    Output.append(Buffer, size_t(std::max<ssize_t>(Got, 0)));
  }
  return false;
}

std::string contentsOf(int File) {
  std::string Text;
  char Buffer[4096];
  ssize_t Got;
  while ((Got = pread(File, Buffer, sizeof(Buffer), off_t(Text.size()))) > 0)
    Text.append(Buffer, size_t(Got));
  return Text;
}

/// The first line of \p Said that tells an error, or else the first; short and
/// printable.
std::string firstError(const std::string &Said) {
  std::istringstream In(Said);
  std::string Line, First;
  while (std::getline(In, Line)) {
    bool Tells = Line.find("error") != std::string::npos ||
                 Line.find("fatal") != std::string::npos;
    if (Tells || First.empty())
      First = Line;
    if (Tells)
      break;
  }
  std::string Short;
  for (char C : First)
    if (C >= ' ' && C < 127 &&
        !(C == ' ' && (Short.empty() || Short.back() == ' ')))
      Short += C;
  constexpr size_t Most = 200;
  if (Short.size() > Most)
    Short.replace(Most, std::string::npos, "...");
  return Short;
}

std::string whyFailed(int Status, const std::string &Said) {
  if (WIFSIGNALED(Status))
    return " was ended by signal " + std::to_string(WTERMSIG(Status));
  std::string Error = firstError(Said);
  return " failed" + (Error.empty() ? Error : ": " + Error);
}

/// Whether a program of CUDA, which ends with a status of its own then, had no
/// memory left.
bool lackedMemory(const std::string &Said) {
  for (const char *Words :
       {"Memory allocation failure", "out of dynamic memory"})
    if (Said.find(Words) != std::string::npos)
      return true;
  return false;
}

// What a program does itself ends in other signals.
FailureCause causeOf(int Status, const std::string &Said) {
  if (!WIFSIGNALED(Status))
    return lackedMemory(Said) ? FailureCause::Machine : FailureCause::Input;
  int Signal = WTERMSIG(Status);
  return Signal == SIGKILL || Signal == SIGTERM || Signal == SIGINT ||
                 Signal == SIGHUP
             ? FailureCause::Machine
             : FailureCause::Tool;
}

Diagnostic failure(FailureCause Cause, std::string Message) {
  Diagnostic D{std::move(Message)};
  D.Cause = Cause;
  return D;
}

} // namespace

milliseconds gevo::gpu::timing::processDeadline() {
  constexpr long Default = 120, Most = 1000000;
  const char *Value = std::getenv("GEVO_TOOL_SECONDS");
  long Seconds = Value ? std::strtol(Value, nullptr, 10) : Default;
  return std::chrono::seconds(Seconds > 0 ? std::min(Seconds, Most) : Default);
}

Result<std::string>
gevo::gpu::timing::runProcess(const std::vector<std::string> &Arguments,
                              bool WithErrors, milliseconds Deadline) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC) != 0)
    return failure(FailureCause::Machine, "no pipe for " + Arguments[0]);
  Descriptor Out(Ends[0]), In(Ends[1]);
  Descriptor Errors(memfd_create("errors", MFD_CLOEXEC));
  if (Errors.get() < 0)
    return failure(FailureCause::Machine,
                   "no file in memory for " + Arguments[0]);
  std::vector<char *> Argv;
  for (const std::string &A : Arguments)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, In.get(), 1);
  posix_spawn_file_actions_adddup2(&Actions, Errors.get(), 2);
  steady_clock::time_point End = steady_clock::now() + Deadline;
  pid_t Child;
  int Failed = 0;
  {
    SameAddresses Fixed;
    Failed =
        posix_spawn(&Child, Argv[0], &Actions, nullptr, Argv.data(), environ);
  }
  posix_spawn_file_actions_destroy(&Actions);
  In.reset();
  if (Failed)
    return failure(FailureCause::Machine, Arguments[0] + " cannot be started");
  // Without a descriptor of it (an old kernel, or it is gone) the wait below
  // has no deadline.
  Descriptor Process(int(syscall(SYS_pidfd_open, Child, 0)));
  std::string Output;
  bool Ended = readAll(Out.get(), End, Output) &&
               (Process.get() < 0 || waitFor(Process.get(), End));
  if (!Ended)
    kill(Child, SIGKILL);
  // A program that ignores SIGCHLD is told nothing of children: what they made
  // says whether they failed.
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  if (!Ended)
    return failure(
        FailureCause::Tool,
        Arguments[0] + " did not end within " +
            std::to_string(
                std::chrono::ceil<std::chrono::seconds>(Deadline).count()) +
            " s and was killed; GEVO_TOOL_SECONDS gives it more");
  std::string Said = contentsOf(Errors.get());
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return failure(causeOf(Status, Said),
                   Arguments[0] + whyFailed(Status, Said + Output));
  return WithErrors ? Output + Said : Output;
}
