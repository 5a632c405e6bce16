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
                                      const std::string &Memory,
                                      unsigned Number) {
  return Kernel + " " + Kind + (Memory.empty() ? "" : " " + Memory) +
         (Number > 1 ? " (" + std::to_string(Number) + ")" : "");
}

std::string gevo::measure::unnumbered(const std::string &Key) {
  return Key.substr(0, Key.find(" ("));
}

std::map<std::string, unsigned>
gevo::measure::countFindings(const std::set<std::string> &Keys) {
  std::map<std::string, unsigned> Counts;
  for (const std::string &Key : Keys)
    ++Counts[unnumbered(Key)];
  return Counts;
}

std::string Finding::key() const {
  return findingKey(Kernel, Kind, Memory, Number);
}

std::string Finding::reason() const {
  std::string More = "; the original has no more than " +
                     std::to_string(Number - 1) + " findings of this kind" +
                     (Memory.empty() ? "" : " on " + Memory);
  return Kind + ": " + Message + (Number > 1 ? More : "");
}

std::vector<Finding> gevo::measure::findingsOf(const DriverTable &T) {
  size_t Needed = 0;
  if (T.gevoGpuGetFindings(nullptr, 0, &Needed) || Needed <= 3)
    return {};
  std::string Text(Needed, 0);
  T.gevoGpuGetFindings(Text.data(), Text.size(), nullptr);
  Text.resize(Needed - 1);
  std::vector<Finding> All;
  std::map<std::string, unsigned> Numbers;
  nlohmann::json J = nlohmann::json::parse(Text, nullptr, false);
  if (J.is_array())
    for (const auto &F : J) {
      Finding &New = All.emplace_back();
      New.Kind = F.value("kind", "");
      New.Message = F.value("message", "");
      std::string Severity = F.value("severity", "error");
      New.IsError = Severity == "error";
      New.FailsVariant = F.value("variant_severity", Severity) == "error";
      New.PtxLine = F.contains("where") ? F["where"].value("ptx_line", 0u) : 0u;
      New.Kernel = F.value("kernel", "");
      New.Memory = F.value("memory", "");
      New.Number = ++Numbers[New.key()];
    }
  return All;
}
