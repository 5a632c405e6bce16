//===- Judges.cpp - Who judges variants -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole runs happen in folders of the store, which go when all is done.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Judges.h"
#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Capturing.h"
#include "tools/gevo-search/MachineCode.h"
#include "tools/gevo-search/Measuring.h"
#include "tools/gevo-search/Overview.h"
#include "tools/gevo-search/Patience.h"
#include "tools/gevo-search/WrittenFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

std::string Judges::scratch(const Twine &Name) const {
  return (Scratch + "/" + Name).str();
}

void Judges::removeScratch() { sys::fs::remove_directories(Scratch); }

std::vector<std::string> Judges::guardNames() const {
  return Guards ? Guards->Names : std::vector<std::string>();
}

std::vector<std::string> Judges::sameSizeKernels() const {
  return Others.empty()
             ? std::vector<std::string>()
             : sameSize(launchesSeen().Captured, Others[0]->Captured);
}

std::vector<std::string>
Judges::runsWithout(const std::set<std::string> &Kernels) const {
  auto Launches = [](const WholeCase &Case, const std::string &Name) {
    return any_of(Case.Original.Kernels,
                  [&](const WholeRun::Kernel &K) { return K.Name == Name; });
  };
  const Target &First = Targets.front();
  // A function that is no kernel is in no report.
  if (!all_of(Kernels, [&](const std::string &Name) {
        return Launches(First.Cases.front(), Name);
      }))
    return {};
  std::vector<std::string> Runs;
  for (const WholeCase &Case : First.HeldOut)
    if (none_of(Kernels,
                [&](const std::string &Name) { return Launches(Case, Name); }))
      Runs.push_back(shellText(Case.Run.Words));
  return Runs;
}

size_t Judges::runCount() const {
  size_t Count = 0;
  for (const Target &T : Targets)
    Count += T.Cases.size() + T.HeldOut.size();
  return Count;
}

static Error enterNew(const std::string &Path) {
  sys::fs::remove_directories(Path);
  if (Error E = makeFolder(Path))
    return E;
  if (chdir(Path.c_str()))
    return failure("cannot enter folder '" + Path + "'");
  return Error::success();
}

void Judges::describe(Target &T) const {
  T.Scenario.MemoryBytes = Limits.MemoryBytes;
  T.Scenario.GevoRun = sys::path::parent_path(
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(enterNew)));
  T.Scenario.GevoRun += "/gevo-run";
  T.Scenario.Rules = Asked.Tolerance;
  if (Original.Modules.size() > 1)
    T.Scenario.Originals = Original.Modules;
  T.Scenario.Goal = cantFail(parseObjective(Asked.Objective), "it was checked");
  // Slower variants may be stepping stones, if not by much; a clock on the wall
  // says little about a single run.
  T.Scenario.TimeBound = T.Scenario.Goal.Kind == ObjectiveKind::Wall ? 5 : 1.5;
}

