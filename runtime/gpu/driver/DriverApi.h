//===- DriverApi.h - Prototypes of the CUDA driver API ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the functions of Api.def that we have. The embedded GPU defines
// them; a program that opens a driver library takes their types from here:
//
//   auto Init = (decltype(&gevo::cuda::cuInit))dlsym(Library, "cuInit");
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_DRIVERAPI_H
#define GEVO_RUNTIME_GPU_DRIVER_DRIVERAPI_H

#include "runtime/gpu/driver/cuda_abi_streams.h"

namespace gevo::cuda {

extern "C" {
#define CU_FUNCTION(Symbol, Base, Since, Mode, Params)                         \
  __attribute__((visibility("default"))) CUresult Symbol Params;
#include "runtime/gpu/driver/Api.def"
}

} // namespace gevo::cuda

#endif // GEVO_RUNTIME_GPU_DRIVER_DRIVERAPI_H
