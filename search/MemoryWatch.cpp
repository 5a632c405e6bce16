//===- MemoryWatch.cpp - No more memory than allowed ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux tells what a process holds and what it started.
//
//===----------------------------------------------------------------------===//

#include "search/MemoryWatch.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <csignal>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace gevo;

static constexpr std::chrono::milliseconds LookEvery(20);

static std::string textOf(const Twine &Path) {
  auto File = MemoryBuffer::getFileAsStream(Path);
  return File ? (*File)->getBuffer().str() : "";
}

uint64_t gevo::residentBytes(pid_t Pid) {
  std::string Text = textOf("/proc/" + Twine(Pid) + "/statm");
  // Pages: of the address space, then resident.
  uint64_t Resident = 0;
  if (StringRef(Text).split(' ').second.consumeInteger(10, Resident))
    return 0;
  return Resident * sysconf(_SC_PAGESIZE);
}

// A process, then all below it.
static std::vector<pid_t> withDescendants(pid_t Root) {
  std::vector<pid_t> All = {Root};
  for (size_t I = 0; I < All.size(); ++I) {
    // Each thread has its own.
    std::string Text;
    std::error_code EC;
    sys::fs::directory_iterator Task("/proc/" + Twine(All[I]) + "/task", EC);
    for (; !EC && Task != sys::fs::directory_iterator(); Task.increment(EC))
      Text += textOf(Task->path() + "/children");
    SmallVector<StringRef, 4> Words;
    StringRef(Text).split(Words, ' ', -1, /*KeepEmpty=*/false);
    pid_t Child;
    for (StringRef Word : Words)
      if (!Word.getAsInteger(10, Child))
        All.push_back(Child);
  }
  return All;
}

MemoryWatch::MemoryWatch(pid_t Child, uint64_t Bytes) {
  if (Bytes)
    Thread = std::thread([this, Child, Bytes] { watch(Child, Bytes); });
}

MemoryWatch::~MemoryWatch() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stopped = true;
  }
  Stop.notify_all();
  if (Thread.joinable())
    Thread.join();
}

void MemoryWatch::watch(pid_t Child, uint64_t Bytes) {
  std::unique_lock<std::mutex> Guard(Lock);
  while (!Stop.wait_for(Guard, LookEvery, [this] { return Stopped; })) {
    std::vector<pid_t> All = withDescendants(Child);
    uint64_t Sum = 0;
    for (pid_t Pid : All)
      Sum += residentBytes(Pid);
    if (Sum <= Bytes)
      continue;
    Exceeded = true;
    // From the top, so that nobody starts another or reports a loss.
    for (pid_t Pid : All)
      kill(Pid, SIGKILL);
    return;
  }
}
