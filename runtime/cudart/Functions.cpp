//===- Functions.cpp - Kernels and occupancy ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// \p Body with the function that \p Host stands for.
template <typename Fn> cudaError_t withFunction(const void *Host, Fn &&Body) {
  return call([&](const DriverTable &D) {
    CUfunction F;
    if (cudaError_t E = Registry::get().findFunction(D, Host, F))
      return E;
    return toRuntime(Body(D, F));
  });
}

} // namespace

namespace gevo::cudart {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Result,
                                  const void *Host) {
  if (!Result)
    return keepError(cudaErrorInvalidValue);
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    auto get = [&](CUfunction_attribute Name) {
      int Value = 0;
      D.cuFuncGetAttribute(&Value, Name, F);
      return Value;
    };
    *Result = {};
    Result->sharedSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    Result->constSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
    Result->localSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
    Result->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    Result->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    Result->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    Result->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    Result->cacheModeCA = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
    Result->maxDynamicSharedSizeBytes =
        get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    Result->preferredShmemCarveout =
        get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *Host, CUfunction_attribute Name,
                                 int Value) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuFuncSetAttribute(F, Name, Value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void *Host, CUfunc_cache Config) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuFuncSetCacheConfig(F, Config);
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *Host,
                                       CUsharedconfig Config) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuFuncSetSharedMemConfig(F, Config);
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *Function, const void *Host) {
  if (!Function)
    return keepError(cudaErrorInvalidValue);
  return withFunction(Host, [&](const DriverTable &, CUfunction F) {
    Registry::get().addHandle(F);
    *Function = F;
    return cudaSuccess;
  });
}

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaGetKernel(cudaKernel_t *Handle, const void *Host) {
  if (!Handle)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    Kernel *K;
    if (cudaError_t E = Registry::get().findKernel(D, Host, K))
      return E;
    Registry::get().addHandle(K->Handle);
    *Handle = K->Handle;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetName(const char **Name, const void *Host) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuFuncGetName(Name, F);
  });
}

cudaError_t cudaFuncGetParamInfo(const void *Host, size_t Index, size_t *Offset,
                                 size_t *Size) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuFuncGetParamInfo(F, Index, Offset, Size);
  });
}
#endif

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                          const void *Host,
                                                          int Threads,
                                                          size_t Shared) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, F, Threads,
                                                         Shared);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, const void *Host, int Threads, size_t Shared, unsigned Flags) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        Blocks, F, Threads, Shared, Flags);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes,
                                                      const void *Host,
                                                      int Blocks, int Threads) {
  return withFunction(Host, [&](const DriverTable &D, CUfunction F) {
    return D.cuOccupancyAvailableDynamicSMemPerBlock(Bytes, F, Blocks, Threads);
  });
}

} // namespace gevo::cudart
