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
#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "search/OtherSizes.h"
#include "search/Workers.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <numeric>
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
  return Problem.empty() ? Error::success()
                         : make_error<MachineError>(
                               "the launches cannot be captured: " + Problem +
                               roomLeft(sys::path::parent_path(Folder)));
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

// What \p Work says, of a process of its own.
static Expected<std::string> askOnce(std::function<std::string()> Work) {
  WorkerLimits Limits;
  Limits.MemoryBytes = 0;
  Limits.Seconds = 600;
  auto Started = forkWorkers(
      Limits, [&] { return Service([&](StringRef) { return Work(); }); });
  if (!Started)
    return Started.takeError();
  (*Started)->send(0, "");
  Expected<Workers::Reply> Reply = (*Started)->wait();
  if (!Reply)
    return Reply.takeError();
  return Reply->Text.value_or(Reply->Death);
}

Expected<HeatMap> gevo::profileLaunches(const LaunchScenario &Launches,
                                        const std::string &Gpu,
                                        IrProgram &Device) {
  Built Tagged = Device.buildTagged();
  if (!Tagged.ok())
    return failure("the program cannot be lowered for a profile: " +
                   Tagged.Failure.Reason);
  Expected<std::string> Said =
      askOnce([&] { return profileText(Launches, Gpu, Tagged.Code); });
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
           const std::string &Variable) {
  if (!Watched.ok())
    return failure(Watched.Failure.Reason);
  Expected<std::string> Said = askOnce(
      [&] { return watchText(Launches, Guards, Gpu, Watched.Code, Variable); });
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
                         IrProgram &Device) {
  Error Why = Error::success();
  for (size_t Most : {2048, 512, 128, 32}) {
    auto Answers = askWatched(Launches, &Guards, Gpu, Device.buildWatched(Most),
                              TwinVariable);
    consumeError(std::move(Why));
    if (Answers) {
      Device.setAnswers(*Answers);
      return Error::success();
    }
    Why = Answers.takeError();
  }
  return Why;
}

Error gevo::observeReach(const LaunchScenario &Launches,
                         const LaunchScenario *Guards, const std::string &Gpu,
                         IrProgram &Device) {
  auto Marks =
      askWatched(Launches, Guards, Gpu, Device.buildMarked(), ReachVariable);
  if (!Marks)
    return Marks.takeError();
  Device.setReached(*Marks);
  return Error::success();
}

// The cases to make others of: of each kernel those that stand for most time.
static std::vector<size_t> typicalCases(const LaunchScenario &From,
                                        unsigned PerKernel) {
  const capture::Capture &All = From.Captured;
  std::vector<size_t> Order(All.Cases.size()), Chosen;
  std::iota(Order.begin(), Order.end(), 0);
  llvm::stable_sort(Order, [&](size_t A, size_t B) {
    auto Share = [&](size_t I) {
      return All.Cases[I].Microseconds * All.Cases[I].Weight;
    };
    return Share(A) > Share(B);
  });
  std::map<std::pair<std::string, unsigned>, unsigned> Count;
  for (size_t I : Order) {
    const std::string &Kernel = All.Cases[I].Launches[0].Kernel;
    unsigned Module = From.Namesakes.count(Kernel) ? From.ModuleOf[I] + 1 : 0;
    if (Count[{Kernel, Module}]++ < PerKernel)
      Chosen.push_back(I);
  }
  return Chosen;
}

// "smooth" of "smooth(float*, int)".
static std::string shortName(const std::string &Kernel) {
  std::string Name = demangle(Kernel);
  return Name.substr(0, Name.find('('));
}

