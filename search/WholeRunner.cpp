//===- WholeRunner.cpp - Variants judged by whole runs --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the original does, and how variants compare with it.
//
//===----------------------------------------------------------------------===//

#include "search/WholeRunner.h"
#include "search/MachineError.h"
#include "search/PairedTimes.h"
#include "search/ShellText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <cmath>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

std::string WholeScenario::identity() const {
  std::string All = Gpu + "\n" + join(Rules.texts(), "\n") + "\n" +
                    std::to_string(TimeBound) + "\n" + Goal.text() + "\n" +
                    join(AcceptedFindings, "\n");
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

static Error unfit(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

measure::OutputSpec WholeScenario::output(const ProgramRun &Run,
                                          size_t Number) const {
  measure::OutputSpec Spec;
  if (Number) {
    Spec.What = measure::OutputSpec::Kind::File;
    Spec.File = Run.OutputFiles[Number - 1];
  }
  Spec.Rule = Rules.of(Spec.name());
  // In a rule for all outputs a type is meant for arrays, and this is text.
  if (!Number && !Rules.Named.count(Spec.name()))
    Spec.Rule.Type = measure::ElementType::None;
  return Spec;
}

// Is it compared with the spread of several runs?
static bool countsDeviations(const measure::OutputSpec &Spec) {
  return Spec.Rule.Limits.Mode == measure::CompareMode::Deviations;
}

measure::RunDifference WholeCase::compareOutput(size_t Number,
                                                const WholeRun &R) const {
  const std::string &Want = Original.Outputs[Number];
  // A program may print nothing if it writes files, and leave a log empty.
  if (Want.empty())
    return R.Outputs[Number].empty()
               ? measure::RunDifference()
               : measure::RunDifference::failed(
                     Outputs[Number].describe() +
                     " is empty in the original, and is not here");
  std::vector<const std::string *> Runs = {&Want};
  if (countsDeviations(Outputs[Number]))
    for (const std::vector<std::string> &Other : Repeated)
      Runs.push_back(&Other[Number]);
  return measure::compareOutput(Outputs[Number], Runs, &R.Outputs[Number]);
}

Fitness WholeCase::compare(const WholeRun &R) const {
  if (R.ExitStatus != Original.ExitStatus)
    return Fitness::failed(Stage::Compare, "the exit status is " +
                                               std::to_string(R.ExitStatus));
  // It would take no time at all.
  if (R.Kernels.empty() && !Original.Kernels.empty())
    return Fitness::failed(Stage::Run, "the program launched no kernel");
  Fitness F;
  for (size_t I = 0; I < R.Outputs.size(); ++I) {
    measure::RunDifference D = compareOutput(I, R);
    if (!D.Passed)
      return Fitness::failed(Stage::Compare, D.Reason);
    F.Error =
        std::max(F.Error, Rules.errorOf(Outputs[I].name(), D.Diff.MaxError));
  }
  return F;
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

// The first finding that was not accepted, or null.
static const std::string *findRefused(const WholeScenario &S,
                                      const std::set<std::string> &Found) {
  auto It = find_if(Found, [&](const std::string &Finding) {
    return !S.AcceptedFindings.count(Finding);
  });
  return It == Found.end() ? nullptr : &*It;
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
        !findRefused(S, R.Findings))
      return S.StepLimit * Room;
  }
  return 0;
}

// The numbers of that output in which \p Other differs and the runs do not that
// tell how it spreads. Nothing if more than numbers differs.
static std::optional<measure::WordSet>
changedIn(const WholeCase &Case, size_t Number, const WholeRun &Other) {
  const std::string &First = Case.Original.Outputs[Number];
  if (measure::isBinary(First))
    return std::nullopt;
  std::optional<measure::WordSet> Changed =
      measure::changedNumbers(First, Other.Outputs[Number]);
  if (!Changed || !countsDeviations(Case.Outputs[Number]))
    return Changed;
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
                   "; only what is the same every time can be compared");
    Words.insert(Changed->begin(), Changed->end());
    Words = measure::withAlikeLines(First, Words);
    if (none_of(measure::withoutWords(First, Words),
                [](char C) { return isAlnum(C); }))
      return unfit("two runs of the program differ: " + D.Reason +
                   ", and nothing else is there to compare");
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
  const std::string *Refused = findRefused(S, R.Findings);
  if (!Refused)
    return Error::success();
  auto [Kernel, Kind] = StringRef(*Refused).split(' ');
  return unfit("the program itself has a finding, '" + Kind + "' in " +
               demangle(Kernel) + "; gevo-run --check=all -- " + shellText(C) +
               " shows where. Mend it, or accept it with --accept-findings");
}

