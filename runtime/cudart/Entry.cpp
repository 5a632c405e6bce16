//===- Entry.cpp - The driver behind the runtime, and profilers -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

cudaError_t entryPoint(const char *Symbol, void **Address, unsigned Version,
                       unsigned long long Flags,
                       CUdriverProcAddressQueryResult *Status) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuGetProcAddress_v2(Symbol, Address, int(Version), Flags, Status);
  });
}

/// Flags that say nothing about stream 0 mean what the caller was built for.
unsigned long long perThread(unsigned long long Flags) {
  return Flags ? Flags : CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
}

} // namespace

namespace gevo::cudart {

#if GEVO_CUDART_MAJOR == 11
cudaError_t cudaGetDriverEntryPoint(const char *Symbol, void **Address,
                                    unsigned long long Flags) {
  return entryPoint(Symbol, Address, GEVO_CUDART_VERSION, Flags, nullptr);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *Symbol, void **Address,
                                         unsigned long long Flags) {
  return entryPoint(Symbol, Address, GEVO_CUDART_VERSION, perThread(Flags),
                    nullptr);
}

cudaError_t cudaProfilerInitialize(const char *, const char *, int) {
  return keepError(cudaErrorProfilerDisabled);
}
#else
cudaError_t cudaGetDriverEntryPoint(const char *Symbol, void **Address,
                                    unsigned long long Flags,
                                    CUdriverProcAddressQueryResult *Status) {
  return entryPoint(Symbol, Address, GEVO_CUDART_VERSION, Flags, Status);
}

cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *Symbol, void **Address,
                             unsigned long long Flags,
                             CUdriverProcAddressQueryResult *Status) {
  return entryPoint(Symbol, Address, GEVO_CUDART_VERSION, perThread(Flags),
                    Status);
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *Symbol, void **Address,
                                 unsigned Version, unsigned long long Flags,
                                 CUdriverProcAddressQueryResult *Status) {
  return entryPoint(Symbol, Address, Version, Flags, Status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char *Symbol, void **Address, unsigned Version,
    unsigned long long Flags, CUdriverProcAddressQueryResult *Status) {
  return entryPoint(Symbol, Address, Version, perThread(Flags), Status);
}
#endif

cudaError_t cudaProfilerStart() {
  return call([](const DriverTable &D) { return D.cuProfilerStart(); });
}

cudaError_t cudaProfilerStop() {
  return call([](const DriverTable &D) { return D.cuProfilerStop(); });
}

cudaError_t cudaGetExportTable(const void **Table, const cudaUUID_t *Id) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuGetExportTable(Table, reinterpret_cast<const CUuuid *>(Id));
  });
}

#if GEVO_CUDART_MAJOR <= 12
// From the time of GPUs without doubles; they change nothing.
cudaError_t cudaSetDoubleForDevice(double *) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double *) { return cudaSuccess; }
#endif

} // namespace gevo::cudart
