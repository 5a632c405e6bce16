//===- Synthetic.h - A program whose optimum is known -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deletions of i0 to i39. Some pay, some pay only together, some do nothing,
// and some fail, each at a stage of its own; so the tests know what a search
// must find.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_SEARCH_SYNTHETIC_H
#define GEVO_TEST_UNIT_SEARCH_SYNTHETIC_H

#include "search/Minimise.h"
#include "search/Search.h"
#include "search/Store.h"
#include <memory>

namespace gevo {

/// The time of the original, and of the best variants without and with error.
constexpr double SyntheticBaseline = 1000, SyntheticBest = 550,
                 SyntheticBestWithError = 500;
/// The error of the latter.
constexpr double SyntheticError = 0.05;

/// What each of the fifteen deletions is worth that can be made at once, of
/// sixteen that are alike, where there are families.
constexpr double SyntheticAlike = 2;

/// How many instructions there are, unless a test asks for fewer.
constexpr unsigned SyntheticCount = 40;

std::unique_ptr<Program> syntheticProgram(bool Families = false,
                                          bool Hopeless = false,
                                          unsigned Count = SyntheticCount);
std::unique_ptr<Runner> syntheticRunner();
/// The deletion of an instruction.
PlacedEdit deletion(unsigned Number);

/// How a test searches.
struct Trial {
  std::string Algorithm = "default";
  uint64_t Seed = 1;
  unsigned Workers = 1;
  uint64_t Evaluations = 600;
  double Seconds = 0;
  unsigned Population = 0;
  double Tolerance = 0;
  bool Families = false;
  bool Hopeless = false;
  unsigned Instructions = SyntheticCount;
  /// Kept on disk here, if not empty.
  std::string Folder;
  bool Resume = false;
  /// Dies by SIGKILL when this evaluation is finished; 0: never.
  uint64_t KillAfter = 0;
  /// Stops, as after Ctrl-C.
  uint64_t StopAfter = 0;
  /// Sees the state after each generation.
  std::function<void(const SearchState &)> Generation = nullptr;
};

struct Outcome {
  SearchState State;
  /// How often code was run.
  uint64_t Runs = 0;
  std::string Error;
  /// What was wrong with the checkpoint.
  std::string Problem;
  /// The state without the wall time: equal for equal searches.
  std::string text() const;
};

/// Searches; \p Then may ask for more while the workers are there.
Outcome search(const Trial &T,
               const std::function<void(Search &)> &Then = nullptr);

} // namespace gevo

#endif // GEVO_TEST_UNIT_SEARCH_SYNTHETIC_H