// Draws, lets the original tell what is expected, and writes what it got along
// with. The reply: names of the inputs, as JSON.
static std::string makeInputs(const LaunchScenario &From,
                              const std::string &Gpu, const MakeInputs &Which,
                              const std::string &Folder) {
  std::string Problem;
  measure::DeviceOptions DO;
  DO.Model = Gpu;
  std::unique_ptr<measure::Device> D = measure::Device::open(DO, Problem);
  if (!D)
    return Problem;
  measure::ReplayOptions O;
  O.AcceptedFindings = From.AcceptedFindings;
  capture::Capture Made = From.Captured;
  Made.Cases.clear();
  json::Array Names;
  Random Dice(Which.Seed);
  for (size_t I : typicalCases(From, Which.PerKernel)) {
    const capture::Case &C = From.Captured.Cases[I];
    const std::string &Ptx = From.Captured.Modules[C.Module];
    KernelTraits Traits = traitsOf(Ptx, C.Launches[0].Kernel);
    capture::Case Same = C;
    std::vector<uint64_t> Before, Now;
    bool Known = measure::renewExpected(*D, Same, Ptx, O, Problem, &Before);
    auto Run = [&](capture::Case &Changed, std::vector<uint64_t> &Ends) {
      return measure::renewExpected(*D, Changed, Ptx, O, Problem, &Ends);
    };
    auto Works = [&](capture::Case &Changed) { return Run(Changed, Now); };
    auto Add = [&](OtherInput &Other) {
      Names.push_back(shortName(C.Launches[0].Kernel) + " with " + Other.What);
      Other.Changed.Weight = 1;
      Made.Cases.push_back(std::move(Other.Changed));
    };
    for (OtherInput &Other : drawOtherInputs(C, Traits, Dice, Works)) {
      if (!Works(Other.Changed))
        continue;
      if (Known)
        fitBuffers(Other, Before, Now);
      Add(Other);
    }
    if (Known)
      for (OtherInput &Other : drawLargerInputs(C, Before, Traits, Dice, Run))
        Add(Other);
  }
  if (!Made.Cases.empty() && !capture::writeCapture(Folder, Made, Problem))
    return Problem;
  return formatv("{0}", json::Value(std::move(Names))).str();
}

std::vector<std::string> gevo::sameSize(const capture::Capture &From,
                                        const capture::Capture &Made) {
  std::map<std::string, bool> Varied;
  for (const capture::Case &C : From.Cases) {
    bool &Is = Varied[shortName(C.Launches[0].Kernel)];
    for (const capture::Case &Other : Made.Cases)
      if (Other.Index == C.Index && Other.Module == C.Module)
        Is |= !llvm::equal(
            C.Buffers, Other.Buffers,
            [](const capture::Buffer &A, const capture::Buffer &B) {
              return A.Size == B.Size;
            });
  }
  std::vector<std::string> Same;
  for (const auto &[Kernel, Is] : Varied)
    if (!Is)
      Same.push_back(Kernel);
  return Same;
}

Expected<std::optional<LaunchScenario>>
gevo::otherInputs(const LaunchScenario &From, const std::string &Gpu,
                  const MakeInputs &Which, const Payload &Original,
                  const std::string &Folder, bool Again) {
  std::string List = Folder + ".json", Text;
  auto File = MemoryBuffer::getFile(List);
  bool Known = Again && File;
  if (Known) {
    Text = (*File)->getBuffer().str();
  } else {
    sys::fs::remove_directories(Folder);
    Expected<std::string> Said =
        askOnce([&] { return makeInputs(From, Gpu, Which, Folder); });
    if (!Said)
      return Said.takeError();
    Text = *Said;
  }
  Expected<std::vector<std::string>> Names =
      json::parse<std::vector<std::string>>(Text);
  if (!Names) {
    consumeError(Names.takeError());
    constexpr uint64_t ForInputs = 1 << 20;
    if (Error Full =
            checkRoom({sys::path::parent_path(Folder).str(), temporaryFolder()},
                      ForInputs))
      return Full;
    return failure("no other inputs can be made: " + Text);
  }
  // Once they are known to be there: a search that is resumed takes them.
  if (!Known)
    if (Error E =
            writeFileAtomically(List, [&](raw_ostream &OS) { OS << Text; }))
      return E;
  if (Names->empty())
    return std::nullopt;
  Expected<LaunchScenario> Made = readLaunches(Folder, Original);
  if (!Made)
    return Made.takeError();
  Made->Names = std::move(*Names);
  Made->Rules = From.Rules;
  Made->AcceptedFindings = From.AcceptedFindings;
  // On other inputs a variant only has to be right.
  Made->TimeBound = 10;
  return std::move(*Made);
}
