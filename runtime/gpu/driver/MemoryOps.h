//===- MemoryOps.h - Memory operations behind the API -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All copies, of whatever dimension and direction, are one operation here, and
// so are all fills; the API's many functions describe them. Device memory is
// host memory, so what is left is to check bounds.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_MEMORYOPS_H
#define GEVO_RUNTIME_GPU_DRIVER_MEMORYOPS_H

#include "runtime/gpu/driver/Driver.h"

namespace gevo::driver {

/// One side of a copy: a base, and where the copied box starts and how far its
/// rows and slices are apart.
struct CopySide {
  bool IsDevice = false; ///< Must lie in memory that the driver knows.
  uint64_t Base = 0;
  uint64_t X = 0, Y = 0, Z = 0;
  uint64_t Pitch = 0;  ///< Bytes from row to row.
  uint64_t Height = 0; ///< Rows from slice to slice.
};

/// A copy of a box of bytes.
struct BoxCopy {
  CopySide From, To;
  uint64_t Width = 0, Height = 1, Depth = 1;
  double Microseconds = 0; ///< On the model's clock, once planned.
};

/// A fill of a rectangle.
struct BoxSet {
  uint64_t Base = 0;
  uint64_t Pitch = 0;
  uint32_t Value = 0;
  uint32_t ElementBytes = 1;
  uint64_t Width = 0; ///< In elements.
  uint64_t Height = 1;
};

/// Takes the descriptions that programs use; arrays are not supported.
CUresult describeCopy(const CUDA_MEMCPY2D &C, BoxCopy &Box);
CUresult describeCopy(const CUDA_MEMCPY3D &C, BoxCopy &Box);

/// Checks that \p Box stays inside the program's memory and does it.
CUresult runCopy(const Context &Ctx, const BoxCopy &Box, WorkReport &Report);
/// The same for a fill.
CUresult runSet(const Context &Ctx, const BoxSet &Set, WorkReport &Report);

/// Wraps them for a stream.
Work copyWork(const BoxCopy &Box);
Work setWork(const BoxSet &Set);

/// Frees device or managed memory that starts at \p Address.
CUresult freeDeviceMemory(CUdeviceptr Address);

/// Memory of \p Kind in \p Ctx.
CUresult allocateIn(const std::shared_ptr<Context> &Ctx, uint64_t *Address,
                    size_t Bytes, gpu::MemoryKind Kind, unsigned Flags = 0);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_MEMORYOPS_H
