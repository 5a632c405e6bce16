//===- Building.cpp - The build of a scenario -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler starts others. They are a group of processes of their own, so that
// all of them can be stopped, whoever asked for it.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Building.h"
#include "search/ShellText.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// What a signal handler may know: the compiler, and what it was stopped by.
static volatile sig_atomic_t Builder = 0, Stopped = 0;

bool gevo::stopBuild(int Signal) {
  if (!Builder)
    return false;
  Stopped = Signal;
  // What a shell has in the background does not hear of Ctrl-C.
  kill(-Builder, SIGTERM);
  return true;
}

// What waitpid says of its end, or nothing if it did not start.
static std::optional<int> runGroup(const std::string &Program,
                                   std::vector<std::string> Words) {
  std::vector<char *> Pointers;
  for (std::string &Word : Words)
    Pointers.push_back(Word.data());
  Pointers.push_back(nullptr);
  // Nothing may stop it before it is known whom to stop.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_BLOCK, &All, &Before);
  posix_spawnattr_t How;
  posix_spawnattr_init(&How);
  posix_spawnattr_setflags(&How,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&How, 0);
  posix_spawnattr_setsigmask(&How, &Before);
  pid_t Pid = 0;
  int Wrong = posix_spawn(&Pid, Program.c_str(), nullptr, &How, Pointers.data(),
                          environ);
  posix_spawnattr_destroy(&How);
  Builder = Wrong ? 0 : Pid;
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (Wrong)
    return std::nullopt;
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  Builder = 0;
  return Status;
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
