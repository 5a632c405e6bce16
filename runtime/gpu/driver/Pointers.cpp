//===- Pointers.cpp - Questions about pointers ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"

#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

template <typename T> CUresult give(void *Data, T Value) {
  std::memcpy(Data, &Value, sizeof(Value));
  return CUDA_SUCCESS;
}

bool isHost(const MemoryRange &R) {
  return R.Kind == gpu::MemoryKind::Host ||
         R.Kind == gpu::MemoryKind::HostRegistered;
}

/// Answers \p Attribute of \p Address, which lies in \p R.
CUresult answer(void *Data, CUpointer_attribute Attribute, CUdeviceptr Address,
                const MemoryRange &R) {
  bool IsManaged = R.Kind == gpu::MemoryKind::Managed;
  switch (Attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return give(Data, R.Ctx->Handle);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return give(Data, isHost(R) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return give(Data, Address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!isHost(R) && !IsManaged)
      return CUDA_ERROR_INVALID_VALUE;
    return give(Data, reinterpret_cast<void *>(Address));
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return give(Data, unsigned(R.SyncMemops));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return give(Data, R.Id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return give(Data, unsigned(IsManaged));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return give(Data, R.Ctx->Owner.Ordinal);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return give(Data, R.Base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return give(Data, size_t(R.Bytes));
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return give(Data, 1u);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return give(Data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return give(Data, R.FromPool);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    return give(Data, 0u);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return give(Data, uint64_t(0));
  case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    return lacking("CU_POINTER_ATTRIBUTE_P2P_TOKENS");
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// What cuPointerGetAttributes gives for memory that CUDA does not know.
CUresult answerUnknown(void *Data, CUpointer_attribute Attribute) {
  switch (Attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return give(Data, uint64_t(0));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return give(Data, -2);
  case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    return lacking("CU_POINTER_ATTRIBUTE_P2P_TOKENS");
  default:
    return give(Data, 0u);
  }
}

CUresult rangeAnswer(void *Data, size_t Size, CUmem_range_attribute Attribute,
                     const MemoryRange &R) {
  constexpr int NoDevice = -2;
  switch (Attribute) {
  case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
    return Size == 4 ? give(Data, 0) : CUDA_ERROR_INVALID_VALUE;
  case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
  case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    return Size == 4 ? give(Data, NoDevice) : CUDA_ERROR_INVALID_VALUE;
  case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
    if (Size % 4)
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t I = 0; I < Size; I += 4)
      give(static_cast<char *>(Data) + I, NoDevice);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// Hints about managed memory have no effect here, but must name some.
CUresult checkManaged(CUdeviceptr Address, size_t Bytes) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  auto Range = Driver::get().findMemory(Address, Bytes);
  bool IsManaged = Range && Range->Kind == gpu::MemoryKind::Managed;
  return Bytes && IsManaged ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool isAdvice(CUmem_advise Advice) {
  return Advice >= CU_MEM_ADVISE_SET_READ_MOSTLY &&
         Advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

} // namespace

namespace gevo::cuda {

CUresult cuPointerGetAttribute(void *Data, CUpointer_attribute Attribute,
                               CUdeviceptr Address) {
  if (CUresult R = checkInitialised())
    return R;
  auto Range = Driver::get().findMemory(Address);
  if (!Data || !Range)
    return CUDA_ERROR_INVALID_VALUE;
  return answer(Data, Attribute, Address, *Range);
}

CUresult cuPointerGetAttributes(unsigned Count, CUpointer_attribute *Attributes,
                                void **Data, CUdeviceptr Address) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Attributes || !Data)
    return CUDA_ERROR_INVALID_VALUE;
  auto Range = Driver::get().findMemory(Address);
  for (unsigned I = 0; I < Count; ++I) {
    if (!Data[I])
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = Range ? answer(Data[I], Attributes[I], Address, *Range)
                       : CUDA_ERROR_INVALID_VALUE;
    if (R)
      R = answerUnknown(Data[I], Attributes[I]);
    if (R)
      return R;
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *Data, CUpointer_attribute Attribute,
                               CUdeviceptr Address) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Data || Attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  unsigned Value;
  std::memcpy(&Value, Data, sizeof(Value));
  bool Found = Driver::get().updateMemory(
      Address, [&](MemoryRange &R) { R.SyncMemops = Value != 0; });
  return Found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice,
                     CUdevice) {
  if (!isAdvice(Advice))
    return CUDA_ERROR_INVALID_VALUE;
  return checkManaged(Address, Bytes);
}

CUresult cuMemAdvise_v2(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice,
                        CUmemLocation) {
  if (!isAdvice(Advice))
    return CUDA_ERROR_INVALID_VALUE;
  return checkManaged(Address, Bytes);
}

CUresult cuMemPrefetchAsync(CUdeviceptr Address, size_t Bytes, CUdevice,
                            CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return checkManaged(Address, Bytes);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr Address, size_t Bytes, CUmemLocation,
                               unsigned Flags, CUstream Handle) {
  if (Flags)
    return CUDA_ERROR_INVALID_VALUE;
  return cuMemPrefetchAsync(Address, Bytes, 0, Handle);
}

CUresult cuMemRangeGetAttribute(void *Data, size_t Size,
                                CUmem_range_attribute Attribute,
                                CUdeviceptr Address, size_t Bytes) {
  if (CUresult R = checkManaged(Address, Bytes))
    return R;
  auto Range = Driver::get().findMemory(Address, Bytes);
  if (!Data || !Range)
    return CUDA_ERROR_INVALID_VALUE;
  return rangeAnswer(Data, Size, Attribute, *Range);
}

CUresult cuMemRangeGetAttributes(void **Data, size_t *Sizes,
                                 CUmem_range_attribute *Attributes,
                                 size_t Count, CUdeviceptr Address,
                                 size_t Bytes) {
  if (!Data || !Sizes || !Attributes)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I)
    if (CUresult R = cuMemRangeGetAttribute(Data[I], Sizes[I], Attributes[I],
                                            Address, Bytes))
      return R;
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
