//===- WholeRunner.cpp - Variants judged by whole runs --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run itself is gevo-run's affair; here are its report and the judgement.
//
//===----------------------------------------------------------------------===//

#include "search/WholeRunner.h"
#include "search/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral OutputName = "stdout.txt",
                               ReportName = "report.json";

std::string WholeScenario::identity() const {
  std::string All =
      Gpu + "\n" + join(OutputFiles, "\n") + "\n" + std::to_string(Tolerance) +
      "\n" + std::to_string(TimeBound) + "\n" + join(AcceptedFindings, "\n");
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

static std::optional<std::string> contentsOf(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return std::nullopt;
  return (*Buffer)->getBuffer().str();
}

// Takes kernels, times and findings from gevo-run's report. False if it is
// none.
static bool readReport(StringRef Text, WholeRun &R, std::string &Problem) {
  Expected<json::Value> Value = json::parse(Text);
  if (!Value) {
    consumeError(Value.takeError());
    return false;
  }
  const json::Object *Report = Value->getAsObject();
  const json::Array *Kernels = Report ? Report->getArray("kernels") : nullptr;
  if (!Kernels)
    return false;
  for (const json::Value &Row : *Kernels) {
    const json::Object &K = *Row.getAsObject();
    WholeRun::Kernel Kernel;
    Kernel.Name = K.getString("name").value_or("").str();
    Kernel.Launches = K.getInteger("launches").value_or(0);
    Kernel.Microseconds = K.getNumber("time_us").value_or(0);
    if (const json::Array *Findings = K.getArray("findings"))
      for (const json::Value &F : *Findings)
        if (const json::Object *O = F.getAsObject())
          if (O->getString("severity") == "error")
            R.Findings.insert(Kernel.Name + " " +
                              O->getString("kind").value_or("?").str());
    R.Kernels.push_back(std::move(Kernel));
  }
  for (StringRef List : {"failed", "problems"})
    if (const json::Array *Messages = Report->getArray(List))
      for (const json::Value &M : *Messages)
        if (Problem.empty())
          Problem = M.getAsString().value_or("").str();
  return true;
}

static Fitness readOutputs(const WholeScenario &S, WholeRun &R) {
  R.Outputs.push_back(contentsOf(OutputName).value_or(""));
  for (const std::string &Name : S.OutputFiles) {
    std::optional<std::string> Content = contentsOf(Name);
    if (!Content || Content->empty())
      return Fitness::failed(Stage::Compare,
                             "output '" + Name + "' is " +
                                 (Content ? "empty" : "missing"));
    R.Outputs.push_back(std::move(*Content));
  }
  return Fitness();
}

WholeRun gevo::runWhole(const WholeScenario &S, const Command &C,
                        ArrayRef<std::string> PtxFiles, bool AllChecks) {
  WholeRun R;
  std::vector<std::string> Arguments = {
      S.GevoRun, "--gpu=" + S.Gpu, AllChecks ? "--check=all" : "--check=bounds",
      ("--json=" + ReportName).str()};
  for (const std::string &File : PtxFiles)
    Arguments.push_back("--substitute=" + File);
  if (S.StepLimit)
    Arguments.push_back("--step-limit=" + std::to_string(S.StepLimit));
  Arguments.push_back("--");
  append_range(Arguments, C);
  // Nothing of an earlier run may be taken for this one's.
  sys::fs::remove(OutputName);
  sys::fs::remove(ReportName);
  for (const std::string &Name : S.OutputFiles)
    sys::fs::remove(Name);
  SmallVector<StringRef, 16> Views(Arguments.begin(), Arguments.end());
  std::optional<StringRef> Redirects[] = {StringRef(""), OutputName,
                                          StringRef("")};
  std::string Message;
  bool NotStarted = false;
  R.ExitStatus =
      sys::ExecuteAndWait(S.GevoRun, Views, std::nullopt, Redirects, S.Seconds,
                          /*MemoryLimit=*/0, &Message, &NotStarted);
  if (NotStarted || R.ExitStatus < 0) {
    R.Result = Fitness::failed(Stage::Run, "the program crashed or did not "
                                           "end: " +
                                               Message);
    return R;
  }
  std::string Problem;
  std::optional<std::string> Report = contentsOf(ReportName);
  if (!Report || !readReport(*Report, R, Problem)) {
    R.Result = Fitness::failed(Stage::Load, "gevo-run made no report");
    return R;
  }
  // gevo-run tells findings by its own status where the program's is 0.
  constexpr int FoundErrors = 2;
  if (!R.Findings.empty() && R.ExitStatus == FoundErrors)
    R.ExitStatus = 0;
  if (!Problem.empty())
    R.Result = Fitness::failed(Stage::Run, Problem);
  else
    R.Result = readOutputs(S, R);
  for (const WholeRun::Kernel &K : R.Kernels)
    R.Result.Time += K.Microseconds * 1000;
  return R;
}

static Error unfit(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

// The smallest power of two that the original gets along with, and some room.
static uint64_t findStepLimit(WholeScenario S, const WholeCase &Case) {
  constexpr uint64_t First = 1 << 12, Last = uint64_t(1) << 40, Room = 8;
  for (S.StepLimit = First; S.StepLimit < Last; S.StepLimit *= 4) {
    WholeRun R = runWhole(S, Case.Run, {}, /*AllChecks=*/false);
    if (R.Result.valid() && R.Outputs == Case.Original.Outputs)
      return S.StepLimit * Room;
  }
  return 0;
}

Expected<WholeCase> gevo::observeOriginal(WholeScenario &S, const Command &C) {
  WholeCase Case;
  Case.Run = C;
  Case.Original = runWhole(S, C, {});
  const WholeRun &First = Case.Original;
  if (!First.Result.valid())
    return unfit("the program itself fails: " + First.Result.Reason);
  if (First.Kernels.empty())
    return unfit("the program launched no kernel");
  for (const std::string &Finding : First.Findings)
    if (!S.AcceptedFindings.count(Finding))
      return unfit("the program itself has a finding, '" + Finding +
                   "'; mend it, or accept it with --accept-findings");
  if (all_of(First.Outputs, [](const std::string &O) { return O.empty(); }))
    return unfit("the program prints nothing and --output names no file, so "
                 "there is nothing to compare");
  WholeRun Second = runWhole(S, C, {});
  for (size_t I = 0; I < First.Outputs.size(); ++I) {
    if (I >= Second.Outputs.size())
      return unfit("the program fails when it is run again: " +
                   Second.Result.Reason);
    TextDifference D =
        compareTexts(First.Outputs[I], Second.Outputs[I], S.Tolerance > 0);
    if (!D.Mismatch.empty() || D.Error > S.Tolerance)
      return unfit(
          "two runs of the program differ: " +
          (D.Mismatch.empty() ? "by " + std::to_string(D.Error) : D.Mismatch) +
          "; only what is the same every time can be compared");
  }
  S.StepLimit = std::max(S.StepLimit, findStepLimit(S, Case));
  Case.Time = First.Result.Time;
  return Case;
}

Fitness WholeRunner::judge(const WholeCase &Case, const WholeRun &R) const {
  if (!R.Result.valid())
    return R.Result;
  for (const std::string &Finding : R.Findings)
    if (!S.AcceptedFindings.count(Finding))
      return Fitness::failed(Stage::Check, Finding);
  if (R.ExitStatus != Case.Original.ExitStatus)
    return Fitness::failed(Stage::Compare, "the exit status is " +
                                               std::to_string(R.ExitStatus));
  Fitness F;
  F.Time = R.Result.Time;
  for (size_t I = 0; I < R.Outputs.size(); ++I) {
    TextDifference D =
        compareTexts(Case.Original.Outputs[I], R.Outputs[I], S.Tolerance > 0);
    if (!D.Mismatch.empty())
      return Fitness::failed(Stage::Compare, D.Mismatch);
    F.Error = std::max(F.Error, D.Error);
  }
  if (F.Error > S.Tolerance)
    return Fitness::failed(Stage::Compare, "the error is over the tolerance");
  if (S.TimeBound && F.Time > S.TimeBound * Case.Time)
    return Fitness::failed(Stage::Time, "slower than the bound");
  return F;
}

Fitness WholeRunner::run(const Payload &Code) {
  if (std::error_code EC = sys::fs::create_directories(Scratch))
    return Fitness::failed(Stage::Load,
                           "cannot make '" + Scratch + "': " + EC.message());
  if (chdir(Scratch.c_str()))
    return Fitness::failed(Stage::Load, "cannot enter '" + Scratch + "'");
  std::vector<std::string> Files;
  for (size_t I = 0; I < Code.Modules.size(); ++I) {
    SmallString<128> Path(Scratch);
    sys::path::append(Path, "module-" + Twine(I) + ".ptx");
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    OS << Code.Modules[I];
    OS.close();
    if (EC || OS.has_error()) {
      OS.clear_error();
      return Fitness::failed(Stage::Load,
                             ("cannot write '" + Path + "'").str());
    }
    Files.push_back(Path.str().str());
  }
  Fitness All;
  for (const WholeCase &Case : Cases) {
    // Most variants are wrong or no faster, and to see that takes no more than
    // a plain run; what could enter the front must stand all checks, too.
    Fitness F = judge(Case, runWhole(S, Case.Run, Files, /*AllChecks=*/false));
    if (F.valid() && (CheckAlways || F.Time < Case.Time))
      F = judge(Case, runWhole(S, Case.Run, Files));
    if (!F.valid())
      return F;
    All.Time += F.Time;
    All.Error = std::max(All.Error, F.Error);
  }
  return All;
}
