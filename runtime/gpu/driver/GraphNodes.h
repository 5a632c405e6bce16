//===- GraphNodes.h - What the nodes of a graph do --------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_GRAPHNODES_H
#define GEVO_RUNTIME_GPU_DRIVER_GRAPHNODES_H

#include "runtime/gpu/driver/Launch.h"
#include "runtime/gpu/driver/MemoryOps.h"

namespace gevo::driver {

/// Finds the graph that \p Handle names.
CUresult findGraph(CUgraph Handle, std::shared_ptr<Graph> &G);

/// \name Makes work of what a program says of a node
/// @{
CUresult describeWork(const CUDA_KERNEL_NODE_PARAMS_v1 *P, Work &Task);
CUresult describeWork(const CUDA_KERNEL_NODE_PARAMS *P, Work &Task);
CUresult describeWork(const CUDA_MEMCPY3D *P, Work &Task);
CUresult describeWork(const CUDA_MEMSET_NODE_PARAMS *P, Work &Task);
CUresult describeWork(const CUDA_HOST_NODE_PARAMS *P, Work &Task);
/// @}

/// The work of \p G in an order that respects its edges, nodes added earlier
/// first; an error if edges lead in a circle.
CUresult orderedWork(Graph &G, std::vector<Work> &Tasks,
                     std::vector<CUgraphNode> &Nodes);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_GRAPHNODES_H
