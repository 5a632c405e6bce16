//===- LaunchRunner.cpp - Variants judged by captured launches ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages for outcomes, and sums over cases.
//
//===----------------------------------------------------------------------===//

#include "search/LaunchRunner.h"
#include "search/OtherPointers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;
using namespace gevo;

// What the original does here it did before: another time it may again.
static Fitness ofOriginal(Fitness F, const Twine &What) {
  F.Reason = (What + ": " + F.Reason).str();
  F.Lasting = false;
  return F;
}

Fitness LaunchRunner::open() {
  if (Device)
    return Fitness();
  measure::DeviceOptions O;
  O.Model = Gpu;
  std::string Error;
  Device = measure::Device::open(O, Error);
  if (!Device)
    return Fitness::failedHere(Stage::Load, Error);
  Fitness F = openCases();
  if (F.valid() && Guards)
    F = openGuards();
  if (F.valid())
    return F;
  GuardReplays.clear();
  Replays.clear();
  Originals.clear();
  OriginalTime = 0;
  Device.reset();
  return F;
}

Fitness LaunchRunner::openCases() {
  for (const capture::Case &C : S.Captured.Cases)
    Replays.push_back(std::make_unique<measure::Replay>(*Device, C));
  for (size_t I = 0; I < Replays.size(); ++I) {
    const capture::Case &C = S.Captured.Cases[I];
    Cost Whole;
    Fitness F = replay(I, S.Captured.Modules[C.Module], /*AllChecks=*/false,
                       /*CycleLimit=*/0, &Whole.Cycles);
    if (F.End == Stage::Lower || !F.Judged)
      return ofOriginal(F, "of the original");
    if (!F.valid())
      return ofOriginal(F, "the original cannot be replayed");
    Whole.Time = F.Time;
    Originals.push_back(Whole);
    OriginalTime += F.Time * C.Weight;
  }
  return Fitness();
}

Fitness LaunchRunner::openGuards() {
  for (size_t I = 0; I < Guards->Captured.Cases.size(); ++I) {
    const capture::Case &C = Guards->Captured.Cases[I];
    GuardReplays.push_back(std::make_unique<measure::Replay>(*Device, C));
    Fitness F = guard(I, Guards->Captured.Modules[C.Module]);
    if (F.valid())
      continue;
    // Another GPU has other limits; what the device cannot even hold says
    // nothing of the original.
    if (F.End != Stage::Run && F.End != Stage::Check && F.End != Stage::Compare)
      return ofOriginal(F,
                        "the original cannot be replayed, " + Guards->Names[I]);
    GuardReplays.back().reset();
  }
  return Fitness();
}

Stage gevo::stageOf(measure::Outcome O) {
  using measure::Outcome;
  switch (O) {
  case Outcome::Passed:
    return Stage::Done;
  case Outcome::DeviceFailed:
  case Outcome::LoadFailed:
  case Outcome::KernelMissing:
    return Stage::Load;
  case Outcome::LaunchRefused:
  case Outcome::Fault:
  case Outcome::StepLimit:
    return Stage::Run;
  case Outcome::TimeLimit:
    return Stage::Time;
  case Outcome::Finding:
    return Stage::Check;
  case Outcome::InputChanged:
  case Outcome::Unwritten:
  case Outcome::WrongOutput:
    return Stage::Compare;
  }
  llvm_unreachable("an outcome without a stage");
}

double gevo::errorOf(const measure::ReplayResult &R,
                     const measure::OutputRules &Rules) {
  double Most = 0;
  for (const measure::OutputResult &Out : R.Outputs)
    Most = std::max(Most, Rules.errorOf(Out.Name, Out.Diff.MaxError));
  return Most;
}

// Only what the assembler itself refused is something about the code.
static Fitness withoutMachineCode(const measure::ReplayResult &R) {
  std::string Why = "there is no machine code: " + R.WhyRules;
  switch (R.RulesCause) {
  case GEVO_GPU_RULES_MACHINE:
    return Fitness::notJudged(Why);
  case GEVO_GPU_RULES_TOOL:
    return Fitness::failedHere(Stage::Lower, Why);
  }
  return Fitness::failed(Stage::Lower, Why);
}

