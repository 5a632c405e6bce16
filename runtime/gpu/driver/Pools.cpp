//===- Pools.cpp - Memory pools of the driver API -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/MemoryOps.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

CUresult findPool(CUmemoryPool Handle, std::shared_ptr<Pool> &P) {
  if (CUresult R = checkInitialised())
    return R;
  P = Driver::get().Handles.find<Pool>(Handle);
  return P ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// Where memory of a pool is used first: by \p S, or on the pool's device.
std::shared_ptr<Context> contextFor(const Pool &P, const Stream &S) {
  if (S.Ctx->Owner.Ordinal == P.Ordinal)
    return S.Ctx;
  for (const std::shared_ptr<Context> &Ctx : Driver::get().contexts())
    if (Ctx->Owner.Ordinal == P.Ordinal)
      return Ctx;
  return nullptr;
}

CUresult allocateFrom(CUdeviceptr *Address, size_t Bytes, CUmemoryPool Handle,
                      Stream &S) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  // An address of captured work would have to be known before it is made.
  if (spoilsCapture(S))
    return lacking("cuMemAllocAsync in a stream capture");
  std::shared_ptr<Context> Ctx = contextFor(*P, S);
  if (!Ctx)
    return CUDA_ERROR_INVALID_CONTEXT;
  uint64_t Base = 0;
  if (!Address)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = allocateIn(Ctx, &Base, Bytes, gpu::MemoryKind::Device))
    return R;
  *Address = Base;
  Driver::get().updateMemory(
      *Address, [&](MemoryRange &Range) { Range.FromPool = Handle; });
  std::lock_guard<std::mutex> Guard(P->Lock);
  P->Used += Bytes;
  P->UsedHigh = std::max(P->UsedHigh, P->Used);
  return CUDA_SUCCESS;
}

bool isSwitch(CUmemPool_attribute A) {
  return A >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
         A <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

} // namespace

namespace gevo::cuda {

CUresult cuMemAllocAsync(CUdeviceptr *Address, size_t Bytes, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  CUmemoryPool Current;
  if (CUresult R = cuDeviceGetMemPool(&Current, S->Ctx->Owner.Ordinal))
    return R;
  return guarded([&] { return allocateFrom(Address, Bytes, Current, *S); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *Address, size_t Bytes,
                                 CUmemoryPool Pool, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return guarded([&] { return allocateFrom(Address, Bytes, Pool, *S); });
}

CUresult cuMemFreeAsync(CUdeviceptr Address, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Address)
    return CUDA_SUCCESS;
  return guarded([&] {
    return submit(
        *S, {CU_GRAPH_NODE_TYPE_MEM_FREE, [Address](Stream &, WorkReport &) {
               return freeDeviceMemory(Address);
             }});
  });
}

CUresult cuMemPoolCreate(CUmemoryPool *Handle, const CUmemPoolProps *Props) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle || !Props || Props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      Props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Driver::get().device(Props->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  // Handles that other processes could open.
  if (Props->handleTypes)
    return lacking("cuMemPoolCreate for other processes");
  return guarded([&] {
    auto P = std::make_shared<Pool>();
    P->Ordinal = Props->location.id;
    *Handle = Driver::get().Handles.insert<CUmemoryPool>(std::move(P));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool Handle) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  Driver &D = Driver::get();
  Gpu *G = D.device(P->Ordinal);
  if (G->DefaultPool == Handle)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(D.PrimaryLock);
  if (G->CurrentPool == Handle)
    G->CurrentPool = G->DefaultPool;
  D.Handles.erase<Pool>(Handle);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool Handle, size_t) {
  // Nothing is held back, so there is nothing to trim.
  std::shared_ptr<Pool> P;
  return findPool(Handle, P);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool Handle, CUmemPool_attribute A,
                               void *Value) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(P->Lock);
  if (isSwitch(A)) {
    std::memcpy(&P->Switches[A], Value, sizeof(int));
    return CUDA_SUCCESS;
  }
  uint64_t Number;
  std::memcpy(&Number, Value, sizeof(Number));
  switch (A) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    P->ReleaseThreshold = Number;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    // A high-water mark can only be reset.
    if (Number)
      return CUDA_ERROR_INVALID_VALUE;
    P->UsedHigh = P->Used;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool Handle, CUmemPool_attribute A,
                               void *Value) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(P->Lock);
  if (isSwitch(A)) {
    auto It = P->Switches.find(A);
    int Set = It == P->Switches.end() ? 1 : It->second;
    std::memcpy(Value, &Set, sizeof(Set));
    return CUDA_SUCCESS;
  }
  uint64_t Number;
  switch (A) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    Number = P->ReleaseThreshold;
    break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    Number = P->Used;
    break;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    Number = P->UsedHigh;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(Value, &Number, sizeof(Number));
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool Handle, const CUmemAccessDesc *Map,
                            size_t Count) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  if (Count && !Map)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I)
    if (Map[I].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !Driver::get().device(Map[I].location.id))
      return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard<std::mutex> Guard(P->Lock);
  for (size_t I = 0; I < Count; ++I)
    P->Access[Map[I].location.id] = Map[I].flags;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *Flags, CUmemoryPool Handle,
                            CUmemLocation *Location) {
  std::shared_ptr<Pool> P;
  if (CUresult R = findPool(Handle, P))
    return R;
  if (!Flags || !Location || Location->type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(P->Lock);
  auto It = P->Access.find(Location->id);
  *Flags = It != P->Access.end()        ? It->second
           : Location->id == P->Ordinal ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                        : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
