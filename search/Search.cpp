//===- Search.cpp - The loop ----------------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Budget, numbering, front, and the table of algorithms.
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/MachineError.h"

using namespace llvm;
using namespace gevo;

namespace gevo {
#define GEVO_ALGORITHM(Id, Name, Population, Summary) void step##Id(Search &S);
#include "search/Algorithms.def"
} // namespace gevo

static constexpr AlgorithmInfo Table[] = {
#define GEVO_ALGORITHM(Id, Name, Population, Summary)                          \
  {Name, Population, Summary, step##Id},
#include "search/Algorithms.def"
};

ArrayRef<AlgorithmInfo> gevo::algorithms() { return Table; }

const AlgorithmInfo *gevo::findAlgorithm(StringRef Name) {
  for (const AlgorithmInfo &A : Table)
    if (A.Name == Name)
      return &A;
  return nullptr;
}

std::vector<double> gevo::objectives(const Individual &I) {
  constexpr double PerEdit = 0.0005;
  return {I.Result.Time * (1 + PerEdit * I.Edits.size()), I.Result.Error};
}

Search::Search(Program &P, Evaluator &E, const SearchOptions &Options,
               const SearchObserver &Observer)
    : P(P), E(E), Options(Options), Observer(Observer),
      Start(std::chrono::steady_clock::now()) {
  State.Kinds.resize(editKinds().size());
}

void Search::resume(SearchState From, ArrayRef<std::string> SeenBefore) {
  State = std::move(From);
  SecondsBefore = State.Seconds;
  for (const std::string &Key : SeenBefore)
    Seen.insert(Key);
}

unsigned Search::population() const {
  return Options.Population ? Options.Population
                            : Options.Algorithm->Population;
}

double Search::elapsed() const {
  return SecondsBefore +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
             .count();
}

bool Search::stopped() const {
  return Stopped || failed() || elapsed() > FinishBy;
}

void Search::fail(Error Why) {
  if (!Why || failed())
    return consumeError(std::move(Why));
  FailureOfMachine = Why.isA<MachineError>();
  Failure = toString(std::move(Why));
}

Error Search::failure() const {
  if (Failure.empty())
    return Error::success();
  return FailureOfMachine
             ? make_error<MachineError>(Failure)
             : createStringError(inconvertibleErrorCode(), Failure);
}

StageCounts Search::stagesSoFar() const {
  StageCounts All = State.Stages;
  for (unsigned I = 0; I < NumStages; ++I)
    All[I] += Live[I];
  return All;
}

double Search::spent() const {
  double Spent = 0;
  if (Options.MaxEvaluations)
    Spent = double(State.Evaluations) / Options.MaxEvaluations;
  if (Options.MaxSeconds)
    Spent = std::max(Spent, elapsed() / Options.MaxSeconds);
  return std::min(Spent, 1.0);
}

bool Search::done() const { return Stopped || failed() || spent() >= 1; }

Random Search::dice(uint64_t Purpose) const {
  Random Mix(Options.Seed);
  Mix = Random(Mix.next() ^ State.Generation);
  return Random(Mix.next() ^ Purpose);
}

std::vector<Individual> Search::evaluate(ArrayRef<EditList> Batch) {
  return evaluateSome(Batch, /*Counted=*/true);
}

std::vector<Individual> Search::evaluateBeyond(ArrayRef<EditList> Batch) {
  return evaluateSome(Batch, /*Counted=*/false);
}

void Search::enter(const Variant &V, Individual &I, bool Counted) {
  I.Result = V.Result;
  I.PayloadHash = V.PayloadHash;
  if (I.valid() && I.Result.Error > Options.Tolerance)
    I.Result =
        Fitness::failed(Stage::Compare, "the error is over the tolerance");
  if (!Counted)
    return;
  ++State.Stages[static_cast<unsigned>(I.Result.End)];
  if (I.valid() && State.offerToFront(I))
    State.noteMilestone();
}

std::vector<Individual> Search::evaluateSome(ArrayRef<EditList> Batch,
                                             bool Counted) {
  // The number of what is not counted: after all others.
  constexpr uint64_t Beyond = INT64_MAX;
  std::vector<Individual> Result(Batch.size());
  std::vector<Variant> Variants(Batch.size());
  std::vector<Variant *> Wanted;
  // By key: whether the budget allows it. Equal ones count once.
  StringMap<bool> Allowed;
  uint64_t Number = State.Evaluations;
  for (size_t I = 0; I < Batch.size(); ++I) {
    Result[I].Edits = Variants[I].Edits = Batch[I];
    std::string Key = keyOf(Batch[I]);
    auto [May, First] = Allowed.try_emplace(Key, true);
    bool New = First && Counted && !Seen.contains(Key);
    if (New && Options.MaxEvaluations && Number >= Options.MaxEvaluations)
      May->second = false;
    if (!May->second)
      continue;
    Variants[I].Number = New ? Number++ : Beyond;
    Wanted.push_back(&Variants[I]);
  }
  if (Failure.empty())
    fail(E.evaluate(
        Wanted, [&] { return Counted ? done() : stopped(); },
        [&](const Variant &V) -> Error {
          Live[static_cast<unsigned>(V.Result.End)] += V.Number != Beyond;
          if (Observer.Evaluated)
            Observer.Evaluated(*this, V);
          return Error::success();
        }));
  Live = {};
  for (size_t I = 0; I < Batch.size(); ++I) {
    const Variant &V = Variants[I];
    Truncated |= !V.Finished;
    if (!V.Finished)
      continue;
    bool New = V.Number != Beyond;
    if (New) {
      Seen.insert(keyOf(V.Edits));
      ++State.Evaluations;
    }
    enter(V, Result[I], New);
  }
  return Result;
}

Error Search::run() {
  auto Fail = [&](const Twine &What) {
    return createStringError(inconvertibleErrorCode(), What);
  };
  std::vector<Individual> Original = evaluate({EditList()});
  if (Error Bad = failure())
    return Bad;
  if (Truncated)
    return Fail(Stopped ? "stopped before the program itself was evaluated"
                        : "the budget was spent before the program itself was "
                          "evaluated; --budget=1m has more");
  if (!Original[0].valid())
    return Fail("the program itself fails at stage '" +
                name(Original[0].Result.End) +
                "': " + Original[0].Result.Reason);
  State.Baseline = Original[0].Result;
  State.BaselineHash = Original[0].PayloadHash;
  // A program with few edits is exhausted before the budget is.
  constexpr uint64_t MostFruitless = 20;
  while (!done() && State.Fruitless < MostFruitless) {
    uint64_t Before = State.Evaluations;
    Options.Algorithm->Step(*this);
    ++State.Generation;
    State.Fruitless = State.Evaluations == Before ? State.Fruitless + 1 : 0;
    State.Seconds = elapsed();
    if (Observer.Progress)
      Observer.Progress(*this);
    // A generation that the budget may have cut short is done again, from what
    // is known by then, if the search goes on: then as if it had not ended.
    if (!Truncated && !done() && Observer.Checkpoint)
      if (Error Bad = Observer.Checkpoint(State))
        return Bad;
  }
  return failure();
}
