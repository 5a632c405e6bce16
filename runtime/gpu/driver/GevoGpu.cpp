//===- GevoGpu.cpp - What the embedded GPU adds to the driver API ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/GevoGpu.h"
#include "runtime/gpu/driver/Driver.h"
#include "runtime/gpu/driver/FindingJson.h"
#include "runtime/gpu/driver/LogObserver.h"
#include "runtime/gpu/driver/Settings.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::driver;

#define GEVO_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int InterfaceVersion = 7;

/// Changes the settings of the current context or, without one, those that new
/// contexts get.
template <typename Fn> int changeSettings(Fn Change) {
  std::shared_ptr<Context> Ctx;
  if (!currentContext(Ctx, /*AllowFault=*/true)) {
    std::lock_guard<std::mutex> Guard(Ctx->Lock);
    Change(Ctx->Settings);
    return CUDA_SUCCESS;
  }
  // The environment is read once, and this is meant to override it.
  if (CUresult R = Driver::get().initialise())
    return R;
  std::lock_guard<std::mutex> Guard(Driver::get().PrimaryLock);
  Change(Driver::get().Defaults);
  return CUDA_SUCCESS;
}

} // namespace

GEVO_EXPORT int gevoGpuVersion(int *Version) {
  if (!Version)
    return CUDA_ERROR_INVALID_VALUE;
  *Version = InterfaceVersion;
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuSelectModel(const char *Name) {
  if (!Name)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] { return Driver::get().selectModel(Name); });
}

GEVO_EXPORT int gevoGpuGetModel(char *Name, size_t Size, int Ordinal) {
  if (CUresult R = checkInitialised())
    return R;
  Gpu *G = Driver::get().device(Ordinal);
  if (!G)
    return CUDA_ERROR_INVALID_DEVICE;
  const std::string &Model = G->Properties.Model;
  if (!Name || Size <= Model.size())
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(Name, Model.c_str(), Model.size() + 1);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuSetChecks(const char *Names) {
  std::optional<gpu::CheckSet> Checks;
  if (Names)
    Checks = parseChecks(Names);
  if (!Checks)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings([&](LaunchSettings &S) { S.Checks = *Checks; });
}

GEVO_EXPORT int gevoGpuSetMachineCode(int On) {
  using gpu::timing::CostChoice;
  return changeSettings([&](LaunchSettings &S) {
    S.Costs = On ? CostChoice::Auto : CostChoice::Rules;
  });
}

GEVO_EXPORT int gevoGpuSetTiming(int On) {
  return changeSettings([&](LaunchSettings &S) { S.Timing = On != 0; });
}

GEVO_EXPORT int gevoGpuSetStepLimit(uint64_t WarpInstructions) {
  return changeSettings(
      [&](LaunchSettings &S) { S.StepLimit = WarpInstructions; });
}

GEVO_EXPORT int gevoGpuSetCycleLimit(uint64_t Cycles) {
  return changeSettings([&](LaunchSettings &S) { S.CycleLimit = Cycles; });
}

GEVO_EXPORT int gevoGpuKeepLines(int On) {
  return changeSettings([&](LaunchSettings &S) { S.KeepLines = On != 0; });
}

GEVO_EXPORT int gevoGpuSetFindingsTarget(const char *Target) {
  if (!Target || !*Target)
    return CUDA_ERROR_INVALID_VALUE;
  return changeSettings([&](LaunchSettings &S) { S.FindingsTo = Target; });
}

GEVO_EXPORT int gevoGpuGetFindings(char *Buffer, size_t Size, size_t *Needed) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  return guarded([&] {
    nlohmann::ordered_json All = nlohmann::ordered_json::array();
    {
      std::lock_guard<std::mutex> Guard(Ctx->Lock);
      for (const gpu::Finding &F : Ctx->Findings)
        All.push_back(gpu::findingJson(F));
    }
    std::string Text = All.dump();
    if (Needed)
      *Needed = Text.size() + 1;
    if (Buffer && Size > Text.size())
      std::memcpy(Buffer, Text.c_str(), Text.size() + 1);
    return CUDA_SUCCESS;
  });
}

GEVO_EXPORT int gevoGpuClear(void) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  Ctx->Findings.clear();
  Ctx->FindingIndex.clear();
  Ctx->Printed.clear();
  Ctx->Sticky = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuGetCounters(GevoGpuCounters *Counters, size_t Size) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  if (!Counters)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  const gpu::LaunchCounters &C = Ctx->LastCounters;
  GevoGpuCounters All = {C.WarpInstructions, C.ThreadInstructions,
                         C.Branches,         C.DivergentBranches,
                         C.Barriers,         C.GlobalLoads,
                         C.GlobalStores,     C.SharedLoads,
                         C.SharedStores,     C.Atomics,
                         C.Blocks,           Ctx->LastMicroseconds,
                         Ctx->LastCycles,    Ctx->LastFromSass,
                         C.RaceWork};
  std::memcpy(Counters, &All, std::min(Size, sizeof(All)));
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuGetWhyRules(char *Buffer, size_t Size, size_t *Needed,
                                   int *Cause) {
  std::shared_ptr<Context> Ctx;
  if (CUresult R = currentContext(Ctx, /*AllowFault=*/true))
    return R;
  if (!Needed || !Cause)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> Guard(Ctx->Lock);
  const std::string &Text = Ctx->LastWhyRules;
  static_assert(int(gpu::FailureCause::Tool) == GEVO_GPU_RULES_TOOL &&
                    int(gpu::FailureCause::Machine) == GEVO_GPU_RULES_MACHINE,
                "they are the same by another name");
  *Cause = int(Ctx->LastRulesCause);
  *Needed = Text.size() + 1;
  if (Buffer && Size >= *Needed)
    std::memcpy(Buffer, Text.c_str(), *Needed);
  return CUDA_SUCCESS;
}

GEVO_EXPORT int gevoGpuNote(const char *Kind, const char *Text) {
  if (!Kind || !Text)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    if (LaunchLog *Log = launchLog())
      Log->add(LogKind::Note, std::string(Kind) + '\n' + Text, 1);
    return CUDA_SUCCESS;
  });
}
