//===- Runner.h - Runs what launch.json says --------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_RUNNER_H
#define GEVO_TOOLS_GEVO_RUN_RUNNER_H

#include "runtime/gpu/driver/DeviceProperties.h"
#include "runtime/gpu/timing/Sass.h"
#include "tools/gevo-run/LaunchFile.h"

namespace gevo::run {

/// What the command line chooses.
struct RunOptions {
  gpu::timing::CostChoice Costs = gpu::timing::CostChoice::Auto;
  bool Profile = false;     ///< Hot lines on standard error.
  bool ProfileJson = false; ///< Profiles in the report.
  driver::DeviceProperties Gpu;
  gpu::CheckSet Checks = gpu::CheckSet::all();
  uint64_t StepLimit = 0;
  bool Timing = true;
  bool ColdL2 = false;   ///< Empty L2 before every launch.
  bool Exact = false;    ///< Time every block of large grids.
  std::string OutFolder; ///< Empty: dumps go into the report.
};

/// The report, and whether all launches were clean.
struct RunReport {
  nlohmann::ordered_json Json;
  bool Clean = true;
};

/// Runs the launches of \p File with the kernels of \p Ptx. A request that
/// makes no sense (no such kernel, arguments that do not fit) gives nothing
/// and says in \p Error what is wrong; PTX that does not parse and launches
/// that fail are reported.
std::optional<RunReport> runLaunches(const LaunchFile &File,
                                     const std::string &PtxName,
                                     const std::string &Ptx,
                                     const RunOptions &Options,
                                     std::string &Error);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_RUNNER_H
