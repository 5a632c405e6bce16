//===- Findings.cpp - What the checks of the embedded GPU found -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"

#include <nlohmann/json.hpp>

using namespace gevo::measure;

std::string gevo::measure::findingKey(const std::string &Kernel,
                                      const std::string &Kind,
                                      const std::string &Memory) {
  return Kernel + " " + Kind + (Memory.empty() ? "" : " " + Memory);
}

std::vector<Finding> gevo::measure::findingsOf(const DriverTable &T) {
  size_t Needed = 0;
  if (T.gevoGpuGetFindings(nullptr, 0, &Needed) || Needed <= 3)
    return {};
  std::string Text(Needed, 0);
  T.gevoGpuGetFindings(Text.data(), Text.size(), nullptr);
  Text.resize(Needed - 1);
  std::vector<Finding> All;
  nlohmann::json J = nlohmann::json::parse(Text, nullptr, false);
  if (J.is_array())
    for (const auto &F : J)
      All.push_back(
          {F.value("kind", ""), F.value("message", ""),
           F.value("severity", "error") == "error",
           F.value("variant_severity", F.value("severity", "error")) == "error",
           F.contains("where") ? F["where"].value("ptx_line", 0u) : 0u,
           F.value("kernel", ""), F.value("memory", "")});
  return All;
}
