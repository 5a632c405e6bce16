//===- GraphNodes.cpp - What the nodes of a graph do ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node's work can be asked for and changed, in the graph and in what was
// instantiated from it.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/GraphNodes.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

namespace {

template <typename Params>
CUresult describeLaunch(const Params &P, CUfunction Handle, Work &Task) {
  LaunchPlan Plan;
  if (CUresult R = findFunction(Handle, Plan.F))
    return R;
  Plan.Grid = {P.gridDimX, P.gridDimY, P.gridDimZ};
  Plan.Block = {P.blockDimX, P.blockDimY, P.blockDimZ};
  Plan.DynamicShared = P.sharedMemBytes;
  if (CUresult R = checkPlan(Plan))
    return R;
  if (CUresult R = takeParams(Plan, P.kernelParams, P.extra))
    return R;
  Task = launchWork(std::move(Plan));
  return CUDA_SUCCESS;
}

/// The details of a node of type \p Type, or null.
template <typename T>
std::shared_ptr<const T> detailsOf(CUgraphNode Node, CUgraphNodeType Type) {
  auto N = Driver::get().Handles.find<GraphNode>(Node);
  if (!N || N->Task.Type != Type)
    return nullptr;
  return std::static_pointer_cast<const T>(N->Task.Details);
}

/// Pointers to the arguments of \p Plan. They belong to the thread that asked,
/// until it asks again.
void **argumentsOf(const LaunchPlan &Plan) {
  thread_local std::vector<void *> Pointers;
  Pointers.clear();
  for (const gpu::KernelParam &P : Plan.F->Code->params())
    Pointers.push_back(const_cast<char *>(Plan.Params.data()) + P.Offset);
  return Pointers.data();
}

template <typename Params> CUresult launchParams(CUgraphNode Node, Params *P) {
  auto Plan = detailsOf<LaunchPlan>(Node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (!Plan || !P)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    *P = {};
    P->func = Plan->F->Handle;
    P->gridDimX = Plan->Grid.X;
    P->gridDimY = Plan->Grid.Y;
    P->gridDimZ = Plan->Grid.Z;
    P->blockDimX = Plan->Block.X;
    P->blockDimY = Plan->Block.Y;
    P->blockDimZ = Plan->Block.Z;
    P->sharedMemBytes = Plan->DynamicShared;
    P->kernelParams = argumentsOf(*Plan);
    return CUDA_SUCCESS;
  });
}

/// Puts \p New in the place of \p Old, which must be of its kind. Parameters do
/// not say that a launch is cooperative: one that is stays so.
CUresult replaceWork(Work &Old, Work New) {
  if (Old.Type != New.Type)
    return CUDA_ERROR_INVALID_VALUE;
  if (Old.Type == CU_GRAPH_NODE_TYPE_KERNEL) {
    auto Before = std::static_pointer_cast<const LaunchPlan>(Old.Details);
    auto After = std::static_pointer_cast<const LaunchPlan>(New.Details);
    if (Before->Cooperative) {
      LaunchPlan Plan = *After;
      Plan.Cooperative = true;
      if (CUresult R = checkPlan(Plan))
        return R;
      New = launchWork(std::move(Plan));
    }
  }
  Old = std::move(New);
  return CUDA_SUCCESS;
}

/// Gives \p Node the work that \p P describes.
template <typename Params> CUresult setParams(CUgraphNode Node, Params *P) {
  auto N = Driver::get().Handles.find<GraphNode>(Node);
  auto G = N ? N->Owner.lock() : nullptr;
  if (!G)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&]() -> CUresult {
    Work Task;
    if (CUresult R = describeWork(P, Task))
      return R;
    std::lock_guard<std::mutex> Guard(G->Lock);
    return replaceWork(N->Task, std::move(Task));
  });
}

/// The same in what was instantiated from the node's graph.
template <typename Params>
CUresult setExecParams(CUgraphExec Exec, CUgraphNode Node, Params *P) {
  auto E = Driver::get().Handles.find<GraphExec>(Exec);
  if (!E)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&]() -> CUresult {
    Work Task;
    if (CUresult R = describeWork(P, Task))
      return R;
    std::lock_guard<std::mutex> Guard(E->Lock);
    auto It = std::find(E->Nodes.begin(), E->Nodes.end(), Node);
    if (It == E->Nodes.end())
      return CUDA_ERROR_INVALID_VALUE;
    return replaceWork(E->Tasks[size_t(It - E->Nodes.begin())],
                       std::move(Task));
  });
}

/// Takes over the work of \p G, which must have the nodes that \p E was made
/// of, in their order.
CUgraphExecUpdateResult update(GraphExec &E, Graph &G, CUgraphNode &Culprit) {
  std::vector<Work> Tasks;
  std::vector<CUgraphNode> Nodes;
  if (orderedWork(G, Tasks, Nodes))
    return CU_GRAPH_EXEC_UPDATE_ERROR;
  std::lock_guard<std::mutex> Guard(E.Lock);
  if (Tasks.size() != E.Tasks.size())
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (size_t I = 0; I < Tasks.size(); ++I)
    if (Tasks[I].Type != E.Tasks[I].Type) {
      Culprit = Nodes[I];
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    }
  E.Tasks = std::move(Tasks);
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

} // namespace

