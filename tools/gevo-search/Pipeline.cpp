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
#include "search/MachineError.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Finalists.h"
#include "tools/gevo-search/NewFolder.h"
#include "tools/gevo-search/Outcome.h"
#include "tools/gevo-search/Preparation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

static std::atomic<Search *> Running{nullptr};
// What to say when it is ended at once; of whoever runs it.
static std::atomic<const char *> GoingOn{nullptr};
// The program is looked at; nothing was searched yet.
static std::atomic<bool> Preparing{false};
static pthread_t Preparer;

// The thread that prepares must not go on meanwhile, so it is the one to stop.
static void stopPreparing(int Signal) {
  if (!pthread_equal(pthread_self(), Preparer)) {
    pthread_kill(Preparer, Signal);
    return;
  }
  constexpr StringLiteral Text = "gevo-search: stopped before the search "
                                 "began; there is nothing to keep\n";
  constexpr int EndedBySignal = 128;
  [[maybe_unused]] ssize_t Told =
      ::write(STDERR_FILENO, Text.data(), Text.size());
  // Another one ends it at once; what is left to do is done by others.
  std::signal(Signal, SIG_DFL);
  NewFolder::removeNow();
  _exit(EndedBySignal + Signal);
}

static void tellGoingOn() {
  const char *Text = GoingOn;
  if (!Text)
    return;
  [[maybe_unused]] ssize_t Told = ::write(STDERR_FILENO, Text, strlen(Text));
}

void gevo::stopSearch(int Signal) {
  if (Preparing)
    return stopPreparing(Signal);
  // The next one ends all. Batch systems repeat theirs.
  if (Signal != SIGUSR1)
    std::signal(Signal, SIG_DFL);
  if (Signal == SIGTERM || Signal == SIGHUP) {
    tellGoingOn();
    raise(Signal);
  } else if (Search *S = Running)
    S->stop();
}

namespace {

class Pipeline {
public:
  Pipeline(const PipelineOptions &Options, View &V)
      : Options(Options), V(V), Ready(Options, V) {}

  Error run();
  /// Makes this rank's worker for the search whose scenario is \p Identity.
  Expected<std::unique_ptr<Workers>> follow(StringRef Identity);

private:
  Error runAll();
  Error judgeSet(NewFolder &Made);
  Error openStore();
  Expected<std::unique_ptr<Workers>> forkLocal();
  Error startWorkers();
  double processorSeconds() const;
  SearchOptions searchOptions() const;
  Error checkBudget(const Search &S);
  Error search(Search &S);
  Error finish(Search &S);

  const PipelineOptions &Options;
  View &V;
  Preparation Ready;
  std::unique_ptr<Store> Disk;
  std::unique_ptr<Workers> Pool;
  std::unique_ptr<PayloadCache> Codes;
  std::unique_ptr<PoolEvaluator> Base;
  std::unique_ptr<EditCache> Cached;
  /// Seconds of processors, on this machine.
  double SearchTook = 0;
};

} // namespace

Error Pipeline::openStore() {
  std::string Identity = Ready.judges().identity();
  Expected<std::unique_ptr<Store>> Opened =
      Options.Resume
          ? Store::resume(Options.Folder)
          : Store::begin(Options.Folder, *toJSON(Ready.asked()).getAsObject(),
                         Identity);
  if (!Opened)
    return Opened.takeError();
  Disk = std::move(*Opened);
  if (!Disk->putAside().empty())
    V.say("'" + Options.Folder +
          "' held the search of another program or input, or one that was "
          "measured in another way; its evaluations are kept as " +
          Disk->putAside());
  if (Disk->scenario() != Identity)
    return otherProgram(Options.Folder);
  return Ready.judges().keepPrices(*Disk);
}

Expected<std::unique_ptr<Workers>> Pipeline::forkLocal() {
  return forkWorkers(Ready.limits(),
                     [this] { return Ready.judges().service(); });
}

Expected<std::unique_ptr<Workers>> Pipeline::follow(StringRef Identity) {
  if (Error E = Ready.run(/*Again=*/true, /*Made=*/nullptr))
    return E;
  if (Ready.judges().identity() != Identity)
    return failure("it does not see the program or the store that rank 0 "
                   "sees; both must be the same files on all machines");
  return forkLocal();
}

