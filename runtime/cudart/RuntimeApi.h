//===- RuntimeApi.h - The functions of libcudart ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prototypes of what this major of the library exports. Where CUDA 12 has two
// forms of a function and CUDA 13 only the newer one, that one has taken the
// name: the code says cudaMemAdvise_v2, and what is exported for CUDA 13 is
// cudaMemAdvise.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_RUNTIMEAPI_H
#define GEVO_RUNTIME_CUDART_RUNTIMEAPI_H

#include "runtime/cudart/cudart_abi.h"

#if GEVO_CUDART_MAJOR >= 13
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphAddNode_v2 cudaGraphAddNode
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaMemAdvise_v2 cudaMemAdvise
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
#define cudaStreamUpdateCaptureDependencies_v2                                 \
  cudaStreamUpdateCaptureDependencies
#endif

#define CUDART_EXPORT __attribute__((visibility("default")))

namespace gevo::cudart {

extern "C" {
#define CUDART_FUNCTION(Result, Name, Era, Params)                             \
  CUDART_IF(Era)(CUDART_EXPORT Result Name Params;)
#define CUDART_STREAM(Name, Era, Params)                                       \
  CUDART_IF(Era)(CUDART_EXPORT cudaError_t Name Params;)
#define CUDART_SYNC(Name, Era, Params)                                         \
  CUDART_IF(Era)(CUDART_EXPORT cudaError_t Name Params;)
#include "runtime/cudart/Api.def"
}

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_RUNTIMEAPI_H