// What a run writes is the same on every GPU.
Error Judges::observe(Target &T) {
  const Target &First = Targets.front();
  auto ObserveRun = [&](const Command &C, ArrayRef<WholeCase> Seen,
                        size_t Number) -> Expected<WholeCase> {
    // What the runs before it needed does not tell what this one may need.
    WholeScenario S = T.Scenario;
    S.Seconds = 0;
    S.StepLimit = 0;
    Patience Wait(V, "running '" + shellText(C) + "' without edits",
                  "; a kernel that does not end is stopped after 2^34 warp "
                  "instructions, or as many as GEVO_STEP_LIMIT says");
    Expected<ProgramRun> Run =
        Number < Seen.size() ? Seen[Number].Run : findWritten(S, Asked, C, V);
    if (!Run)
      return Run.takeError();
    if (Asked.AcceptFindings && T.Cases.empty())
      S.AcceptedFindings = runWhole(S, *Run, {}).Findings;
    Expected<WholeCase> Case = observeOriginal(S, *Run);
    bool Unlimited =
        !S.StepLimit || (!T.Cases.empty() && !T.Scenario.StepLimit);
    S.StepLimit = Unlimited ? 0 : std::max(S.StepLimit, T.Scenario.StepLimit);
    S.Seconds = std::max(S.Seconds, T.Scenario.Seconds);
    T.Scenario = std::move(S);
    return Case;
  };
  Expected<WholeCase> Case = ObserveRun(Asked.Program, First.Cases, 0);
  if (!Case)
    return Case.takeError();
  T.Cases.push_back(std::move(*Case));
  for (size_t I = 0; I < Asked.HeldOut.size(); ++I) {
    const Command &C = Asked.HeldOut[I];
    Expected<WholeCase> Other = ObserveRun(C, First.HeldOut, I);
    if (!Other)
      return failure("held-out run '" + shellText(C) +
                     "': " + toString(Other.takeError()));
    T.HeldOut.push_back(std::move(*Other));
  }
  return Error::success();
}

