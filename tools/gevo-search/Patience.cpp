//===- Patience.cpp - Says what takes long --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of its own, as the one that waits for a process cannot look at a
// clock.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Patience.h"
#include <csignal>

using namespace llvm;
using namespace gevo;

Patience::Patience(View &V, std::string What, std::string Hint,
                   unsigned Seconds)
    : V(V), What(std::move(What)), Hint(std::move(Hint)) {
  std::chrono::seconds First(Seconds);
  if (First == First.zero()) {
    tell(First);
    First = std::chrono::seconds(UsualSeconds);
  }
  // Signals are for the thread that waits: they interrupt it.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Thread = std::thread([this, First] { wait(First); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Patience::tell(std::chrono::seconds SoFar) {
  V.say("still " + What + ", for " + duration(SoFar.count()) + " so far" +
        Hint);
  Hint.clear();
}

Patience::~Patience() {
  {
    std::lock_guard<std::mutex> Hold(Lock);
    Over = true;
  }
  Ended.notify_all();
  Thread.join();
}

void Patience::wait(std::chrono::seconds First) {
  auto Start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> Hold(Lock);
  for (std::chrono::seconds After = First;; After *= 2) {
    if (Ended.wait_until(Hold, Start + After, [this] { return Over; }))
      return;
    tell(After);
  }
}
