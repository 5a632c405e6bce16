//===- Synthetic.cpp - A program whose optimum is known -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The payload lists the edits that have an effect; the runner reads it.
//
//===----------------------------------------------------------------------===//

#include "test/unit/search/Synthetic.h"
#include "llvm/ADT/StringExtras.h"
#include <csignal>
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// These are alike, as copies in an unrolled loop are: each pays a little, but
// the last one must stay. Only programs with families have them.
static constexpr unsigned FirstAlike = 40, LastAlike = 55;
// These are the hottest, and none of them can be spared. Only programs with
// hopeless code have them.
static constexpr unsigned FirstHopeless = 60, LastHopeless = 99;
// These pay alone.
static constexpr unsigned Good = 1, AlsoGood = 11;
// These pay only together; the first fails alone, the second is slow alone.
static constexpr unsigned Needy = 3, Needed = 7;
// Faster, at the price of an error.
static constexpr unsigned Inexact = 5;
// Fail, each in its way.
static constexpr unsigned Refused = 9, Wrong = 13, Racy = 15, Crashing = 17;
// From here on nothing changes the code.
static constexpr unsigned FirstNeutral = 20;

PlacedEdit gevo::deletion(unsigned Number) {
  PlacedEdit E;
  E.Change.Kind = EditKind::Delete;
  E.Change.At = "i" + std::to_string(Number);
  return E;
}

static unsigned numberOf(const PlacedEdit &E) {
  return std::stoul(E.Change.At.substr(1));
}

namespace {

class SyntheticProgram : public Program {
public:
  SyntheticProgram(bool Families, bool Hopeless, unsigned Count)
      : Families(Families), Hopeless(Hopeless), Count(Count) {}
  std::unique_ptr<Program> clone() const override {
    return std::make_unique<SyntheticProgram>(Families, Hopeless, Count);
  }
  std::string identity() const override { return "synthetic"; }
  size_t functionCount() const override { return 1; }

  std::optional<PlacedEdit> propose(const EditList &Base, const Proposal &What,
                                    Random &Dice) override {
    if (What.Kind && *What.Kind != EditKind::Delete)
      return std::nullopt;
    PlacedEdit E =
        deletion(What.At ? What.At->Number
                         : Dice.below(Families ? LastAlike + 1 : Count));
    if (is_contained(Base, E))
      return std::nullopt;
    return E;
  }

  Built build(const EditList &Edits) override {
    Built Result;
    std::set<unsigned> Effective;
    for (const PlacedEdit &E : Edits) {
      unsigned Number = numberOf(E);
      if (Number == Crashing)
        std::abort();
      if (Number == Refused) {
        Result.Failure = Fitness::failed(Stage::Verify, "refused");
        return Result;
      }
      if (Number < FirstNeutral || Number >= FirstAlike)
        Effective.insert(Number);
    }
    std::string Text;
    for (unsigned Number : Effective)
      Text += std::to_string(Number) + " ";
    Result.Code.Modules.push_back(Text);
    return Result;
  }

  Fitness cleanUp(const EditList &) override { return Fitness(); }

  std::vector<Place> places() const override {
    std::vector<Place> All(Count);
    for (unsigned I = 0; I < Count; ++I) {
      All[I].Number = I;
      All[I].Kinds = {EditKind::Delete};
    }
    for (unsigned I = FirstAlike; Families && I <= LastAlike; ++I) {
      All.emplace_back();
      All.back().Number = I;
      All.back().Kinds = {EditKind::Delete};
      All.back().Family = 1;
    }
    for (unsigned I = FirstHopeless; Hopeless && I <= LastHopeless; ++I) {
      All.emplace_back();
      All.back().Number = I;
      All.back().Heat = 1;
      All.back().Kinds = {{EditKind::Delete, 2}};
    }
    // These promise half as much as those.
    for (unsigned I = 0; Hopeless && I < Count; ++I)
      All[I].Heat = 1;
    return All;
  }

private:
  bool Families, Hopeless;
  unsigned Count;
};

class SyntheticRunner : public Runner {
public:
  Fitness run(const Payload &Code) override {
    std::set<unsigned> Numbers;
    SmallVector<StringRef, 8> Words;
    StringRef(Code.Modules[0]).split(Words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef W : Words)
      Numbers.insert(std::stoul(W.str()));
    auto Has = [&](unsigned Number) { return Numbers.count(Number) != 0; };
    if (Has(Wrong) || (!Numbers.empty() && *Numbers.rbegin() >= FirstHopeless))
      return Fitness::failed(Stage::Compare, "wrong");
    if (Has(Racy) || Has(LastAlike))
      return Fitness::failed(Stage::Check, "race");
    if (Has(Needy) && !Has(Needed))
      return Fitness::failed(Stage::Run, "illegal address");
    Fitness F;
    F.Time = SyntheticBaseline;
    F.Time -= Has(Good) ? 100 : 0;
    F.Time -= Has(AlsoGood) ? 50 : 0;
    F.Time -= Has(Inexact) ? 50 : 0;
    F.Time += Has(Needed) ? (Has(Needy) ? -300 : 10) : 0;
    F.Time -= SyntheticAlike *
              count_if(Numbers, [](unsigned N) { return N >= FirstAlike; });
    // What has an effect but none of these makes it slower.
    for (unsigned Number : Numbers)
      if (Number != Good && Number != AlsoGood && Number != Inexact &&
          Number != Needed && Number != Needy && Number < FirstAlike)
        F.Time += 1;
    F.Error = Has(Inexact) ? SyntheticError : 0;
    return F;
  }
};

} // namespace

