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
#include "passes/edit/AtomicFile.h"
#include "passes/ir/Lower.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Finalists.h"
#include "tools/gevo-search/Measuring.h"
#include "tools/gevo-search/Modules.h"
#include "tools/gevo-search/NewFolder.h"
#include "tools/gevo-search/Values.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <csignal>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static std::atomic<Search *> Running{nullptr};
// The program is looked at; nothing was searched yet.
static std::atomic<bool> Preparing{false};

void gevo::stopSearch() {
  if (Search *S = Running)
    return S->stop();
  if (!Preparing)
    return;
  constexpr StringLiteral Text = "gevo-search: stopped before the search "
                                 "began; there is nothing to keep\n";
  constexpr int EndedBySignal = 128;
  [[maybe_unused]] ssize_t Told =
      ::write(STDERR_FILENO, Text.data(), Text.size());
  _exit(EndedBySignal + SIGINT);
}

namespace {

class Pipeline {
public:
  Pipeline(const PipelineOptions &Options, View &V)
      : Options(Options), Asked(Options.Asked), V(V) {}

  Error run();
  /// Makes this rank's worker for the search whose scenario is \p Identity.
  Expected<std::unique_ptr<Workers>> follow(StringRef Identity);

private:
  Error otherProgram() const {
    return failure("'" + Options.Folder +
                   "' holds the search of another program or input; the "
                   "program, its arguments or its files have changed");
  }
  Error readProgram();
  Error knowMeasuring();
  Error judgeSet();
  Error openStore();
  Error prepare(bool Again);
  WorkerLimits limits() const;
  Expected<std::unique_ptr<Workers>> forkLocal();
  Error startWorkers();
  double processorSeconds() const;
  Error search(Search &S);
  Error write(Search &S, const Finalist &Best);
  void tellNext(const Finalist *Best) const;

