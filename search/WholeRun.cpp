//===- WholeRun.cpp - A run of the program --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run itself is gevo-run's affair; here are its bounds and its report.
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Replay.h"
#include "search/MachineError.h"
#include "search/RunWatch.h"
#include "search/WholeRunner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// What a run prints, beside its folder.
static constexpr StringLiteral OutputFile = "stdout.txt";

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
  // gevo-run's own status also tells findings and a program without CUDA.
  if (std::optional<int64_t> Status = Report->getInteger("exit_status"))
    R.ExitStatus = *Status;
  std::map<std::string, unsigned> Numbers;
  for (const json::Value &Row : *Kernels) {
    const json::Object &K = *Row.getAsObject();
    WholeRun::Kernel Kernel;
    Kernel.Name = K.getString("name").value_or("").str();
    Kernel.Launches = K.getInteger("launches").value_or(0);
    Kernel.Silent = K.getInteger("silent_launches").value_or(0);
    Kernel.Microseconds = K.getNumber("time_us").value_or(0);
    StringRef Cause = K.getString("costs_cause").value_or("");
    if (const json::Array *Why = K.getArray("costs_reasons"))
      Kernel.WhyRules = Why->front().getAsString().value_or("?").str();
    Kernel.Passing = Cause == "tool";
    if (Cause == "machine" && R.WhyNoCode.empty())
      R.WhyNoCode = Kernel.WhyRules;
    if (const json::Array *Findings = K.getArray("findings"))
      for (const json::Value &F : *Findings)
        if (const json::Object *O = F.getAsObject()) {
          measure::Finding Found;
          Found.Kernel = Kernel.Name;
          Found.Kind = O->getString("kind").value_or("?");
          Found.Memory = O->getString("memory").value_or("");
          Found.Number = ++Numbers[Found.key()];
          if (O->getString("severity") == "error")
            R.Findings.insert(Found.key());
          else if (O->getString("variant_severity") == "error")
            R.Doubts.insert(Found.key());
        }
    R.Kernels.push_back(std::move(Kernel));
  }
  for (StringRef List : {"failed", "problems"})
    if (const json::Array *Messages = Report->getArray(List))
      for (const json::Value &M : *Messages)
        if (Problem.empty())
          Problem = M.getAsString().value_or("").str();
  return true;
}

static Fitness readOutputs(const ProgramRun &P, StringRef Printed,
                           WholeRun &R) {
  R.Outputs.push_back(contentsOf(Printed).value_or(""));
  for (const std::string &Name : P.OutputFiles) {
    // A copy of what an earlier run of the user left is no output of this one.
    if (ProgramFolder::isUntouched(Name))
      return Fitness::failed(Stage::Compare,
                             "output '" + Name + "' was not written");
    std::optional<std::string> Content = contentsOf(Name);
    if (!Content || (P.Named && Content->empty()))
      return Fitness::failed(Stage::Compare,
                             "output '" + Name + "' is " +
                                 (Content ? "empty" : "missing"));
    R.Outputs.push_back(std::move(*Content));
  }
  return Fitness();
}

// What the objective makes of a run that ended.
static void setTime(const Objective &Goal, WholeRun &R) {
  if (Goal.Kind == ObjectiveKind::Wall) {
    R.Result.Time = R.WallSeconds * 1e9;
  } else if (Goal.source() == Objective::Runs) {
    if (std::optional<double> Number = Goal.takeFrom(R.Outputs[0]))
      R.Result.Time = *Number;
    else
      R.Result = Fitness::failed(
          Stage::Compare, "standard output has no number above 0 where '" +
                              Goal.Pattern +
                              "' looks for it, or not one from 1e-150 to "
                              "1e150");
  } else {
    for (const WholeRun::Kernel &K : R.Kernels)
      R.Result.Time += K.Microseconds * 1000;
    // By rules it is another time.
    if (!R.WhyNoCode.empty())
      R.Result = Fitness::notJudged("there is no machine code: " + R.WhyNoCode);
  }
}

// What is less than any status or signal that LLVM tells.
static constexpr int NeverStarted = -3;
// Of what was killed, by the watch or, for want of memory, by the system.
static constexpr int Killed = -4;

// A Ctrl-C that ends the search is not for the program, whose half run would
// refuse a variant. Negative if it did not end by itself; \p Message says why.
static int execute(const WholeScenario &S, ArrayRef<StringRef> Words,
                   ArrayRef<std::optional<StringRef>> Redirects,
                   std::string &Message) {
  sigset_t Interrupt, Before;
  sigemptyset(&Interrupt);
  sigaddset(&Interrupt, SIGINT);
  sigaddset(&Interrupt, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &Interrupt, &Before);
  bool NotStarted = false;
  sys::ProcessInfo Child =
      sys::ExecuteNoWait(S.GevoRun, Words, std::nullopt, Redirects,
                         /*MemoryLimit=*/0, &Message, &NotStarted);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  if (NotStarted)
    return NeverStarted;
  RunWatch Watch(Child.Pid, S.MemoryBytes, S.Seconds);
  Watch.awaitEnd();
  int Status = sys::Wait(Child, std::nullopt, &Message).ReturnCode;
  if (!Watch.exceeded() && !Watch.late()) {
    if (Status < 0)
      Message = "the program crashed: " + Message;
    return Watch.killed() ? Killed : Status;
  }
  if (Watch.exceeded())
    Message = formatv("the program took more than {0:f1} GiB of memory",
                      double(S.MemoryBytes) / (uint64_t(1) << 30));
  else
    Message = formatv("the program did not end in {0} s, many times what the "
                      "original takes",
                      S.Seconds);
  return Killed;
}

