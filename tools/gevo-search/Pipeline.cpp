//===- Pipeline.cpp - From a program to an edit set -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per step; the state between them is a Pipeline.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Pipeline.h"
#include "passes/ir/Lower.h"
#include "search/Minimise.h"
#include "tools/gevo-search/Capturing.h"
#include "tools/gevo-search/Modules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static std::atomic<Search *> Running{nullptr};

void gevo::stopSearch() {
  if (Search *S = Running)
    S->stop();
}

namespace {

class Pipeline {
public:
  Pipeline(const PipelineOptions &Options, View &V)
      : Options(Options), Asked(Options.Asked), V(V) {}

  Error run();

private:
  Error otherProgram() const {
    return failure("'" + Options.Folder +
                   "' holds the search of another program or input; the "
                   "program, its arguments or its files have changed");
  }
  Error readProgram();
  Error observe();
  Error capture();
  Service judge();
  Error judgeSet();
  std::string scenarioIdentity() const;
  Error openStore();
  Error startWorkers();
  Error search(Search &S);
  Finalist validate(const Individual &I);
  Finalist retreat(Search &S, Finalist Refused, double Most);
  std::vector<Finalist> finalists(Search &S);
  Error write(Search &S, const Finalist &Best);

  const PipelineOptions &Options;
  Settings Asked;
  View &V;
  std::string Scratch;
  std::unique_ptr<IrProgram> Device;
  WholeScenario Scenario;
  std::vector<WholeCase> Cases, HeldOut;
  /// What is replayed; nothing if variants are judged by whole runs.
  std::optional<LaunchScenario> Launches;
  std::unique_ptr<Store> Disk;
  std::unique_ptr<Workers> Pool;
  std::unique_ptr<PayloadCache> Codes;
  std::unique_ptr<PoolEvaluator> Base;
  std::unique_ptr<EditCache> Cached;
};

} // namespace

Error Pipeline::readProgram() {
  const std::string &Path = Asked.Program.front();
  Expected<std::vector<RecordedModule>> Records = readRecords(Path);
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return failure("'" + Path +
                   "' carries no device code to edit; build it with "
                   "gevo-clang++ --gevo-record");
  Expected<std::vector<RecordedModule>> Chosen =
      chooseModules(std::move(*Records), Asked.Gpu);
  if (!Chosen)
    return Chosen.takeError();
  Regex Wanted(Asked.Kernels.empty() ? ".*" : Asked.Kernels);
  std::string Message;
  if (!Wanted.isValid(Message))
    return failure("--kernels: " + Message);
  initializeNVPTX();
  Expected<std::unique_ptr<IrProgram>> P =
      IrProgram::create(std::move(*Chosen), [&](StringRef Name) {
        return Wanted.match(Name) || Wanted.match(demangle(Name));
      });
  if (!P)
    return P.takeError();
  Device = std::move(*P);
  if (!Device->functionCount())
    return failure("no function of '" + Path +
                   "' matches --kernels=" + Asked.Kernels);
  std::string Identity = Device->identity();
  if (Options.Resume && Asked.Identity != Identity)
    return otherProgram();
  Asked.Identity = Identity;
  return Error::success();
}