CUresult gevo::driver::describeWork(const CUDA_KERNEL_NODE_PARAMS_v1 *P,
                                    Work &Task) {
  return P ? describeLaunch(*P, P->func, Task) : CUDA_ERROR_INVALID_VALUE;
}

CUresult gevo::driver::describeWork(const CUDA_KERNEL_NODE_PARAMS *P,
                                    Work &Task) {
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  CUfunction F = P->func ? P->func : reinterpret_cast<CUfunction>(P->kern);
  return describeLaunch(*P, F, Task);
}

CUresult gevo::driver::describeWork(const CUDA_MEMCPY3D *P, Work &Task) {
  BoxCopy Box;
  if (!P)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = describeCopy(*P, Box))
    return R;
  Task = copyWork(Box);
  return CUDA_SUCCESS;
}

CUresult gevo::driver::describeWork(const CUDA_MEMSET_NODE_PARAMS *P,
                                    Work &Task) {
  if (!P || (P->elementSize != 1 && P->elementSize != 2 && P->elementSize != 4))
    return CUDA_ERROR_INVALID_VALUE;
  Task = setWork(
      {P->dst, P->pitch, P->value, P->elementSize, P->width, P->height});
  return CUDA_SUCCESS;
}

CUresult gevo::driver::describeWork(const CUDA_HOST_NODE_PARAMS *P,
                                    Work &Task) {
  if (!P || !P->fn)
    return CUDA_ERROR_INVALID_VALUE;
  Task = hostWork(*P);
  return CUDA_SUCCESS;
}

namespace gevo::cuda {

CUresult cuGraphKernelNodeGetParams(CUgraphNode Node,
                                    CUDA_KERNEL_NODE_PARAMS_v1 *P) {
  return launchParams(Node, P);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode Node,
                                       CUDA_KERNEL_NODE_PARAMS *P) {
  return launchParams(Node, P);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode Node,
                                    const CUDA_KERNEL_NODE_PARAMS_v1 *P) {
  return setParams(Node, P);
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode Node,
                                       const CUDA_KERNEL_NODE_PARAMS *P) {
  return setParams(Node, P);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode Node, const CUDA_MEMCPY3D *P) {
  return setParams(Node, P);
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode Node,
                                    CUDA_MEMSET_NODE_PARAMS *P) {
  auto Set = detailsOf<BoxSet>(Node, CU_GRAPH_NODE_TYPE_MEMSET);
  if (!Set || !P)
    return CUDA_ERROR_INVALID_VALUE;
  *P = {Set->Base,         Set->Pitch, Set->Value,
        Set->ElementBytes, Set->Width, Set->Height};
  return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode Node,
                                    const CUDA_MEMSET_NODE_PARAMS *P) {
  return setParams(Node, P);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode Node, CUDA_HOST_NODE_PARAMS *P) {
  auto Call = detailsOf<CUDA_HOST_NODE_PARAMS>(Node, CU_GRAPH_NODE_TYPE_HOST);
  if (!Call || !P)
    return CUDA_ERROR_INVALID_VALUE;
  *P = *Call;
  return CUDA_SUCCESS;
}

CUresult cuGraphHostNodeSetParams(CUgraphNode Node,
                                  const CUDA_HOST_NODE_PARAMS *P) {
  return setParams(Node, P);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *P) {
  return setExecParams(Exec, Node, P);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec Exec, CUgraphNode Node,
                                           const CUDA_KERNEL_NODE_PARAMS *P) {
  return setExecParams(Exec, Node, P);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                        const CUDA_MEMCPY3D *P, CUcontext) {
  return setExecParams(Exec, Node, P);
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                        const CUDA_MEMSET_NODE_PARAMS *P,
                                        CUcontext) {
  return setExecParams(Exec, Node, P);
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec Exec, CUgraphNode Node,
                                      const CUDA_HOST_NODE_PARAMS *P) {
  return setExecParams(Exec, Node, P);
}

CUresult cuGraphExecUpdate_v2(CUgraphExec Exec, CUgraph Handle,
                              CUgraphExecUpdateResultInfo *Info) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  auto E = Driver::get().Handles.find<GraphExec>(Exec);
  if (!E || !Info)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    *Info = {};
    Info->result = update(*E, *G, Info->errorNode);
    return Info->result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS;
  });
}

CUresult cuGraphExecUpdate(CUgraphExec Exec, CUgraph Handle, CUgraphNode *Node,
                           CUgraphExecUpdateResult *Result) {
  CUgraphExecUpdateResultInfo Info = {};
  CUresult R = cuGraphExecUpdate_v2(Exec, Handle, &Info);
  if (Node)
    *Node = Info.errorNode;
  if (Result)
    *Result = Info.result;
  return R;
}

} // namespace gevo::cuda
