//===- ProgramReport.h - What a program launched ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_PROGRAMREPORT_H
#define GEVO_TOOLS_GEVO_RUN_PROGRAMREPORT_H

#include "runtime/gpu/driver/LaunchLog.h"
#include "runtime/gpu/timing/HotLines.h"

#include <nlohmann/json.hpp>

#include <set>

namespace gevo::run {

/// A kernel over all processes of a run.
struct KernelRow {
  std::string Name;
  uint64_t Launches = 0;
  uint64_t FromSass = 0;    ///< Launches whose machine code was priced.
  uint64_t InTextOrder = 0; ///< Launches priced in the order of their PTX.
  /// Why the others were priced by rules, if they were not to be.
  std::set<std::string> WhyRules;
  int RulesCause = 0;  ///< The gravest of GEVO_GPU_RULES_INPUT and its kin.
  uint64_t Silent = 0; ///< Launches that wrote nothing.
  double Microseconds = 0;
  std::vector<nlohmann::ordered_json> Findings;
  std::vector<gpu::timing::HotLine> Lines; ///< The dearest first.
};

/// A run, merged from the logs of its processes.
struct ProgramReport {
  std::vector<KernelRow> Kernels; ///< The longest first.
  size_t Processes = 0;           ///< That used the driver.
  double Microseconds = 0;        ///< Of all kernels.
  uint64_t Launches = 0;
  std::set<std::string> Missing; ///< Functions that were called and lack.
  /// Device code that could not be loaded, logs that could not be read.
  std::set<std::string> Problems;
  std::set<std::string> Failed; ///< Launches that failed without finding.
  /// Pairs of file and kernel.
  std::set<std::pair<std::string, std::string>> Substituted;
  uint64_t Dropped = 0;

  /// Whether a finding is an error.
  bool hasErrors() const;
};

/// Merges \p Logs.
ProgramReport mergeLogs(const std::vector<driver::LoggedProcess> &Logs);

/// The report as text.
std::string reportText(const ProgramReport &R, const std::string &Gpu);

/// The report as JSON.
nlohmann::ordered_json reportJson(const ProgramReport &R);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_PROGRAMREPORT_H
