//===- GraphEdges.cpp - The order of a graph's nodes ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/GraphNodes.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

namespace {

using Edge = std::pair<CUgraphNode, CUgraphNode>;

/// Writes as many of \p Found as fit into \p Into and counts them, or counts
/// all where there is no place for them.
template <typename Store>
CUresult give(const std::vector<Edge> &Found, bool IsAsked, size_t *Count,
              Store &&Into) {
  if (!Count)
    return CUDA_ERROR_INVALID_VALUE;
  if (IsAsked)
    for (size_t I = 0; I < *Count; ++I)
      Into(I, I < Found.size() ? Found[I] : Edge());
  *Count = IsAsked ? std::min(*Count, Found.size()) : Found.size();
  return CUDA_SUCCESS;
}

/// The edges of \p G, from node to dependent node. Needs its lock.
std::vector<Edge> edgesOf(const Graph &G) {
  std::vector<Edge> All;
  for (const std::shared_ptr<GraphNode> &N : G.Nodes)
    for (CUgraphNode Before : N->Dependencies)
      All.push_back({Before, N->Handle});
  return All;
}

/// The edges of the graph of \p Node for which \p Wanted holds.
template <typename Predicate>
CUresult edgesAt(CUgraphNode Node, std::vector<Edge> &Found, Predicate Wanted) {
  auto N = Driver::get().Handles.find<GraphNode>(Node);
  auto G = N ? N->Owner.lock() : nullptr;
  if (!G)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(G->Lock);
  for (const Edge &E : edgesOf(*G))
    if (Wanted(E))
      Found.push_back(E);
  return CUDA_SUCCESS;
}

/// Applies \p Change(dependencies of To[i], From[i]) to all pairs, which must
/// be nodes of the graph.
template <typename Fn>
CUresult changeEdges(CUgraph Handle, const CUgraphNode *From,
                     const CUgraphNode *To, size_t Count, Fn &&Change) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (Count && (!From || !To))
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&]() -> CUresult {
    for (size_t I = 0; I < Count; ++I) {
      auto A = Driver::get().Handles.find<GraphNode>(From[I]);
      auto B = Driver::get().Handles.find<GraphNode>(To[I]);
      if (!A || !B || A == B || A->Owner.lock() != G || B->Owner.lock() != G)
        return CUDA_ERROR_INVALID_VALUE;
      std::lock_guard<std::mutex> Guard(G->Lock);
      if (!Change(B->Dependencies, From[I]))
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  });
}

void clearData(CUgraphEdgeData *Data, const size_t *Count) {
  if (Data && Count)
    std::fill(Data, Data + *Count, CUgraphEdgeData{});
}

} // namespace

