//===- Graphs.cpp - Graphs of the runtime ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/GraphParams.h"

using namespace gevo;
using namespace gevo::cudart;

namespace gevo::cudart {

cudaError_t cudaGraphCreate(cudaGraph_t *Graph, unsigned Flags) {
  return call(
      [&](const DriverTable &D) { return D.cuGraphCreate(Graph, Flags); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t Graph) {
  return call([&](const DriverTable &D) { return D.cuGraphDestroy(Graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t *Copy, cudaGraph_t Graph) {
  return call(
      [&](const DriverTable &D) { return D.cuGraphClone(Copy, Graph); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t Graph, cudaGraphNode_t *Nodes,
                              size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphGetNodes(Graph, Nodes, Count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t Graph, cudaGraphNode_t *Nodes,
                                  size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphGetRootNodes(Graph, Nodes, Count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t Node, CUgraphNodeType *Type) {
  return call(
      [&](const DriverTable &D) { return D.cuGraphNodeGetType(Node, Type); });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t Node) {
  return call([&](const DriverTable &D) { return D.cuGraphDestroyNode(Node); });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *Twin,
                                     cudaGraphNode_t Node, cudaGraph_t Clone) {
  return call([&](const DriverTable &D) {
    return D.cuGraphNodeFindInClone(Twin, Node, Clone);
  });
}

#if GEVO_CUDART_MAJOR <= 12
cudaError_t cudaGraphGetEdges(cudaGraph_t Graph, cudaGraphNode_t *From,
                              cudaGraphNode_t *To, size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphGetEdges(Graph, From, To, Count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t Node,
                                         cudaGraphNode_t *Into, size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphNodeGetDependencies(Node, Into, Count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t Node,
                                           cudaGraphNode_t *Into,
                                           size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphNodeGetDependentNodes(Node, Into, Count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t Graph,
                                     const cudaGraphNode_t *From,
                                     const cudaGraphNode_t *To, size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddDependencies(Graph, From, To, Count);
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphRemoveDependencies(Graph, From, To, Count);
  });
}
#endif

#if GEVO_CUDART_MAJOR >= 12
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t Graph, cudaGraphNode_t *From,
                                 cudaGraphNode_t *To, cudaGraphEdgeData *Data,
                                 size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphGetEdges_v2(Graph, From, To, Data, Count);
  });
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t Node,
                                            cudaGraphNode_t *Into,
                                            cudaGraphEdgeData *Data,
                                            size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphNodeGetDependencies_v2(Node, Into, Data, Count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t Node,
                                              cudaGraphNode_t *Into,
                                              cudaGraphEdgeData *Data,
                                              size_t *Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphNodeGetDependentNodes_v2(Node, Into, Data, Count);
  });
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        const cudaGraphEdgeData *Data,
                                        size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphAddDependencies_v2(Graph, From, To, Data, Count);
  });
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t Graph,
                                           const cudaGraphNode_t *From,
                                           const cudaGraphNode_t *To,
                                           const cudaGraphEdgeData *Data,
                                           size_t Count) {
  return call([&](const DriverTable &D) {
    return D.cuGraphRemoveDependencies_v2(Graph, From, To, Data, Count);
  });
}
#endif

} // namespace gevo::cudart
