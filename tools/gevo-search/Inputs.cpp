//===- Inputs.cpp - What variants are judged on ---------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Judges that captures launches of the program and makes others of
// them: some guard the search, others prove what it found.
//
//===----------------------------------------------------------------------===//

#include "search/MachineError.h"
#include "tools/gevo-search/Capturing.h"
#include "tools/gevo-search/Judges.h"
#include "tools/gevo-search/Overview.h"
#include "tools/gevo-search/Patience.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gevo;

std::vector<std::string> Judges::guardNames() const {
  return Guards ? Guards->Names : std::vector<std::string>();
}

PairsOfKernel Judges::pairs() const {
  if (Asked.DistinctPointers)
    return nullptr;
  return [this](unsigned Module, StringRef Kernel) {
    return Device.pairsOf(Module, Kernel);
  };
}

Unvaried Judges::unvaried(const std::set<std::string> &Edited) const {
  return Others.empty()
             ? Unvaried()
             : findUnvaried(launchesSeen(), *Others[0], pairs(), Edited);
}

Error Judges::capture(bool Again, bool Validates) {
  Expected<Observations> Known =
      Observations::open(Folder + "/" + ObservedName.str(), Again, MemoryAlone);
  if (!Known)
    return Known.takeError();
  if (Error E = captureAndObserve(Again, Validates, *Known))
    return E;
  // Other ranks read it.
  return Validates ? Known->keep() : Error::success();
}

Error Judges::captureAndObserve(bool Again, bool Validates,
                                Observations &Known) {
  const WholeScenario &S = Targets[0].Scenario;
  Expected<LaunchScenario> Captured = captureLaunches(
      S, Targets[0].Cases[0].Run, Device, Folder + "/capture", Again);
  Expected<HeatMap> Heat =
      Captured ? profileLaunches(*Captured, S.Gpu, Device, Known)
               : Expected<HeatMap>(Captured.takeError());
  if (Error E = Heat.takeError()) {
    if (E.isA<MachineError>())
      return E;
    std::string Why = toString(std::move(E));
    V.say("judging by whole runs, which is slower: " + Why);
    if (Asked.OtherInputs)
      NotMade = std::move(Why);
    return Error::success();
  }
  Device.setHeat(std::move(*Heat));
  Device.setJudged(Captured->writers());
  Launches = std::move(*Captured);
  uint64_t Count = 0;
  for (const capture::Case &C : Launches->Captured.Cases)
    Count += C.Weight;
  V.say("searching on " +
        counted(Launches->Captured.Cases.size(), "captured launch") + " of " +
        Twine(Count));
  V.say("compared there: " + outputsOf(Launches->Captured, Launches->Rules));
  if (Error E = checkRules())
    return E;
  if (Asked.OtherInputs)
    if (Error E = makeInputs(Again, Validates))
      return E;
  return observeCode(Known);
}

// Where that fails the search does without, but not for want of a process.
Error Judges::observeCode(Observations &Known) {
  const std::string &Gpu = Targets[0].Scenario.Gpu;
  auto Without = [&](StringRef What, Error E) -> Error {
    if (!E || E.isA<MachineError>())
      return E;
    V.say(What + ": " + toString(std::move(E)));
    return Error::success();
  };
  if (Error E = Without("not known which code the inputs come to",
                        observeReach(*Launches, Guards ? &*Guards : nullptr,
                                     Gpu, Device, Known)))
    return E;
  // Only the default makes use of them. On one input too much is equal.
  if (!Guards || Asked.Algorithm != "default")
    return Error::success();
  return Without("not looking for values that are always equal",
                 observeTwins(*Launches, *Guards, Gpu, Device, Known));
}

// What the original makes of inputs only it can tell, and takes its time to.
Expected<std::optional<LaunchScenario>>
Judges::makeOthers(const LaunchScenario &From, const MakeInputs &Which,
                   const std::string &Path, bool Again) const {
  Patience Wait(V, "making inputs like those of the captured launches",
                "; the search goes on with those that can be made in a bounded "
                "number of steps. --other-inputs=0 goes without",
                PatienceSeconds);
  MakeInputs Bounded = Which;
  Bounded.Memory = MemoryAlone;
  if (InputSteps)
    Bounded.MostSteps = *InputSteps;
  std::vector<std::string> GivenUp;
  auto Made = otherInputs(From, Targets[0].Scenario.Gpu, Bounded, Original,
                          Path, Again, GivenUp);
  if (!GivenUp.empty())
    V.say("fewer inputs are made, as trying them out takes too many steps: " +
          join(GivenUp, ", "));
  return Made;
}

Expected<std::optional<LaunchScenario>> Judges::drawInputs(size_t Round,
                                                           bool Again) const {
  MakeInputs Which;
  Which.Seed = Asked.Seed + (uint64_t(Round) << 32);
  Which.Pairs = pairs();
  std::string Number = Round ? "-" + std::to_string(Round + 1) : "";
  return makeOthers(launchesSeen(), Which, Folder + "/others" + Number, Again);
}

// Guards are the same for every seed, as what is known of code is. They are
// few, as every variant that is faster has to stand them.
Error Judges::makeInputs(bool Again, bool Validates) {
  MakeInputs Which;
  Which.Seed = 0x6775617264;
  Which.PerKernel = 1;
  Which.Pairs = pairs();
  Expected<std::optional<LaunchScenario>> Made =
      makeOthers(*Launches, Which, Folder + "/guards", Again);
  if (!Made)
    return Made.takeError();
  Guards = std::move(*Made);
  if (!Guards)
    return Error::success();
  V.say("guarding the search: " + counted(Guards->Names.size(), "input") +
        " made from these, on which a faster variant must be right, "
        "too");
  if (!Validates)
    return Error::success();
  Made = drawInputs(/*Round=*/0, Again);
  if (!Made)
    return Made.takeError();
  if (*Made) {
    Others.push_back(std::make_unique<LaunchScenario>(std::move(**Made)));
    V.say("held out: " + Twine(Others[0]->Names.size()) +
          " others made in the same way");
  }
  return Error::success();
}

// What a captured launch has is one answer: how answers spread is not known.
Error Judges::makeProof(bool Again) {
  const WholeScenario &S = Targets[0].Scenario;
  Expected<LaunchScenario> Captured = captureLaunches(
      S, Targets[0].Cases[0].Run, Device, Folder + "/capture", Again);
  Error E = Captured.takeError();
  if (!E) {
    Seen = std::move(*Captured);
    if (S.Rules.Others.Limits.Mode == measure::CompareMode::Deviations)
      Seen->Rules = {};
    Expected<std::optional<LaunchScenario>> Made =
        drawInputs(/*Round=*/0, Again);
    E = Made.takeError();
    if (!E && *Made) {
      Others.push_back(std::make_unique<LaunchScenario>(std::move(**Made)));
      V.say("held out: " + counted(Others[0]->Names.size(), "input") +
            " made from launches of the run");
      return Error::success();
    }
  }
  if (E.isA<MachineError>())
    return E;
  NotMade = E ? toString(std::move(E))
              : "the original gets along with none that differ";
  V.say("validated with no inputs made from launches of the run: " + NotMade);
  return Error::success();
}