Error Judges::capture(bool Again) {
  const WholeScenario &S = Targets[0].Scenario;
  Expected<LaunchScenario> Captured = captureLaunches(
      S, Targets[0].Cases[0].Run, Device, Folder + "/capture", Again);
  Expected<HeatMap> Heat = Captured ? profileLaunches(*Captured, S.Gpu, Device)
                                    : Expected<HeatMap>(Captured.takeError());
  if (Error E = Heat.takeError()) {
    if (E.isA<MachineError>())
      return E;
    NotMade = toString(std::move(E));
    V.say("judging by whole runs, which is slower: " + NotMade);
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
  if (Asked.OtherInputs)
    if (Error E = makeInputs(Again))
      return E;
  if (Error E =
          observeReach(*Launches, Guards ? &*Guards : nullptr, S.Gpu, Device))
    V.say("not known which code the inputs come to: " + toString(std::move(E)));
  // Only the default makes use of them. On one input too much is equal.
  if (Guards && Asked.Algorithm == "default")
    if (Error E = observeTwins(*Launches, *Guards, S.Gpu, Device))
      V.say("not looking for values that are always equal: " +
            toString(std::move(E)));
  return Error::success();
}

Expected<std::optional<LaunchScenario>> Judges::drawInputs(size_t Round,
                                                           bool Again) const {
  MakeInputs Which;
  Which.Seed = Asked.Seed + (uint64_t(Round) << 32);
  std::string Number = Round ? "-" + std::to_string(Round + 1) : "";
  return otherInputs(launchesSeen(), Targets[0].Scenario.Gpu, Which, Original,
                     Folder + "/others" + Number, Again);
}

// Guards are the same for every seed, as what is known of code is. They are
// few, as every variant that is faster has to stand them.
Error Judges::makeInputs(bool Again) {
  constexpr uint64_t GuardSeed = 0x6775617264;
  Expected<std::optional<LaunchScenario>> Made =
      otherInputs(*Launches, Targets[0].Scenario.Gpu, {GuardSeed, 1}, Original,
                  Folder + "/guards", Again);
  if (!Made)
    return Made.takeError();
  Guards = std::move(*Made);
  if (!Guards)
    return Error::success();
  V.say("guarding the search: " + counted(Guards->Names.size(), "input") +
        " made from these, on which a faster variant must be right, "
        "too");
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

Error Judges::observeAll(bool Again) {
  std::string Path = Folder + "/original.json";
  for (const std::string &Gpu : Asked.gpus()) {
    Target &T = Targets.emplace_back();
    T.Scenario.Gpu = Gpu;
    describe(T);
    if (Error E = enterNew(scratch("original")))
      return E;
    Error E = Error::success();
    bool Known = false;
    if (Again)
      E = readOriginal(Path, Targets).moveInto(Known);
    if (!E)
      E = Known ? compareWithEarlier(T) : observe(T);
    // Whatever a full disk made of the runs is not what the program does.
    if (Error Full = checkRoomForRun(T.Cases.empty() ? WholeRun()
                                                     : T.Cases[0].Original)) {
      consumeError(std::move(E));
      return Full;
    }
    if (E)
      return Asked.gpus().size() > 1
                 ? failure("on " + Gpu + ": " + toString(std::move(E)))
                 : std::move(E);
  }
  return Again ? Error::success() : writeOriginals(Path, Targets);
}

Error Judges::prepare(bool Again) {
  Built B = Device.build({});
  if (!B.ok())
    return failure("the program itself fails at stage '" + name(B.Failure.End) +
                   "': " + B.Failure.Reason);
  Original = std::move(B.Code);
  if (Error E = observeAll(Again))
    return E;
  tellProgram(Asked, Device, Targets[0].Cases[0], V);
  std::map<std::string, double> Times;
  for (const WholeRun::Kernel &K : Targets[0].Cases[0].Original.Kernels)
    Times[K.Name] = K.Microseconds;
  Device.setHeat(Device.estimateHeat([&](StringRef Name) {
    auto Found = Times.find(Name.str());
    return Found == Times.end() ? 1.0 : Found->second;
  }));
  bool Spread =
      Asked.Tolerance.Others.Limits.Mode == measure::CompareMode::Deviations;
  if (Spread && !Asked.WholeRuns)
    V.say("judging by whole runs, which is slower: '" +
          measure::ruleText(Asked.Tolerance.Others) +
          "' is about repeated runs of the program");
  bool Whole = Asked.WholeRuns || Spread ||
               Targets[0].Scenario.Goal.source() == Objective::Runs;
  if (!Whole)
    if (Error E = capture(Again))
      return E;
  if (Whole && Asked.OtherInputs)
    if (Error E = makeProof(Again))
      return E;
  if (Error E = leaveSilent())
    return E;
  return checkRules();
}

std::set<std::string> Judges::silentKernels() const {
  std::set<std::string> All, Namesakes = Device.namesakes();
  for (const WholeRun::Kernel &K : Targets[0].Cases[0].Original.Kernels)
    if (K.Silent == K.Launches)
      All.insert(K.Name);
  if (Guards)
    for (const std::string &Kernel : Guards->writers())
      All.erase(Kernel);
  // What they print is compared as well.
  if (Launches)
    for (const capture::Case &C : Launches->Captured.Cases)
      if (C.Printed && !C.Printed->empty())
        All.erase(C.Launches[0].Kernel);
  // Of several kernels with one name, nobody says which of them it was.
  for (const WholeRun::Kernel &K : Targets[0].Cases[0].Original.Kernels)
    if (K.Silent && Namesakes.count(K.Name))
      All.insert(K.Name);
  return All;
}

// A kernel that looks for mistakes and finds none could be emptied: nothing is
// compared that it would have written.
Error Judges::leaveSilent() {
  std::set<std::string> Silent = silentKernels();
  std::set<std::string> Namesakes = Device.namesakes();
  size_t Left = Device.functionCount();
  for (unsigned I = 0; I < Device.functionCount(); ++I)
    if (StringRef Name = Device.functionName(I); Silent.count(Name.str())) {
      --Left;
      V.say(demangle(Name.str()) +
            (Namesakes.count(Name.str()) ? ", or another kernel of this name,"
                                         : "") +
            " writes nothing in this run, so nothing would show that an edit "
            "of it is wrong; it is left as it is");
    }
  if (!Left)
    return failure("nothing is left to edit; search on a run in which kernels "
                   "write something");
  Device.setUnjudged(std::move(Silent));
  return Error::success();
}

// A rule for an output that is not there would be followed by nobody.
Error Judges::checkRules() const {
  std::set<std::string> Known = {measure::OutputSpec::StdoutName};
  for (const std::vector<WholeCase> *Cases :
       {&Targets[0].Cases, &Targets[0].HeldOut})
    for (const WholeCase &C : *Cases)
      for (const measure::OutputSpec &Output : C.Outputs)
        Known.insert(Output.name());
  if (Launches)
    for (const capture::Case &C : Launches->Captured.Cases)
      Known.merge(measure::Replay::outputNames(C));
  const std::string *Unknown = Asked.Tolerance.findUnknown(Known);
  return Unknown ? failure("--tolerance names the output '" + *Unknown +
                           "', which is not compared; there are " +
                           join(Known, ", "))
                 : Error::success();
}

std::string Judges::identity() const {
  std::string All = Device.identity() + Asked.Gpu + "\n" + Asked.BestOn + "\n" +
                    Asked.MeasuredBy;
  // Where ptxas is asked for every variant.
  if (!Launches || Targets[0].Scenario.Goal.source() == Objective::Code)
    All += assemblingIdentity();
  // Where launches judge, what the runs print is no part of it.
  for (const Target &T : Targets)
    All += Launches ? T.Scenario.identity() : T.identity();
  if (Launches)
    All += Launches->identity();
  if (Guards)
    All += Guards->identity() + join(Guards->Names, "\n");
  Command Own;
  for (const OwnFile &File : Targets[0].Cases[0].Run.Own)
    Own.push_back(File.Word);
  for (const std::string &Word : Asked.Program) {
    All += "\n" + Word;
    // A device may have no end, and what is written there shows in the outputs.
    if (!sys::fs::is_regular_file(Word) || is_contained(Own, Word))
      continue;
    if (auto File = MemoryBuffer::getFile(Word))
      All += utohexstr(xxh3_64bits((*File)->getBuffer()));
  }
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

std::unique_ptr<Runner> Judges::runnerFor(const Target &T, bool Judging) const {
  // The cheaper of two that cost the same to run must be as clean.
  bool CheckAlways = Judging || T.Scenario.Goal.source() == Objective::Code;
  if (!Launches)
    return std::make_unique<WholeRunner>(
        T.Scenario, T.Cases, scratch("worker-" + Twine(getpid())), CheckAlways);
  auto R =
      std::make_unique<LaunchRunner>(*Launches, T.Scenario.Gpu, CheckAlways);
  if (Guards && !Judging)
    R->guardWith(&*Guards);
  return R;
}

std::vector<const Target *> Judges::countedTargets() const {
  std::vector<const Target *> All;
  for (const Target &T : Targets)
    if (Asked.BestOn.empty() || Asked.BestOn == T.Scenario.Gpu)
      All.push_back(&T);
  return All;
}

std::unique_ptr<Runner> Judges::onCounted(
    const std::function<std::unique_ptr<Runner>(const Target &)> &Make) const {
  std::vector<const Target *> Counted = countedTargets();
  if (Counted.size() == 1)
    return Make(*Counted[0]);
  std::vector<std::unique_ptr<Runner>> Each;
  for (const Target *T : Counted)
    Each.push_back(
        std::make_unique<IsolatedRunner>(Limits, [=] { return Make(*T); }));
  return std::make_unique<DevicesRunner>(std::move(Each), Original);
}

std::unique_ptr<Runner> Judges::runner(bool Judging) const {
  const Objective &Goal = Targets[0].Scenario.Goal;
  std::unique_ptr<Runner> R =
      onCounted([=](const Target &T) { return runnerFor(T, Judging); });
  if (Goal.source() == Objective::Code)
    R = std::make_unique<CostRunner>(
        std::move(R),
        machineCodeCost(Goal.Kind, countedTargets()[0]->Scenario.Gpu));
  return R;
}

Service Judges::service() {
  std::shared_ptr<Runner> R = runner(/*Judging=*/false);
  Service Serve = variantService(Device, *R);
  return [R, Serve](StringRef Message) { return Serve(Message); };
}
