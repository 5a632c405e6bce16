//===- GraphParams.h - Nodes as the driver describes them -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_GRAPHPARAMS_H
#define GEVO_RUNTIME_CUDART_GRAPHPARAMS_H

#include "runtime/cudart/Copies.h"
#include "runtime/cudart/Registry.h"

namespace gevo::cudart {

/// Describes the launch \p Params for the driver.
inline cudaError_t describeKernel(const DriverTable &D,
                                  const cudaKernelNodeParams *Params,
                                  CUDA_KERNEL_NODE_PARAMS &P) {
  if (!Params)
    return cudaErrorInvalidValue;
  P = {};
  P.gridDimX = Params->gridDim.x;
  P.gridDimY = Params->gridDim.y;
  P.gridDimZ = Params->gridDim.z;
  P.blockDimX = Params->blockDim.x;
  P.blockDimY = Params->blockDim.y;
  P.blockDimZ = Params->blockDim.z;
  P.sharedMemBytes = Params->sharedMemBytes;
  P.kernelParams = Params->kernelParams;
  P.extra = Params->extra;
  return Registry::get().findFunction(D, Params->func, P.func);
}

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_GRAPHPARAMS_H
