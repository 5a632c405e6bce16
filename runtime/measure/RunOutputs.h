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
// spread of numbers is known. The search judges variants by it, gevo-run runs
// of a program. The rules:
//   - An output that is missing or empty fails, always: also if it is missing
//     in the reference.
//   - Exact means equal to the byte, or to the letter for a number that an
//     expression finds, so that no digit of a hash is lost.
//   - Under a tolerance, words and signs of a text are equal, blanks do not
//     count, and numbers are near: whole numbers of 64 bits by their exact
//     distance, all others as doubles; NaN, infinities and zeros as in
//     Comparison.h.
//   - A content with a zero byte in it is binary: under a tolerance it is an
//     array of floats of four or of eight bytes, if all of it can be that, and
//     equal to the byte otherwise. Where its bytes do not tell which, it has to
//     pass as both.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H
#define GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H

#include "runtime/measure/Comparison.h"
#include "runtime/measure/Words.h"

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
  /// How far numbers may be off; with a type, the output is an array of such
  /// elements and no text.
  OutputRule Rule;
  /// If not empty: only what its first group matches is compared, as a number.
  /// The last match counts.
  std::string Number;
  /// Words of the text that are not compared.
  WordSet Ignored;

  /// Is it compared with the spread of several runs?
  bool countsDeviations() const {
    return Rule.Limits.Mode == CompareMode::Deviations;
  }
  /// "exit code", "standard output", "'file'".
  std::string describe() const;
  /// Standard output in options; a file of that name is "./stdout".
  static constexpr const char *StdoutName = "stdout";
  /// As options have it: "exit code", StdoutName, the file.
  std::string name() const;
};

/// How an output compares.
struct RunDifference {
  bool Passed = true;
  std::string Reason; ///< One sentence; empty if passed.
  Difference Diff;    ///< Of the numbers, as far as it came to them.
  /// Of the elements that it was compared as; None: it is text, or bytes.
  ElementType Type = ElementType::None;

  static RunDifference failed(std::string Reason);
};

/// Compares \p Actual with \p References (at least one).
RunDifference compareRuns(const OutputSpec &Spec,
                          const std::vector<RunRecord> &References,
                          const RunRecord &Actual);

/// The same for one output that is no exit code: what \p References and
/// \p Actual hold of it; null: it is missing.
RunDifference compareOutput(const OutputSpec &Spec,
                            const std::vector<const std::string *> &References,
                            const std::string *Actual);

/// Is it no text?
bool isBinary(std::string_view Content);

/// The number, as it is printed, that the first group of \p Pattern, an
/// extended regular expression of POSIX (or, without a group, the whole match)
/// last matches in a line of \p Text. Nothing, and a reason, if there is none
/// or the pattern is none.
std::optional<std::string> findNumber(const std::string &Text,
                                      const std::string &Pattern,
                                      std::string &Error);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_RUNOUTPUTS_H
