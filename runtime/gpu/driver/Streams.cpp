//===- Streams.cpp - Streams of the driver API ----------------------------===//
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

/// How many pieces of work the calling thread is in: work of the host may call
/// the driver again.
thread_local unsigned WorkDepth = 0;

/// The calling thread's turn on a stream. What the host's own work submits runs
/// within the turn that its thread has: to wait for another stream there could
/// wait for a thread that waits for this one.
class Turn {
public:
  explicit Turn(Stream &S) {
    if (WorkDepth++)
      return;
    std::shared_mutex &All = S.Ctx->DefaultOrder;
    if (S.IsDefault)
      Alone = std::unique_lock<std::shared_mutex>(All);
    else if (!(S.Flags & CU_STREAM_NON_BLOCKING))
      Among = std::shared_lock<std::shared_mutex>(All);
    Order = std::unique_lock<std::mutex>(S.Order);
  }
  ~Turn() { --WorkDepth; }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  std::unique_lock<std::shared_mutex> Alone;
  std::shared_lock<std::shared_mutex> Among;
  std::unique_lock<std::mutex> Order;
};

/// Adds \p Task to the graph that captures \p S. Needs the driver's
/// CaptureLock.
CUresult capture(Stream &S, Work Task) {
  std::shared_ptr<Graph> Into = S.Capture;
  if (Into->Invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  CUgraphNode Node = addNode(Into, S.CaptureAfter, std::move(Task));
  S.CaptureAfter = {Node};
  return CUDA_SUCCESS;
}

CUresult create(CUstream *Handle, unsigned Flags, int Priority) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  if (!Handle || Flags & ~unsigned(CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    int Least, Greatest;
    cuCtxGetStreamPriorityRange(&Least, &Greatest);
    auto S = std::make_shared<Stream>();
    S->Ctx = Ctx;
    S->Id = Driver::get().nextId();
    S->Flags = Flags;
    S->Priority = std::clamp(Priority, Greatest, Least);
    S->Handle = *Handle = Driver::get().Handles.insert<CUstream>(S);
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    auto IsGone = [](const std::weak_ptr<Stream> &W) { return W.expired(); };
    Ctx->Streams.erase(
        std::remove_if(Ctx->Streams.begin(), Ctx->Streams.end(), IsGone),
        Ctx->Streams.end());
    Ctx->Streams.push_back(S);
    Ctx->StreamHandles.insert(*Handle);
    return CUDA_SUCCESS;
  });
}

/// The calling thread's own stream of \p Ctx. Needs the context's lock.
std::shared_ptr<Stream> perThreadStream(const std::shared_ptr<Context> &Ctx) {
  std::shared_ptr<Stream> &S =
      Ctx->PerThreadStreams[std::this_thread::get_id()];
  if (!S) {
    S = std::make_shared<Stream>();
    S->Ctx = Ctx;
    S->Id = Driver::get().nextId();
    S->Handle = reinterpret_cast<CUstream>(uintptr_t(CU_STREAM_PER_THREAD));
    Ctx->Streams.push_back(S);
  }
  return S;
}

/// A write or test of a word in device memory.
CUresult wordWork(CUstream Handle, CUdeviceptr Address, size_t Bytes,
                  std::function<CUresult(void *)> Do) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (Address % Bytes || !Driver::get().findMemory(Address, Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    return submit(*S, {CU_GRAPH_NODE_TYPE_EMPTY,
                       [Address, Bytes, Do](Stream &, WorkReport &) {
                         // A graph may be launched when the memory is gone.
                         MemoryUse Use =
                             Driver::get().useMemory(Address, Bytes);
                         return Use ? Do(reinterpret_cast<void *>(Address))
                                    : CUDA_ERROR_INVALID_VALUE;
                       }});
  });
}

template <typename T>
CUresult writeValue(CUstream S, CUdeviceptr Address, T Value) {
  return wordWork(S, Address, sizeof(T), [Value](void *At) {
    __atomic_store_n(static_cast<T *>(At), Value, __ATOMIC_SEQ_CST);
    return CUDA_SUCCESS;
  });
}