static constexpr StringLiteral WritesName = "writes", AbsentName = "absent";

// Each has a zero byte behind it.
static std::vector<std::string> pathsIn(StringRef File) {
  std::string Text = contentsOf(File).value_or("");
  SmallVector<StringRef, 0> Parts;
  StringRef(Text).split(Parts, '\0', -1, /*KeepEmpty=*/false);
  std::set<StringRef> Sorted(Parts.begin(), Parts.end());
  return std::vector<std::string>(Sorted.begin(), Sorted.end());
}

// Twice as much as it takes, as others run at the same time, and some for
// reports and logs.
Error gevo::checkRoomForRun(const ProgramRun &P, const WholeRun &Original) {
  uint64_t Bytes = (1 << 20) + 2 * P.copiedBytes();
  for (const std::string &Output : Original.Outputs)
    Bytes += 2 * Output.size();
  SmallString<128> Here;
  sys::fs::current_path(Here);
  // A run that took all there was has itself to blame.
  ProgramFolder::clear();
  sys::fs::remove(OutputFile);
  return checkRoom({Here.str().str(), temporaryFolder()}, Bytes);
}

WholeRun gevo::runWhole(const WholeScenario &S, const ProgramRun &P,
                        ArrayRef<VariantFile> PtxFiles, RunMode Mode) {
  WholeRun R;
  Expected<ProgramFolder> Folder = ProgramFolder::enter(P);
  if (!Folder) {
    R.Result = Fitness::notJudged(toString(Folder.takeError()));
    return R;
  }
  std::string OutputName = Folder->beside(OutputFile),
              ReportName = Folder->beside("report.json");
  std::vector<std::string> Arguments = {
      S.GevoRun, "--gpu=" + S.Gpu,
      Mode == RunMode::Checked || Mode == RunMode::Verdict ? "--check=all"
                                                           : "--check=bounds",
      "--json=" + ReportName,
      // Nobody waits for a run whose search was killed.
      "--end-with=" + std::to_string(getpid())};
  if (Mode == RunMode::Untimed || Mode == RunMode::Verdict)
    Arguments.push_back("--time=off");
  if (S.NoteWrites) {
    Arguments.push_back("--writes=" + Folder->beside(WritesName));
    Arguments.push_back("--absent=" + Folder->beside(AbsentName));
  }
  for (const VariantFile &File : PtxFiles) {
    Arguments.push_back("--substitute=" + File.Name);
    if (!File.Original.empty())
      Arguments.push_back("--original=" + File.Original);
  }
  if (S.StepLimit)
    Arguments.push_back("--step-limit=" + std::to_string(S.StepLimit));
  Arguments.push_back("--");
  append_range(Arguments, P.command());
  // Nothing of an earlier run may be taken for this one's.
  sys::fs::remove(OutputName);
  sys::fs::remove(ReportName);
  SmallVector<StringRef, 16> Views(Arguments.begin(), Arguments.end());
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(OutputName),
                                          StringRef("")};
  std::string Message;
  auto Start = std::chrono::steady_clock::now();
  R.ExitStatus = execute(S, Views, Redirects, Message);
  R.WallSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  if (S.NoteWrites) {
    R.Written = pathsIn(Folder->beside(WritesName));
    R.Absent = pathsIn(Folder->beside(AbsentName));
  }
  if (R.ExitStatus < 0) {
    if (R.ExitStatus == NeverStarted)
      R.Result =
          Fitness::notJudged("cannot start '" + S.GevoRun + "': " + Message);
    else
      R.Result = R.ExitStatus == Killed
                     ? Fitness::failedHere(Stage::Run, Message)
                     : Fitness::failed(Stage::Run, Message);
    return R;
  }
  std::string Problem;
  std::optional<std::string> Report = contentsOf(ReportName);
  if (!Report || !readReport(*Report, R, Problem)) {
    R.Result = Fitness::failedHere(Stage::Load, "gevo-run made no report");
    return R;
  }
  if (!Problem.empty())
    R.Result = Fitness::failed(Stage::Run, Problem);
  else
    R.Result = readOutputs(P, OutputName, R);
  if (R.Result.valid())
    setTime(S.Goal, R);
  return R;
}