Error Pipeline::startWorkers() {
  auto Started = forkLocal();
  if (!Started)
    return Started.takeError();
  std::vector<int> Up;
  if (Options.Ranks) {
    json::Value Setup = json::Object{{"settings", toJSON(Ready.asked())},
                                     {"folder", Options.Folder},
                                     {"identity", Ready.judges().identity()}};
    auto Lost = [this](int Rank) {
      V.say("rank " + Twine(Rank) + " is silent; rank 0 does its work");
    };
    Expected<std::vector<int>> There =
        setUpRanks(*Options.Ranks, formatv("{0}", Setup).str(), Lost);
    if (!There)
      return There.takeError();
    Up = std::move(*There);
    Started = rankWorkers(*Options.Ranks, std::move(*Started), Up, Lost);
  }
  MemoryLimit Memory = Ready.memory();
  V.say(formatv("{0}, each with up to {1:f1} GiB of memory, by what {2} allows",
                counted((*Started)->count(), Options.Ranks ? "rank" : "worker"),
                double(Memory.Bytes) / (uint64_t(1) << 30), Memory.Who));
  // What a rank says at its end mpirun does not always hand on.
  if (Options.Ranks)
    V.say(
        "Ctrl-C ends mpirun and all ranks at once, and gevo-search --resume=" +
        shellWord(Options.Folder) +
        " goes on; kill -USR1 of mpirun ends the search with the best so "
        "far");
  Pool = std::move(*Started);
  Codes = std::make_unique<PayloadCache>(&Disk->measurements());
  if (size_t Damaged = Codes->load())
    V.say(counted(Damaged, "line") +
          " of what was measured before in this store cannot be read; what is "
          "missing is measured again");
  Base = std::make_unique<PoolEvaluator>(*Pool, *Codes);
  Cached = std::make_unique<EditCache>(*Base, &Disk->evaluations());
  return Error::success();
}

Error Pipeline::judgeSet(NewFolder &Made) {
  Expected<EditSet> Set = readEditSet(Options.Judge);
  if (!Set)
    return Set.takeError();
  if (Error E = Ready.run(/*Again=*/false, &Made))
    return E;
  Expected<EditList> Edits = Ready.device().editsOf(*Set);
  if (!Edits)
    return Edits.takeError();
  Individual I;
  I.Edits = std::move(*Edits);
  Finalist Seen;
  Fitness F = Ready.judges().judgeThoroughly(I, Seen);
  if (!F.Judged)
    return failure(F.Reason + "; then judge it again");
  V.verdict(Options.Judge, F, Seen);
  if (!F.valid())
    return failure("refused at stage '" + name(F.End) + "': " + F.Reason);
  V.say("'" + Options.Judge + "' stands all checks on " +
        counted(Ready.judges().runCount(), "run"));
  return Error::success();
}

double Pipeline::processorSeconds() const {
  timespec Own = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Own);
  return Own.tv_sec + Own.tv_nsec * 1e-9 + Pool->processorSeconds();
}

// A budget is that of the whole search, before and after it was resumed.
Error Pipeline::checkBudget(const Search &S) {
  const SearchOptions &Asked = S.options();
  std::string Spent = counted(S.state().Evaluations, "evaluation") + " and " +
                      duration(S.elapsed()),
              Limit;
  if (Asked.MaxEvaluations)
    Limit = "--evals=" + std::to_string(Asked.MaxEvaluations);
  if (Asked.MaxSeconds)
    Limit += (Limit.empty() ? "" : " and ") +
             ("--budget=" + duration(Asked.MaxSeconds));
  if (S.spent() < 1) {
    V.say("going on after " + Spent + "; it may have " + Limit + " in all");
    return Options.NewBudget ? keepBudget(Options.Folder, Ready.asked())
                             : Error::success();
  }
  std::string Less = "this search has had " + Spent + ", and " + Limit +
                     " in all allows no more";
  // Its result may be of more than is known here: it stays as it is.
  if (Options.NewBudget)
    return failure(Less + "; give it more, or neither --evals nor --budget to "
                          "be told again what it found");
  V.say(Less + ": what it found is told again");
  return Error::success();
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
  if (Options.Resume)
    if (Error E = checkBudget(S))
      return E;
  double Before = processorSeconds();
  if (Error E = S.run())
    return E;
  SearchTook = processorSeconds() - Before;
  V.progress(S, /*Last=*/true);
  if (S.stopped())
    V.say("stopped; the best so far is minimised and validated. Ctrl-C again "
          "ends at once, and gevo-search --resume=" +
          shellWord(Options.Folder) + " goes on");
  S.goOn();
  return Error::success();
}

