//===- Observing.cpp - What the program does as it is ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Judges that runs the original, on every GPU that was asked for,
// and tells which of its kernels nothing could judge.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Judges.h"
#include "tools/gevo-search/Patience.h"
#include "tools/gevo-search/WrittenFiles.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
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
                  "instructions, or as many as GEVO_STEP_LIMIT says",
                  PatienceSeconds);
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
    WholeCase None;
    const WholeCase &First = T.Cases.empty() ? None : T.Cases[0];
    if (Error Full = checkRoomForRun(First.Run, First.Original)) {
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
