//===- GraphNodes.cpp - Nodes of the runtime's graphs ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/GraphParams.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// Where a new node goes.
struct Place {
  cudaGraphNode_t *Node;
  cudaGraph_t Graph;
  const cudaGraphNode_t *After;
  size_t Count;
};

cudaError_t addCopy(const Place &P, const cudaMemcpy3DParms *Params) {
  CUDA_MEMCPY3D C;
  if (cudaError_t E = describeCopy(Params, C))
    return keepError(E);
  return call([&](const DriverTable &D) {
    CUcontext Ctx = nullptr;
    D.cuCtxGetCurrent(&Ctx);
    return D.cuGraphAddMemcpyNode(P.Node, P.Graph, P.After, P.Count, &C, Ctx);
  });
}

#if GEVO_CUDART_MAJOR >= 12
cudaError_t addAny(const Place &P, cudaGraphNodeParams *Params) {
  if (!Params)
    return keepError(cudaErrorInvalidValue);
  switch (Params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return cudaGraphAddKernelNode(P.Node, P.Graph, P.After, P.Count,
                                  &Params->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return addCopy(P, &Params->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return cudaGraphAddMemsetNode(P.Node, P.Graph, P.After, P.Count,
                                  &Params->memset);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cudaGraphAddHostNode(P.Node, P.Graph, P.After, P.Count,
                                &Params->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cudaGraphAddChildGraphNode(P.Node, P.Graph, P.After, P.Count,
                                      Params->graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cudaGraphAddEmptyNode(P.Node, P.Graph, P.After, P.Count);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cudaGraphAddEventWaitNode(P.Node, P.Graph, P.After, P.Count,
                                     Params->event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cudaGraphAddEventRecordNode(P.Node, P.Graph, P.After, P.Count,
                                       Params->event);
  default:
    return refuse("a node of this type in cudaGraphAddNode");
  }
}
#endif

} // namespace

namespace gevo::cudart {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaKernelNodeParams *Params) {
  return call([&](const DriverTable &D) {
    CUDA_KERNEL_NODE_PARAMS P;
    if (cudaError_t E = describeKernel(D, Params, P))
      return E;
    return toRuntime(D.cuGraphAddKernelNode_v2(Node, Graph, After, Count, &P));
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const cudaMemcpy3DParms *Params) {
  return addCopy({Node, Graph, After, Count}, Params);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                     const cudaGraphNode_t *After, size_t Count,
                                     void *To, const void *From, size_t Bytes,
                                     cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = lineCopy(To, From, Bytes, Kind);
  return addCopy({Node, Graph, After, Count}, &P);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Node,
                                           cudaGraph_t Graph,
                                           const cudaGraphNode_t *After,
                                           size_t Count, const void *Symbol,
                                           const void *From, size_t Bytes,
                                           size_t Offset, cudaMemcpyKind Kind) {
  void *At;
  if (cudaError_t E = cudaGetSymbolAddress(&At, Symbol))
    return E;
  return cudaGraphAddMemcpyNode1D(Node, Graph, After, Count,
                                  static_cast<char *>(At) + Offset, From, Bytes,
                                  Kind);
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                 const cudaGraphNode_t *After, size_t Count,
                                 void *To, const void *Symbol, size_t Bytes,
                                 size_t Offset, cudaMemcpyKind Kind) {
  void *At;
  if (cudaError_t E = cudaGetSymbolAddress(&At, Symbol))
    return E;
  return cudaGraphAddMemcpyNode1D(Node, Graph, After, Count, To,
                                  static_cast<char *>(At) + Offset, Bytes,
                                  Kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                   const cudaGraphNode_t *After, size_t Count,
                                   const CUDA_MEMSET_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    CUcontext Ctx = nullptr;
    D.cuCtxGetCurrent(&Ctx);
    return D.cuGraphAddMemsetNode(Node, Graph, After, Count, Params, Ctx);
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                 const cudaGraphNode_t *After, size_t Count,
                                 const CUDA_HOST_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddHostNode(Node, Graph, After, Count, Params);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                  const cudaGraphNode_t *After, size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddEmptyNode(Node, Graph, After, Count);
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                       const cudaGraphNode_t *After,
                                       size_t Count, cudaGraph_t Child) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddChildGraphNode(Node, Graph, After, Count, Child);
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *Node,
                                        cudaGraph_t Graph,
                                        const cudaGraphNode_t *After,
                                        size_t Count, cudaEvent_t Event) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddEventRecordNode(Node, Graph, After, Count, Event);
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                      const cudaGraphNode_t *After,
                                      size_t Count, cudaEvent_t Event) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddEventWaitNode(Node, Graph, After, Count, Event);
  });
}

#if GEVO_CUDART_MAJOR == 12
cudaError_t cudaGraphAddNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                             const cudaGraphNode_t *After, size_t Count,
                             cudaGraphNodeParams *Params) {
  return addAny({Node, Graph, After, Count}, Params);
}
#endif

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                const cudaGraphNode_t *After,
                                const cudaGraphEdgeData *, size_t Count,
                                cudaGraphNodeParams *Params) {
  return addAny({Node, Graph, After, Count}, Params);
}
#endif

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t Node,
                                         cudaKernelNodeParams *Params) {
  if (!Params)
    return keepError(cudaErrorInvalidValue);
  return call([&](const DriverTable &D) {
    CUDA_KERNEL_NODE_PARAMS P;
    if (CUresult R = D.cuGraphKernelNodeGetParams_v2(Node, &P))
      return R;
    Params->func = const_cast<void *>(Registry::get().hostOf(P.func));
    Params->gridDim = {P.gridDimX, P.gridDimY, P.gridDimZ};
    Params->blockDim = {P.blockDimX, P.blockDimY, P.blockDimZ};
    Params->sharedMemBytes = P.sharedMemBytes;
    Params->kernelParams = P.kernelParams;
    Params->extra = P.extra;
    return CUDA_SUCCESS;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t Node,
                                         const cudaKernelNodeParams *Params) {
  return call([&](const DriverTable &D) {
    CUDA_KERNEL_NODE_PARAMS P;
    if (cudaError_t E = describeKernel(D, Params, P))
      return E;
    return toRuntime(D.cuGraphKernelNodeSetParams_v2(Node, &P));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t Node,
                                         const cudaMemcpy3DParms *Params) {
  CUDA_MEMCPY3D C;
  if (cudaError_t E = describeCopy(Params, C))
    return keepError(E);
  return call([&](const DriverTable &D) {
    return D.cuGraphMemcpyNodeSetParams(Node, &C);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t Node, void *To,
                                           const void *From, size_t Bytes,
                                           cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = lineCopy(To, From, Bytes, Kind);
  return cudaGraphMemcpyNodeSetParams(Node, &P);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t Node,
                                         CUDA_MEMSET_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphMemsetNodeGetParams(Node, Params);
  });
}

cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t Node,
                             const CUDA_MEMSET_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphMemsetNodeSetParams(Node, Params);
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t Node,
                                       CUDA_HOST_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphHostNodeGetParams(Node, Params);
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t Node,
                                       const CUDA_HOST_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphHostNodeSetParams(Node, Params);
  });
}

} // namespace gevo::cudart
