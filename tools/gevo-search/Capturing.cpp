//===- Capturing.cpp - Launches to search on ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the launches get to a folder, and what the original is asked about them.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Capturing.h"
#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

// What the report of a run says went wrong besides the program; empty: nothing.
static std::string problemIn(const std::string &Report) {
  auto File = MemoryBuffer::getFile(Report);
  if (!File)
    return "gevo-run made no report";
  Expected<json::Value> Value = json::parse((*File)->getBuffer());
  if (!Value)
    return toString(Value.takeError());
  const json::Object *O = Value->getAsObject();
  const json::Array *Problems = O ? O->getArray("problems") : nullptr;
  return Problems && !Problems->empty()
             ? Problems->front().getAsString().value_or("").str()
             : "";
}

// The program itself had no problems before: what comes up now is that its
// launches cannot be written.
static Error runCapture(const WholeScenario &S, const ProgramRun &Program,
                        const std::string &Folder) {
  sys::fs::remove_directories(Folder);
  Expected<ProgramFolder> Entered = ProgramFolder::enter(Program);
  if (!Entered)
    return Entered.takeError();
  std::string Report = Entered->beside("report.json");
  sys::fs::remove(Report);
  std::vector<std::string> Words = {S.GevoRun,
                                    "--gpu=" + S.Gpu,
                                    "--capture=" + Folder,
                                    "--json=" + Report,
                                    "--end-with=" + std::to_string(getpid()),
                                    "--"};
  append_range(Words, Program.command());
  SmallVector<StringRef, 16> Views(Words.begin(), Words.end());
  std::optional<StringRef> Nowhere[] = {StringRef(""), StringRef(""),
                                        StringRef("")};
  std::string Message;
  if (sys::ExecuteAndWait(S.GevoRun, Views, std::nullopt, Nowhere, 0, 0,
                          &Message) < 0)
    return failure("cannot run '" + S.GevoRun + "': " + Message);
  std::string Problem = problemIn(Report);
  if (!Problem.empty())
    return make_error<MachineError>(
        "the launches cannot be captured: " + Problem +
        roomLeft(sys::path::parent_path(Folder)));
  // A search that is resumed takes them, also after the power failed. Where
  // nothing was captured, who reads it says so.
  return sys::fs::exists(Folder) ? syncFilesIn(Folder) : Error::success();
}

Expected<LaunchScenario> gevo::captureLaunches(const WholeScenario &S,
                                               const ProgramRun &Program,
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
  Launches->TimeBound = S.TimeBound;
  Launches->AcceptedFindings = S.AcceptedFindings;
  Launches->Rules = S.Rules;
  Launches->Namesakes = Device.namesakes();
  return Launches;
}

// The costs of lines as JSON: module, line and cycles, one after the other.
static std::string profileText(const LaunchScenario &Launches,
                               const std::string &Gpu, const Payload &Tagged) {
  Expected<std::vector<LineCost>> Costs =
      LaunchRunner(Launches, Gpu).profile(Tagged);
  if (!Costs)
    return toString(Costs.takeError());
  json::Array Flat;
  for (const LineCost &C : *Costs)
    for (uint64_t Number : {uint64_t(C.Module), uint64_t(C.Line), C.Cycles})
      Flat.push_back(Number);
  return formatv("{0}", json::Value(std::move(Flat))).str();
}

