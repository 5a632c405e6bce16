//===- Memory.cpp - Memory of the runtime ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// Calls \p Allocate(driver, pointer to fill) unless nothing is asked for,
/// which gives a null pointer.
template <typename Fn>
cudaError_t allocate(void **Pointer, size_t Bytes, Fn &&Allocate) {
  if (!Pointer)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    CUdeviceptr Address = 0;
    CUresult R = Bytes ? Allocate(D, &Address) : CUDA_SUCCESS;
    if (!R)
      *Pointer = reinterpret_cast<void *>(Address);
    return R;
  });
}

template <typename T>
bool ask(const DriverTable &D, CUpointer_attribute Name, const void *Pointer,
         T &Value) {
  return !D.cuPointerGetAttribute(&Value, Name, address(Pointer));
}

} // namespace

namespace gevo::cudart {

cudaError_t cudaMalloc(void **Pointer, size_t Bytes) {
  return allocate(Pointer, Bytes, [&](const DriverTable &D, CUdeviceptr *At) {
    return D.cuMemAlloc_v2(At, Bytes);
  });
}

cudaError_t cudaMallocManaged(void **Pointer, size_t Bytes, unsigned Flags) {
  if (!Bytes)
    return keepError(cudaErrorInvalidValue);
  return allocate(Pointer, Bytes, [&](const DriverTable &D, CUdeviceptr *At) {
    return D.cuMemAllocManaged(At, Bytes, Flags);
  });
}

cudaError_t cudaFree(void *Pointer) {
  return call([&](const DriverTable &D) {
    return Pointer ? D.cuMemFree_v2(address(Pointer)) : CUDA_SUCCESS;
  });
}

cudaError_t cudaHostAlloc(void **Pointer, size_t Bytes, unsigned Flags) {
  return allocate(Pointer, Bytes, [&](const DriverTable &D, CUdeviceptr *At) {
    return D.cuMemHostAlloc(reinterpret_cast<void **>(At), Bytes, Flags);
  });
}

cudaError_t cudaMallocHost(void **Pointer, size_t Bytes) {
  return cudaHostAlloc(Pointer, Bytes, 0);
}

cudaError_t cudaFreeHost(void *Pointer) {
  return call([&](const DriverTable &D) {
    return Pointer ? D.cuMemFreeHost(Pointer) : CUDA_SUCCESS;
  });
}

cudaError_t cudaHostRegister(void *Pointer, size_t Bytes, unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuMemHostRegister_v2(Pointer, Bytes, Flags);
  });
}

cudaError_t cudaHostUnregister(void *Pointer) {
  return call(
      [&](const DriverTable &D) { return D.cuMemHostUnregister(Pointer); });
}

cudaError_t cudaHostGetDevicePointer(void **Device, void *Host,
                                     unsigned Flags) {
  if (!Device)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    return D.cuMemHostGetDevicePointer_v2(
        reinterpret_cast<CUdeviceptr *>(Device), Host, Flags);
  });
}

cudaError_t cudaHostGetFlags(unsigned *Flags, void *Host) {
  return call(
      [&](const DriverTable &D) { return D.cuMemHostGetFlags(Flags, Host); });
}

cudaError_t cudaMallocPitch(void **Pointer, size_t *Pitch, size_t Width,
                            size_t Height) {
  if (!Pointer || !Pitch)
    return keepError(cudaErrorInvalidValue);
  *Pitch = 0;
  return allocate(Pointer, Width && Height,
                  [&](const DriverTable &D, CUdeviceptr *At) {
                    return D.cuMemAllocPitch_v2(At, Pitch, Width, Height, 4);
                  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *Result, cudaExtent Extent) {
  if (!Result)
    return keepError(cudaErrorInvalidValue);
  size_t Rows;
  if (__builtin_mul_overflow(Extent.height, Extent.depth, &Rows))
    return keepError(cudaErrorMemoryAllocation);
  Result->xsize = Extent.width;
  Result->ysize = Extent.height;
  return cudaMallocPitch(&Result->ptr, &Result->pitch, Extent.width, Rows);
}

cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  return call(
      [&](const DriverTable &D) { return D.cuMemGetInfo_v2(Free, Total); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Result,
                                     const void *Pointer) {
  if (!Result)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    CUmemorytype Type;
    *Result = {};
    if (!ask(D, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, Pointer, Type)) {
      // Memory that CUDA knows nothing of is no error.
      constexpr int NoDevice = -2;
      Result->type = cudaMemoryTypeUnregistered;
      Result->device = NoDevice;
      Result->hostPointer = const_cast<void *>(Pointer);
      return cudaSuccess;
    }
    int IsManaged = 0;
    ask(D, CU_POINTER_ATTRIBUTE_IS_MANAGED, Pointer, IsManaged);
    ask(D, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, Pointer, Result->device);
    ask(D, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, Pointer, Result->devicePointer);
    Result->type = IsManaged                    ? cudaMemoryTypeManaged
                   : Type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                : cudaMemoryTypeDevice;
    if (Result->type != cudaMemoryTypeDevice)
      ask(D, CU_POINTER_ATTRIBUTE_HOST_POINTER, Pointer, Result->hostPointer);
    return cudaSuccess;
  });
}

#if GEVO_CUDART_MAJOR <= 12
cudaError_t cudaMemAdvise(const void *Pointer, size_t Bytes,
                          CUmem_advise Advice, int Device) {
  return call([&](const DriverTable &D) {
    return D.cuMemAdvise(address(Pointer), Bytes, Advice, Device);
  });
}

cudaError_t cudaMemPrefetchAsync(const void *Pointer, size_t Bytes, int Device,
                                 cudaStream_t Stream) {
  return call([&](const DriverTable &D) {
    return D.cuMemPrefetchAsync(address(Pointer), Bytes, Device, Stream);
  });
}
#endif

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaMemAdvise_v2(const void *Pointer, size_t Bytes,
                             CUmem_advise Advice, CUmemLocation Where) {
  return call([&](const DriverTable &D) {
    return D.cuMemAdvise_v2(address(Pointer), Bytes, Advice, Where);
  });
}

cudaError_t cudaMemPrefetchAsync_v2(const void *Pointer, size_t Bytes,
                                    CUmemLocation Where, unsigned Flags,
                                    cudaStream_t Stream) {
  return call([&](const DriverTable &D) {
    return D.cuMemPrefetchAsync_v2(address(Pointer), Bytes, Where, Flags,
                                   Stream);
  });
}
#endif

cudaError_t cudaMemRangeGetAttribute(void *Value, size_t Size,
                                     CUmem_range_attribute Name,
                                     const void *Pointer, size_t Bytes) {
  return call([&](const DriverTable &D) {
    return D.cuMemRangeGetAttribute(Value, Size, Name, address(Pointer), Bytes);
  });
}

cudaError_t cudaMemRangeGetAttributes(void **Values, size_t *Sizes,
                                      CUmem_range_attribute *Names,
                                      size_t Count, const void *Pointer,
                                      size_t Bytes) {
  return call([&](const DriverTable &D) {
    return D.cuMemRangeGetAttributes(Values, Sizes, Names, Count,
                                     address(Pointer), Bytes);
  });
}

} // namespace gevo::cudart