template <typename T> bool holds(T Now, T Value, unsigned Flags) {
  switch (Flags & 3) {
  case CU_STREAM_WAIT_VALUE_GEQ:
    return std::make_signed_t<T>(Now - Value) >= 0;
  case CU_STREAM_WAIT_VALUE_EQ:
    return Now == Value;
  case CU_STREAM_WAIT_VALUE_AND:
    return (Now & Value) != 0;
  default:
    return ~(Now | Value) != 0;
  }
}

/// Work is done when it is submitted, so a wait whose condition does not hold
/// yet could never end.
template <typename T>
CUresult waitValue(CUstream S, CUdeviceptr Address, T Value, unsigned Flags) {
  return wordWork(S, Address, sizeof(T), [Value, Flags](void *At) {
    T Now = __atomic_load_n(static_cast<T *>(At), __ATOMIC_SEQ_CST);
    return holds(Now, Value, Flags)
               ? CUDA_SUCCESS
               : lacking("a wait for a value that only later work may write");
  });
}

} // namespace

CUresult gevo::driver::findStream(CUstream Handle, std::shared_ptr<Stream> &S) {
  std::shared_ptr<Context> Ctx;
  uintptr_t Number = reinterpret_cast<uintptr_t>(Handle);
  if (Number <= CU_STREAM_PER_THREAD) {
    if (CUresult R = currentContext(Ctx))
      return R;
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    if (!Ctx->DefaultStream)
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    S = Number == CU_STREAM_PER_THREAD ? perThreadStream(Ctx)
                                       : Ctx->DefaultStream;
    return CUDA_SUCCESS;
  }
  if (CUresult R = checkInitialised())
    return R;
  S = Driver::get().Handles.find<Stream>(Handle);
  return S ? S->Ctx->Sticky.load() : CUDA_ERROR_INVALID_HANDLE;
}

Work gevo::driver::hostWork(const CUDA_HOST_NODE_PARAMS &Call) {
  auto Shared = std::make_shared<const CUDA_HOST_NODE_PARAMS>(Call);
  return {CU_GRAPH_NODE_TYPE_HOST,
          [Shared](Stream &, WorkReport &) {
            Shared->fn(Shared->userData);
            return CUDA_SUCCESS;
          },
          Shared};
}

double gevo::driver::startOf(const Stream &S) {
  const Context &Ctx = *S.Ctx;
  double Start = S.ReadyAt;
  if (S.IsDefault) {
    for (const std::weak_ptr<Stream> &Weak : Ctx.Streams)
      if (auto Other = Weak.lock())
        if (!(Other->Flags & CU_STREAM_NON_BLOCKING))
          Start = std::max(Start, Other->ReadyAt);
  } else if (!(S.Flags & CU_STREAM_NON_BLOCKING) && Ctx.DefaultStream) {
    Start = std::max(Start, Ctx.DefaultStream->ReadyAt);
  }
  return Start;
}

CUresult gevo::driver::submit(Stream &S, Work Task) {
  {
    std::lock_guard<std::mutex> Guard(Driver::get().CaptureLock);
    if (S.Capture)
      return capture(S, std::move(Task));
  }
  Turn Mine(S);
  // Also of work that was before this one.
  if (CUresult R = S.Ctx->Sticky)
    return R;
  WorkReport Report;
  if (CUresult R = Task.Run(S, Report))
    return R;
  std::lock_guard<std::mutex> Guard(S.Ctx->Lock);
  S.ReadyAt = std::max(startOf(S), Report.NotBefore) + Report.Microseconds;
  if (Report.Stamp) {
    Report.Stamp->At = S.ReadyAt;
    Report.Stamp->Recorded = true;
  }
  return CUDA_SUCCESS;
}

bool gevo::driver::drain(Stream &S, bool Try) {
  if (WorkDepth)
    return true;
  std::unique_lock<std::mutex> Order(S.Order, std::defer_lock);
  if (!Try)
    Order.lock();
  return Order.owns_lock() || Order.try_lock();
}

