//===- Capturing.cpp - Launches to search on ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both run in processes of their own: a device that this process had opened
// must not be there when the workers start.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Capturing.h"
#include "search/Workers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static Error runCapture(const WholeScenario &S, const Command &Program,
                        const std::string &Folder) {
  sys::fs::remove_directories(Folder);
  std::vector<std::string> Words = {S.GevoRun, "--gpu=" + S.Gpu,
                                    "--capture=" + Folder, "--"};
  append_range(Words, Program);
  SmallVector<StringRef, 16> Views(Words.begin(), Words.end());
  std::optional<StringRef> Nowhere[] = {StringRef(""), StringRef(""),
                                        StringRef("")};
  std::string Message;
  if (sys::ExecuteAndWait(S.GevoRun, Views, std::nullopt, Nowhere, 0, 0,
                          &Message) < 0)
    return failure("cannot run '" + S.GevoRun + "': " + Message);
  return Error::success();
}

Expected<LaunchScenario> gevo::captureLaunches(const WholeScenario &S,
                                               const Command &Program,
                                               IrProgram &Device,
                                               const std::string &Folder,
                                               bool Again) {
  if (!Again)
    if (Error E = runCapture(S, Program, Folder))
      return E;
  Built Original = Device.build({});
  if (!Original.ok())
    return failure("the program itself fails at stage '" +
                   name(Original.Failure.End) +
                   "': " + Original.Failure.Reason);
  Expected<LaunchScenario> Launches = readLaunches(Folder, Original.Code);
  if (!Launches)
    return Launches.takeError();
  Launches->Gpu = S.Gpu;
  Launches->TimeBound = S.TimeBound;
  for (StringRef Finding : S.AcceptedFindings)
    Launches->AcceptedKinds.insert(Finding.rsplit(' ').second.str());
  if (S.Tolerance > 0) {
    Launches->Rule.Limits.Mode = measure::CompareMode::Relative;
    Launches->Rule.Limits.Limit = S.Tolerance;
  }
  return Launches;
}

// The costs of lines as JSON: module, line and cycles, one after the other.
static std::string profileText(const LaunchScenario &Launches,
                               const Payload &Tagged) {
  Expected<std::vector<LineCost>> Costs =
      LaunchRunner(Launches).profile(Tagged);
  if (!Costs)
    return toString(Costs.takeError());
  json::Array Flat;
  for (const LineCost &C : *Costs)
    for (uint64_t Number : {uint64_t(C.Module), uint64_t(C.Line), C.Cycles})
      Flat.push_back(Number);
  return formatv("{0}", json::Value(std::move(Flat))).str();
}

Expected<HeatMap> gevo::profileLaunches(const LaunchScenario &Launches,
                                        IrProgram &Device) {
  Built Tagged = Device.buildTagged();
  if (!Tagged.ok())
    return failure("the program cannot be lowered for a profile: " +
                   Tagged.Failure.Reason);
  WorkerLimits Limits;
  Limits.MemoryBytes = 0;
  Limits.Seconds = 600;
  auto Started = forkWorkers(Limits, [&] {
    return Service(
        [&](StringRef) { return profileText(Launches, Tagged.Code); });
  });
  if (!Started)
    return Started.takeError();
  (*Started)->send(0, "profile");
  Expected<Workers::Reply> Reply = (*Started)->wait();
  if (!Reply)
    return Reply.takeError();
  std::string Text = Reply->Text.value_or(Reply->Death);
  Expected<std::vector<uint64_t>> Flat =
      json::parse<std::vector<uint64_t>>(Text);
  if (!Flat) {
    consumeError(Flat.takeError());
    return failure("the captured launches cannot be profiled: " + Text);
  }
  std::vector<IrProgram::TaggedLines> Lines;
  for (const std::string &PTX : Tagged.Code.Modules)
    Lines.emplace_back(PTX);
  HeatMap Heat(Device.functionCount());
  for (size_t I = 0; I + 2 < Flat->size(); I += 3)
    Lines[(*Flat)[I]].add((*Flat)[I + 1], (*Flat)[I + 2], Heat);
  return Heat;
}