SearchOptions Pipeline::searchOptions() const {
  const Settings &Asked = Ready.asked();
  SearchOptions SO;
  SO.Algorithm = findAlgorithm(Asked.Algorithm);
  SO.Seed = Asked.Seed;
  SO.Population = Asked.Population;
  SO.MaxEvaluations = Asked.Evaluations;
  SO.MaxSeconds = Asked.Seconds;
  SO.Tolerance = Asked.Tolerance.largestError();
  return SO;
}

// What was found is in the store still.
static Error unwritten(Error E, StringRef Folder) {
  std::string Why;
  bool Full = false;
  handleAllErrors(std::move(E), [&](const ErrorInfoBase &What) {
    Why = What.message();
    Full = isFullDisk(What.convertToErrorCode().value());
  });
  return make_error<MachineError>(Why +
                                  (Full ? roomLeft(Folder) : "; mend that"));
}

// The best are minimised, validated, written and told.
Error Pipeline::finish(Search &S) {
  const Settings &Asked = Ready.asked();
  Judges &Judging = Ready.judges();
  std::vector<Finalist> Found =
      findFinalists(S, Judging, Asked.Tolerance.largestError(), V);
  Running = nullptr;
  if (Error E = S.failure())
    return E;
  const Finalist *Best = nullptr;
  for (const Finalist &F : Found)
    if (F.passed() && !F.Kept.Edits.empty() &&
        (!Best || F.Kept.Result.Time < Best->Kept.Result.Time))
      Best = &F;
  Outcome Result(Asked, Ready.device(), Judging, Options.Folder, V);
  if (Best)
    if (Error E = Result.write(S, *Best))
      return unwritten(std::move(E), sys::path::parent_path(Asked.Out));
  double Baseline = Judging.originalPrice().value_or(S.state().Baseline.Time);
  V.result(S, Found, Asked, Baseline, Base->runs(), SearchTook,
           Best ? Asked.Out : "");
  Result.tellNext(Best);
  Judging.removeScratch();
  return Error::success();
}

Error Pipeline::runAll() {
  NewFolder Made(Options.Folder, Options.JudgeFolders);
  if (!Options.Judge.empty())
    return judgeSet(Made);
  if (Error E = Ready.run(Options.Resume, &Made))
    return E;
  if (Error E = openStore())
    return E;
  if (Error E = startWorkers())
    return E;
  V.setGoal(
      cantFail(parseObjective(Ready.asked().Objective), "it was checked"));
  SearchObserver Observer;
  // Not while minimising: the budget is spent then.
  Observer.Evaluated = [&](const Search &S, const Variant &) {
    if (!S.done())
      V.progress(S);
  };
  Observer.Progress = [&](const Search &S) { V.progress(S); };
  Observer.Checkpoint = [&](const SearchState &S) { return Disk->save(S); };
  Search S(Ready.device(), *Cached, searchOptions(), Observer);
  // On a terminal the line of progress is open.
  std::string Ended =
      (isatty(STDERR_FILENO) ? "\n" : "") +
      ("gevo-search: ended; gevo-search --resume=" + shellWord(Options.Folder) +
       " goes on\n");
  GoingOn = Ended.c_str();
  Running = &S;
  Preparing = false;
  Made.keep();
  auto Gone = make_scope_exit([] {
    Running = nullptr;
    GoingOn = nullptr;
  });
  if (Error E = search(S))
    return E;
  return finish(S);
}

Error Pipeline::run() {
  Error E = runAll();
  bool Kept = Disk || Options.Resume;
  return Kept && E.isA<MachineError>()
             ? failure(toString(std::move(E)) + ", then gevo-search --resume=" +
                       shellWord(Options.Folder) + " goes on where it ended")
             : std::move(E);
}

Error gevo::runPipeline(const PipelineOptions &Options, View &V) {
  Preparer = pthread_self();
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
