//===- Pools.cpp - Stream-ordered memory ----------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo;
using namespace gevo::cudart;

namespace gevo::cudart {

cudaError_t cudaMallocAsync(void **Pointer, size_t Bytes, cudaStream_t Stream) {
  if (!Pointer)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    return D.cuMemAllocAsync(reinterpret_cast<CUdeviceptr *>(Pointer), Bytes,
                             Stream);
  });
}

cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t Stream) {
  return call([&](const DriverTable &D) {
    return Pointer ? D.cuMemFreeAsync(address(Pointer), Stream) : CUDA_SUCCESS;
  });
}

cudaError_t cudaMallocFromPoolAsync(void **Pointer, size_t Bytes,
                                    cudaMemPool_t Pool, cudaStream_t Stream) {
  if (!Pointer)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    return D.cuMemAllocFromPoolAsync(reinterpret_cast<CUdeviceptr *>(Pointer),
                                     Bytes, Pool, Stream);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *Pool,
                              const CUmemPoolProps *Props) {
  return call(
      [&](const DriverTable &D) { return D.cuMemPoolCreate(Pool, Props); });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t Pool) {
  return call([&](const DriverTable &D) { return D.cuMemPoolDestroy(Pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t Bytes) {
  return call(
      [&](const DriverTable &D) { return D.cuMemPoolTrimTo(Pool, Bytes); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Pool,
                                    CUmemPool_attribute Name, void *Value) {
  return call([&](const DriverTable &D) {
    return D.cuMemPoolSetAttribute(Pool, Name, Value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Pool,
                                    CUmemPool_attribute Name, void *Value) {
  return call([&](const DriverTable &D) {
    return D.cuMemPoolGetAttribute(Pool, Name, Value);
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool,
                                 const CUmemAccessDesc *Access, size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuMemPoolSetAccess(Pool, Access, Count);
  });
}

cudaError_t cudaMemPoolGetAccess(CUmemAccess_flags *Flags, cudaMemPool_t Pool,
                                 CUmemLocation *Where) {
  return call([&](const DriverTable &D) {
    return D.cuMemPoolGetAccess(Flags, Pool, Where);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device) {
  return call([&](const DriverTable &D) {
    return D.cuDeviceGetDefaultMemPool(Pool, Device);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int Device) {
  return call(
      [&](const DriverTable &D) { return D.cuDeviceGetMemPool(Pool, Device); });
}

cudaError_t cudaDeviceSetMemPool(int Device, cudaMemPool_t Pool) {
  return call(
      [&](const DriverTable &D) { return D.cuDeviceSetMemPool(Device, Pool); });
}

} // namespace gevo::cudart