Error Pipeline::observe() {
  Scenario.GevoRun = sys::path::parent_path(sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(stopSearch)));
  Scenario.GevoRun += "/gevo-run";
  Scenario.Gpu = Asked.Gpu;
  Scenario.OutputFiles = Asked.Outputs;
  Scenario.Tolerance = Asked.Tolerance;
  // Slower variants may be stepping stones, if not by much.
  Scenario.TimeBound = 1.5;
  std::string Original = Scratch + "/original";
  if (std::error_code EC = sys::fs::create_directories(Original))
    return failure("cannot make folder '" + Original + "': " + EC.message());
  if (chdir(Original.c_str()))
    return failure("cannot enter folder '" + Original + "'");
  if (Asked.AcceptFindings)
    Scenario.AcceptedFindings = runWhole(Scenario, Asked.Program, {}).Findings;
  Expected<WholeCase> Case = observeOriginal(Scenario, Asked.Program);
  if (!Case)
    return Case.takeError();
  Cases.push_back(std::move(*Case));
  for (const Command &C : Asked.HeldOut) {
    Expected<WholeCase> Other = observeOriginal(Scenario, C);
    if (!Other)
      return failure("held-out run '" + shellText(C) +
                     "': " + toString(Other.takeError()));
    HeldOut.push_back(std::move(*Other));
  }
  std::map<std::string, double> Times;
  V.say(Twine(Asked.Gpu) + ", " + Device->architecture() + ": " +
        Twine(Device->functionCount()) + " functions with " +
        Twine(Device->instructionCount()) + " instructions");
  for (const WholeRun::Kernel &K : Cases[0].Original.Kernels) {
    std::string Text;
    raw_string_ostream(Text)
        << format("%10.2f us %5.1f%% %6llu launches  ", K.Microseconds,
                  100 * K.Microseconds * 1000 / Cases[0].Time,
                  (unsigned long long)K.Launches)
        << demangle(K.Name);
    V.say(Text);
    Times[K.Name] = K.Microseconds;
  }
  Device->setHeat(Device->estimateHeat([&](StringRef Name) {
    auto Found = Times.find(Name.str());
    return Found == Times.end() ? 1.0 : Found->second;
  }));
  return Error::success();
}

Error Pipeline::capture() {
  Expected<LaunchScenario> Captured =
      captureLaunches(Scenario, Asked.Program, *Device,
                      Options.Folder + "/capture", Options.Resume);
  if (!Captured)
    return failure(toString(Captured.takeError()) +
                   "; --whole-runs searches without captured launches");
  Launches = std::move(*Captured);
  uint64_t Count = 0;
  for (const capture::Case &C : Launches->Captured.Cases)
    Count += C.Weight;
  V.say("searching on " + Twine(Launches->Captured.Cases.size()) +
        " captured launches, which stand for " + Twine(Count));
  Expected<HeatMap> Heat = profileLaunches(*Launches, *Device);
  if (!Heat)
    return Heat.takeError();
  Device->setHeat(std::move(*Heat));
  return Error::success();
}

