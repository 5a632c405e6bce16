//===- CaseBuilder.h - From what a launch touched to a case -----*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_CASEBUILDER_H
#define GEVO_RUNTIME_GPU_DRIVER_CASEBUILDER_H

#include "runtime/gpu/capture/Case.h"
#include "runtime/gpu/driver/LaunchObserver.h"
#include "runtime/gpu/exec/Heap.h"
#include "runtime/gpu/exec/Touch.h"

namespace gevo::driver {

/// The case of a launch that has just ended: memory as it is now is the memory
/// after it, and so is that of freed blocks. Module, index and weight are left
/// to the caller.
capture::Case buildCase(const LaunchPlan &Plan, const LaunchOutcome &Outcome,
                        const gpu::TouchRecord &Touches,
                        const gpu::HeapRecord &Heap);

/// Marks the variables of the kernel's module as read, as far as they are small
/// enough that a variant may read them where the original does not.
void markVariables(const LaunchPlan &Plan, gpu::TouchRecord &Touches);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_CASEBUILDER_H
