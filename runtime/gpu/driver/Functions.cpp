//===- Functions.cpp - Functions and occupancy ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Clock.h"
#include "runtime/gpu/driver/Driver.h"

#include <algorithm>

using namespace gevo;
using namespace gevo::driver;

namespace {

const DeviceProperties &propertiesOf(const Function &F) {
  return F.Owner->Ctx->Owner.Properties;
}

/// Dynamic shared memory that a launch of \p F may ask for.
int maxDynamicShared(Function &F) {
  std::lock_guard<std::mutex> Guard(F.Lock);
  if (F.Settings.MaxDynamicShared >= 0)
    return F.Settings.MaxDynamicShared;
  return std::max(0, propertiesOf(F).SharedBytesPerBlock -
                         int(F.Code->attributes().StaticSharedBytes));
}

std::optional<int> attributeOf(Function &F, CUfunction_attribute Attribute) {
  const gpu::KernelAttributes &A = F.Code->attributes();
  switch (Attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return int(A.MaxThreadsPerBlock);
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    return int(A.StaticSharedBytes);
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    return int(A.ConstBytes);
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    return int(A.LocalBytesPerThread);
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    return int(attributesOf(F).RegistersPerThread);
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    return int(A.TargetArch);
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    return int(propertiesOf(F).Config.SmArch);
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    return 0;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return maxDynamicShared(F);
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: {
    std::lock_guard<std::mutex> Guard(F.Lock);
    return F.Settings.Carveout;
  }
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return 0;
  }
  return std::nullopt;
}

CUresult potentialBlockSize(int *Grid, int *Block, CUfunction Handle,
                            CUoccupancyB2DSize DynamicOf, size_t Dynamic,
                            int Limit) {
  std::shared_ptr<Function> F;
  if (CUresult R = findFunction(Handle, F))
    return R;
  if (!Grid || !Block)
    return CUDA_ERROR_INVALID_VALUE;
  const DeviceProperties &P = propertiesOf(*F);
  const gpu::KernelAttributes A = attributesOf(*F);
  unsigned Max = std::min(A.MaxThreadsPerBlock, P.Config.MaxThreadsPerBlock);
  if (Limit > 0)
    Max = std::min(Max, unsigned(Limit));
  unsigned BestThreads = 0, BestBlocks = 0, BestSize = 0;
  // From large to small in whole warps; the first of the best is taken.
  for (unsigned Size = Max; Size;
       Size = Size % 32 ? Size / 32 * 32 : Size - 32) {
    size_t Shared = DynamicOf ? DynamicOf(int(Size)) : Dynamic;
    unsigned Blocks = residentBlocks(P, A, Size, Shared);
    if (Blocks * Size <= BestThreads)
      continue;
    BestThreads = Blocks * Size;
    BestBlocks = Blocks;
    BestSize = Size;
  }
  *Block = int(BestSize);
  *Grid = int(BestBlocks * P.Config.NumSMs);
  return BestSize ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

namespace gevo::cuda {

CUresult cuFuncGetAttribute(int *Value, CUfunction_attribute Attribute,
                            CUfunction Handle) {
  std::shared_ptr<Function> F;
  if (!Value)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findFunction(Handle, F))
    return R;
  std::optional<int> Found = attributeOf(*F, Attribute);
  if (!Found)
    return CUDA_ERROR_INVALID_VALUE;
  *Value = *Found;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction Handle, CUfunction_attribute Attribute,
                            int Value) {
  std::shared_ptr<Function> F;
  if (CUresult R = findFunction(Handle, F))
    return R;
  const gpu::DeviceConfig &Config = propertiesOf(*F).Config;
  int Most = int(Config.MaxSharedBytesPerBlock) -
             int(F->Code->attributes().StaticSharedBytes);
  std::lock_guard<std::mutex> Guard(F->Lock);
  switch (Attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (Value < 0 || Value > Most)
      return CUDA_ERROR_INVALID_VALUE;
    F->Settings.MaxDynamicShared = Value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (Value < -1 || Value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    F->Settings.Carveout = Value;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetCacheConfig(CUfunction Handle, CUfunc_cache Config) {
  std::shared_ptr<Function> F;
  if (CUresult R = findFunction(Handle, F))
    return R;
  if (Config < CU_FUNC_CACHE_PREFER_NONE || Config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(F->Lock);
  F->Settings.Cache = Config;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction Handle, CUsharedconfig) {
  std::shared_ptr<Function> F;
  return findFunction(Handle, F);
}

CUresult cuFuncGetModule(CUmodule *ModuleHandle, CUfunction Handle) {
  std::shared_ptr<Function> F;
  if (!ModuleHandle)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findFunction(Handle, F))
    return R;
  *ModuleHandle = F->OwnerHandle;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **Name, CUfunction Handle) {
  std::shared_ptr<Function> F;
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findFunction(Handle, F))
    return R;
  *Name = F->Code->name().c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction Handle, size_t Index, size_t *Offset,
                            size_t *Size) {
  std::shared_ptr<Function> F;
  if (!Offset)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findFunction(Handle, F))
    return R;
  if (Index >= F->Code->params().size())
    return CUDA_ERROR_INVALID_VALUE;
  *Offset = F->Code->params()[Index].Offset;
  if (Size)
    *Size = F->Code->params()[Index].Size;
  return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *State, CUfunction Handle) {
  std::shared_ptr<Function> F;
  if (!State)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult R = findFunction(Handle, F))
    return R;
  *State = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction Handle) {
  std::shared_ptr<Function> F;
  return findFunction(Handle, F);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks,
                                                     CUfunction Handle,
                                                     int Threads,
                                                     size_t Dynamic) {
  std::shared_ptr<Function> F;
  if (CUresult R = findFunction(Handle, F))
    return R;
  if (!Blocks || Threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  *Blocks = int(residentBlocks(propertiesOf(*F), attributesOf(*F),
                               unsigned(Threads), Dynamic));
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks,
                                                              CUfunction Handle,
                                                              int Threads,
                                                              size_t Dynamic,
                                                              unsigned Flags) {
  if (Flags & ~unsigned(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
    return CUDA_ERROR_INVALID_VALUE;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(Blocks, Handle, Threads,
                                                     Dynamic);
}

CUresult cuOccupancyMaxPotentialBlockSize(int *Grid, int *Block,
                                          CUfunction Handle,
                                          CUoccupancyB2DSize DynamicOf,
                                          size_t Dynamic, int Limit) {
  return potentialBlockSize(Grid, Block, Handle, DynamicOf, Dynamic, Limit);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *Grid, int *Block,
                                                   CUfunction Handle,
                                                   CUoccupancyB2DSize DynamicOf,
                                                   size_t Dynamic, int Limit,
                                                   unsigned Flags) {
  if (Flags & ~unsigned(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
    return CUDA_ERROR_INVALID_VALUE;
  return potentialBlockSize(Grid, Block, Handle, DynamicOf, Dynamic, Limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes,
                                                 CUfunction Handle, int Blocks,
                                                 int Threads) {
  std::shared_ptr<Function> F;
  if (CUresult R = findFunction(Handle, F))
    return R;
  if (!Bytes || Blocks <= 0 || Threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  const DeviceProperties &P = propertiesOf(*F);
  const gpu::KernelAttributes A = attributesOf(*F);
  if (residentBlocks(P, A, unsigned(Threads), 0) < unsigned(Blocks))
    return CUDA_ERROR_INVALID_VALUE;
  // Occupancy falls as memory grows, so the largest amount can be bisected.
  size_t Low = 0, High = P.Config.MaxSharedBytesPerBlock;
  while (Low < High) {
    size_t Middle = (Low + High + 1) / 2;
    if (residentBlocks(P, A, unsigned(Threads), Middle) >= unsigned(Blocks))
      Low = Middle;
    else
      High = Middle - 1;
  }
  *Bytes = Low;
  return CUDA_SUCCESS;
}

} // namespace gevo::cuda
