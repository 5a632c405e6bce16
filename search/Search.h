//===- Search.h - The loop --------------------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the state, the budget and the front, and gives algorithms batches of
// evaluations. The same seed gives the same answer, whatever the number of
// workers, and whether or not the search was interrupted: algorithms see
// nothing but the state and the results, in order.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_SEARCH_H
#define GEVO_SEARCH_SEARCH_H

#include "search/Evaluator.h"
#include "search/State.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <chrono>
#include <cmath>

namespace gevo {

class Search;

/// A row of Algorithms.def.
struct AlgorithmInfo {
  llvm::StringLiteral Name;
  unsigned Population;
  llvm::StringLiteral Summary;
  /// Does one generation.
  void (*Step)(Search &S);
};
llvm::ArrayRef<AlgorithmInfo> algorithms();
const AlgorithmInfo *findAlgorithm(llvm::StringRef Name);

struct SearchOptions {
  const AlgorithmInfo *Algorithm = nullptr;
  uint64_t Seed = 1;
  /// 0: the algorithm's own.
  unsigned Population = 0;
  /// 0: no limit.
  uint64_t MaxEvaluations = 0;
  double MaxSeconds = 0;
  /// Most error of a variant that is of use.
  double Tolerance = 0;
};

/// What a search tells while it runs.
struct SearchObserver {
  /// After every evaluation.
  std::function<void(const Search &, const Variant &)> Evaluated;
  /// After every generation.
  std::function<void(const Search &)> Progress;
  /// Keeps the state; after every generation.
  std::function<llvm::Error(const SearchState &)> Checkpoint;
};

class Search {
public:
  Search(Program &P, Evaluator &E, const SearchOptions &Options,
         const SearchObserver &Observer);

  /// Goes on from \p From, a checkpoint, with the keys of what was evaluated
  /// until then.
  void resume(SearchState From, llvm::ArrayRef<std::string> SeenBefore);
  /// Evaluates the original, then generation after generation until the budget
  /// is spent. A baseline that fails is an error.
  llvm::Error run();
  /// Ends it after the evaluations under way; safe in a signal handler.
  void stop() { Stopped = true; }
  /// It was stopped or failed, or the time of finishWithin is over.
  bool stopped() const;
  /// For what comes after a search that was stopped.
  void goOn() { Stopped = false; }
  /// Gives what comes after the search so many seconds from now on.
  void finishWithin(double Seconds) { FinishBy = elapsed() + Seconds; }
  double elapsed() const;
  /// How many evaluations ended at each stage, those of the batch under way
  /// too, which the state does not know yet.
  StageCounts stagesSoFar() const;

  /// Ends it, and what comes after it: \p Why is what failure() says then.
  void fail(llvm::Error Why);
  bool failed() const { return !Failure.empty(); }
  /// What made it impossible to go on, if anything did.
  llvm::Error failure() const;

  /// \name For algorithms
  /// @{
  Program &program() { return P; }
  SearchState &state() { return State; }
  const SearchState &state() const { return State; }
  const SearchOptions &options() const { return Options; }
  unsigned population() const;
  bool done() const;
  /// What part of the budget is spent, from 0 to 1; 0 without a budget.
  double spent() const;
  /// The dice for one purpose in this generation.
  Random dice(uint64_t Purpose) const;
  bool seen(const EditList &Edits) const { return Seen.contains(keyOf(Edits)); }
  /// Evaluates \p Batch and updates front and statistics. What the budget did
  /// not allow comes back as not evaluated.
  std::vector<Individual> evaluate(llvm::ArrayRef<EditList> Batch);
  /// Not counted and without budget: for what comes after the search.
  std::vector<Individual> evaluateBeyond(llvm::ArrayRef<EditList> Batch);
  /// @}

private:
  std::vector<Individual> evaluateSome(llvm::ArrayRef<EditList> Batch,
                                       bool Counted);
  void enter(const Variant &V, Individual &I, bool Counted);

  Program &P;
  Evaluator &E;
  SearchOptions Options;
  SearchObserver Observer;
  SearchState State;
  llvm::StringSet<> Seen;
  /// Of the batch under way.
  StageCounts Live = {};
  /// What went wrong with the store or the workers, and whether that is a
  /// MachineError.
  std::string Failure;
  bool FailureOfMachine = false;
  /// Something that was asked for was not evaluated: this generation does not
  /// count.
  bool Truncated = false;
  std::atomic<bool> Stopped{false};
  /// By elapsed(), for what comes after the search.
  double FinishBy = INFINITY;
  std::chrono::steady_clock::time_point Start;
  double SecondsBefore = 0;
};

/// Time and error as selection compares them: longer lists of edits must be
/// worth their length.
std::vector<double> objectives(const Individual &I);

} // namespace gevo

#endif // GEVO_SEARCH_SEARCH_H
