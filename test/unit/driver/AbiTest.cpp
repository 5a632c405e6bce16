//===- AbiTest.cpp - Our view of the ABI and CUDA's own -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built only where a cuda.h is found. Everything that can be compared when it
// is compiled is.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/cuda_abi_streams.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

namespace ours = gevo::cuda;

#define GEVO_SAME_SIZE(Name)                                                   \
  static_assert(sizeof(ours::Name) == sizeof(::Name), #Name)
#define GEVO_SAME_FIELD(Name, Field)                                           \
  static_assert(offsetof(ours::Name, Field) == offsetof(::Name, Field),        \
                #Name "." #Field)
#define GEVO_SAME_VALUE(Name)                                                  \
  static_assert(int(ours::Name) == int(::Name), #Name)

#define CU_ERROR(Name, Value, Text)                                            \
  static_assert(Value == int(ours::Name), #Name);
#include "runtime/gpu/driver/Errors.def"

GEVO_SAME_SIZE(CUresult);
GEVO_SAME_SIZE(CUuuid);
GEVO_SAME_SIZE(CUdevprop);
GEVO_SAME_SIZE(CUDA_MEMCPY2D);
GEVO_SAME_FIELD(CUDA_MEMCPY2D, srcDevice);
GEVO_SAME_FIELD(CUDA_MEMCPY2D, dstPitch);
GEVO_SAME_FIELD(CUDA_MEMCPY2D, Height);
GEVO_SAME_SIZE(CUDA_MEMCPY3D);
GEVO_SAME_FIELD(CUDA_MEMCPY3D, srcHeight);
GEVO_SAME_FIELD(CUDA_MEMCPY3D, dstDevice);
GEVO_SAME_FIELD(CUDA_MEMCPY3D, Depth);
GEVO_SAME_SIZE(CUDA_MEMCPY3D_PEER);
GEVO_SAME_FIELD(CUDA_MEMCPY3D_PEER, dstContext);
GEVO_SAME_SIZE(CUlaunchAttribute);
GEVO_SAME_FIELD(CUlaunchAttribute, value);
GEVO_SAME_SIZE(CUlaunchConfig);
GEVO_SAME_FIELD(CUlaunchConfig, hStream);
GEVO_SAME_FIELD(CUlaunchConfig, numAttrs);
GEVO_SAME_SIZE(CUmemPoolProps);
GEVO_SAME_FIELD(CUmemPoolProps, maxSize);
GEVO_SAME_SIZE(CUmemLocation);
GEVO_SAME_SIZE(CUmemAccessDesc);
GEVO_SAME_SIZE(CUstreamAttrValue);
GEVO_SAME_SIZE(CUDA_KERNEL_NODE_PARAMS_v1);
GEVO_SAME_SIZE(CUDA_KERNEL_NODE_PARAMS);
GEVO_SAME_FIELD(CUDA_KERNEL_NODE_PARAMS, kern);
GEVO_SAME_SIZE(CUDA_MEMSET_NODE_PARAMS);
GEVO_SAME_FIELD(CUDA_MEMSET_NODE_PARAMS, width);
GEVO_SAME_SIZE(CUDA_HOST_NODE_PARAMS);
GEVO_SAME_SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
GEVO_SAME_SIZE(CUctxCreateParams);

GEVO_SAME_VALUE(CU_LIMIT_MALLOC_HEAP_SIZE);
GEVO_SAME_VALUE(CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
GEVO_SAME_VALUE(CU_JIT_INFO_LOG_BUFFER);
GEVO_SAME_VALUE(CU_JIT_ERROR_LOG_BUFFER);
GEVO_SAME_VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
GEVO_SAME_VALUE(CU_JIT_INPUT_FATBINARY);
GEVO_SAME_VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
GEVO_SAME_VALUE(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
GEVO_SAME_VALUE(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
GEVO_SAME_VALUE(CU_POINTER_ATTRIBUTE_IS_MANAGED);
GEVO_SAME_VALUE(CU_MEMORYTYPE_UNIFIED);
GEVO_SAME_VALUE(CU_MEMPOOL_ATTR_USED_MEM_HIGH);
GEVO_SAME_VALUE(CU_MEM_ADVISE_UNSET_ACCESSED_BY);
GEVO_SAME_VALUE(CU_STREAM_NON_BLOCKING);
GEVO_SAME_VALUE(CU_EVENT_DISABLE_TIMING);
GEVO_SAME_VALUE(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
GEVO_SAME_VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
GEVO_SAME_VALUE(CU_GRAPH_NODE_TYPE_MEM_FREE);
GEVO_SAME_VALUE(CU_STREAM_CAPTURE_MODE_RELAXED);
GEVO_SAME_VALUE(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE);

// The numbers of errors and attributes that this cuda.h knows are ours too.
TEST(Abi, ErrorsAndAttributes) {
  struct {
    int Ours, Theirs;
  } Pairs[] = {{ours::CUDA_ERROR_INVALID_PTX, ::CUDA_ERROR_INVALID_PTX},
               {ours::CUDA_ERROR_NOT_SUPPORTED, ::CUDA_ERROR_NOT_SUPPORTED},
               {ours::CUDA_ERROR_LAUNCH_TIMEOUT, ::CUDA_ERROR_LAUNCH_TIMEOUT},
               {ours::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                ::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD},
               {ours::CUDA_ERROR_UNKNOWN, ::CUDA_ERROR_UNKNOWN},
               {ours::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                ::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
               {ours::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
                ::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
               {ours::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR,
                ::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
               {ours::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                ::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED}};
  for (auto &P : Pairs)
    EXPECT_EQ(P.Ours, P.Theirs);
}
