//===- GraphExecs.cpp - Graphs made ready to run --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/GraphParams.h"

using namespace gevo;
using namespace gevo::cudart;

namespace gevo::cudart {

#if GEVO_CUDART_MAJOR == 11
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                 cudaGraphNode_t *Node, char *Log,
                                 size_t Bytes) {
  return call([&](const DriverTable &D) {
    return D.cuGraphInstantiate_v2(Exec, Graph, Node, Log, Bytes);
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                cudaGraphNode_t *Node, int *Result) {
  return call([&](const DriverTable &D) {
    return D.cuGraphExecUpdate(
        Exec, Graph, Node, reinterpret_cast<CUgraphExecUpdateResult *>(Result));
  });
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                                 unsigned long long Flags) {
  return cudaGraphInstantiateWithFlags(Exec, Graph, Flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t Exec, cudaGraph_t Graph,
                                cudaGraphExecUpdateResultInfo *Info) {
  return call([&](const DriverTable &D) {
    return D.cuGraphExecUpdate_v2(Exec, Graph, Info);
  });
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *Exec, cudaGraph_t Graph,
                               CUDA_GRAPH_INSTANTIATE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphInstantiateWithParams(Exec, Graph, Params);
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t Exec,
                                  unsigned long long *Flags) {
  return call([&](const DriverTable &D) {
    return D.cuGraphExecGetFlags(Exec, reinterpret_cast<uint64_t *>(Flags));
  });
}
#endif

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *Exec,
                                          cudaGraph_t Graph,
                                          unsigned long long Flags) {
  return call([&](const DriverTable &D) {
    return D.cuGraphInstantiateWithFlags(Exec, Graph, Flags);
  });
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                 const cudaKernelNodeParams *Params) {
  return call([&](const DriverTable &D) {
    CUDA_KERNEL_NODE_PARAMS P;
    if (cudaError_t E = describeKernel(D, Params, P))
      return E;
    return toRuntime(D.cuGraphExecKernelNodeSetParams_v2(Exec, Node, &P));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t Exec,
                                             cudaGraphNode_t Node,
                                             const cudaMemcpy3DParms *Params) {
  CUDA_MEMCPY3D C;
  if (cudaError_t E = describeCopy(Params, C))
    return keepError(E);
  return call([&](const DriverTable &D) {
    CUcontext Ctx = nullptr;
    D.cuCtxGetCurrent(&Ctx);
    return D.cuGraphExecMemcpyNodeSetParams(Exec, Node, &C, Ctx);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t Exec,
                                               cudaGraphNode_t Node, void *To,
                                               const void *From, size_t Bytes,
                                               cudaMemcpyKind Kind) {
  cudaMemcpy3DParms P = lineCopy(To, From, Bytes, Kind);
  return cudaGraphExecMemcpyNodeSetParams(Exec, Node, &P);
}

cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                                 const CUDA_MEMSET_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    CUcontext Ctx = nullptr;
    D.cuCtxGetCurrent(&Ctx);
    return D.cuGraphExecMemsetNodeSetParams(Exec, Node, Params, Ctx);
  });
}

cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                               const CUDA_HOST_NODE_PARAMS *Params) {
  return call([&](const DriverTable &D) {
    return D.cuGraphExecHostNodeSetParams(Exec, Node, Params);
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return call(
      [&](const DriverTable &D) { return D.cuGraphUpload(Exec, Stream); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t Exec, cudaStream_t Stream) {
  return call(
      [&](const DriverTable &D) { return D.cuGraphLaunch(Exec, Stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t Exec) {
  return call([&](const DriverTable &D) { return D.cuGraphExecDestroy(Exec); });
}

} // namespace gevo::cudart
