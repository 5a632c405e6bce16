// The layouts of structures that programs share with the runtime are CUDA's.
// REQUIRES: cuda
// RUN: clang++ -fsyntax-only -std=c++17 -I %cuda_path/include -I %gevo_src -DGEVO_CUDART_MAJOR=12 %s

// Ours come first, because CUDA's headers define macros of the same names.
#include "runtime/cudart/cudart_abi.h"

#include <cstddef>
#include <cuda_runtime_api.h>

namespace ours = gevo::cudart;

#define SAME_SIZE(Name) static_assert(sizeof(ours::Name) == sizeof(Name))
#define SAME_AS(Ours, Name) static_assert(sizeof(ours::Ours) == sizeof(Name))
#define SAME_PLACE(Name, Field)                                                \
  static_assert(offsetof(ours::Name, Field) == offsetof(Name, Field))

SAME_AS(cudaDeviceProp12, cudaDeviceProp);
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_12(static_assert(                                         \
      offsetof(ours::cudaDeviceProp12, Name) == offsetof(cudaDeviceProp, Name));)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  DEVICE_PROP(Era, int, Name, 0)
#include "runtime/cudart/DeviceProp.def"

SAME_SIZE(cudaFuncAttributes);
SAME_PLACE(cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(cudaPointerAttributes);
SAME_SIZE(cudaMemcpy3DParms);
SAME_PLACE(cudaMemcpy3DParms, kind);
SAME_SIZE(cudaMemcpy3DPeerParms);
SAME_PLACE(cudaMemcpy3DPeerParms, dstDevice);
SAME_SIZE(cudaPitchedPtr);
SAME_SIZE(cudaExtent);
SAME_SIZE(cudaChannelFormatDesc);
SAME_SIZE(cudaLaunchAttribute);
SAME_SIZE(cudaLaunchConfig_t);
SAME_PLACE(cudaLaunchConfig_t, numAttrs);
SAME_SIZE(cudaKernelNodeParams);
SAME_PLACE(cudaKernelNodeParams, kernelParams);
SAME_SIZE(cudaGraphNodeParams);
SAME_PLACE(cudaGraphNodeParams, kernel);
SAME_PLACE(cudaGraphNodeParams, memcpy);
SAME_SIZE(cudaGraphEdgeData);
SAME_SIZE(cudaGraphExecUpdateResultInfo);
SAME_AS(CUDA_MEMSET_NODE_PARAMS, cudaMemsetParams);
SAME_AS(CUDA_HOST_NODE_PARAMS, cudaHostNodeParams);
SAME_AS(CUmemPoolProps, cudaMemPoolProps);
SAME_AS(CUDA_GRAPH_INSTANTIATE_PARAMS, cudaGraphInstantiateParams);

#define CUDART_ERROR(Name, Value, Text) static_assert(int(ours::Name) == Value);
#include "runtime/cudart/Errors.def"
