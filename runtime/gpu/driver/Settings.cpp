//===- Settings.cpp - What the environment chooses ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Settings.h"

#include <cerrno>
#include <cstdlib>

using namespace gevo;
using namespace gevo::driver;

namespace {

std::vector<std::string> splitCommas(const std::string &Text) {
  std::vector<std::string> Parts;
  size_t Begin = 0;
  for (;;) {
    size_t End = Text.find(',', Begin);
    Parts.push_back(Text.substr(Begin, End - Begin));
    if (End == std::string::npos)
      return Parts;
    Begin = End + 1;
  }
}

std::string variable(const char *Name, const char *Default) {
  const char *Value = std::getenv(Name);
  return Value && *Value ? Value : Default;
}

std::optional<uint64_t> parseCount(const std::string &Text) {
  char *End;
  errno = 0;
  unsigned long long Value = std::strtoull(Text.c_str(), &End, 10);
  if (errno || *End || Text.empty() || Text[0] == '-')
    return std::nullopt;
  return Value;
}

} // namespace

std::optional<gpu::CheckSet>
gevo::driver::parseChecks(const std::string &Text) {
  if (Text == "all")
    return gpu::CheckSet::all();
  if (Text == "bounds")
    return gpu::CheckSet::bounds();
  if (Text == "none")
    return gpu::CheckSet::none();
  gpu::CheckSet Set;
  for (const std::string &Name : splitCommas(Text)) {
    std::optional<gpu::CheckFamily> Family = gpu::checkFamilyByName(Name);
    if (!Family)
      return std::nullopt;
    Set = Set.with(*Family);
  }
  return Set;
}

std::optional<Settings> gevo::driver::readSettings(std::string &Error) {
  Settings S;
  for (const std::string &Name : splitCommas(variable("GEVO_GPU", "V100"))) {
    std::optional<DeviceProperties> P = gpuModel(Name, Error);
    if (!P) {
      Error = "GEVO_GPU: " + Error;
      return std::nullopt;
    }
    S.Devices.push_back(*P);
  }
  std::string Checks = variable("GEVO_CHECK", "all");
  if (std::optional<gpu::CheckSet> Set = parseChecks(Checks)) {
    S.Launch.Checks = *Set;
  } else {
    Error = "GEVO_CHECK: unknown checks '" + Checks +
            "'; expected all, bounds, none or families separated by commas";
    return std::nullopt;
  }
  std::string Limit =
      variable("GEVO_STEP_LIMIT", std::to_string(DefaultStepLimit).c_str());
  if (std::optional<uint64_t> Count = parseCount(Limit)) {
    S.Launch.StepLimit = *Count;
  } else {
    Error = "GEVO_STEP_LIMIT: '" + Limit + "' is not a number";
    return std::nullopt;
  }
  std::string Timing = variable("GEVO_TIMING", "on");
  if (Timing != "on" && Timing != "off") {
    Error = "GEVO_TIMING: '" + Timing + "' is neither on nor off";
    return std::nullopt;
  }
  S.Launch.Timing = Timing == "on";
  std::string OnFinding = variable("GEVO_ON_FINDING", "fail");
  if (OnFinding != "fail" && OnFinding != "continue") {
    Error = "GEVO_ON_FINDING: '" + OnFinding + "' is neither fail nor continue";
    return std::nullopt;
  }
  S.Launch.FailOnFinding = OnFinding == "fail";
  std::string Costs = variable("GEVO_COSTS", "auto");
  auto Choice = gpu::timing::costChoiceByName(Costs);
  if (!Choice || *Choice == gpu::timing::CostChoice::Sass) {
    Error = "GEVO_COSTS: '" + Costs + "' is neither auto, rules nor text";
    return std::nullopt;
  }
  S.Launch.Costs = *Choice;
  S.Launch.FindingsTo = variable("GEVO_FINDINGS", "stderr");
  return S;
}
