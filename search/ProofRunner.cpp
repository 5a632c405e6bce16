//===- ProofRunner.cpp - Whole runs' finalists on made inputs -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All in one process, which has one device.
//
//===----------------------------------------------------------------------===//

#include "search/ProofRunner.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace gevo;

Fitness ProofRunner::open() {
  if (Device)
    return Fitness();
  measure::DeviceOptions O;
  O.Model = Gpu;
  std::string Error;
  Device = measure::Device::open(O, Error);
  if (!Device)
    return Fitness::notJudged(Error);
  for (const capture::Case &C : Seen.Captured.Cases)
    OfSeen.push_back(std::make_unique<measure::Replay>(*Device, C));
  for (const capture::Case &C : Made.Captured.Cases)
    OfMade.push_back(std::make_unique<measure::Replay>(*Device, C));
  return Fitness();
}

ProofRunner::Kernel ProofRunner::kernelOf(const LaunchScenario &S,
                                          size_t Case) {
  return {S.Captured.Cases[Case].Launches[0].Kernel, S.ModuleOf[Case]};
}

ProofRunner::Replayed ProofRunner::replay(const LaunchScenario &S, Replays &All,
                                          size_t Case, const Payload &Code,
                                          bool Timing) {
  // As many times the steps of the original as whole runs may take.
  constexpr double MostSteps = 8;
  measure::ReplayOptions O;
  O.StepFactor = MostSteps;
  O.Rules = S.Rules;
  O.AcceptedFindings = S.AcceptedFindings;
  O.Variant = true;
  O.Timing = Timing;
  O.MachineCode = Timing && Clock == ProofClock::MachineCode;
  O.Checks = Timing ? "bounds" : "all";
  measure::ReplayResult R = All[Case]->run(Code.Modules[S.ModuleOf[Case]], O);
  Fitness F = fitnessOf(R, S.Rules, O.MachineCode);
  if (F.End != Stage::Compare)
    return {F};
  if (!R.Unwritten.empty())
    F.Reason = R.Unwritten + ", which the original writes";
  // Where it may differ, how long it took counts all the same.
  F.Time = R.Microseconds * 1000;
  return {F, R.Compared && R.Unwritten.empty()};
}

Fitness ProofRunner::run(const Payload &Code) {
  if (Fitness Opened = open(); !Opened.valid())
    return Opened;
  std::set<Kernel> Free;
  for (size_t I = 0; I < OfSeen.size(); ++I) {
    auto [F, OnlyDiffers] = replay(Seen, OfSeen, I, Code, /*Timing=*/false);
    if (OnlyDiffers)
      Free.insert(kernelOf(Seen, I));
    else if (F.End == Stage::Compare)
      return Fitness::failed(F.End, "on a launch of the run, " +
                                        demangle(kernelOf(Seen, I).first) +
                                        ": " + F.Reason);
    else if (!F.valid())
      return F;
  }
  Fitness All;
  for (bool Timing : {false, true}) {
    if (Timing && Clock == ProofClock::None)
      break;
    for (size_t I = 0; I < OfMade.size(); ++I) {
      auto [F, OnlyDiffers] = replay(Made, OfMade, I, Code, Timing);
      if (!F.valid() && !(OnlyDiffers && Free.count(kernelOf(Made, I)))) {
        F.Reason = Made.Names[I] + ": " + F.Reason;
        return F;
      }
      All.Error = std::max(All.Error, F.Error);
      All.Time += Timing ? F.Time : 0;
    }
  }
  return All;
}
