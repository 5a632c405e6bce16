//===- RunWatch.cpp - No more memory or time than allowed -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux tells what a process holds and what it started.
//
//===----------------------------------------------------------------------===//

#include "search/RunWatch.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static constexpr std::chrono::milliseconds LookEvery(20);

static std::string textOf(const Twine &Path) {
  auto File = MemoryBuffer::getFileAsStream(Path);
  return File ? (*File)->getBuffer().str() : "";
}

// Asked all the time: a plain read into a few bytes.
uint64_t gevo::residentBytes(pid_t Pid) {
  char Line[128];
  std::string Path = "/proc/" + std::to_string(Pid) + "/statm";
  int FD = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return 0;
  ssize_t Size = sys::RetryAfterSignal(-1, ::read, FD, &Line[0], sizeof(Line));
  close(FD);
  StringRef Text(Line, std::max<ssize_t>(Size, 0));
  // Pages: of the address space, then resident.
  uint64_t Resident = 0;
  if (Text.split(' ').second.consumeInteger(10, Resident))
    return 0;
  return Resident * sysconf(_SC_PAGESIZE);
}

std::vector<pid_t> gevo::childrenOf(pid_t Pid) {
  // Each thread has its own.
  std::string Text;
  std::error_code EC;
  sys::fs::directory_iterator Task("/proc/" + Twine(Pid) + "/task", EC);
  for (; !EC && Task != sys::fs::directory_iterator(); Task.increment(EC))
    Text += textOf(Task->path() + "/children");
  SmallVector<StringRef, 4> Words;
  StringRef(Text).split(Words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<pid_t> All;
  pid_t Child;
  for (StringRef Word : Words)
    if (!Word.getAsInteger(10, Child))
      All.push_back(Child);
  return All;
}

std::vector<pid_t> gevo::withDescendants(pid_t Root) {
  std::vector<pid_t> All = {Root};
  for (size_t I = 0; I < All.size(); ++I)
    for (pid_t Child : childrenOf(All[I]))
      All.push_back(Child);
  return All;
}

RunWatch::RunWatch(pid_t Child, uint64_t Bytes, unsigned Seconds)
    : Child(Child) {
  if (!Bytes && !Seconds)
    return;
  AwakeTime::Clock::duration Most = AwakeTime::Clock::duration::max();
  if (Seconds)
    Most = std::chrono::seconds(Seconds);
  // Signals are for others to take.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this, Bytes, Most] { watch(Bytes, Most); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void RunWatch::stop() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stopped = true;
  }
  Stop.notify_all();
  if (Thread.joinable())
    Thread.join();
}

RunWatch::~RunWatch() { stop(); }

void RunWatch::awaitEnd() {
  siginfo_t How = {};
  sys::RetryAfterSignal(-1, waitid, P_PID, Child, &How, WEXITED | WNOWAIT);
  stop();
  Killed = How.si_code == CLD_KILLED && How.si_status == SIGKILL;
  // Then it was too late to kill it, and what it did counts.
  if (!Killed)
    Exceeded = Late = false;
}

void RunWatch::watch(uint64_t Bytes, AwakeTime::Clock::duration Most) {
  // Of a machine that is busy, looks are late, too.
  AwakeTime Time(5 * LookEvery);
  std::unique_lock<std::mutex> Guard(Lock);
  while (!Stop.wait_for(Guard, LookEvery, [this] { return Stopped; })) {
    Late = Time.soFar() >= Most;
    std::vector<pid_t> All;
    if (Bytes || Late)
      All = withDescendants(Child);
    uint64_t Sum = 0;
    for (pid_t Pid : All)
      Sum += Bytes ? residentBytes(Pid) : 0;
    Exceeded = Sum > Bytes;
    if (!Late && !Exceeded)
      continue;
    // From the top, so that nobody starts another or reports a loss.
    for (pid_t Pid : All)
      kill(Pid, SIGKILL);
    return;
  }
}