  const PipelineOptions &Options;
  Settings Asked;
  View &V;
  std::unique_ptr<IrProgram> Device;
  std::unique_ptr<FolderLock> Alone;
  std::unique_ptr<Judges> Judging;
  std::unique_ptr<Store> Disk;
  std::unique_ptr<Workers> Pool;
  std::unique_ptr<PayloadCache> Codes;
  std::unique_ptr<PoolEvaluator> Base;
  std::unique_ptr<EditCache> Cached;
  /// Seconds of processors, on this machine.
  double SearchTook = 0;
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
      chooseModules(std::move(*Records), Asked.gpus());
  if (!Chosen)
    return Chosen.takeError();
  Regex Wanted(Asked.Kernels.empty() ? ".*" : Asked.Kernels);
  if (Error E = checkKernels(Asked.Kernels))
    return E;
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

// What is known of code holds as long as it is measured in the same way.
Error Pipeline::knowMeasuring() {
  Expected<std::string> Now = measuringIdentity(Asked.gpus());
  if (!Now)
    return Now.takeError();
  bool Same = !Options.Resume || Asked.MeasuredBy == *Now;
  Asked.MeasuredBy = *Now;
  if (Same)
    return Error::success();
  if (Options.Ranks && Options.Ranks->rank())
    return failure("it has another version of Gevo, another profile of " +
                   Asked.Gpu +
                   ", or other variables such as GEVO_COSTS than "
                   "rank 0; their times would not compare");
  return failure("'" + Options.Folder +
                 "' was measured by another version of Gevo, with another "
                 "profile of " +
                 Asked.Gpu +
                 ", or with other variables such as GEVO_COSTS; times would "
                 "not compare. Begin anew, without --resume");
}

Error Pipeline::openStore() {
  std::string Identity = Judging->identity();
  Expected<std::unique_ptr<Store>> Opened =
      Options.Resume ? Store::resume(Options.Folder)
                     : Store::begin(Options.Folder,
                                    *toJSON(Asked).getAsObject(), Identity);
  if (!Opened)
    return Opened.takeError();
  Disk = std::move(*Opened);
  if (!Disk->putAside().empty())
    V.say("'" + Options.Folder +
          "' held the search of another program or input, or one that was "
          "measured in another way; its evaluations are kept as " +
          Disk->putAside());
  if (Disk->scenario() != Identity)
    return otherProgram();
  return Judging->keepPrices(*Disk);
}

// Four fifths of the machine for all of its workers.
static uint64_t memoryPerWorker(unsigned Count) {
  constexpr double Share = 0.8;
  return Share * sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / Count;
}

WorkerLimits Pipeline::limits() const {
  WorkerLimits Limits;
  Limits.Count = Options.Ranks ? 1 : Options.Jobs;
  unsigned OnMachine = Limits.Count;
  if (const char *Text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE"))
    StringRef(Text).getAsInteger(10, OnMachine);
  Limits.MemoryBytes = memoryPerWorker(std::max(1u, OnMachine));
  Limits.Seconds = 600;
  return Limits;
}

Error Pipeline::prepare(bool Again) {
  if (Error E = readProgram())
    return E;
  if (Error E = knowMeasuring())
    return E;
  int Rank = Options.Ranks ? Options.Ranks->rank() : 0;
  if (!Rank)
    if (Error E = FolderLock::take(Options.Folder).moveInto(Alone))
      return E;
  std::string Scratch =
      Options.Folder + "/scratch" + (Rank ? "-" + std::to_string(Rank) : "");
  // A worker has a process for each of several GPUs.
  uint64_t Memory = limits().MemoryBytes / Asked.gpus().size();
  constexpr uint64_t LeastMemory = uint64_t(256) << 20;
  if (Memory < LeastMemory)
    return failure(
        formatv("{0} workers have {1:f1} MiB of memory each, too "
                "little to run a program; there is enough for "
                "--jobs={2}",
                Options.Jobs, Memory / double(1 << 20),
                std::max<uint64_t>(1, Options.Jobs * Memory / LeastMemory)));
  Judging = std::make_unique<Judges>(Asked, *Device, Options.Folder, Scratch,
                                     Memory, Options.Jobs, V);
  return Judging->prepare(Again);
}

Expected<std::unique_ptr<Workers>> Pipeline::forkLocal() {
  return forkWorkers(limits(), [this] { return Judging->service(); });
}

Expected<std::unique_ptr<Workers>> Pipeline::follow(StringRef Identity) {
  if (Error E = prepare(/*Again=*/true))
    return E;
  if (Judging->identity() != Identity)
    return failure("it does not see the program or the store that rank 0 "
                   "sees; both must be the same files on all machines");
  return forkLocal();
}

Error Pipeline::startWorkers() {
  auto Started = forkLocal();
  if (!Started)
    return Started.takeError();
  std::vector<int> Ready;
  if (Options.Ranks) {
    json::Value Setup = json::Object{{"settings", toJSON(Asked)},
                                     {"folder", Options.Folder},
                                     {"identity", Judging->identity()}};
    auto Lost = [this](int Rank) {
      V.say("rank " + Twine(Rank) + " is silent; rank 0 does its work");
    };
    Expected<std::vector<int>> Up =
        setUpRanks(*Options.Ranks, formatv("{0}", Setup).str(), Lost);
    if (!Up)
      return Up.takeError();
    Ready = std::move(*Up);
    Started = rankWorkers(*Options.Ranks, std::move(*Started), Ready, Lost);
  }
  V.say(formatv("{0}, each with up to {1:f1} GiB of memory",
                counted((*Started)->count(), Options.Ranks ? "rank" : "worker"),
                double(limits().MemoryBytes) / (uint64_t(1) << 30)));
  Pool = std::move(*Started);
  Codes = std::make_unique<PayloadCache>(&Disk->measurements());
  if (Error E = Codes->load())
    return E;
  Base = std::make_unique<PoolEvaluator>(*Pool, *Codes);
  Cached = std::make_unique<EditCache>(*Base, &Disk->evaluations());
  return Error::success();
}

Error Pipeline::judgeSet() {
  Expected<EditSet> Set = readEditSet(Options.Judge);
  if (!Set)
    return Set.takeError();
  if (Error E = prepare(/*Again=*/false))
    return E;
  Expected<EditList> Edits = Device->editsOf(*Set);
  if (!Edits)
    return Edits.takeError();
  Individual I;
  I.Edits = std::move(*Edits);
  Fitness F = Judging->judgeThoroughly(I);
  if (!F.valid())
    return failure("refused at stage '" + name(F.End) + "': " + F.Reason);
  V.say("'" + Options.Judge + "' stands all checks on " +
        counted(Judging->runCount(), "run"));
  return Error::success();
}

double Pipeline::processorSeconds() const {
  timespec Own = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Own);
  return Own.tv_sec + Own.tv_nsec * 1e-9 + Pool->processorSeconds();
}

Error Pipeline::search(Search &S) {
  std::string Problem;
  std::optional<SearchState> From = Disk->checkpoint(Problem);
  if (!Problem.empty())
    V.say(Problem + "; going through the log of evaluations from its "
                    "beginning instead, to the same result");
  Expected<std::vector<std::string>> Seen =
      Cached->load(From ? From->Evaluations : 0);
  if (!Seen)
    return Seen.takeError();
  if (From)
    S.resume(std::move(*From), *Seen);
  Running = &S;
  Preparing = false;
  double Before = processorSeconds();
  Error E = S.run();
  SearchTook = processorSeconds() - Before;
  V.progress(S, /*Last=*/true);
  if (S.stopped())
    V.say("stopped; the best so far is minimised and validated. Ctrl-C again "
          "ends at once, and gevo-search --resume=" +
          shellWord(Options.Folder) + " goes on");
  S.goOn();
  return E;
}

Error Pipeline::write(Search &S, const Finalist &Best) {
  // What was measured, to compare with what a compiler makes of the edit set.
  std::vector<std::string> Code = Device->build(Best.Kept.Edits).Code.Modules;
  for (size_t I = 0; I < Code.size(); ++I) {
    std::string Name = "/best" + (I ? "-" + std::to_string(I + 1) : "");
    if (Error E = writeFileAtomically(Options.Folder + Name + ".ptx",
                                      [&](raw_ostream &OS) { OS << Code[I]; }))
      return E;
  }
  json::Object Measured = measuredOf(S, Best, Asked);
  if (std::vector<std::string> Guards = Judging->guardNames(); !Guards.empty())
    Measured["guards"] = json::Array(Guards);
  if (std::vector<std::string> Same = Judging->sameSizeKernels(); !Same.empty())
    Measured["sizes_not_varied"] = json::Array(Same);
  EditSet Set = Device->describeSet(Best.Kept.Edits, std::move(Measured));
  return writeEditSet(Set, Asked.Out);
}

// What to type now.
void Pipeline::tellNext(const Finalist *Best) const {
  if (!Best) {
    V.say("nothing better was found; no edit set was written. More time may "
          "help: --budget=20m" +
          Twine(Asked.Tolerance.largestError() > 0
                    ? ""
                    : "; so may --tolerance=1e-4, where "
                      "results need not be the same to "
                      "the bit"));
    return;
  }
  if (Asked.HeldOut.empty())
    V.say("no held-out run was given: --held-out=" +
          shellWord(shellWord(Asked.Program.front()) + " OTHER INPUT") +
          " shows whether the edits hold for " +
          (Judging->hasHeldOut() ? "whole runs on " : "") + "other inputs");
  if (std::vector<std::string> Same = Judging->sameSizeKernels();
      Asked.HeldOut.empty() && !Same.empty())
    V.say("the sizes of buffers were not varied for " + join(Same, ", ") +
          ", as nothing tells what they depend on; a --held-out run of "
          "another size would");
  auto HeldOut = make_filter_range(
      Best->Checks, [](const Finalist::Check &C) { return C.HeldOut; });
  if (!HeldOut.empty() &&
      all_of(HeldOut, [](const Finalist::Check &C) { return C.Steered; }))
    V.say("every held-out run has refused others before, and so helped to "
          "choose this one; a further --held-out run would prove more");
  bool Here = all_of(Device->records(), [&](const RecordedModule &R) {
    SmallString<128> Source(R.Source);
    sys::fs::make_absolute(Asked.Directory, Source);
    return sys::fs::exists(Source);
  });
  V.say("wrote " + Asked.Out + "; build with it" +
        (Here ? "" : ", in the folder in which it was built") + ":\n" +
        buildCommands(Device->records(), Asked.Out, Asked.Program.front()));
}

Error Pipeline::run() {
  NewFolder Made(Options.Folder);
  if (!Options.Judge.empty())
    return judgeSet();
  Error Unfit = prepare(Options.Resume);
  if (!Alone)
    Made.keep(); // By another search.
  if (Unfit)
    return Unfit;
  if (Error E = openStore())
    return E;
  Made.keep();
  if (Error E = startWorkers())
    return E;
  SearchOptions SO;
  SO.Algorithm = findAlgorithm(Asked.Algorithm);
  SO.Seed = Asked.Seed;
  SO.Population = Asked.Population;
  SO.MaxEvaluations = Asked.Evaluations;
  SO.MaxSeconds = Asked.Seconds;
  SO.Tolerance = Asked.Tolerance.largestError();
  SearchObserver Observer;
  // Not while minimising: the budget is spent then.
  Observer.Evaluated = [&](const Search &S, const Variant &) {
    if (!S.done())
      V.progress(S);
  };
  Observer.Progress = [&](const Search &S) { V.progress(S); };
  Observer.Checkpoint = [&](const SearchState &S) { return Disk->save(S); };
  Search S(*Device, *Cached, SO, Observer);
  auto Gone = make_scope_exit([] { Running = nullptr; });
  if (Error E = search(S))
    return E;
  std::vector<Finalist> Found = findFinalists(S, *Judging, SO.Tolerance, V);
  Running = nullptr;
  const Finalist *Best = nullptr;
  for (const Finalist &F : Found)
    if (F.passed() && !F.Kept.Edits.empty() &&
        (!Best || F.Kept.Result.Time < Best->Kept.Result.Time))
      Best = &F;
  if (Best)
    if (Error E = write(S, *Best))
      return E;
  double Baseline = Judging->originalPrice().value_or(S.state().Baseline.Time);
  V.result(S, Found, Asked, Baseline, Base->runs(), SearchTook,
           Best ? Asked.Out : "");
  tellNext(Best);
  Judging->removeScratch();
  return Error::success();
}

Error gevo::runPipeline(const PipelineOptions &Options, View &V) {
  Preparing = true;
  return Pipeline(Options, V).run();
}

Error gevo::followPipeline(RankLink &Ranks) {
  PipelineOptions Options;
  View Silent(/*Quiet=*/true, /*Json=*/false);
  std::unique_ptr<Pipeline> P;
  auto Start = [&](StringRef Text) -> Expected<std::unique_ptr<Workers>> {
    Expected<json::Value> Setup = json::parse(Text);
    if (!Setup)
      return Setup.takeError();
    const json::Object &O = *Setup->getAsObject();
    json::Path::Root Root;
    if (!fromJSON(*O.get("settings"), Options.Asked, Root))
      return failure("rank 0 is of another version");
    Options.Folder = O.getString("folder")->str();
    Options.Resume = true;
    Options.Ranks = &Ranks;
    P = std::make_unique<Pipeline>(Options, Silent);
    return P->follow(*O.getString("identity"));
  };
  Error E = serveRank(Ranks, Start);
  if (!E || !P)
    return E;
  return failure(toString(std::move(E)) + "; gevo-search --resume=" +
                 shellWord(Options.Folder) + " goes on");
}
