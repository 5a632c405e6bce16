//===- cudart_abi.h - The binary interface of libcudart ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, numbers and layouts that a program compiled against CUDA's
// cuda_runtime_api.h shares with its runtime. They carry CUDA's names, in a
// namespace of ours. Handles of the runtime are those of the driver.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_CUDART_ABI_H
#define GEVO_RUNTIME_CUDART_CUDART_ABI_H

#include "runtime/cudart/Era.h"
#include "runtime/gpu/driver/cuda_abi_streams.h"

namespace gevo::cudart {

using namespace gevo::cuda;

/// \name Handles
/// @{
using cudaStream_t = CUstream;
using cudaEvent_t = CUevent;
using cudaGraph_t = CUgraph;
using cudaGraphNode_t = CUgraphNode;
using cudaGraphExec_t = CUgraphExec;
using cudaMemPool_t = CUmemoryPool;
using cudaFunction_t = CUfunction;
using cudaKernel_t = CUkernel;
using cudaLibrary_t = CUlibrary;
using cudaArray_t = CUarray;
/// @}

enum cudaError_t : int {
#define CUDART_ERROR(Name, Value, Text) Name = Value,
#include "runtime/cudart/Errors.def"
};

enum cudaMemcpyKind : int {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType : int {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaChannelFormatKind : int;

struct dim3 {
  unsigned x, y, z;
};
struct cudaUUID_t {
  char bytes[16];
};

/// \name cudaDeviceProp as CUDA 11, 12 and 13 lay it out
/// @{
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_11(Type Name;)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_11(int Name[Count];)
#define DEVICE_RAW(Era, Type, Name, Count)                                     \
  CUDART_ERA_##Era##_11(Type Name[Count];)
struct cudaDeviceProp11 {
#include "runtime/cudart/DeviceProp.def"
};
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_12(Type Name;)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_12(int Name[Count];)
#define DEVICE_RAW(Era, Type, Name, Count)                                     \
  CUDART_ERA_##Era##_12(Type Name[Count];)
struct cudaDeviceProp12 {
#include "runtime/cudart/DeviceProp.def"
};
#define DEVICE_PROP(Era, Type, Name, Attribute)                                \
  CUDART_ERA_##Era##_13(Type Name;)
#define DEVICE_PROPS(Era, Name, Count, ...)                                    \
  CUDART_ERA_##Era##_13(int Name[Count];)
#define DEVICE_RAW(Era, Type, Name, Count)                                     \
  CUDART_ERA_##Era##_13(Type Name[Count];)
struct cudaDeviceProp13 {
#include "runtime/cudart/DeviceProp.def"
};
/// @}

struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
#if GEVO_CUDART_MAJOR >= 12
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
#endif
};

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer;
  void *hostPointer;
#if GEVO_CUDART_MAJOR >= 13
  long reserved[8];
#endif
};

/// \name Shapes of memory
/// @{
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void *ptr;
  size_t pitch;
  size_t xsize;
  size_t ysize;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
/// @}

/// \name Launches
/// @{
/// The driver's attribute has the same layout and numbers.
using cudaLaunchAttribute = CUlaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};
/// @}

/// \name Graphs
/// @{
struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
};
struct cudaMemcpyNodeParams {
  int flags;
  int reserved[3];
  cudaMemcpy3DParms copyParams;
};
struct cudaGraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    cudaMemcpyNodeParams memcpy;
    CUDA_MEMSET_NODE_PARAMS memset;
    CUDA_HOST_NODE_PARAMS host;
    cudaGraph_t graph;
    cudaEvent_t event;
  };
  long long reserved2;
};
using cudaGraphEdgeData = CUgraphEdgeData;
using cudaGraphExecUpdateResultInfo = CUgraphExecUpdateResultInfo;
/// @}

using cudaStreamCallback_t = void (*)(cudaStream_t, cudaError_t, void *);

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_CUDART_ABI_H