bool gevo::driver::spoilsCapture(const Stream &S) {
  std::lock_guard<std::mutex> Guard(Driver::get().CaptureLock);
  if (S.Capture)
    S.Capture->Invalidated = true;
  return S.Capture != nullptr;
}

namespace gevo::cuda {

CUresult cuStreamCreate(CUstream *Handle, unsigned Flags) {
  return create(Handle, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *Handle, unsigned Flags,
                                    int Priority) {
  return create(Handle, Flags, Priority);
}

CUresult cuStreamDestroy_v2(CUstream Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto S = Driver::get().Handles.erase<Stream>(Handle);
  if (!S)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> Guard(S->Ctx->Lock);
  S->Ctx->StreamHandles.erase(Handle);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (spoilsCapture(*S))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return drain(*S, /*Try=*/true) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamSynchronize(CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (spoilsCapture(*S))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  drain(*S);
  return S->Ctx->Sticky;
}

CUresult cuStreamAddCallback(CUstream Handle, CUstreamCallback Call, void *Data,
                             unsigned Flags) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Call || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (spoilsCapture(*S))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return guarded([&] {
    return submit(*S, {CU_GRAPH_NODE_TYPE_HOST, [=](Stream &, WorkReport &) {
                         Call(Handle, CUDA_SUCCESS, Data);
                         return CUDA_SUCCESS;
                       }});
  });
}

CUresult cuLaunchHostFunc(CUstream Handle, CUhostFn Call, void *Data) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Call)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] { return submit(*S, hostWork({Call, Data})); });
}

CUresult cuStreamGetCtx(CUstream Handle, CUcontext *Ctx) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Ctx)
    return CUDA_ERROR_INVALID_VALUE;
  *Ctx = S->Ctx->Handle;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream Handle, unsigned *Flags) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Flags)
    return CUDA_ERROR_INVALID_VALUE;
  *Flags = S->Flags;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream Handle, int *Priority) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Priority)
    return CUDA_ERROR_INVALID_VALUE;
  *Priority = S->Priority;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream Handle, unsigned long long *Id) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Id)
    return CUDA_ERROR_INVALID_VALUE;
  *Id = S->Id;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream Handle, CUdevice *Device) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Device)
    return CUDA_ERROR_INVALID_VALUE;
  *Device = S->Ctx->Owner.Ordinal;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream Handle, CUstreamAttrID,
                              CUstreamAttrValue *Value) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  *Value = {};
  return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream Handle, CUstreamAttrID,
                              const CUstreamAttrValue *Value) {
  // Hints about caching and waiting, which change no result.
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return Value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamCopyAttributes(CUstream To, CUstream From) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(To, S))
    return R;
  return findStream(From, S);
}

CUresult cuStreamAttachMemAsync(CUstream Handle, CUdeviceptr Address, size_t,
                                unsigned Flags) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (Flags != CU_MEM_ATTACH_GLOBAL && Flags != CU_MEM_ATTACH_HOST &&
      Flags != CU_MEM_ATTACH_SINGLE)
    return CUDA_ERROR_INVALID_VALUE;
  auto Range = Driver::get().findMemory(Address);
  bool IsManaged = Range && Range->Kind == gpu::MemoryKind::Managed;
  return IsManaged ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamWriteValue32_v2(CUstream S, CUdeviceptr Address,
                                 uint32_t Value, unsigned) {
  return writeValue(S, Address, Value);
}

CUresult cuStreamWriteValue64_v2(CUstream S, CUdeviceptr Address,
                                 uint64_t Value, unsigned) {
  return writeValue(S, Address, Value);
}

CUresult cuStreamWaitValue32_v2(CUstream S, CUdeviceptr Address, uint32_t Value,
                                unsigned Flags) {
  return waitValue(S, Address, Value, Flags);
}

CUresult cuStreamWaitValue64_v2(CUstream S, CUdeviceptr Address, uint64_t Value,
                                unsigned Flags) {
  return waitValue(S, Address, Value, Flags);
}

} // namespace gevo::cuda