// Runs the original again: once, or often enough to know how its answers
// spread, and then once more to see that it is itself within the tolerance.
static Error repeatOriginal(const WholeScenario &S, WholeCase &Case,
                            std::chrono::system_clock::time_point Next) {
  constexpr unsigned ForSpread = 8;
  bool Spread = any_of(Case.Outputs, countsDeviations);
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
  return Error::success();
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
                 "; gevo-run -- " + shellText(P.Words) +
                 " shows more. It is run in an empty folder: name the files "
                 "that it reads as arguments");
  // A host that waits for a wrong kernel's result may wait for ever.
  S.Seconds = 20 * First.WallSeconds + 10;
  if (First.Kernels.empty())
    return unfit("the program launched no kernel" +
                 (First.ExitStatus ? " and ended with status " +
                                         std::to_string(First.ExitStatus)
                                   : ""));
  if (all_of(First.Outputs, [](const std::string &O) { return O.empty(); }))
    return unfit(
        "the program prints nothing, writes nothing to files in its "
        "working directory, and --output names none, so there is nothing to "
        "compare");
  Case.Rules = S.Rules;
  for (size_t I = 0; I < First.Outputs.size(); ++I)
    Case.Outputs.push_back(S.output(P, I));
  if (Error E = repeatOriginal(S, Case, NextSecond))
    return E;
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
  S.StepLimit = findStepLimit(S, Case, UntimedSeconds);
  Case.Time = First.Result.Time;
  if (S.Goal.Kind == ObjectiveKind::Wall)
    timeOnWall(S, Case);
  return Case;
}

Fitness WholeRunner::judge(const WholeCase &Case, const WholeRun &R) const {
  if (!R.Result.valid())
    return R.Result;
  for (const auto *Found : {&R.Findings, &R.Doubts})
    if (const std::string *Refused = findRefused(S, *Found))
      return Fitness::failed(Stage::Check, *Refused);
  Fitness F = Case.compare(R);
  if (!F.valid())
    return F;
  // The output may be right by what an earlier launch left in memory.
  for (const WholeRun::Kernel &K : R.Kernels)
    for (const WholeRun::Kernel &O : Case.Original.Kernels)
      if (K.Name == O.Name && K.Silent > O.Silent)
        return Fitness::failed(
            Stage::Compare,
            formatv("{0} of {1} launches of {2} write nothing, {3} in the "
                    "original",
                    K.Silent, K.Launches, demangle(K.Name), O.Silent));
  F.Time = R.Result.Time;
  return F;
}

static Expected<std::string> writeModule(StringRef Folder, const Twine &Name,
                                         StringRef Text) {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  OS << Text;
  OS.close();
  if (OS.has_error())
    EC = OS.error();
  OS.clear_error();
  if (EC)
    return make_error<MachineError>(
        ("cannot write '" + Path + "': " + EC.message()).str() +
        roomLeft(Folder));
  return Path.str().str();
}

