//===- Isolation.cpp - Work in a process of its own -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain POSIX: fork, limits, and a memory file that takes standard error.
//
//===----------------------------------------------------------------------===//

#include "test/soak/Isolation.h"
#include <algorithm>
#include <cassert>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;

static std::string endOf(int File) {
  constexpr off_t Most = 2000;
  off_t Size = lseek(File, 0, SEEK_END);
  off_t From = std::max<off_t>(0, Size - Most);
  std::string Text(static_cast<size_t>(Size - From), '\0');
  ssize_t Got = pread(File, Text.data(), Text.size(), From);
  Text.resize(Got < 0 ? 0 : static_cast<size_t>(Got));
  return Text;
}

static std::string describe(int Status) {
  if (WIFSIGNALED(Status))
    return std::string("ended by signal: ") + strsignal(WTERMSIG(Status));
  return "exited with " + std::to_string(WEXITSTATUS(Status));
}

std::string gevo::runIsolated(llvm::function_ref<void()> Work,
                              const IsolationLimits &Limits) {
  int Log = memfd_create("standard error", MFD_CLOEXEC);
  assert(Log >= 0 && "the kernel has memory files");
  pid_t Child = fork();
  assert(Child >= 0 && "a child at a time fits any limit");
  if (Child == 0) {
    dup2(Log, STDERR_FILENO);
    rlimit Memory = {Limits.MemoryBytes, Limits.MemoryBytes};
    setrlimit(RLIMIT_AS, &Memory);
    rlimit NoCore = {0, 0};
    setrlimit(RLIMIT_CORE, &NoCore);
    Work();
    _exit(0);
  }
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
  }
  std::string Outcome;
  if (Status != 0)
    Outcome = describe(Status) + "\n" + endOf(Log);
  close(Log);
  return Outcome;
}

void gevo::restartClock(unsigned Seconds) {
  itimerval Timer = {};
  Timer.it_value.tv_sec = Seconds;
  setitimer(ITIMER_PROF, &Timer, nullptr);
}

void *gevo::sharedMemory(size_t Bytes) {
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(Memory != MAP_FAILED && "a page is always to be had");
  return Memory;
}
