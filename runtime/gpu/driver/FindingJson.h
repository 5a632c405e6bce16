//===- FindingJson.h - Findings and counters as JSON ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one form in which gevo-run, GEVO_FINDINGS and gevoGpuGetFindings write
// what a check found.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_FINDINGJSON_H
#define GEVO_RUNTIME_GPU_DRIVER_FINDINGJSON_H

#include "runtime/gpu/exec/Launch.h"

#include <nlohmann/json.hpp>

namespace gevo::gpu {

/// \p F as an object, its keys in a fixed order.
nlohmann::ordered_json findingJson(const Finding &F);

/// \p C as an object.
nlohmann::ordered_json countersJson(const LaunchCounters &C);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_DRIVER_FINDINGJSON_H
