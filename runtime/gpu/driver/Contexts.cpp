//===- Contexts.cpp - Contexts of the driver API --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

namespace {

constexpr unsigned ApiVersion = 3020;
/// What cuCtxGetStreamPriorityRange tells on today's GPUs.
constexpr int LowestPriority = 0;
constexpr int HighestPriority = -5;

CUresult create(CUcontext *Handle, unsigned Flags, CUdevice Device) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle || Flags & ~unsigned(CU_CTX_FLAGS_MASK))
    return CUDA_ERROR_INVALID_VALUE;
  Gpu *G = Driver::get().device(Device);
  if (!G)
    return CUDA_ERROR_INVALID_DEVICE;
  return guarded([&] {
    auto Ctx = Driver::get().createContext(*G, Flags);
    *Handle = Ctx->Handle;
    contextStack().push_back(std::move(Ctx));
    return CUDA_SUCCESS;
  });
}

/// Finds the context that \p Handle names, or the current one for null.
CUresult namedContext(CUcontext Handle, std::shared_ptr<Context> &Ctx) {
  if (!Handle)
    return currentContext(Ctx);
  if (CUresult R = checkInitialised())
    return R;
  Ctx = Driver::get().Handles.find<Context>(Handle);
  return Ctx ? Ctx->Sticky.load() : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace

namespace gevo::cuda {

CUresult cuCtxCreate_v2(CUcontext *Handle, unsigned Flags, CUdevice Device) {
  return create(Handle, Flags, Device);
}

CUresult cuCtxCreate_v3(CUcontext *Handle, CUexecAffinityParam *, int Count,
                        unsigned Flags, CUdevice Device) {
  if (Count)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return create(Handle, Flags, Device);
}

CUresult cuCtxCreate_v4(CUcontext *Handle, CUctxCreateParams *Params,
                        unsigned Flags, CUdevice Device) {
  if (Params && (Params->numExecAffinityParams || Params->cigParams))
    return lacking("cuCtxCreate with affinity or graphics");
  return create(Handle, Flags, Device);
}

CUresult cuCtxDestroy_v2(CUcontext Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto Ctx = Driver::get().Handles.find<Context>(Handle);
  if (!Ctx || Ctx->IsPrimary)
    return CUDA_ERROR_INVALID_CONTEXT;
  auto &Stack = contextStack();
  if (!Stack.empty() && Stack.back() == Ctx)
    Stack.pop_back();
  Driver::get().destroyContext(*Ctx);
  return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *Handle, unsigned Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Handle || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  ++Ctx->Attached;
  *Handle = Ctx->Handle;
  return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto Ctx = Driver::get().Handles.find<Context>(Handle);
  if (!Ctx)
    return CUDA_ERROR_INVALID_CONTEXT;
  return --Ctx->Attached ? CUDA_SUCCESS : cuCtxDestroy_v2(Handle);
}

CUresult cuCtxPushCurrent_v2(CUcontext Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto Ctx = Driver::get().Handles.find<Context>(Handle);
  if (!Ctx)
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(std::move(Ctx));
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto &Stack = contextStack();
  if (Stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Handle)
    *Handle = Stack.back() ? Stack.back()->Handle : nullptr;
  Stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto &Stack = contextStack();
  std::shared_ptr<Context> Ctx;
  if (Handle) {
    Ctx = Driver::get().Handles.find<Context>(Handle);
    if (!Ctx)
      return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!Stack.empty())
    Stack.pop_back();
  if (Ctx)
    Stack.push_back(std::move(Ctx));
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *Handle) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle)
    return CUDA_ERROR_INVALID_VALUE;
  auto &Stack = contextStack();
  *Handle = Stack.empty() ? nullptr : Stack.back()->Handle;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *Device) {
  return cuCtxGetDevice_v2(Device, nullptr);
}

