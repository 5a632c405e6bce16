//===- Copies.h - Copies as the driver describes them -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_CUDART_COPIES_H
#define GEVO_RUNTIME_CUDART_COPIES_H

#include "runtime/cudart/Runtime.h"

namespace gevo::cudart {

/// Describes the copy \p P of boxes of memory for the driver.
cudaError_t describeCopy(const cudaMemcpy3DParms *P, CUDA_MEMCPY3D &C);

/// A copy of bytes in a row as one of boxes.
cudaMemcpy3DParms lineCopy(void *To, const void *From, size_t Bytes,
                           cudaMemcpyKind Kind);

} // namespace gevo::cudart

#endif // GEVO_RUNTIME_CUDART_COPIES_H
