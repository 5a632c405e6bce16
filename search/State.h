//===- State.h - What a search knows ----------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a search carries from one generation to the next, and so all that a
// checkpoint holds. Random streams need no place in it: each is made from the
// seed, the generation and its purpose.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_STATE_H
#define GEVO_SEARCH_STATE_H

#include "search/Program.h"
#include <map>
#include <set>

namespace gevo {

/// One that was evaluated.
struct Individual {
  EditList Edits;
  Fitness Result = Fitness::failed(Stage::Apply, "not evaluated");
  std::string PayloadHash;
  uint64_t Island = 0;

  bool valid() const { return Result.valid(); }
};

llvm::json::Value toJSON(const Individual &I);
bool fromJSON(const llvm::json::Value &Value, Individual &I,
              llvm::json::Path P);

/// How often a kind of edit was tried and how often it was of use.
struct KindScore {
  uint64_t Tried = 0;
  uint64_t Useful = 0;
};

/// Single edits of one class: how many of them were looked at, the most
/// promising first, and what they were good for.
struct SweepScore {
  uint64_t Position = 0;
  KindScore Score;
};

/// Edits, by key, that fail apart and so travel together.
using Links = std::set<std::pair<std::string, std::string>>;

/// Edits to try at once, and what that promises: their heat, in any unit.
struct EditGroup {
  EditList Edits;
  uint64_t Promise = 0;
};

llvm::json::Value toJSON(const EditGroup &G);
bool fromJSON(const llvm::json::Value &Value, EditGroup &G, llvm::json::Path P);

/// What a round of the algorithm `default` does one after the other; see
/// Default.cpp.
constexpr uint64_t NumPhases = 6;

struct SearchState {
  uint64_t Generation = 0;
  /// Distinct edit lists that were tried.
  uint64_t Evaluations = 0;
  /// Generations in a row that came up with nothing new.
  uint64_t Fruitless = 0;
  /// Wall time of all runs so far.
  double Seconds = 0;
  Fitness Baseline;
  std::string BaselineHash;
  std::vector<Individual> Population;
  /// None of these dominates another, and nothing found so far dominates one.
  std::vector<Individual> Front;
  /// The fastest of their time, and the fastest without error, in the order in
  /// which they were found. What is refused for holding only on the inputs that
  /// were searched has an ancestor here that holds on others, and what machine
  /// code is slower than one would think has one that is faster.
  std::vector<Individual> Milestones;
  std::vector<KindScore> Kinds;
  Links Linked;
  /// Per island: generations since it got better.
  std::vector<uint64_t> Stagnation;
  /// Groups of the families that were not tried yet.
  std::vector<EditGroup> Groups;
  /// Single edits, and families, that were found to be valid.
  std::vector<Individual> Singles;
  /// Single edits that were found to fail when run, and families that a check
  /// found fault with: some only lack another.
  std::vector<EditList> Failures;
  /// By class, in the order of the classes.
  std::vector<SweepScore> Sweep;
  /// Of the algorithm `default`, and what of the round is done now.
  uint64_t Round = 0;
  uint64_t Phase = 0;
  StageCounts Stages = {};

  /// Takes \p I into the front if it belongs there. Says if it does.
  bool offerToFront(const Individual &I);
  /// Remembers the fastest of the front if it is a milestone.
  void noteMilestone();
  /// The fastest of the front with an error up to \p Most, or null.
  const Individual *best(double Most) const;
};

llvm::json::Value toJSON(const SearchState &S);
bool fromJSON(const llvm::json::Value &Value, SearchState &S,
              llvm::json::Path P);

} // namespace gevo

#endif // GEVO_SEARCH_STATE_H