std::unique_ptr<Program> gevo::syntheticProgram(bool Families, bool Hopeless,
                                                unsigned Count) {
  return std::make_unique<SyntheticProgram>(Families, Hopeless, Count);
}

std::unique_ptr<Runner> gevo::syntheticRunner() {
  return std::make_unique<SyntheticRunner>();
}

std::string Outcome::text() const {
  SearchState Copy = State;
  Copy.Seconds = 0;
  std::string Text;
  raw_string_ostream(Text) << toJSON(Copy);
  return Text;
}

static Error searchOrFail(const Trial &T, Outcome &Result,
                          const std::function<void(Search &)> &Then) {
  std::unique_ptr<Program> P =
      syntheticProgram(T.Families, T.Hopeless, T.Instructions);
  std::unique_ptr<Runner> R = syntheticRunner();
  std::unique_ptr<Store> Disk;
  if (!T.Folder.empty()) {
    auto Opened = T.Resume ? Store::resume(T.Folder)
                           : Store::begin(T.Folder, {}, "synthetic");
    if (!Opened)
      return Opened.takeError();
    Disk = std::move(*Opened);
  }
  WorkerLimits Limits;
  Limits.Count = T.Workers;
  Limits.MemoryBytes = 0;
  auto Pool = forkWorkers(Limits, [&] { return variantService(*P, *R); });
  if (!Pool)
    return Pool.takeError();
  PayloadCache Codes(Disk ? &Disk->measurements() : nullptr);
  Codes.load();
  PoolEvaluator Base(**Pool, Codes);
  EditCache Cached(Base, Disk ? &Disk->evaluations() : nullptr);
  SearchOptions Options;
  Options.Algorithm = findAlgorithm(T.Algorithm);
  Options.Seed = T.Seed;
  Options.Population = T.Population;
  Options.MaxEvaluations = T.Evaluations;
  Options.MaxSeconds = T.Seconds;
  Options.Tolerance = T.Tolerance;
  SearchObserver Observer;
  uint64_t Finished = 0;
  Search *Running = nullptr;
  Observer.Evaluated = [&](const Search &, const Variant &) {
    if (++Finished == T.KillAfter)
      kill(getpid(), SIGKILL);
    if (Finished == T.StopAfter)
      Running->stop();
  };
  Observer.Progress = [&](const Search &S) {
    if (T.Generation)
      T.Generation(S.state());
  };
  if (Disk)
    Observer.Checkpoint = [&](const SearchState &S) { return Disk->save(S); };
  Search S(*P, Cached, Options, Observer);
  Running = &S;
  std::optional<SearchState> From;
  if (Disk)
    From = Disk->checkpoint(Result.Problem);
  auto Seen = Cached.load(From ? From->Evaluations : 0);
  if (!Seen)
    return Seen.takeError();
  if (From)
    S.resume(std::move(*From), *Seen);
  if (Error E = S.run())
    return E;
  if (Then)
    Then(S);
  Result.State = S.state();
  Result.Runs = Base.runs();
  return Error::success();
}

Outcome gevo::search(const Trial &T,
                     const std::function<void(Search &)> &Then) {
  Outcome Result;
  if (Error E = searchOrFail(T, Result, Then))
    Result.Error = toString(std::move(E));
  return Result;
}
