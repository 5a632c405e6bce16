//===- Runtime.cpp - The state of the CUDA runtime ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <unistd.h>

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// State of the process. It is never destroyed, because programs call the
/// runtime from their own destructors.
struct Process {
  std::mutex Lock;
  std::atomic<const DriverTable *> Driver{nullptr};
  std::atomic<bool> Forked{false};
  cudaError_t OpenError = cudaSuccess;
  std::map<int, CUcontext> Primary; ///< Retained contexts by ordinal.
  /// Contexts that were reset, which may still be current in some thread.
  std::set<CUcontext> Gone;
  std::atomic<unsigned> Resets{0};
  std::set<std::string> Told;
};

Process &process() {
  static Process *P = new Process;
  return *P;
}

void noteFork() {
  // What the driver had set up belongs to the parent.
  if (process().Driver.load())
    process().Forked = true;
}

cudaError_t open(Process &P) {
  std::string Error;
  const DriverTable *D = openDriver(Error);
  if (!D) {
    tell("error", "cannot open the CUDA driver: " + Error);
    return cudaErrorInsufficientDriver;
  }
  if (CUresult R = D->cuInit(0))
    return toRuntime(R);
  pthread_atfork(nullptr, nullptr, noteFork);
  P.Driver = D;
  return cudaSuccess;
}

} // namespace

const DriverTable *gevo::cudart::driver(cudaError_t &Why) {
  Process &P = process();
  const DriverTable *D = P.Driver.load(std::memory_order_acquire);
  if (__builtin_expect(!D, 0)) {
    std::lock_guard<std::mutex> Guard(P.Lock);
    if (!P.Driver.load() && !P.OpenError)
      P.OpenError = open(P);
    Why = P.OpenError;
    return P.Driver.load();
  }
  if (__builtin_expect(P.Forked.load(std::memory_order_relaxed), 0)) {
    Why = cudaErrorInitializationError;
    return nullptr;
  }
  return D;
}

int &gevo::cudart::currentDevice() {
  thread_local int Ordinal = 0;
  return Ordinal;
}

cudaError_t &gevo::cudart::lastError() {
  thread_local cudaError_t Last = cudaSuccess;
  return Last;
}

cudaError_t gevo::cudart::primaryContext(const DriverTable &D, int Ordinal,
                                         CUcontext &Ctx) {
  Process &P = process();
  std::lock_guard<std::mutex> Guard(P.Lock);
  CUcontext &Known = P.Primary[Ordinal];
  if (!Known)
    if (CUresult R = D.cuDevicePrimaryCtxRetain(&Known, Ordinal)) {
      P.Primary.erase(Ordinal);
      return toRuntime(R);
    }
  Ctx = Known;
  return cudaSuccess;
}

void gevo::cudart::forgetContext(int Ordinal) {
  Process &P = process();
  std::lock_guard<std::mutex> Guard(P.Lock);
  auto It = P.Primary.find(Ordinal);
  if (It == P.Primary.end())
    return;
  P.Gone.insert(It->second);
  P.Primary.erase(It);
  ++P.Resets;
}

unsigned gevo::cudart::contextResets() {
  return process().Resets.load(std::memory_order_acquire);
}

cudaError_t gevo::cudart::useContext(const DriverTable &D, CUcontext &Ctx) {
  Process &P = process();
  bool IsCurrent = !D.cuCtxGetCurrent(&Ctx) && Ctx;
  thread_local unsigned SeenResets = 0;
  if (unsigned Resets = P.Resets.load(std::memory_order_acquire);
      Resets != SeenResets) {
    SeenResets = Resets;
    std::lock_guard<std::mutex> Guard(P.Lock);
    IsCurrent = IsCurrent && !P.Gone.count(Ctx);
  }
  if (IsCurrent)
    return cudaSuccess;
  if (cudaError_t E = primaryContext(D, currentDevice(), Ctx))
    return E;
  return toRuntime(D.cuCtxSetCurrent(Ctx));
}

void gevo::cudart::tell(const char *Kind, const std::string &Text) {
  Process &P = process();
  {
    // A message may come from within driver(), which holds the other lock.
    static std::mutex TellLock;
    std::lock_guard<std::mutex> Guard(TellLock);
    if (!P.Told.insert(Text).second)
      return;
  }
  std::fprintf(stderr, "gevo-cudart: %s: %s\n", Kind, Text.c_str());
}

cudaError_t gevo::cudart::refuse(const char *Name) {
  tell("note", std::string(Name) + " is not supported");
  cudaError_t Why;
  const DriverTable *D = driver(Why);
  if (D && D->gevoGpuNote)
    D->gevoGpuNote("missing", Name);
  return keepError(cudaErrorNotSupported);
}
