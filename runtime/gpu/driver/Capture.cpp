//===- Capture.cpp - Capture of streams into graphs -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a stream is captured, submit() adds its work to a graph; here captures
// begin and end.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Driver.h"

#include <map>
#include <set>
#include <utility>

using namespace gevo;
using namespace gevo::driver;

namespace {

using CaptureGuard = std::lock_guard<std::mutex>;

CUresult captureInfo(CUstream Handle, CUstreamCaptureStatus *Status,
                     uint64_t *Id) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Status)
    return CUDA_ERROR_INVALID_VALUE;
  CaptureGuard Guard(Driver::get().CaptureLock);
  *Status = !S->Capture               ? CU_STREAM_CAPTURE_STATUS_NONE
            : S->Capture->Invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                      : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (Id && S->Capture)
    *Id = S->CaptureId;
  return CUDA_SUCCESS;
}

/// Whether the nodes that streams of \p G's capture ended with all come before
/// the end of \p Origin. Needs the driver's CaptureLock.
bool isJoined(const Stream &Origin, Graph &G) {
  std::map<CUgraphNode, const GraphNode *> Nodes;
  std::lock_guard<std::mutex> Guard(G.Lock);
  for (const std::shared_ptr<GraphNode> &N : G.Nodes)
    Nodes[N->Handle] = N.get();
  std::set<CUgraphNode> Before;
  std::vector<CUgraphNode> Open = Origin.CaptureAfter;
  while (!Open.empty()) {
    CUgraphNode N = Open.back();
    Open.pop_back();
    auto It = Nodes.find(N);
    if (Before.insert(N).second && It != Nodes.end())
      Open.insert(Open.end(), It->second->Dependencies.begin(),
                  It->second->Dependencies.end());
  }
  for (const std::weak_ptr<Stream> &Weak : G.Capturing)
    if (auto S = Weak.lock())
      for (CUgraphNode N : S->CaptureAfter)
        if (!Before.count(N))
          return false;
  return true;
}

} // namespace

namespace gevo::cuda {

CUresult cuStreamIsCapturing(CUstream Handle, CUstreamCaptureStatus *Status) {
  return captureInfo(Handle, Status, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream Handle, CUstreamCaptureStatus *Status,
                                uint64_t *Id) {
  return captureInfo(Handle, Status, Id);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream Handle,
                                   CUstreamCaptureStatus *Status, uint64_t *Id,
                                   CUgraph *G, const CUgraphNode **After,
                                   size_t *Count) {
  if (CUresult R = captureInfo(Handle, Status, Id))
    return R;
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  CaptureGuard Guard(Driver::get().CaptureLock);
  if (!S->Capture)
    return CUDA_SUCCESS;
  if (G)
    *G = S->Capture->Handle;
  // They are the stream's, until it captures more.
  if (After)
    *After = S->CaptureAfter.data();
  if (Count)
    *Count = S->CaptureAfter.size();
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream Handle, CUgraphNode *After,
                                           size_t Count, unsigned Flags) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if ((Count && !After) || Flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  CaptureGuard Guard(Driver::get().CaptureLock);
  if (!S->Capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  return guarded([&] {
    if (Flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
      S->CaptureAfter.clear();
    S->CaptureAfter.insert(S->CaptureAfter.end(), After, After + Count);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamBeginCapture(CUstream Handle) {
  return cuStreamBeginCapture_v2(Handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCapture_v2(CUstream Handle, CUstreamCaptureMode Mode) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (Mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      Mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (S->IsDefault)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CaptureGuard Guard(Driver::get().CaptureLock);
  if (S->Capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  return guarded([&] {
    S->Capture = std::make_shared<Graph>();
    S->Capture->Handle = Driver::get().Handles.insert<CUgraph>(S->Capture);
    S->Capture->Capturing.push_back(S);
    S->IsCaptureOrigin = true;
    S->CaptureAfter.clear();
    S->CaptureId = Driver::get().nextId();
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamEndCapture(CUstream Handle, CUgraph *Result) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  if (!Result)
    return CUDA_ERROR_INVALID_VALUE;
  CaptureGuard Guard(Driver::get().CaptureLock);
  if (!S->Capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (!S->IsCaptureOrigin)
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  std::shared_ptr<Graph> G = S->Capture;
  CUresult End = G->Invalidated     ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                 : isJoined(*S, *G) ? CUDA_SUCCESS
                                    : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  for (const std::weak_ptr<Stream> &Weak : G->Capturing)
    if (auto Joined = Weak.lock()) {
      Joined->Capture = nullptr;
      Joined->CaptureAfter.clear();
      Joined->IsCaptureOrigin = false;
    }
  G->Capturing.clear();
  *Result = End ? nullptr : G->Handle;
  if (End)
    cuGraphDestroy(G->Handle);
  return End;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *Mode) {
  thread_local CUstreamCaptureMode Current = CU_STREAM_CAPTURE_MODE_GLOBAL;
  if (!Mode)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*Mode, Current);
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
