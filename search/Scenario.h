//===- Scenario.h - A search described in a file ----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a variant is judged on, as YAML: how to build the program, the run to
// search on, the runs held out, outputs, tolerance, kernels, GPU and budget.
// docs/reference/gevo-search.md is its manual.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_SCENARIO_H
#define GEVO_SEARCH_SCENARIO_H

#include "runtime/measure/OutputRules.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace gevo {

/// The keys of a scenario file; what it does not say is not set.
struct Scenario {
  std::optional<std::string> Build;
  std::string Run;
  std::vector<std::string> HeldOut;
  std::vector<std::string> Outputs;
  std::optional<std::string> Out, Gpu, BestOn, Objective, Kernels, Algorithm,
      Budget, Population;
  std::optional<uint64_t> Evals, Seed;
  /// Rules, one or a list of them.
  std::optional<measure::OutputRules> Tolerance;
  std::optional<bool> AcceptFindings, ShareFolder, WholeRuns, OtherInputs,
      DistinctPointers;

  /// "path:line:column" of the value of \p Key, or of "key[2]", counted from 0;
  /// of the file if it has no such key.
  std::string placeOf(llvm::StringRef Key) const;
  /// The same of a character of the value, where the file has the value as it
  /// is, neither folded nor with escapes; of the value otherwise.
  std::string placeOf(llvm::StringRef Key, size_t Character) const;

  std::string Path;
  /// Line and column, from 1.
  llvm::StringMap<std::pair<unsigned, unsigned>> Places;
  /// By key, of those that are in the file as they are: how many characters
  /// there are before the first one, such as a quote.
  llvm::StringMap<unsigned> AsTheyAre;
};

/// Parses \p Text. Errors have the form "path:line:column: what is wrong".
llvm::Expected<Scenario> parseScenario(llvm::StringRef Text,
                                       llvm::StringRef Path);
llvm::Expected<Scenario> readScenario(llvm::StringRef Path);

} // namespace gevo

#endif // GEVO_SEARCH_SCENARIO_H
