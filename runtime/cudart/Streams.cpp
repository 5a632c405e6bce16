//===- Streams.cpp - Streams of the runtime -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Runtime.h"

using namespace gevo;
using namespace gevo::cudart;

namespace gevo::cudart {

cudaError_t cudaStreamCreate(cudaStream_t *Stream) {
  return cudaStreamCreateWithFlags(Stream, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Stream, unsigned Flags) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamCreate(Stream, Flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Stream, unsigned Flags,
                                         int Priority) {
  return call([&](const DriverTable &D) {
    return D.cuStreamCreateWithPriority(Stream, Flags, Priority);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamDestroy_v2(Stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t Stream) {
  return call([&](const DriverTable &D) { return D.cuStreamQuery(Stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t Stream) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamSynchronize(Stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Stream, cudaEvent_t Event,
                                unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuStreamWaitEvent(Stream, Event, Flags);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t Stream,
                                  cudaStreamCallback_t Callback, void *Data,
                                  unsigned Flags) {
  // Errors have the same numbers on both sides.
  return call([&](const DriverTable &D) {
    return D.cuStreamAddCallback(
        Stream, reinterpret_cast<CUstreamCallback>(Callback), Data, Flags);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t Stream, CUhostFn Function,
                               void *Data) {
  return call([&](const DriverTable &D) {
    return D.cuLaunchHostFunc(Stream, Function, Data);
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t Stream, unsigned *Flags) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamGetFlags(Stream, Flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t Stream, int *Priority) {
  return call([&](const DriverTable &D) {
    return D.cuStreamGetPriority(Stream, Priority);
  });
}

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaStreamGetId(cudaStream_t Stream, unsigned long long *Id) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamGetId(Stream, Id); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t Stream, int *Device) {
  return call([&](const DriverTable &D) {
    return D.cuStreamGetDevice(Stream, Device);
  });
}
#endif

cudaError_t cudaStreamGetAttribute(cudaStream_t Stream, CUstreamAttrID Name,
                                   CUstreamAttrValue *Value) {
  return call([&](const DriverTable &D) {
    return D.cuStreamGetAttribute(Stream, Name, Value);
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t Stream, CUstreamAttrID Name,
                                   const CUstreamAttrValue *Value) {
  return call([&](const DriverTable &D) {
    return D.cuStreamSetAttribute(Stream, Name, Value);
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t To, cudaStream_t From) {
  return call(
      [&](const DriverTable &D) { return D.cuStreamCopyAttributes(To, From); });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t Stream, void *Pointer,
                                     size_t Bytes, unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuStreamAttachMemAsync(Stream, address(Pointer), Bytes, Flags);
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t Stream,
                                   CUstreamCaptureMode Mode) {
  return call([&](const DriverTable &D) {
    return D.cuStreamBeginCapture_v2(Stream, Mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t Stream, cudaGraph_t *Graph) {
  return call([&](const DriverTable &D) {
    return D.cuStreamEndCapture(Stream, Graph);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t Stream,
                                  CUstreamCaptureStatus *Status) {
  return call([&](const DriverTable &D) {
    return D.cuStreamIsCapturing(Stream, Status);
  });
}

#if GEVO_CUDART_MAJOR <= 12
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Stream,
                                     CUstreamCaptureStatus *Status,
                                     unsigned long long *Id) {
  return cudaStreamGetCaptureInfo_v2(Stream, Status, Id, nullptr, nullptr,
                                     nullptr);
}

cudaError_t
cudaStreamGetCaptureInfo_v2(cudaStream_t Stream, CUstreamCaptureStatus *Status,
                            unsigned long long *Id, cudaGraph_t *Graph,
                            const cudaGraphNode_t **Nodes, size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuStreamGetCaptureInfo_v2(
        Stream, Status, reinterpret_cast<uint64_t *>(Id), Graph, Nodes, Count);
  });
}
#endif

#if GEVO_CUDART_MAJOR >= 12
cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t Stream, CUstreamCaptureStatus *Status,
                            unsigned long long *Id, cudaGraph_t *Graph,
                            const cudaGraphNode_t **Nodes,
                            const cudaGraphEdgeData **Edges, size_t *Count) {
  if (Edges)
    *Edges = nullptr;
  return call([&](const DriverTable &D) {
    return D.cuStreamGetCaptureInfo_v2(
        Stream, Status, reinterpret_cast<uint64_t *>(Id), Graph, Nodes, Count);
  });
}
#endif

#if GEVO_CUDART_MAJOR <= 12
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t Stream,
                                                cudaGraphNode_t *After,
                                                size_t Count, unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuStreamUpdateCaptureDependencies(Stream, After, Count, Flags);
  });
}
#endif

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t Stream,
                                                   cudaGraphNode_t *After,
                                                   const cudaGraphEdgeData *,
                                                   size_t Count,
                                                   unsigned Flags) {
  return call([&](const DriverTable &D) {
    return D.cuStreamUpdateCaptureDependencies(Stream, After, Count, Flags);
  });
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(CUstreamCaptureMode *Mode) {
  return callWithoutContext([&](const DriverTable &D) {
    return D.cuThreadExchangeStreamCaptureMode(Mode);
  });
}

} // namespace gevo::cudart
