//===- Report.h - Findings for people and programs --------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_REPORT_H
#define GEVO_RUNTIME_GPU_DRIVER_REPORT_H

#include "runtime/gpu/driver/Objects.h"

#include <string>

namespace gevo::driver {

/// Prints what was found in a launch of \p Kernel where \p Settings say. The
/// same finding is printed once for each context.
void reportLaunch(Context &Ctx, const LaunchSettings &Settings,
                  const std::string &Kernel, const gpu::LaunchResult &Result);

/// Adds what a launch found to the context's findings: those of a place that is
/// known raise its count, or programs that launch for days would take ever more
/// memory. The caller holds the context's lock.
void keepFindings(Context &Ctx, const std::vector<gpu::Finding> &Found);

/// Tells findings apart by kind and place.
std::string findingKey(const gpu::Finding &F);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_REPORT_H
