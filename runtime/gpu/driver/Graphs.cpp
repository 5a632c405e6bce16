//===- Graphs.cpp - Graphs of the driver API ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a list of work in an order that respects its edges; to launch it
// is to do the list. A stream under capture adds its work to such a list.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/GraphNodes.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// Adds \p Task to the graph \p Handle after checking its dependencies.
CUresult add(CUgraphNode *Node, CUgraph Handle, const CUgraphNode *After,
             size_t Count, Work Task) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (!Node || (Count && !After))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I) {
    auto Before = Driver::get().Handles.find<GraphNode>(After[I]);
    if (!Before || Before->Owner.lock() != G)
      return CUDA_ERROR_INVALID_VALUE;
  }
  return guarded([&] {
    *Node = addNode(G, std::vector<CUgraphNode>(After, After + Count),
                    std::move(Task));
    return CUDA_SUCCESS;
  });
}

/// Adds the work that \p Params describe.
template <typename Params>
CUresult addDescribed(CUgraphNode *Node, CUgraph Handle,
                      const CUgraphNode *After, size_t Count, const Params *P) {
  return guarded([&] {
    Work Task;
    if (CUresult R = describeWork(P, Task))
      return R;
    return add(Node, Handle, After, Count, std::move(Task));
  });
}

/// Does \p Tasks one after the other.
CUresult runTasks(const std::vector<Work> &Tasks, Stream &S,
                  WorkReport &Report) {
  double Start, Now;
  {
    std::lock_guard<std::mutex> Guard(S.Ctx->Lock);
    Start = Now = startOf(S);
  }
  for (const Work &Task : Tasks) {
    WorkReport One;
    if (CUresult R = Task.Run(S, One))
      return R;
    Now = std::max(Now, One.NotBefore) + One.Microseconds;
    if (One.Stamp) {
      std::lock_guard<std::mutex> Guard(S.Ctx->Lock);
      One.Stamp->At = Now;
      One.Stamp->Recorded = true;
    }
  }
  Report.Microseconds = Now - Start;
  return CUDA_SUCCESS;
}

CUresult instantiate(CUgraphExec *Exec, CUgraph Handle, uint64_t Flags) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (!Exec)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    auto E = std::make_shared<GraphExec>();
    E->Flags = Flags;
    if (CUresult R = orderedWork(*G, E->Tasks, E->Nodes))
      return R;
    *Exec = Driver::get().Handles.insert<CUgraphExec>(std::move(E));
    return CUDA_SUCCESS;
  });
}

/// Gives the nodes for which \p Wanted holds, as many as fit, and counts all.
template <typename Predicate>
CUresult listNodes(CUgraph Handle, CUgraphNode *Nodes, size_t *Count,
                   Predicate Wanted) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (!Count)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(G->Lock);
  size_t Found = 0;
  for (const std::shared_ptr<GraphNode> &N : G->Nodes) {
    if (!Wanted(*N))
      continue;
    if (Nodes && Found < *Count)
      Nodes[Found] = N->Handle;
    ++Found;
  }
  if (Nodes)
    for (size_t I = Found; I < *Count; ++I)
      Nodes[I] = nullptr;
  *Count = Nodes ? std::min(*Count, Found) : Found;
  return CUDA_SUCCESS;
}

} // namespace

CUgraphNode gevo::driver::addNode(const std::shared_ptr<Graph> &G,
                                  std::vector<CUgraphNode> Dependencies,
                                  Work Task) {
  auto N = std::make_shared<GraphNode>();
  N->Owner = G;
  N->Dependencies = std::move(Dependencies);
  N->Task = std::move(Task);
  N->Handle = Driver::get().Handles.insert<CUgraphNode>(N);
  std::lock_guard<std::mutex> Guard(G->Lock);
  G->Nodes.push_back(N);
  return N->Handle;
}

