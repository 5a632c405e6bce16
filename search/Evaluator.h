//===- Evaluator.h - From edits to fitness ----------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small interface over batches, and decorators:
//
//   EditCache       what was asked before is answered from memory and the log
//   PoolEvaluator   workers build, and run what no earlier code was equal to
//
// Results do not depend on the number of workers or on who answers: the fitness
// of a variant is a function of its code alone.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_EVALUATOR_H
#define GEVO_SEARCH_EVALUATOR_H

#include "search/AppendLog.h"
#include "search/Program.h"
#include "search/Workers.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace gevo {

/// An edit list on its way to a fitness.
struct Variant {
  /// Counts the evaluations of a search.
  uint64_t Number = 0;
  EditList Edits;
  /// Of the code; empty if it could not be built.
  std::string PayloadHash;
  Fitness Result;
  bool Finished = false;
};

class Evaluator {
public:
  virtual ~Evaluator();

  using OnFinished = std::function<llvm::Error(const Variant &)>;
  /// Evaluates \p Batch; calls \p Finished for each variant when it is. Once
  /// \p Stop says so, no further one is begun, and those are not Finished.
  virtual llvm::Error evaluate(llvm::ArrayRef<Variant *> Batch,
                               const std::function<bool()> &Stop,
                               const OnFinished &Finished) = 0;
};

/// Remembers by edit list, and has equal ones of a batch evaluated once. With a
/// log, every new evaluation is a line of it, and so is one that was not
/// counted at first and then is.
class EditCache : public Evaluator {
public:
  explicit EditCache(Evaluator &Next, AppendLog *Log = nullptr)
      : Next(Next), Log(Log) {}

  /// Takes up what \p Log held. Returns the keys of the evaluations with a
  /// number below \p Before.
  llvm::Expected<std::vector<std::string>> load(uint64_t Before);
  llvm::Error evaluate(llvm::ArrayRef<Variant *> Batch,
                       const std::function<bool()> &Stop,
                       const OnFinished &Finished) override;

private:
  struct Answer {
    std::string PayloadHash;
    Fitness Result;
    /// As in the log.
    uint64_t Number = 0;
  };
  llvm::Error write(const Variant &V);

  Evaluator &Next;
  AppendLog *Log;
  llvm::StringMap<Answer> Answers;
};

/// What is known of code by its hash, kept across searches if it has a log.
class PayloadCache {
public:
  enum class Keep {
    Surely,    ///< That it cannot be kept is an error.
    IfPossible ///< It is not.
  };
  explicit PayloadCache(AppendLog *Log = nullptr, Keep How = Keep::Surely)
      : Log(Log), How(How) {}
  /// Takes what the log held, but for lines that are damaged, be it by a digit:
  /// what they told is found out again. Returns how many those are.
  size_t load();
  const Fitness *find(llvm::StringRef Hash) const;
  llvm::Error add(llvm::StringRef Hash, const Fitness &Result);

private:
  AppendLog *Log;
  Keep How;
  llvm::StringMap<Fitness> Results;
};

/// What a worker does: builds the edit list of a message, and runs what it
/// built last.
Service variantService(Program &P, Runner &R);

/// Spreads a batch over workers that offer a variantService.
class PoolEvaluator : public Evaluator {
public:
  PoolEvaluator(Workers &Pool, PayloadCache &Cache)
      : Pool(Pool), Cache(Cache) {}
  llvm::Error evaluate(llvm::ArrayRef<Variant *> Batch,
                       const std::function<bool()> &Stop,
                       const OnFinished &Finished) override;

  /// How often code was run: the others were equal to earlier code.
  uint64_t runs() const { return Runs; }

private:
  class BatchInProgress;
  Workers &Pool;
  PayloadCache &Cache;
  uint64_t Runs = 0;
};

} // namespace gevo

#endif // GEVO_SEARCH_EVALUATOR_H