CUresult cuCtxGetDevice_v2(CUdevice *Device, CUcontext Handle) {
  std::shared_ptr<Context> Ctx;
  CUresult R = namedContext(Handle, Ctx);
  if (!Ctx)
    return R;
  if (!Device)
    return CUDA_ERROR_INVALID_VALUE;
  *Device = Ctx->Owner.Ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Flags)
    return CUDA_ERROR_INVALID_VALUE;
  *Flags = Ctx->Flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (Flags & ~unsigned(CU_CTX_FLAGS_MASK))
    return CUDA_ERROR_INVALID_VALUE;
  Ctx->Flags = Flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext Handle, unsigned long long *Id) {
  std::shared_ptr<Context> Ctx;
  CUresult R = namedContext(Handle, Ctx);
  if (!Ctx)
    return R;
  if (!Id)
    return CUDA_ERROR_INVALID_VALUE;
  *Id = Ctx->Id;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() { return cuCtxSynchronize_v2(nullptr); }

CUresult cuCtxSynchronize_v2(CUcontext Handle) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = namedContext(Handle, Ctx))
    return R;
  // Work is done when it is submitted, so what is left to wait for is what
  // other threads are submitting.
  return guarded([&] {
    std::vector<std::shared_ptr<Stream>> All;
    {
      std::lock_guard<std::mutex> Guard(Ctx->Lock);
      All.push_back(Ctx->DefaultStream);
      for (const std::weak_ptr<Stream> &Weak : Ctx->Streams)
        All.push_back(Weak.lock());
    }
    for (const std::shared_ptr<Stream> &S : All)
      if (S)
        drain(*S);
    return Ctx->Sticky.load();
  });
}

CUresult cuCtxSetLimit(CUlimit Limit, size_t Value) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  auto It = Ctx->Limits.find(Limit);
  if (It == Ctx->Limits.end())
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  constexpr size_t MaxStack = size_t(512) << 10;
  if (Limit == CU_LIMIT_STACK_SIZE) {
    if (Value > MaxStack)
      return CUDA_ERROR_INVALID_VALUE;
    Value = std::max<size_t>((Value + 15) & ~size_t(15), 1024);
    Ctx->Engine->setStackBytesPerThread(uint32_t(Value));
  }
  if (Limit == CU_LIMIT_MALLOC_HEAP_SIZE) {
    if (Value > Ctx->Owner.Properties.Config.GlobalBytes)
      return CUDA_ERROR_OUT_OF_MEMORY;
    Ctx->Engine->setDeviceHeapBytes(Value);
  }
  It->second = Value;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *Value, CUlimit Limit) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  auto It = Ctx->Limits.find(Limit);
  if (It == Ctx->Limits.end())
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *Value = It->second;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache Config) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (Config < CU_FUNC_CACHE_PREFER_NONE || Config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->Cache = Config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *Config) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Config)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  *Config = Ctx->Cache;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig Config) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (Config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
      Config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->SharedConfig = Config;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *Config) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Config)
    return CUDA_ERROR_INVALID_VALUE;
  // Banks of these GPUs are four bytes wide whatever was asked for.
  *Config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext Handle, unsigned *Version) {
  std::shared_ptr<Context> Ctx;
  CUresult R = namedContext(Handle, Ctx);
  if (!Ctx)
    return R;
  if (!Version)
    return CUDA_ERROR_INVALID_VALUE;
  *Version = ApiVersion;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *Least, int *Greatest) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (Least)
    *Least = LowestPriority;
  if (Greatest)
    *Greatest = HighestPriority;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache() {
  std::shared_ptr<Context> Ctx;
  return currentContext(Ctx);
}

CUresult cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  auto Other = Driver::get().Handles.find<Context>(Peer);
  if (!Other)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (Other == Ctx)
    return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard<std::mutex> Guard(Driver::get().PrimaryLock);
  if (Ctx->Peers.count(Other->Id))
    return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  Driver::get().setPeerAccess(*Ctx, *Other, true);
  return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext Peer) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  auto Other = Driver::get().Handles.find<Context>(Peer);
  if (!Other)
    return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard<std::mutex> Guard(Driver::get().PrimaryLock);
  if (!Ctx->Peers.count(Other->Id))
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  Driver::get().setPeerAccess(*Ctx, *Other, false);
  return CUDA_SUCCESS;
}

CUresult cuCtxRecordEvent(CUcontext Handle, CUevent E) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = namedContext(Handle, Ctx))
    return R;
  auto Found = Driver::get().Handles.find<Event>(E);
  if (!Found || Found->Ctx != Ctx)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Found->At = Ctx->DefaultStream->ReadyAt;
  for (auto &Weak : Ctx->Streams)
    if (auto S = Weak.lock())
      Found->At = std::max(Found->At.load(), S->ReadyAt);
  Found->Recorded = true;
  return CUDA_SUCCESS;
}

CUresult cuCtxWaitEvent(CUcontext Handle, CUevent E) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = namedContext(Handle, Ctx))
    return R;
  auto Found = Driver::get().Handles.find<Event>(E);
  if (!Found)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->DefaultStream->ReadyAt =
      std::max(Ctx->DefaultStream->ReadyAt, Found->At.load());
  for (auto &Weak : Ctx->Streams)
    if (auto S = Weak.lock())
      S->ReadyAt = std::max(S->ReadyAt, Found->At.load());
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
