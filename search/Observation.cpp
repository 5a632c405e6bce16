//===- Observation.cpp - What the original does ---------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Repeated runs show what of its outputs can be compared, and whether that is
// enough to judge by; others find the limits that a variant gets.
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Incidental.h"
#include "runtime/measure/PrintedText.h"
#include "search/PairedTimes.h"
#include "search/ShellText.h"
#include "search/WholeRunner.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <chrono>
#include <thread>

using namespace llvm;
using namespace gevo;

static Error unfit(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

// Times of the original on the wall: the least counts.
static void timeOnWall(const WholeScenario &S, WholeCase &Case) {
  std::vector<double> Times;
  for (unsigned I = 0; I < S.Pairs; ++I)
    if (WholeRun R = runWhole(S, Case.Run, {}, RunMode::Plain);
        R.Result.valid())
      Times.push_back(R.Result.Time);
  if (Times.empty())
    return;
  Case.Time = *min_element(Times);
  Case.Noise = noiseOf(Times);
}

// The smallest power of four that the original gets along with, and some room.
// A host that ignores errors may print the same without a launch's result, so
// that a launch that was stopped is seen by its finding alone.
static uint64_t findStepLimit(WholeScenario S, const WholeCase &Case,
                              double Untimed) {
  constexpr uint64_t First = 1 << 12, Last = uint64_t(1) << 40, Room = 8;
  // With less to do it takes no longer; a host that waits for what a stopped
  // launch would have written waits for ever.
  double Usual = Case.SameUntimed ? Untimed : Case.Original.WallSeconds;
  S.Seconds = 4 * Usual + 3;
  for (S.StepLimit = First; S.StepLimit < Last; S.StepLimit *= 4) {
    WholeRun R = runWhole(S, Case.Run, {},
                          Case.SameUntimed ? RunMode::Untimed : RunMode::Plain);
    if (R.Result.valid() && Case.compare(R).valid() &&
        !S.findRefused(R.Findings))
      return S.StepLimit * Room;
  }
  return 0;
}

// What to do about answers that differ. Standard output is always compared.
static std::string hintFor(const measure::OutputSpec &Spec) {
  bool File = Spec.What == measure::OutputSpec::Kind::File;
  return "; give the program a seed that stays, or allow for it: --tolerance=" +
         shellWord(Spec.name() + "=sd:6") +
         " counts in standard deviations of repeated runs" +
         (File ? ", and --output, or 'outputs' of a scenario, names the files "
                 "to compare instead of all"
               : "");
}

// The numbers of that output in which \p Other differs beyond the tolerance and
// the runs do not that tell how it spreads. Nothing if more than numbers
// differs.
static std::optional<measure::WordSet>
changedIn(const WholeCase &Case, size_t Number, const WholeRun &Other) {
  const std::string &First = Case.Original.Outputs[Number];
  if (measure::isBinary(First))
    return std::nullopt;
  std::optional<measure::WordSet> Changed =
      measure::changedNumbers(First, Other.Outputs[Number]);
  const measure::OutputSpec &Spec = Case.Outputs[Number];
  if (!Changed)
    return Changed;
  if (!Spec.countsDeviations())
    return measure::beyondTolerance(Spec, {First, Other.Outputs[Number]},
                                    *Changed);
  for (const std::vector<std::string> &Run : Case.Repeated) {
    auto Spread = measure::changedNumbers(First, Run[Number]);
    if (!Spread)
      return std::nullopt;
    for (size_t Word : *Spread)
      Changed->erase(Word);
  }
  return Changed;
}

// The numbers that another run prints otherwise, by output. More than numbers,
// or nothing left to compare, is an error.
static Expected<std::vector<measure::WordSet>>
findVolatile(const WholeCase &Case, const WholeRun &Other) {
  std::vector<measure::WordSet> Found;
  for (size_t I = 0; I < Case.Original.Outputs.size(); ++I) {
    const std::string &First = Case.Original.Outputs[I];
    measure::WordSet &Words = Found.emplace_back(Case.Outputs[I].Ignored);
    if (I >= Other.Outputs.size())
      return unfit("the program fails when it is run again: " +
                   Other.Result.Reason);
    measure::RunDifference D = Case.compareOutput(I, Other);
    if (D.Passed)
      continue;
    std::optional<measure::WordSet> Changed = changedIn(Case, I, Other);
    if (!Changed)
      return unfit("two runs of the program differ: " + D.Reason +
                   "; only what is the same every time can be compared" +
                   hintFor(Case.Outputs[I]));
    Words.insert(Changed->begin(), Changed->end());
    Words = measure::withAlikeLines(First, Words);
    if (none_of(measure::withoutWords(First, Words),
                [](char C) { return isAlnum(C); }))
      return unfit("two runs of the program differ: " + D.Reason +
                   ", and nothing else is there to compare" +
                   hintFor(Case.Outputs[I]));
  }
  return Found;
}

static void ignoreWords(WholeCase &Case,
                        std::vector<measure::WordSet> &&Volatile) {
  for (size_t I = 0; I < Volatile.size(); ++I)
    Case.Outputs[I].Ignored = std::move(Volatile[I]);
}

static Error checkFindings(const WholeScenario &S, const Command &C,
                           const WholeRun &R) {
  const std::string *Refused = S.findRefused(R.Findings);
  if (!Refused)
    return Error::success();
  auto [Kernel, Kind] = StringRef(*Refused).split(' ');
  return unfit("the program itself has a finding, '" + Kind + "' in " +
               demangle(Kernel) + "; gevo-run --check=all -- " + shellText(C) +
               " shows where. Mend it, or accept it with --accept-findings");
}

// Runs the original again: once, or often enough to know how its answers
// spread, and then once more to see that it is itself within the tolerance.
// The last of these runs.
static Expected<WholeRun>
repeatOriginal(const WholeScenario &S, WholeCase &Case,
               std::chrono::system_clock::time_point Next) {
  constexpr unsigned ForSpread = 8;
  bool Spread = any_of(Case.Outputs, [](const measure::OutputSpec &Spec) {
    return Spec.countsDeviations();
  });
  std::vector<WholeRun> Runs;
  for (unsigned I = 0; I < (Spread ? ForSpread + 1 : 1); ++I) {
    // Many seed their random numbers with the time of day in seconds.
    std::this_thread::sleep_until(Next);
    Next = std::chrono::system_clock::now() + std::chrono::seconds(1);
    Runs.push_back(runWhole(S, Case.Run, {}));
    if (Spread && I < ForSpread &&
        Runs.back().Outputs.size() == Case.Outputs.size())
      Case.Repeated.push_back(Runs.back().Outputs);
  }
  for (const WholeRun &R : Runs) {
    auto Volatile = findVolatile(Case, R);
    if (!Volatile)
      return Volatile.takeError();
    ignoreWords(Case, std::move(*Volatile));
  }
  if (Fitness F = Case.compare(Runs.back()); Spread && !F.valid())
    return unfit("a run of the program is itself not within the tolerance of " +
                 Twine(1 + ForSpread) + " others: " + F.Reason +
                 "; allow more standard deviations");
  return std::move(Runs.back());
}

// Times and the like may change. Where results do, and are no less than what
// stays, a wrong variant would hardly be seen.
static Error checkSteady(const WholeCase &Case,
                         ArrayRef<measure::WordSet> Changing,
                         const WholeRun &Again) {
  for (size_t I = 0; I < Changing.size(); ++I) {
    if (Changing[I].empty())
      continue;
    const measure::OutputSpec &Spec = Case.Outputs[I];
    const std::string &First = Case.Original.Outputs[I];
    measure::Steadiness Is =
        measure::steadinessOf(First, Changing[I], Spec.Ignored);
    if (Is.suffices())
      continue;
    measure::Word Was = measure::wordsOf(First)[Is.First],
                  Now = measure::wordsOf(Again.Outputs[I])[Is.First];
    return unfit(
        "the program does not give the same answer twice: numbers in " +
        Spec.describe() +
        " that differ from run to run by more than is allowed, and do not look "
        "like times: " +
        Twine(Is.results()) + ", others that are left to compare: " +
        Twine(Is.Same) + ". The first is in line " + Twine(Was.Line) + ": '" +
        StringRef(Was.Text) + "', and then '" + StringRef(Now.Text) + "'" +
        hintFor(Spec));
  }
  return Error::success();
}

static std::string moreOf(const ProgramRun &P) {
  return "; gevo-run -- " + shellText(P.Words) +
         " shows more. It is run in a folder of its own, with copies of the "
         "files in this one that it opens there: name others that it reads as "
         "arguments";
}

// Of a run of which nothing more is known.
static std::string endOf(const WholeRun &R, const ProgramRun &P) {
  return R.ExitStatus ? "; it ended with status " +
                            std::to_string(R.ExitStatus) + moreOf(P)
                      : "";
}

Expected<WholeCase> gevo::observeOriginal(WholeScenario &S,
                                          const ProgramRun &P) {
  WholeCase Case;
  Case.Run = P;
  auto NextSecond = std::chrono::system_clock::now() + std::chrono::seconds(1);
  Case.Original = runWhole(S, P, {});
  const WholeRun &First = Case.Original;
  if (Error E = checkFindings(S, P.Words, First))
    return E;
  S.AcceptedFindings.insert(First.Doubts.begin(), First.Doubts.end());
  if (!First.Result.valid())
    return unfit("the program itself fails: " + First.Result.Reason +
                 moreOf(P));
  // A host that waits for a wrong kernel's result may wait for ever.
  S.Seconds = 20 * First.WallSeconds + 10;
  if (First.Kernels.empty())
    return unfit("the program launched no kernel" + endOf(First, P));
  if (all_of(First.Outputs, [](const std::string &O) { return O.empty(); }))
    return unfit(
        "the program prints nothing, writes nothing to files in its "
        "working directory, and --output names none, so there is nothing to "
        "compare" +
        endOf(First, P));
  Case.Rules = S.Rules;
  for (size_t I = 0; I < First.Outputs.size(); ++I)
    Case.Outputs.push_back(S.output(P, I));
  Expected<WholeRun> Again = repeatOriginal(S, Case, NextSecond);
  if (!Again)
    return Again.takeError();
  std::vector<measure::WordSet> Changing;
  for (const measure::OutputSpec &Spec : Case.Outputs)
    Changing.push_back(Spec.Ignored);
  // What a program makes of its time besides printing it is its own affair. A
  // short time may be the same twice by chance.
  constexpr unsigned MoreRuns = 3;
  double UntimedSeconds = 0;
  for (unsigned I = 0; I < MoreRuns; ++I) {
    WholeRun Untimed = runWhole(S, P, {}, RunMode::Untimed);
    auto Volatile = findVolatile(Case, Untimed);
    if (Volatile)
      ignoreWords(Case, std::move(*Volatile));
    else
      consumeError(Volatile.takeError());
    Case.SameUntimed = Untimed.Result.valid() && Case.compare(Untimed).valid();
    UntimedSeconds = std::max(UntimedSeconds, Untimed.WallSeconds);
    // Another one may wait for ever as well.
    if (!Untimed.Result.valid())
      break;
  }
  if (Error E = checkSteady(Case, Changing, *Again))
    return E;
  S.StepLimit = findStepLimit(S, Case, UntimedSeconds);
  Case.Time = First.Result.Time;
  if (S.Goal.Kind == ObjectiveKind::Wall)
    timeOnWall(S, Case);
  return Case;
}
