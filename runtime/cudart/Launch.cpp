//===- Launch.cpp - Launches of the runtime -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cudart/Registry.h"

using namespace gevo;
using namespace gevo::cudart;

namespace {

/// A launch as a program asks for it.
struct LaunchRequest {
  const void *Kernel = nullptr; ///< A host symbol or a handle.
  dim3 Grid{}, Block{};
  size_t DynamicShared = 0;
  cudaStream_t Stream = nullptr;
  void **Arguments = nullptr;
  CUlaunchAttribute *Attributes = nullptr;
  unsigned AttributeCount = 0;
  bool Cooperative = false;
};

/// What the runtime says of a launch that the driver refused: it tells shapes
/// that no device could run from other wrong values.
cudaError_t explain(const DriverTable &D, const LaunchRequest &L, CUresult R) {
  if (R != CUDA_ERROR_INVALID_VALUE)
    return toRuntime(R);
  CUdevice Device = 0;
  D.cuCtxGetDevice(&Device);
  auto most = [&](CUdevice_attribute Name) {
    int Value = 0;
    D.cuDeviceGetAttribute(&Value, Name, Device);
    return uint64_t(Value);
  };
  auto isOutside = [&](unsigned Value, CUdevice_attribute Name) {
    return !Value || Value > most(Name);
  };
  uint64_t Threads = uint64_t(L.Block.x) * L.Block.y * L.Block.z;
  bool IsShape = isOutside(L.Grid.x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) ||
                 isOutside(L.Grid.y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
                 isOutside(L.Grid.z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
                 isOutside(L.Block.x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) ||
                 isOutside(L.Block.y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y) ||
                 isOutside(L.Block.z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z) ||
                 Threads > most(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return IsShape ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
}

/// The one place through which launches leave the runtime.
cudaError_t submit(const LaunchRequest &L) {
  return call([&](const DriverTable &D) {
    CUfunction F;
    if (cudaError_t E = Registry::get().findFunction(D, L.Kernel, F))
      return E;
    CUresult R;
    if (L.DynamicShared > UINT32_MAX)
      R = CUDA_ERROR_INVALID_VALUE;
    else if (L.AttributeCount) {
      CUlaunchConfig C = {L.Grid.x,
                          L.Grid.y,
                          L.Grid.z,
                          L.Block.x,
                          L.Block.y,
                          L.Block.z,
                          unsigned(L.DynamicShared),
                          L.Stream,
                          L.Attributes,
                          L.AttributeCount};
      R = D.cuLaunchKernelEx(&C, F, L.Arguments, nullptr);
    } else if (L.Cooperative)
      R = D.cuLaunchCooperativeKernel(
          F, L.Grid.x, L.Grid.y, L.Grid.z, L.Block.x, L.Block.y, L.Block.z,
          unsigned(L.DynamicShared), L.Stream, L.Arguments);
    else
      R = D.cuLaunchKernel(F, L.Grid.x, L.Grid.y, L.Grid.z, L.Block.x,
                           L.Block.y, L.Block.z, unsigned(L.DynamicShared),
                           L.Stream, L.Arguments, nullptr);
    return R ? explain(D, L, R) : cudaSuccess;
  });
}

/// What all three ways to launch have in common.
LaunchRequest request(const void *Host, dim3 Grid, dim3 Block, void **Arguments,
                      size_t Shared, cudaStream_t Stream) {
  LaunchRequest L;
  L.Kernel = Host;
  L.Grid = Grid;
  L.Block = Block;
  L.DynamicShared = Shared;
  L.Stream = Stream;
  L.Arguments = Arguments;
  return L;
}

/// What <<<...>>> leaves for the stub of the kernel. Configurations nest when
/// an argument of a launch itself launches.
struct CallConfiguration {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
};

std::vector<CallConfiguration> &configurations() {
  thread_local std::vector<CallConfiguration> Stack;
  return Stack;
}

} // namespace

namespace gevo::cudart {

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared,
                                     cudaStream_t Stream) {
  configurations().push_back({Grid, Block, Shared, Stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared,
                                       void *Stream) {
  auto &Stack = configurations();
  if (Stack.empty())
    return keepError(cudaErrorMissingConfiguration);
  const CallConfiguration &Top = Stack.back();
  *Grid = Top.Grid;
  *Block = Top.Block;
  *Shared = Top.Shared;
  *static_cast<cudaStream_t *>(Stream) = Top.Stream;
  Stack.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *Host, dim3 Grid, dim3 Block,
                             void **Arguments, size_t Shared,
                             cudaStream_t Stream) {
  return submit(request(Host, Grid, Block, Arguments, Shared, Stream));
}

cudaError_t cudaLaunchCooperativeKernel(const void *Host, dim3 Grid, dim3 Block,
                                        void **Arguments, size_t Shared,
                                        cudaStream_t Stream) {
  LaunchRequest L = request(Host, Grid, Block, Arguments, Shared, Stream);
  L.Cooperative = true;
  return submit(L);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                const void *Host, void **Arguments) {
  if (!Config)
    return keepError(cudaErrorInvalidValue);
  LaunchRequest L = request(Host, Config->gridDim, Config->blockDim, Arguments,
                            Config->dynamicSmemBytes, Config->stream);
  L.Attributes = Config->attrs;
  L.AttributeCount = Config->numAttrs;
  return submit(L);
}

#if GEVO_CUDART_MAJOR >= 12
cudaError_t __cudaGetKernel(cudaKernel_t *Handle, const void *Host) {
  return cudaGetKernel(Handle, Host);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t Handle, dim3 Grid, dim3 Block,
                               void **Arguments, size_t Shared,
                               cudaStream_t Stream) {
  return cudaLaunchKernel(Handle, Grid, Block, Arguments, Shared, Stream);
}
#endif

} // namespace gevo::cudart
