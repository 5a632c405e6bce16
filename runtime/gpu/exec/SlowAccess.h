//===- SlowAccess.h - Memory accesses off the fast path ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane-by-lane resolution of addresses with its fault reports, and what watches
// accesses when it is switched on: traces, uninitialised reads and races.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_SLOWACCESS_H
#define GEVO_RUNTIME_GPU_EXEC_SLOWACCESS_H

#include "runtime/gpu/exec/Warp.h"

namespace gevo::gpu {

enum class AccessKind : uint8_t { Load, Store, Atomic };

/// Resolves \p A as Access.h's resolve does, for any mix of spaces. Reports a
/// fault and returns false if a lane's address is bad.
bool resolveSlowly(Warp &W, const Inst &I, uint32_t Mask,
                   uint64_t (&A)[WarpSize], uint32_t Bytes, AccessKind Kind);

/// Makes the allocation that holds \p Address the one that was hit last, if
/// there is one and it is another.
bool hitAnother(Warp &W, uint64_t Address);

/// Tells checks about an access whose host pointers are in \p A and
/// which touched one space only. Always true.
bool watchAccess(Warp &W, const Inst &I, uint32_t Mask,
                 const uint64_t (&A)[WarpSize], uint32_t Bytes, AccessKind Kind,
                 TraceSpace Space);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_SLOWACCESS_H