Fitness gevo::fitnessOf(const measure::ReplayResult &R,
                        const measure::OutputRules &Rules, bool MachineCode) {
  // By rules, a limit on time is none on this one. What it wrote may be allowed
  // to differ.
  Stage End = stageOf(R.Result);
  bool Timed =
      End == Stage::Done || End == Stage::Time || End == Stage::Compare;
  if (MachineCode && Timed && !R.FromSass)
    return withoutMachineCode(R);
  if (R.Result == measure::Outcome::DeviceFailed)
    return Fitness::failedHere(End, R.Reason);
  if (!R.passed())
    return Fitness::failed(End, R.Reason);
  Fitness F;
  F.Time = R.Microseconds * 1000;
  F.Error = errorOf(R, Rules);
  return F;
}

// Far over what a useful variant needs, and soon over for a loop that does not
// end.
static constexpr double MostSteps = 4;

Fitness LaunchRunner::replay(size_t Case, const std::string &Ptx,
                             bool AllChecks, uint64_t CycleLimit,
                             uint64_t *Cycles) {
  measure::ReplayOptions O;
  O.Checks = AllChecks ? "all" : "bounds";
  O.StepFactor = MostSteps;
  O.Rules = S.Rules;
  O.AcceptedFindings = S.AcceptedFindings;
  O.Variant = true;
  O.CycleLimit = CycleLimit;
  O.MachineCode = MachineCode;
  measure::ReplayResult R = Replays[Case]->run(Ptx, O);
  if (Cycles)
    *Cycles = R.Cycles;
  return fitnessOf(R, S.Rules, MachineCode);
}

Fitness LaunchRunner::runAll(const Payload &Code, bool AllChecks) {
  Fitness All;
  double Left = S.TimeBound * OriginalTime;
  for (size_t I = 0; I < Replays.size(); ++I) {
    uint64_t Weight = S.Captured.Cases[I].Weight;
    // What is left, of which every launch that this one stands for needs as
    // much; a device that counts no cycles has no limit.
    const Cost &First = Originals[I];
    uint64_t Limit = First.Cycles && First.Time > 0
                         ? std::ceil(First.Cycles * Left / Weight / First.Time)
                         : 0;
    Fitness F = replay(I, Code.Modules[S.ModuleOf[I]], AllChecks, Limit);
    if (!F.valid()) {
      if (I < S.Names.size())
        F.Reason = S.Names[I] + ": " + F.Reason;
      return F;
    }
    All.Time += F.Time * Weight;
    All.Error = std::max(All.Error, F.Error);
    Left -= F.Time * Weight;
    if (Left <= 0)
      return Fitness::failed(Stage::Time, "slower than the bound");
  }
  return All;
}

Fitness LaunchRunner::guard(size_t Case, const std::string &Ptx) {
  measure::ReplayOptions O;
  O.StepFactor = MostSteps;
  O.Rules = Guards->Rules;
  O.AcceptedFindings = Guards->AcceptedFindings;
  O.Variant = true;
  O.Timing = false;
  measure::ReplayResult R = GuardReplays[Case]->run(Ptx, O);
  return fitnessOf(R, Guards->Rules, /*MachineCode=*/false);
}

bool LaunchRunner::isOfPointers(size_t Guard) const {
  const capture::Case &Made = Guards->Captured.Cases[Guard];
  std::vector<const capture::Case *> Run;
  for (size_t I = 0; I < S.Captured.Cases.size(); ++I)
    if (const capture::Case &C = S.Captured.Cases[I];
        S.ModuleOf[I] == Guards->ModuleOf[Guard] &&
        C.Launches[0].Kernel == Made.Launches[0].Kernel)
      Run.push_back(&C);
  return joinsPointers(Run, Made);
}