namespace gevo::cuda {

CUresult cuGraphCreate(CUgraph *Handle, unsigned Flags) {
  if (CUresult R = checkInitialised())
    return R;
  if (!Handle || Flags)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    auto G = std::make_shared<Graph>();
    *Handle = G->Handle = Driver::get().Handles.insert<CUgraph>(G);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph Handle) {
  if (CUresult R = checkInitialised())
    return R;
  auto G = Driver::get().Handles.erase<Graph>(Handle);
  if (!G)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(G->Lock);
  for (const std::shared_ptr<GraphNode> &N : G->Nodes)
    Driver::get().Handles.erase<GraphNode>(N->Handle);
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *Copy, CUgraph Handle) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (CUresult R = cuGraphCreate(Copy, 0))
    return R;
  return guarded([&] {
    auto C = Driver::get().Handles.find<Graph>(*Copy);
    std::map<CUgraphNode, CUgraphNode> Twins;
    std::vector<std::shared_ptr<GraphNode>> Nodes;
    {
      std::lock_guard<std::mutex> Guard(G->Lock);
      Nodes = G->Nodes;
    }
    for (const std::shared_ptr<GraphNode> &N : Nodes)
      Twins[N->Handle] = addNode(C, {}, N->Task);
    // Edges may lead to nodes that were added later.
    for (size_t I = 0; I < Nodes.size(); ++I) {
      C->Nodes[I]->ClonedFrom = Nodes[I]->Handle;
      for (CUgraphNode Before : Nodes[I]->Dependencies)
        C->Nodes[I]->Dependencies.push_back(Twins[Before]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddKernelNode(CUgraphNode *Node, CUgraph Handle,
                              const CUgraphNode *After, size_t Count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *Params) {
  return addDescribed(Node, Handle, After, Count, Params);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *Node, CUgraph Handle,
                                 const CUgraphNode *After, size_t Count,
                                 const CUDA_KERNEL_NODE_PARAMS *Params) {
  return addDescribed(Node, Handle, After, Count, Params);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *Node, CUgraph Handle,
                              const CUgraphNode *After, size_t Count,
                              const CUDA_MEMCPY3D *Params, CUcontext) {
  return addDescribed(Node, Handle, After, Count, Params);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *Node, CUgraph Handle,
                              const CUgraphNode *After, size_t Count,
                              const CUDA_MEMSET_NODE_PARAMS *Params,
                              CUcontext) {
  return addDescribed(Node, Handle, After, Count, Params);
}

CUresult cuGraphAddHostNode(CUgraphNode *Node, CUgraph Handle,
                            const CUgraphNode *After, size_t Count,
                            const CUDA_HOST_NODE_PARAMS *Params) {
  return addDescribed(Node, Handle, After, Count, Params);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *Node, CUgraph Handle,
                             const CUgraphNode *After, size_t Count) {
  return add(Node, Handle, After, Count,
             {CU_GRAPH_NODE_TYPE_EMPTY,
              [](Stream &, WorkReport &) { return CUDA_SUCCESS; }});
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *Node, CUgraph Handle,
                                  const CUgraphNode *After, size_t Count,
                                  CUgraph Child) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Child, G))
    return R;
  return guarded([&] {
    std::vector<Work> Tasks;
    std::vector<CUgraphNode> Nodes;
    if (CUresult R = orderedWork(*G, Tasks, Nodes))
      return R;
    return add(
        Node, Handle, After, Count,
        {CU_GRAPH_NODE_TYPE_GRAPH, [Tasks](Stream &S, WorkReport &Report) {
           return runTasks(Tasks, S, Report);
         }});
  });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *Node, CUgraph Handle,
                                   const CUgraphNode *After, size_t Count,
                                   CUevent EventHandle) {
  auto E = Driver::get().Handles.find<Event>(EventHandle);
  if (!E)
    return CUDA_ERROR_INVALID_VALUE;
  return add(
      Node, Handle, After, Count,
      {CU_GRAPH_NODE_TYPE_EVENT_RECORD, [E](Stream &, WorkReport &Report) {
         Report.Stamp = E;
         return CUDA_SUCCESS;
       }});
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *Node, CUgraph Handle,
                                 const CUgraphNode *After, size_t Count,
                                 CUevent EventHandle) {
  auto E = Driver::get().Handles.find<Event>(EventHandle);
  if (!E)
    return CUDA_ERROR_INVALID_VALUE;
  return add(Node, Handle, After, Count,
             {CU_GRAPH_NODE_TYPE_WAIT_EVENT, [E](Stream &, WorkReport &Report) {
                Report.NotBefore = E->At;
                return CUDA_SUCCESS;
              }});
}

CUresult cuGraphGetNodes(CUgraph Handle, CUgraphNode *Nodes, size_t *Count) {
  return listNodes(Handle, Nodes, Count,
                   [](const GraphNode &) { return true; });
}

CUresult cuGraphGetRootNodes(CUgraph Handle, CUgraphNode *Nodes,
                             size_t *Count) {
  return listNodes(Handle, Nodes, Count,
                   [](const GraphNode &N) { return N.Dependencies.empty(); });
}

CUresult cuGraphNodeGetType(CUgraphNode Node, CUgraphNodeType *Type) {
  auto N = Driver::get().Handles.find<GraphNode>(Node);
  if (!N || !Type)
    return CUDA_ERROR_INVALID_VALUE;
  *Type = N->Task.Type;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode Node) {
  auto N = Driver::get().Handles.erase<GraphNode>(Node);
  if (!N)
    return CUDA_ERROR_INVALID_VALUE;
  auto G = N->Owner.lock();
  if (!G)
    return CUDA_SUCCESS;
  std::lock_guard<std::mutex> Guard(G->Lock);
  G->Nodes.erase(std::remove(G->Nodes.begin(), G->Nodes.end(), N),
                 G->Nodes.end());
  for (const std::shared_ptr<GraphNode> &Other : G->Nodes)
    Other->Dependencies.erase(std::remove(Other->Dependencies.begin(),
                                          Other->Dependencies.end(), Node),
                              Other->Dependencies.end());
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate_v2(CUgraphExec *Exec, CUgraph Handle,
                               CUgraphNode *ErrorNode, char *Log,
                               size_t LogSize) {
  if (ErrorNode)
    *ErrorNode = nullptr;
  if (Log && LogSize)
    *Log = 0;
  return instantiate(Exec, Handle, 0);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *Exec, CUgraph Handle,
                                     unsigned long long Flags) {
  return instantiate(Exec, Handle, Flags);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *Exec, CUgraph Handle,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *Params) {
  if (!Params)
    return CUDA_ERROR_INVALID_VALUE;
  Params->hErrNode_out = nullptr;
  Params->result_out = 0;
  return instantiate(Exec, Handle, Params->flags);
}

CUresult cuGraphUpload(CUgraphExec Exec, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  return Driver::get().Handles.find<GraphExec>(Exec) ? CUDA_SUCCESS
                                                     : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphLaunch(CUgraphExec Exec, CUstream Handle) {
  std::shared_ptr<Stream> S;
  if (CUresult R = findStream(Handle, S))
    return R;
  auto E = Driver::get().Handles.find<GraphExec>(Exec);
  if (!E)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    return submit(
        *S, {CU_GRAPH_NODE_TYPE_GRAPH, [E](Stream &On, WorkReport &Report) {
               // A host node may update the graph that runs it.
               std::vector<Work> Tasks;
               {
                 std::lock_guard<std::mutex> Guard(E->Lock);
                 Tasks = E->Tasks;
               }
               return runTasks(Tasks, On, Report);
             }});
  });
}

CUresult cuGraphExecDestroy(CUgraphExec Exec) {
  if (CUresult R = checkInitialised())
    return R;
  return Driver::get().Handles.erase<GraphExec>(Exec)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecGetFlags(CUgraphExec Exec, uint64_t *Flags) {
  auto E = Driver::get().Handles.find<GraphExec>(Exec);
  if (!E || !Flags)
    return CUDA_ERROR_INVALID_VALUE;
  *Flags = E->Flags;
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