Expected<HeatMap> gevo::profileLaunches(const LaunchScenario &Launches,
                                        const std::string &Gpu,
                                        IrProgram &Device, Observations &Seen) {
  Built Tagged = Device.buildTagged();
  if (!Tagged.ok())
    return failure("the program cannot be lowered for a profile: " +
                   Tagged.Failure.Reason);
  Expected<std::string> Said =
      Seen.ask("profile", Tagged.Code, Launches, /*Guards=*/nullptr,
               [&] { return profileText(Launches, Gpu, Tagged.Code); });
  if (!Said)
    return Said.takeError();
  Expected<std::vector<uint64_t>> Flat =
      json::parse<std::vector<uint64_t>>(*Said);
  if (!Flat) {
    consumeError(Flat.takeError());
    return failure("the captured launches cannot be profiled: " + *Said);
  }
  std::vector<IrProgram::TaggedLines> Lines;
  for (const std::string &PTX : Tagged.Code.Modules)
    Lines.emplace_back(PTX);
  HeatMap Heat(Device.functionCount());
  for (size_t I = 0; I + 2 < Flat->size(); I += 3)
    Lines[(*Flat)[I]].add((*Flat)[I + 1], (*Flat)[I + 2], Heat);
  return Heat;
}

// Watched code may take so many instructions, or so many times those of the
// original, over all inputs: some seconds.
static double watchFactor(const LaunchScenario &Launches,
                          const LaunchScenario *Guards) {
  constexpr double MostSteps = 1e8, MostRuns = 20;
  double Steps = 1;
  for (const LaunchScenario *S : {&Launches, Guards})
    if (S)
      for (const capture::Case &C : S->Captured.Cases)
        Steps += C.WarpInstructions;
  return std::max(MostSteps / Steps, MostRuns);
}

// What \p Variable of \p Watched holds, by module and as text; or why not.
static std::string watchText(const LaunchScenario &Launches,
                             const LaunchScenario *Guards,
                             const std::string &Gpu, const Payload &Watched,
                             const std::string &Variable) {
  LaunchRunner Runner(Launches, Gpu);
  Runner.guardWith(Guards);
  auto Held = Runner.watch(Watched, Variable, watchFactor(Launches, Guards));
  if (!Held)
    return toString(Held.takeError());
  json::Array Modules;
  for (std::vector<uint8_t> &Bytes : *Held) {
    for (uint8_t &Byte : Bytes)
      Byte = Byte ? '1' : '0';
    Modules.push_back(std::string(Bytes.begin(), Bytes.end()));
  }
  return formatv("{0}", json::Value(std::move(Modules))).str();
}

// The answers of \p Watched in \p Variable, by module.
static Expected<std::vector<std::string>>
askWatched(const LaunchScenario &Launches, const LaunchScenario *Guards,
           const std::string &Gpu, const Built &Watched,
           const std::string &Variable, Observations &Seen) {
  if (!Watched.ok())
    return failure(Watched.Failure.Reason);
  Expected<std::string> Said =
      Seen.ask(Variable, Watched.Code, Launches, Guards, [&] {
        return watchText(Launches, Guards, Gpu, Watched.Code, Variable);
      });
  if (!Said)
    return Said.takeError();
  auto Answers = json::parse<std::vector<std::string>>(*Said);
  if (Answers)
    return Answers;
  consumeError(Answers.takeError());
  return failure(*Said);
}

// How much questions cost depends on where they are: where they take too many
// instructions, which is the same on every machine, fewer are asked.
Error gevo::observeTwins(const LaunchScenario &Launches,
                         const LaunchScenario &Guards, const std::string &Gpu,
                         IrProgram &Device, Observations &Seen) {
  Error Why = Error::success();
  for (size_t Most : {2048, 512, 128, 32}) {
    auto Answers = askWatched(Launches, &Guards, Gpu, Device.buildWatched(Most),
                              TwinVariable, Seen);
    consumeError(std::move(Why));
    if (Answers) {
      Device.setAnswers(*Answers);
      return Error::success();
    }
    Why = Answers.takeError();
    if (Why.isA<MachineError>())
      break;
  }
  return Why;
}

Error gevo::observeReach(const LaunchScenario &Launches,
                         const LaunchScenario *Guards, const std::string &Gpu,
                         IrProgram &Device, Observations &Seen) {
  auto Marks = askWatched(Launches, Guards, Gpu, Device.buildMarked(),
                          ReachVariable, Seen);
  if (!Marks)
    return Marks.takeError();
  Device.setReached(*Marks);
  return Error::success();
}