Fitness LaunchRunner::guarded(const Payload &Code, Fitness F) {
  for (size_t I = 0; I < GuardReplays.size(); ++I) {
    if (!GuardReplays[I])
      continue;
    Fitness Here = guard(I, Code.Modules[Guards->ModuleOf[I]]);
    if (!Here.valid()) {
      Here.Reason =
          Guards->Names[I] + ": " + name(Here.End).str() + ": " + Here.Reason;
      Here.End = isOfPointers(I) ? Stage::Pointers : Stage::Guard;
      return Here;
    }
    F.Error = std::max(F.Error, Here.Error);
  }
  return F;
}

Fitness LaunchRunner::run(const Payload &Code) {
  // What the device does not open or hold is nothing of this code.
  if (Fitness Opened = open(); !Opened.valid())
    return Opened.End == Stage::Load ? Fitness::notJudged(Opened.Reason)
                                     : Opened;
  Fitness F = runAll(Code, /*AllChecks=*/false);
  // A price is asked for what was checked before.
  if (MachineCode)
    return F;
  // What could enter the front must stand all checks, too, on every case.
  if (F.valid() && (CheckAlways || F.Time < OriginalTime))
    F = runAll(Code, /*AllChecks=*/true);
  else
    return F;
  return F.valid() ? guarded(Code, std::move(F)) : F;
}

Expected<std::vector<std::vector<uint8_t>>>
LaunchRunner::watch(const Payload &Code, const std::string &Variable,
                    double Factor) {
  if (Fitness Opened = open(); !Opened.valid())
    return createStringError(inconvertibleErrorCode(), Opened.Reason);
  std::vector<std::vector<uint8_t>> Bytes(Code.Modules.size());
  auto Add = [&](measure::Replay &R, unsigned Module) -> Error {
    const std::string &Ptx = Code.Modules[Module];
    measure::ReplayOptions O;
    O.Checks = "none";
    O.Timing = false;
    O.StepFactor = Factor;
    measure::ReplayResult Result = R.run(Ptx, O);
    // A product that is looked at is no longer fused with the sum it goes
    // into, which rounds once more: not what the original writes, but close.
    if (!Result.passed() && Result.Result != measure::Outcome::WrongOutput)
      return createStringError(inconvertibleErrorCode(), Result.Reason);
    std::vector<uint8_t> &To = Bytes[Module];
    capture::Bytes Now = R.variableOf(Ptx, Variable);
    To.resize(std::max(To.size(), Now.size()));
    for (size_t I = 0; I < Now.size(); ++I)
      To[I] = std::max(To[I], Now[I]);
    return Error::success();
  };
  for (size_t I = 0; I < Replays.size(); ++I)
    if (Error E = Add(*Replays[I], S.ModuleOf[I]))
      return E;
  for (size_t I = 0; I < GuardReplays.size(); ++I)
    if (GuardReplays[I])
      if (Error E = Add(*GuardReplays[I], Guards->ModuleOf[I]))
        return E;
  return Bytes;
}

Expected<std::vector<LineCost>> LaunchRunner::profile(const Payload &Code) {
  if (Fitness Opened = open(); !Opened.valid())
    return createStringError(inconvertibleErrorCode(), Opened.Reason);
  std::vector<LineCost> Costs;
  for (size_t I = 0; I < Replays.size(); ++I) {
    measure::ReplayOptions O;
    O.Checks = "none";
    O.Lines = true;
    O.Rules = S.Rules;
    unsigned Module = S.ModuleOf[I];
    measure::ReplayResult R = Replays[I]->run(Code.Modules[Module], O);
    if (!R.passed())
      return createStringError(inconvertibleErrorCode(), R.Reason);
    for (const GevoGpuLine &L : Replays[I]->lines())
      Costs.push_back(
          {Module, L.Line, (L.Issues + L.Stalls) * S.Captured.Cases[I].Weight});
  }
  return Costs;
}
