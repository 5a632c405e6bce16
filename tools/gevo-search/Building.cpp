//===- Building.cpp - The build of a scenario -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler starts others. They are a group of processes of their own, so that
// all of them can be stopped, whoever asked for it. The group is there before
// the compiler is, led by a process that ends it if gevo-search is killed:
//
//   gevo-search --pipe--> leader     its end without a word: end the group
//       |                            a word: go
//       `-> compiler, in the leader's group
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Building.h"
#include "search/ShellText.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// For a signal handler: the group to stop, and what it was stopped by.
static volatile sig_atomic_t Builder = 0, Stopped = 0;

bool gevo::stopBuild(int Signal) {
  if (!Builder)
    return false;
  Stopped = Signal;
  // What a shell has in the background does not hear of Ctrl-C.
  kill(-Builder, SIGTERM);
  return true;
}

namespace {

struct GroupLeader {
  pid_t Pid = -1;
  int ToLeader = -1;
};

} // namespace

// Signals that stop the others are blocked here. They are asked first, as a
// compiler removes its temporary files then.
[[noreturn]] static void lead(int From) {
  setpgid(0, 0);
  // Who reads what gevo-search says must not wait for this.
  int Nowhere = open("/dev/null", O_RDWR);
  for (int FD : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(Nowhere, FD);
  char Word;
  if (sys::RetryAfterSignal(-1, ::read, From, &Word, 1) != 1) {
    kill(0, SIGTERM);
    sleep(1);
    kill(0, SIGKILL);
  }
  _exit(0);
}

static GroupLeader startLeader() {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC))
    return {};
  GroupLeader Leader;
  Leader.Pid = fork();
  if (!Leader.Pid) {
    close(Ends[1]);
    lead(Ends[0]);
  }
  close(Ends[0]);
  Leader.ToLeader = Ends[1];
  // Whoever comes first: the group is needed now.
  if (Leader.Pid > 0)
    setpgid(Leader.Pid, Leader.Pid);
  return Leader;
}

static void dismiss(const GroupLeader &Leader) {
  if (Leader.Pid > 0) {
    [[maybe_unused]] ssize_t Told = ::write(Leader.ToLeader, "", 1);
    sys::RetryAfterSignal(-1, waitpid, Leader.Pid, nullptr, 0);
  }
  if (Leader.ToLeader >= 0)
    close(Leader.ToLeader);
}

// 0 if it cannot.
static pid_t spawnIn(pid_t Group, const std::string &Program,
                     std::vector<std::string> Words, const sigset_t &Mask) {
  std::vector<char *> Pointers;
  for (std::string &Word : Words)
    Pointers.push_back(Word.data());
  Pointers.push_back(nullptr);
  posix_spawnattr_t How;
  posix_spawnattr_init(&How);
  posix_spawnattr_setflags(&How,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&How, Group);
  posix_spawnattr_setsigmask(&How, &Mask);
  pid_t Pid = 0;
  int Wrong = posix_spawn(&Pid, Program.c_str(), nullptr, &How, Pointers.data(),
                          environ);
  posix_spawnattr_destroy(&How);
  return Wrong ? 0 : Pid;
}

// What waitpid says of its end, or nothing if it did not start.
static std::optional<int> runGroup(const std::string &Program,
                                   const std::vector<std::string> &Words) {
  // Nothing may stop it before it is known whom to stop.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_BLOCK, &All, &Before);
  GroupLeader Leader = startLeader();
  pid_t Pid = Leader.Pid > 0 ? spawnIn(Leader.Pid, Program, Words, Before) : 0;
  Builder = Pid ? Leader.Pid : 0;
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  int Status = 0;
  if (Pid)
    sys::RetryAfterSignal(-1, waitpid, Pid, &Status, 0);
  Builder = 0;
  dismiss(Leader);
  return Pid ? std::optional<int>(Status) : std::nullopt;
}

Error gevo::build(const std::string &Text) {
  std::vector<std::string> Words = splitCommand(Text);
  if (Words.empty())
    return Error::success();
  std::string Self =
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(stopBuild));
  StringRef Beside[] = {sys::path::parent_path(Self)};
  ErrorOr<std::string> Compiler = sys::findProgramByName(Words[0], Beside);
  if (!Compiler)
    Compiler = sys::findProgramByName(Words[0]);
  if (!Compiler)
    return createStringError(Compiler.getError(),
                             "cannot find '" + Words[0] + "' to build with");
  std::optional<int> Status = runGroup(*Compiler, Words);
  constexpr int EndedBySignal = 128;
  if (Stopped) {
    errs() << "gevo-search: stopped while the program was built\n";
    std::exit(EndedBySignal + Stopped);
  }
  if (Status && WIFEXITED(*Status) && !WEXITSTATUS(*Status))
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "the build failed: " + Text);
}
