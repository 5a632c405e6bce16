//===- Runtime.h - The state of the CUDA runtime ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime adds to the driver what a C++ program takes for granted: a device
// that is current without being asked for, errors that stay with the thread,
// and kernels and variables that are named by their host symbols. Functions of
// the API run their bodies through one of the call() forms below, which do the
// first two; Registry.h does the third.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_RUNTIME_H
#define GEVO_RUNTIME_CUDART_RUNTIME_H

#include "runtime/cudart/DriverTable.h"
#include "runtime/cudart/RuntimeApi.h"

#include <exception>
#include <new>

namespace gevo::cudart {

/// The driver, opened and initialised by the first call; null, and \p Why, if
/// that failed or the process is a fork of one that used the driver.
const DriverTable *driver(cudaError_t &Why);

/// The ordinal of the calling thread's device.
int &currentDevice();

/// Makes a context current in this thread: the one that is, or the primary
/// context of the thread's device.
cudaError_t useContext(const DriverTable &D, CUcontext &Ctx);

/// The primary context of device \p Ordinal.
cudaError_t primaryContext(const DriverTable &D, int Ordinal, CUcontext &Ctx);

/// Forgets the primary context of device \p Ordinal, which was reset.
void forgetContext(int Ordinal);
/// How often a context was forgotten.
unsigned contextResets();

/// The error that the calling thread's next cudaGetLastError returns.
cudaError_t &lastError();

/// Says once on standard error that \p Name is not there.
cudaError_t refuse(const char *Name);

/// Prints a message of ours once.
void tell(const char *Kind, const std::string &Text);

inline cudaError_t toRuntime(CUresult R) { return cudaError_t(R); }
inline cudaError_t toRuntime(cudaError_t E) { return E; }

/// Keeps \p E for cudaGetLastError, if it is one.
inline cudaError_t keepError(cudaError_t E) {
  if (E && E != cudaErrorNotReady)
    lastError() = E;
  return E;
}

/// Runs \p Body(driver) and keeps the error it returns, of the driver or of
/// the runtime. Nothing that C++ throws leaves.
template <typename Fn> cudaError_t callWithoutContext(Fn &&Body) {
  cudaError_t Why = cudaSuccess;
  const DriverTable *D = driver(Why);
  if (!D)
    return keepError(Why);
  try {
    return keepError(toRuntime(Body(*D)));
  } catch (const std::bad_alloc &) {
    return keepError(cudaErrorMemoryAllocation);
  } catch (const std::exception &) {
    return keepError(cudaErrorUnknown);
  }
}

/// The same with a current context.
template <typename Fn> cudaError_t call(Fn &&Body) {
  return callWithoutContext([&](const DriverTable &D) {
    CUcontext Ctx;
    if (cudaError_t E = useContext(D, Ctx))
      return E;
    return toRuntime(Body(D));
  });
}

inline CUdeviceptr address(const void *Pointer) {
  return reinterpret_cast<CUdeviceptr>(Pointer);
}

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_RUNTIME_H