Expected<std::vector<VariantFile>>
WholeRunner::install(const Payload &Code) const {
  if (std::error_code EC = sys::fs::create_directories(Scratch))
    return unfit("cannot make '" + Scratch + "': " + EC.message());
  if (chdir(Scratch.c_str()))
    return unfit("cannot enter '" + Scratch + "'");
  std::vector<VariantFile> Files(Code.Modules.size());
  for (size_t I = 0; I < Code.Modules.size(); ++I) {
    if (Error E =
            writeModule(Scratch, "module-" + Twine(I) + ".ptx", Code.Modules[I])
                .moveInto(Files[I].Name))
      return E;
    if (S.Originals.empty())
      continue;
    if (Error E = writeModule(Scratch, "original-" + Twine(I) + ".ptx",
                              S.Originals[I])
                      .moveInto(Files[I].Original))
      return E;
  }
  return Files;
}

Fitness WholeRunner::verdict(const Payload &Code) {
  Expected<std::vector<VariantFile>> Files = install(Code);
  if (!Files)
    return Fitness::notJudged(toString(Files.takeError()));
  bool Same = all_of(Cases, [](const WholeCase &C) { return C.SameUntimed; });
  return runAll(*Files, Same ? RunMode::Verdict : RunMode::Checked);
}

Fitness WholeRunner::run(const Payload &Code) {
  Expected<std::vector<VariantFile>> Installed = install(Code);
  if (!Installed)
    return Fitness::notJudged(toString(Installed.takeError()));
  const std::vector<VariantFile> &Files = *Installed;
  // Most variants are wrong or no faster, and to see that takes no more than
  // plain runs; what could enter the front must stand all checks, too.
  double Original = 0;
  for (const WholeCase &Case : Cases)
    Original += Case.Time;
  Fitness F = runAll(Files, RunMode::Plain);
  if (F.valid() && S.TimeBound && F.Time > S.TimeBound * Original)
    return Fitness::failed(Stage::Time, formatv("it takes {0} times what the "
                                                "original takes, over {1}",
                                                F.Time / Original, S.TimeBound)
                                            .str());
  if (F.valid() && S.MustGain && F.Time >= Original)
    return Fitness::failed(Stage::Time,
                           "in runs of both, in turn, it is no faster than "
                           "the original beyond the noise");
  if (F.valid() && (CheckAlways || F.Time < Original)) {
    double Time = F.Time;
    F = runAll(Files, RunMode::Checked);
    // Checks cost wall time.
    F.Time = Time;
  }
  return F;
}

Fitness WholeRunner::runOne(const WholeCase &Case, ArrayRef<VariantFile> Files,
                            RunMode Mode) const {
  if (S.Goal.Kind == ObjectiveKind::Wall && Mode == RunMode::Plain)
    return runPaired(Case, Files);
  return judge(Case, runWhole(S, Case.Run, Files, Mode));
}

Fitness WholeRunner::runPaired(const WholeCase &Case,
                               ArrayRef<VariantFile> Files) const {
  PairedTimes Times;
  Fitness F;
  while (Times.count() < S.Pairs) {
    // The variant first, as most are wrong.
    F = judge(Case, runWhole(S, Case.Run, Files, RunMode::Plain));
    if (!F.valid())
      return F;
    WholeRun Original = runWhole(S, Case.Run, {}, RunMode::Plain);
    if (!Original.Result.valid())
      return Fitness::notJudged("the original, which is run in turn with a "
                                "variant, failed: " +
                                Original.Result.Reason);
    Times.add(Original.Result.Time, F.Time);
    // A bound of 1 is for what the pairs say together.
    if (Times.isHopeless(S.TimeBound > 1 ? S.TimeBound : 0))
      break;
  }
  F.Time = Case.Time * Times.ratio();
  return F;
}

Fitness WholeRunner::runAll(ArrayRef<VariantFile> Files, RunMode Mode) const {
  Fitness All;
  for (const WholeCase &Case : Cases) {
    Fitness F = runOne(Case, Files, Mode);
    if (!F.valid()) {
      // Outputs that end early are those of a wrong variant, or of a full disk.
      Error Full = checkRoomForRun(Case.Original);
      return Full ? Fitness::notJudged(toString(std::move(Full))) : F;
    }
    All.Time += F.Time;
    All.Error = std::max(All.Error, F.Error);
  }
  return All;
}
