//===- RunOutputs.h - What a whole run of a program leaves ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole runs are compared by their exit codes, by files, and by what they
// print, as text or as a number that a regular expression finds in it (an
// accuracy, a residual). The reference is one run, or several from which the
// spread of numbers is known. An output that is missing or empty fails, always:
// also if it is missing in the reference.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H
#define GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H

#include "runtime/measure/Comparison.h"

#include <map>
#include <string>
#include <vector>

namespace gevo::measure {

/// What one run left.
struct RunRecord {
  int ExitCode = 0; ///< 128 + N for signal N.
  std::string Stdout;
  /// Contents by the name that OutputSpec has; a file that was not there has
  /// no entry.
  std::map<std::string, std::string> Files;
};

/// One output to compare.
struct OutputSpec {
  enum class Kind : uint8_t {
    ExitCode, ///< Must be the same.
    Stdout,
    File
  };
  Kind What = Kind::Stdout;
  std::string File; ///< The name of a file.
  /// Text in which numbers are compared under the rule and all else exactly;
  /// with a type in the rule, an array of such elements.
  OutputRule Rule;
  /// If not empty: only what its first group matches is compared, as a number.
  /// The last match counts.
  std::string Number;

  /// "exit code", "standard output", "'file'".
  std::string describe() const;
};

/// How an output compares.
struct RunDifference {
  bool Passed = true;
  std::string Reason; ///< One sentence; empty if passed.
  Difference Diff;
};

/// Compares \p Actual with \p References (at least one).
RunDifference compareRuns(const OutputSpec &Spec,
                          const std::vector<RunRecord> &References,
                          const RunRecord &Actual);

/// The number that \p Pattern's first group (or, without a group, the whole
/// match) last matches in \p Text. Nothing, and a reason, if there is none or
/// the pattern is none.
std::optional<double> findNumber(const std::string &Text,
                                 const std::string &Pattern,
                                 std::string &Error);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H