std::string Pipeline::scenarioIdentity() const {
  std::string All = Device->identity() + Scenario.identity();
  if (Launches)
    All += Launches->identity();
  for (const std::string &Word : Asked.Program) {
    All += "\n" + Word;
    if (auto File = MemoryBuffer::getFile(Word))
      All += utohexstr(xxh3_64bits((*File)->getBuffer()));
  }
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

Error Pipeline::openStore() {
  std::string Identity = scenarioIdentity();
  Expected<std::unique_ptr<Store>> Opened =
      Options.Resume ? Store::resume(Options.Folder)
                     : Store::begin(Options.Folder,
                                    *toJSON(Asked).getAsObject(), Identity);
  if (!Opened)
    return Opened.takeError();
  Disk = std::move(*Opened);
  if (Disk->scenario() != Identity)
    return otherProgram();
  return Error::success();
}

// What a worker does.
Service Pipeline::judge() {
  std::shared_ptr<Runner> R;
  if (Launches)
    R = std::make_shared<LaunchRunner>(*Launches);
  else
    R = std::make_shared<WholeRunner>(
        Scenario, Cases, Scratch + "/worker-" + std::to_string(getpid()));
  Service Serve = variantService(*Device, *R);
  return [R, Serve](StringRef Message) { return Serve(Message); };
}

Error Pipeline::startWorkers() {
  WorkerLimits Limits;
  Limits.Count = Options.Jobs;
  // The embedded GPU reserves more addresses than it uses memory.
  Limits.MemoryBytes = 0;
  Limits.Seconds = 600;
  auto Started = forkWorkers(Limits, [this] { return judge(); });
  if (!Started)
    return Started.takeError();
  Pool = std::move(*Started);
  Codes = std::make_unique<PayloadCache>(&Disk->measurements());
  if (Error E = Codes->load())
    return E;
  Base = std::make_unique<PoolEvaluator>(*Pool, *Codes);
  Cached = std::make_unique<EditCache>(*Base, &Disk->evaluations());
  return Error::success();
}

// The launches of the search first, then the whole runs.
Error Pipeline::judgeSet() {
  Expected<EditSet> Set = readEditSet(Options.Judge);
  if (!Set)
    return Set.takeError();
  Expected<EditList> Edits = Device->editsOf(*Set);
  if (!Edits)
    return Edits.takeError();
  Individual I;
  I.Edits = std::move(*Edits);
  Built B = Device->build(I.Edits);
  I.Result = B.Failure;
  if (B.ok() && Launches)
    I.Result = LaunchRunner(*Launches, /*CheckAlways=*/true).run(B.Code);
  if (I.valid())
    for (const Finalist::Check &C : validate(I).Checks) {
      if (!C.Result.valid() && I.valid()) {
        I.Result = C.Result;
        I.Result.Reason = C.Name + ": " + I.Result.Reason;
      }
    }
  sys::fs::remove_directories(Scratch);
  if (!I.valid())
    return failure("refused at stage '" + name(I.Result.End) +
                   "': " + I.Result.Reason);
  V.say("'" + Options.Judge + "' stands all checks on " +
        Twine(Cases.size() + HeldOut.size()) + " runs");
  return Error::success();
}

Error Pipeline::search(Search &S) {
  Expected<std::optional<SearchState>> From = Disk->checkpoint();
  if (!From)
    return From.takeError();
  Expected<std::vector<std::string>> Seen =
      Cached->load(*From ? (*From)->Evaluations : 0);
  if (!Seen)
    return Seen.takeError();
  if (*From)
    S.resume(std::move(**From), *Seen);
  Running = &S;
  Error E = S.run();
  V.progress(S, /*Last=*/true);
  return E;
}

Finalist Pipeline::validate(const Individual &I) {
  Finalist F;
  F.Kept = I;
  Built B = Device->build(F.Kept.Edits);
  assert(B.ok() && "what was measured builds");
  auto Judge = [&](const WholeCase &Case, bool IsHeldOut) {
    Finalist::Check C;
    C.Name = shellText(Case.Run);
    C.HeldOut = IsHeldOut;
    C.Original = Case.Time;
    C.Result = WholeRunner(Scenario, Case, Scratch + "/validation",
                           /*CheckAlways=*/true)
                   .run(B.Code);
    F.Checks.push_back(std::move(C));
  };
  for (const WholeCase &Case : Cases)
    Judge(Case, false);
  for (const WholeCase &Case : HeldOut)
    Judge(Case, true);
  return F;
}

// What is left of a refused finalist: with one edit less, the fastest first,
// until validation accepts one. Edits that only held for the inputs of the
// search go this way.
Finalist Pipeline::retreat(Search &S, Finalist Refused, double Most) {
  while (!Refused.passed() && Refused.Kept.Edits.size() > 1) {
    std::vector<EditList> Batch;
    for (size_t I = 0; I < Refused.Kept.Edits.size(); ++I) {
      Batch.push_back(Refused.Kept.Edits);
      Batch.back().erase(Batch.back().begin() + I);
    }
    std::vector<Individual> Smaller = S.evaluateBeyond(Batch);
    llvm::erase_if(Smaller, [&](const Individual &I) {
      return !I.valid() || I.Result.Error > Most ||
             I.Result.Time >= S.state().Baseline.Time;
    });
    llvm::sort(Smaller, [](const Individual &A, const Individual &B) {
      return std::pair(A.Result.Time, keyOf(A.Edits)) <
             std::pair(B.Result.Time, keyOf(B.Edits));
    });
    if (Smaller.empty())
      break;
    std::string Title = Refused.Title;
    size_t Before = Refused.Before;
    for (const Individual &I : Smaller) {
      Refused = validate(I);
      if (Refused.passed())
        break;
    }
    if (!Refused.passed())
      Refused = validate(Smaller.front());
    Refused.Title = Title;
    Refused.Before = Before;
  }
  return Refused;
}

// The fastest without error and the fastest at all; what validation refuses is
// told, and followed by what is left of it.
std::vector<Finalist> Pipeline::finalists(Search &S) {
  std::vector<Finalist> Result;
  auto Add = [&](StringRef Title, double Most) {
    const Individual *Best = S.state().best(Most);
    if (!Best || Best->Edits.empty())
      return;
    Minimised M = minimise(S, *Best, Most);
    Finalist F = validate(M.Kept);
    F.Title = Title.str();
    F.Before = M.Before;
    Result.push_back(F);
    if (F.passed() || S.stopped())
      return;
    Result.back().Title += ", refused";
    F = retreat(S, std::move(F), Most);
    if (F.passed())
      Result.push_back(std::move(F));
  };
  Add("best without error", 0);
  const Individual *Fastest = S.state().best(Asked.Tolerance);
  if (Fastest && Fastest->Result.Error > 0)
    Add("best within the tolerance", Asked.Tolerance);
  return Result;
}

Error Pipeline::write(Search &S, const Finalist &Best) {
  EditSet Set =
      Device->describeSet(Best.Kept.Edits, measuredOf(S, Best, Asked));
  return writeEditSet(Set, Asked.Out);
}

Error Pipeline::run() {
  Scratch = Options.Folder + "/scratch";
  if (Error E = readProgram())
    return E;
  if (Error E = observe())
    return E;
  if (!Asked.WholeRuns)
    if (Error E = capture())
      return E;
  if (!Options.Judge.empty())
    return judgeSet();
  if (Error E = openStore())
    return E;
  if (Error E = startWorkers())
    return E;
  SearchOptions SO;
  SO.Algorithm = findAlgorithm(Asked.Algorithm);
  SO.Seed = Asked.Seed;
  SO.Population = Asked.Population;
  SO.MaxEvaluations = Asked.Evaluations;
  SO.MaxSeconds = Asked.Seconds;
  SO.Tolerance = Asked.Tolerance;
  SearchObserver Observer;
  Observer.Evaluated = [&](const Search &S, const Variant &) { V.progress(S); };
  Observer.Progress = [&](const Search &S) { V.progress(S); };
  Observer.Checkpoint = [&](const SearchState &S) { return Disk->save(S); };
  Search S(*Device, *Cached, SO, Observer);
  if (Error E = search(S))
    return E;
  std::vector<Finalist> Found = finalists(S);
  Running = nullptr;
  const Finalist *Best = nullptr;
  for (const Finalist &F : Found)
    if (F.passed() && !F.Kept.Edits.empty() &&
        (!Best || F.Kept.Result.Time < Best->Kept.Result.Time))
      Best = &F;
  if (Best)
    if (Error E = write(S, *Best))
      return E;
  V.result(S, Found, Asked, Base->runs(), Best ? Asked.Out : "");
  if (HeldOut.empty())
    V.say("no held-out run was given: --held-out='" +
          Twine(Asked.Program.front()) +
          " OTHER INPUT' shows whether the "
          "edits hold for other inputs");
  if (!Best)
    V.say("nothing better was found; no edit set was written");
  else
    V.say("wrote " + Asked.Out +
          "; build with it:\n  gevo-clang++ --gevo-edits=" + Asked.Out + " " +
          Device->records()[0].Source + " -o " +
          sys::path::filename(Asked.Program.front()));
  sys::fs::remove_directories(Scratch);
  return Error::success();
}

Error gevo::runPipeline(const PipelineOptions &Options, View &V) {
  return Pipeline(Options, V).run();
}