CUresult gevo::driver::findGraph(CUgraph Handle, std::shared_ptr<Graph> &G) {
  if (CUresult R = checkInitialised())
    return R;
  G = Driver::get().Handles.find<Graph>(Handle);
  return G ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult gevo::driver::orderedWork(Graph &G, std::vector<Work> &Tasks,
                                   std::vector<CUgraphNode> &Nodes) {
  std::lock_guard<std::mutex> Guard(G.Lock);
  std::map<CUgraphNode, std::vector<size_t>> Dependents;
  std::vector<size_t> Waiting(G.Nodes.size());
  std::set<size_t> Ready;
  for (size_t I = 0; I < G.Nodes.size(); ++I) {
    Waiting[I] = G.Nodes[I]->Dependencies.size();
    for (CUgraphNode Before : G.Nodes[I]->Dependencies)
      Dependents[Before].push_back(I);
    if (!Waiting[I])
      Ready.insert(I);
  }
  while (!Ready.empty()) {
    GraphNode &N = *G.Nodes[*Ready.begin()];
    Ready.erase(Ready.begin());
    Tasks.push_back(N.Task);
    Nodes.push_back(N.Handle);
    for (size_t I : Dependents[N.Handle])
      if (!--Waiting[I])
        Ready.insert(I);
  }
  return Tasks.size() == G.Nodes.size() ? CUDA_SUCCESS
                                        : CUDA_ERROR_INVALID_VALUE;
}

namespace gevo::cuda {

CUresult cuGraphAddDependencies(CUgraph Handle, const CUgraphNode *From,
                                const CUgraphNode *To, size_t Count) {
  return changeEdges(Handle, From, To, Count,
                     [](std::vector<CUgraphNode> &Before, CUgraphNode N) {
                       if (std::count(Before.begin(), Before.end(), N))
                         return false;
                       Before.push_back(N);
                       return true;
                     });
}

CUresult cuGraphAddDependencies_v2(CUgraph Handle, const CUgraphNode *From,
                                   const CUgraphNode *To,
                                   const CUgraphEdgeData *, size_t Count) {
  return cuGraphAddDependencies(Handle, From, To, Count);
}

CUresult cuGraphRemoveDependencies(CUgraph Handle, const CUgraphNode *From,
                                   const CUgraphNode *To, size_t Count) {
  return changeEdges(Handle, From, To, Count,
                     [](std::vector<CUgraphNode> &Before, CUgraphNode N) {
                       auto It = std::find(Before.begin(), Before.end(), N);
                       if (It == Before.end())
                         return false;
                       Before.erase(It);
                       return true;
                     });
}

CUresult cuGraphRemoveDependencies_v2(CUgraph Handle, const CUgraphNode *From,
                                      const CUgraphNode *To,
                                      const CUgraphEdgeData *, size_t Count) {
  return cuGraphRemoveDependencies(Handle, From, To, Count);
}

CUresult cuGraphGetEdges(CUgraph Handle, CUgraphNode *From, CUgraphNode *To,
                         size_t *Count) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  return guarded([&] {
    std::vector<Edge> All;
    {
      std::lock_guard<std::mutex> Guard(G->Lock);
      All = edgesOf(*G);
    }
    return give(All, From && To, Count, [&](size_t I, const Edge &E) {
      From[I] = E.first;
      To[I] = E.second;
    });
  });
}

CUresult cuGraphGetEdges_v2(CUgraph Handle, CUgraphNode *From, CUgraphNode *To,
                            CUgraphEdgeData *Data, size_t *Count) {
  CUresult R = cuGraphGetEdges(Handle, From, To, Count);
  if (!R)
    clearData(Data, Count);
  return R;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode Node, CUgraphNode *Into,
                                    size_t *Count) {
  return guarded([&] {
    std::vector<Edge> Found;
    if (CUresult R = edgesAt(Node, Found,
                             [&](const Edge &E) { return E.second == Node; }))
      return R;
    return give(Found, Into != nullptr, Count,
                [&](size_t I, const Edge &E) { Into[I] = E.first; });
  });
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode Node, CUgraphNode *Into,
                                       CUgraphEdgeData *Data, size_t *Count) {
  CUresult R = cuGraphNodeGetDependencies(Node, Into, Count);
  if (!R)
    clearData(Data, Count);
  return R;
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode Node, CUgraphNode *Into,
                                      size_t *Count) {
  return guarded([&] {
    std::vector<Edge> Found;
    if (CUresult R = edgesAt(Node, Found,
                             [&](const Edge &E) { return E.first == Node; }))
      return R;
    return give(Found, Into != nullptr, Count,
                [&](size_t I, const Edge &E) { Into[I] = E.second; });
  });
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode Node, CUgraphNode *Into,
                                         CUgraphEdgeData *Data, size_t *Count) {
  CUresult R = cuGraphNodeGetDependentNodes(Node, Into, Count);
  if (!R)
    clearData(Data, Count);
  return R;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *Twin, CUgraphNode Node,
                                CUgraph Handle) {
  std::shared_ptr<Graph> G;
  if (CUresult R = findGraph(Handle, G))
    return R;
  if (!Twin)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(G->Lock);
  for (const std::shared_ptr<GraphNode> &N : G->Nodes)
    if (N->ClonedFrom == Node && Node) {
      *Twin = N->Handle;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace gevo::cuda
