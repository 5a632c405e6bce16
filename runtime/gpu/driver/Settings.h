//===- Settings.h - What the environment chooses ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GEVO_GPU, GEVO_CHECK, GEVO_TIMING, GEVO_STEP_LIMIT, GEVO_ON_FINDING and
// GEVO_FINDINGS: how a user configures the embedded GPU under a program that
// knows nothing of it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_SETTINGS_H
#define GEVO_RUNTIME_GPU_DRIVER_SETTINGS_H

#include "runtime/gpu/driver/Objects.h"

#include <optional>
#include <string>
#include <vector>

namespace gevo::driver {

/// Where a launch ends unless told otherwise, in warp instructions: an empty
/// loop takes four minutes for as many, and programs of public suites have
/// launches of several thousand million.
constexpr uint64_t DefaultStepLimit = uint64_t(1) << 34;

/// The environment's choices.
struct Settings {
  std::vector<DeviceProperties> Devices;
  LaunchSettings Launch;
};

/// Reads the environment. A value that makes no sense gives nothing and says
/// in \p Error which variable it is and what it may be.
std::optional<Settings> readSettings(std::string &Error);

/// The checks that \p Text names: "all", "bounds", "none", or families of
/// checks separated by commas. Nothing if it names none of these.
std::optional<gpu::CheckSet> parseChecks(const std::string &Text);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_SETTINGS_H
