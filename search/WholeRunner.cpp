//===- WholeRunner.cpp - Variants judged by whole runs --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How variants compare with what the original does.
//
//===----------------------------------------------------------------------===//

#include "search/WholeRunner.h"
#include "runtime/measure/Replay.h"
#include "search/MachineError.h"
#include "search/PairedTimes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
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

template <typename Fn>
static const std::string *firstOf(const std::set<std::string> &Found, Fn Is) {
  auto It = find_if(Found, Is);
  return It == Found.end() ? nullptr : &*It;
}

const std::string *
WholeScenario::findRefused(const std::set<std::string> &Found,
                           const WholeRun &Original) const {
  return firstOf(Found, [&](const std::string &Key) {
    return !AcceptedFindings.count(Key) && !Original.Findings.count(Key) &&
           !Original.Doubts.count(Key);
  });
}

const std::string *
WholeScenario::findRefused(const std::set<std::string> &Found) const {
  return firstOf(Found, [&](const std::string &Key) {
    return !AcceptedFindings.count(measure::unnumbered(Key));
  });
}

// "race-global arg1 in rows(int*)"
static std::string refusal(const std::string &Key) {
  std::string One = measure::unnumbered(Key);
  auto [Kernel, What] = StringRef(One).split(' ');
  return (What + " in " + demangle(Kernel) +
          (One == Key ? "" : ", in more places than in the original"))
      .str();
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
  if (Outputs[Number].countsDeviations())
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

// An estimate by rules about PTX and the time of machine code say nothing of
// each other.
static Fitness timedOtherwise(const WholeRun::Kernel &Here,
                              const WholeRun::Kernel &Original) {
  bool Now = !Here.WhyRules.empty();
  const WholeRun::Kernel &K = Now ? Here : Original;
  Fitness F =
      Fitness::failed(Stage::Lower, ("there is no machine code of " +
                                     Twine(Now ? "" : "the original's ") +
                                     demangle(K.Name) + ": " + K.WhyRules)
                                        .str());
  F.Lasting = !K.Passing;
  return F;
}

Fitness WholeRunner::judge(const WholeCase &Case, const WholeRun &R) const {
  if (!R.Result.valid())
    return R.Result;
  for (const auto *Found : {&R.Findings, &R.Doubts})
    if (const std::string *Refused = S.findRefused(*Found, Case.Original))
      return Fitness::failed(Stage::Check, refusal(*Refused));
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
  if (S.Goal.Kind == ObjectiveKind::Time)
    for (const WholeRun::Kernel &K : R.Kernels)
      for (const WholeRun::Kernel &O : Case.Original.Kernels)
        if (K.Name == O.Name && K.WhyRules.empty() != O.WhyRules.empty())
          return timedOtherwise(K, O);
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
      Error Full = checkRoomForRun(Case.Run, Case.Original);
      return Full ? Fitness::notJudged(toString(std::move(Full))) : F;
    }
    All.Time += F.Time;
    All.Error = std::max(All.Error, F.Error);
  }
  return All;
}
