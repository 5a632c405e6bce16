//===- Devices.cpp - Devices of the driver API ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// Finds device \p Ordinal.
CUresult findDevice(CUdevice Ordinal, Gpu *&G) {
  if (CUresult R = checkInitialised())
    return R;
  G = Driver::get().device(Ordinal);
  return G ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/// Writes as much of \p Text as fits \p Size bytes, nul included.
void copyText(char *Buffer, int Size, const std::string &Text) {
  size_t Count = std::min(size_t(Size) - 1, Text.size());
  std::memcpy(Buffer, Text.data(), Count);
  Buffer[Count] = 0;
}

std::string busId(const Gpu &G) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "0000:%02X:00.0", G.Properties.PCIBus);
  return Text;
}

} // namespace

namespace gevo::cuda {

CUresult cuDeviceGet(CUdevice *Device, int Ordinal) {
  Gpu *G;
  if (!Device)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findDevice(Ordinal, G))
    return R;
  *Device = Ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *Count) {
  if (!Count)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkInitialised())
    return R;
  *Count = Driver::get().deviceCount();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *Name, int Size, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Name || Size <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  copyText(Name, Size, G->Properties.FullName);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *Uuid, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Uuid)
    return CUDA_ERROR_INVALID_VALUE;
  // The same device has the same name on every machine and run.
  std::memset(Uuid->bytes, 0, sizeof(Uuid->bytes));
  std::memcpy(Uuid->bytes, "GEVO", 4);
  std::strncpy(Uuid->bytes + 4, G->Properties.Model.c_str(), 11);
  Uuid->bytes[15] = char(Device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Attribute,
                              CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  std::optional<int> Found = deviceAttribute(G->Properties, Attribute);
  if (!Value || !Found)
    return CUDA_ERROR_INVALID_VALUE;
  *Value = *Found;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *Bytes, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *Bytes = size_t(G->Properties.Config.GlobalBytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *Properties, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Properties)
    return CUDA_ERROR_INVALID_VALUE;
  auto get = [&](CUdevice_attribute A) {
    return deviceAttribute(G->Properties, A).value_or(0);
  };
  *Properties = {get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                 {get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                  get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                  get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
                 {get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                  get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                  get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
                 get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                 get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
                 get(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
                 get(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
                 get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                 get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                 get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *Major, int *Minor, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Major || !Minor)
    return CUDA_ERROR_INVALID_VALUE;
  *Major = int(G->Properties.Config.SmArch / 10);
  *Minor = int(G->Properties.Config.SmArch % 10);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *Id, int Size, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Id || Size <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  copyText(Id, Size, busId(*G));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *Device, const char *Id) {
  if (!Device || !Id)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = checkInitialised())
    return R;
  unsigned Domain, Bus, Slot, Function = 0;
  if (std::sscanf(Id, "%x:%x:%x.%x", &Domain, &Bus, &Slot, &Function) < 3) {
    Domain = 0;
    if (std::sscanf(Id, "%x:%x.%x", &Bus, &Slot, &Function) < 2)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (int I = 0; I < Driver::get().deviceCount(); ++I) {
    if (Domain || Slot || Function ||
        unsigned(Driver::get().device(I)->Properties.PCIBus) != Bus)
      continue;
    *Device = I;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceCanAccessPeer(int *Can, CUdevice Device, CUdevice Peer) {
  Gpu *A, *B;
  if (CUresult R = findDevice(Device, A))
    return R;
  if (CUresult R = findDevice(Peer, B))
    return R;
  if (!Can)
    return CUDA_ERROR_INVALID_VALUE;
  *Can = A != B;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *Value, CUdevice_P2PAttribute Attribute,
                                 CUdevice From, CUdevice To) {
  Gpu *A, *B;
  if (CUresult R = findDevice(From, A))
    return R;
  if (CUresult R = findDevice(To, B))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  if (A == B)
    return CUDA_ERROR_INVALID_DEVICE;
  switch (Attribute) {
  case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
  case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    *Value = 1;
    return CUDA_SUCCESS;
  case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
  case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    *Value = 0;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *Pool, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Pool)
    return CUDA_ERROR_INVALID_VALUE;
  *Pool = G->DefaultPool;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *Pool, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Pool)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Driver::get().PrimaryLock);
  *Pool = G->CurrentPool;
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice Device, CUmemoryPool Pool) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  auto P = Driver::get().Handles.find<driver::Pool>(Pool);
  if (!P || P->Ordinal != Device)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Driver::get().PrimaryLock);
  G->CurrentPool = Pool;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *Value, CUexecAffinityType,
                                        CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  *Value = 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *Handle, CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Handle)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    Driver &D = Driver::get();
    std::lock_guard<std::mutex> Guard(D.PrimaryLock);
    if (!D.Handles.find<Context>(G->Primary)) {
      auto Ctx = D.createContext(*G, G->PrimaryFlags);
      Ctx->IsPrimary = true;
      G->Primary = Ctx->Handle;
      G->PrimaryCount = 0;
    }
    ++G->PrimaryCount;
    *Handle = G->Primary;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  Driver &D = Driver::get();
  std::lock_guard<std::mutex> Guard(D.PrimaryLock);
  auto Ctx = D.Handles.find<Context>(G->Primary);
  if (!Ctx || !G->PrimaryCount)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--G->PrimaryCount == 0) {
    D.destroyContext(*Ctx);
    G->Primary = nullptr;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice Device, unsigned Flags) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (Flags & ~unsigned(CU_CTX_FLAGS_MASK))
    return CUDA_ERROR_INVALID_VALUE;
  Driver &D = Driver::get();
  std::lock_guard<std::mutex> Guard(D.PrimaryLock);
  G->PrimaryFlags = Flags;
  if (auto Ctx = D.Handles.find<Context>(G->Primary))
    Ctx->Flags = Flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice Device, unsigned *Flags,
                                    int *Active) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  if (!Flags || !Active)
    return CUDA_ERROR_INVALID_VALUE;
  Driver &D = Driver::get();
  std::lock_guard<std::mutex> Guard(D.PrimaryLock);
  *Flags = G->PrimaryFlags;
  *Active = D.Handles.find<Context>(G->Primary) != nullptr;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice Device) {
  Gpu *G;
  if (CUresult R = findDevice(Device, G))
    return R;
  Driver &D = Driver::get();
  std::lock_guard<std::mutex> Guard(D.PrimaryLock);
  if (auto Ctx = D.Handles.find<Context>(G->Primary))
    D.destroyContext(*Ctx);
  G->Primary = nullptr;
  G->PrimaryCount = 0;
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
