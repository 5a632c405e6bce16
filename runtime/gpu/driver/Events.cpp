//===- Events.cpp - Events of the driver API ------------------------------===//
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

CUresult findEvent(CUevent Handle, std::shared_ptr<Event> &E) {
  if (CUresult R = checkInitialised())
    return R;
  E = Driver::get().Handles.find<Event>(Handle);
  return E ? E->Ctx->Sticky.load() : CUDA_ERROR_INVALID_HANDLE;
}

/// Makes \p S take part in the capture that \p E was recorded in. Needs the
/// driver's CaptureLock.
CUresult joinCapture(const std::shared_ptr<Stream> &S, const Event &E) {
  if (S->IsDefault)
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (S->Capture && S->Capture != E.Capture) {
    S->Capture->Invalidated = E.Capture->Invalidated = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (E.Capture->Invalidated)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!S->Capture) {
    S->Capture = E.Capture;
    for (const std::weak_ptr<Stream> &Weak : E.Capture->Capturing)
      if (auto Other = Weak.lock())
        S->CaptureId = Other->CaptureId;
    E.Capture->Capturing.push_back(S);
  }
  for (CUgraphNode N : E.CaptureAfter)
    if (std::find(S->CaptureAfter.begin(), S->CaptureAfter.end(), N) ==
        S->CaptureAfter.end())
      S->CaptureAfter.push_back(N);
  return CUDA_SUCCESS;
}

/// For a question about what an event has seen. One of a capture under way
/// stands for nodes, not for a time.
CUresult askEvent(CUevent Handle) {
  std::shared_ptr<Event> E;
  if (CUresult R = findEvent(Handle, E))
    return R;
  std::lock_guard<std::mutex> Guard(Driver::get().CaptureLock);
  if (!E->Capture || E->Capture->Capturing.empty())
    return CUDA_SUCCESS;
  E->Capture->Invalidated = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

} // namespace

namespace gevo::cuda {

CUresult cuEventCreate(CUevent *Handle, unsigned Flags) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx))
    return R;
  bool Known =
      !(Flags & ~unsigned(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING |
                          CU_EVENT_INTERPROCESS));
  if (!Handle || !Known)
    return CUDA_ERROR_INVALID_VALUE;
  if (Flags & CU_EVENT_INTERPROCESS)
    return lacking("cuEventCreate for other processes");
  return guarded([&] {
    auto E = std::make_shared<Event>();
    E->Ctx = Ctx;
    E->Flags = Flags;
    *Handle = Driver::get().Handles.insert<CUevent>(std::move(E));
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    Ctx->Events.insert(*Handle);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventRecord(CUevent Handle, CUstream StreamHandle) {
  std::shared_ptr<Stream> S;
  std::shared_ptr<Event> E;
  if (CUresult R = findEvent(Handle, E))
    return R;
  if (CUresult R = findStream(StreamHandle, S))
    return R;
  if (E->Ctx != S->Ctx)
    return CUDA_ERROR_INVALID_HANDLE;
  return guarded([&] {
    {
      std::lock_guard<std::mutex> Guard(Driver::get().CaptureLock);
      E->Capture = S->Capture;
      E->CaptureAfter = S->CaptureAfter;
      if (S->Capture)
        return CUDA_SUCCESS;
    }
    return submit(*S, {CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                       [E](Stream &, WorkReport &Report) {
                         Report.Stamp = E;
                         return CUDA_SUCCESS;
                       }});
  });
}

CUresult cuEventRecordWithFlags(CUevent Handle, CUstream S, unsigned Flags) {
  if (Flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  return cuEventRecord(Handle, S);
}

CUresult cuStreamWaitEvent(CUstream StreamHandle, CUevent Handle,
                           unsigned Flags) {
  std::shared_ptr<Stream> S;
  std::shared_ptr<Event> E;
  if (CUresult R = findStream(StreamHandle, S))
    return R;
  if (CUresult R = findEvent(Handle, E))
    return R;
  if (Flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    // A capture that has ended takes no more work.
    {
      std::lock_guard<std::mutex> Guard(Driver::get().CaptureLock);
      if (E->Capture && !E->Capture->Capturing.empty())
        return joinCapture(S, *E);
      // A graph cannot wait for what was before its capture.
      if (S->Capture && !E->Capture && E->Recorded) {
        S->Capture->Invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
      }
    }
    double At = E->At;
    return submit(
        *S, {CU_GRAPH_NODE_TYPE_WAIT_EVENT, [At](Stream &, WorkReport &Report) {
               Report.NotBefore = At;
               return CUDA_SUCCESS;
             }});
  });
}

CUresult cuEventQuery(CUevent Handle) { return askEvent(Handle); }

CUresult cuEventSynchronize(CUevent Handle) { return askEvent(Handle); }

CUresult cuEventDestroy_v2(CUevent Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto E = Driver::get().Handles.erase<Event>(Handle);
  if (!E)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard<std::mutex> Guard(E->Ctx->Lock);
  E->Ctx->Events.erase(Handle);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *Milliseconds, CUevent From, CUevent To) {
  std::shared_ptr<Event> A, B;
  if (CUresult R = findEvent(From, A))
    return R;
  if (CUresult R = findEvent(To, B))
    return R;
  if (!Milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  bool Timed = !((A->Flags | B->Flags) & CU_EVENT_DISABLE_TIMING);
  if (!Timed || !A->Recorded || !B->Recorded)
    return CUDA_ERROR_INVALID_HANDLE;
  *Milliseconds = float((B->At - A->At) / 1000.0);
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
