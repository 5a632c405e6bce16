//===- Shadow.h - Checks by marks, one for each byte ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared and local memory have shadows, which tell of each byte whether it was
// written and, on the stack, whether it is in a variable of a frame.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_SHADOW_H
#define GEVO_RUNTIME_GPU_EXEC_SHADOW_H

#include "runtime/gpu/exec/SlowAccess.h"

namespace gevo::gpu {

/// Reports lanes whose host pointers \p A into local memory are in no variable
/// of a frame. Only for warps that have a shadow of it.
void checkStack(Warp &W, uint32_t Mask, const uint64_t (&A)[WarpSize],
                uint32_t Bytes, AccessKind Kind);

/// Reports lanes that read bytes of shared or local memory before they were
/// written, and marks what they write.
void checkInitialised(Warp &W, uint32_t Mask, const uint64_t (&A)[WarpSize],
                      uint32_t Bytes, AccessKind Kind, TraceSpace Space);

/// What the lanes of \p Mask point to in shared memory counts as never written
/// from now on.
void forgetShared(Warp &W, uint32_t Mask, const uint64_t (&A)[WarpSize],
                  uint32_t Bytes);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_SHADOW_H
