//===- Comparison.h - Is this output the expected one? ----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares arrays of elements under a tolerance. The rules, for floats:
//   - NaN is expected where the reference has NaN, and nowhere else; with
//     NanMatches off not even there. NaNs that arithmetic makes are all the
//     same; others have to have the same bits, as they may be whole numbers.
//   - An infinity matches itself only, in every mode.
//   - Zeros of different sign differ in exact mode, unless SignedZeros is off,
//     and are equal in all others.
//   - A relative error divides by the expected magnitude, or by the floor where
//     that is larger: Floor itself, or FloorShare of the largest magnitude in
//     the reference. Whole numbers, in which there is no noise, have no share.
// An error that no number describes (NaN, a wrong infinity) is infinite.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_COMPARISON_H
#define GEVO_RUNTIME_MEASURE_COMPARISON_H

#include "runtime/gpu/ptx/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::measure {

using gpu::ElementType;

/// What an error is counted in; CompareModes.def has the rows.
enum class CompareMode : uint8_t {
#define COMPARE_MODE(Name, Text, Meaning) Name,
#include "runtime/measure/CompareModes.def"
};

/// How far an output may be from the reference.
struct Tolerance {
  CompareMode Mode = CompareMode::Exact;
  double Limit = 0; ///< The largest error that passes.
  double Floor = 0;
  double FloorShare = 1e-6;
  bool NanMatches = true;
  bool SignedZeros = true;
};

/// A tolerance and, if it is not to be inferred, a type of elements.
struct OutputRule {
  Tolerance Limits;
  ElementType Type = ElementType::None;
};

/// Reads "exact", "abs:1e-6", "rel:1e-4,floor:1e-3,type:f32", "ulp:4", "sd:3".
/// A number alone, "1e-4", is relative; "0" is exact.
std::optional<OutputRule> parseRule(std::string_view Text, std::string &Error);

/// A rule for one output, or for all that have none of their own.
struct NamedRule {
  std::string Output; ///< Empty: all.
  OutputRule Rule;
};
/// Reads "RULE" and "OUTPUT=RULE".
std::optional<NamedRule> parseNamedRule(std::string_view Text,
                                        std::string &Error);

/// What a comparison found. Differences add up over arrays.
struct Difference {
  uint64_t Elements = 0;
  uint64_t Differing = 0; ///< Not the same bits.
  uint64_t Failing = 0;   ///< Beyond the tolerance.
  uint64_t NewNans = 0;   ///< NaN where the reference has none.
  double MaxError = 0;    ///< In the units of the mode; 0 or 1 in exact mode.
  double SumError = 0;    ///< Over elements whose error is finite.
  /// The first failing element: where, and both values as text.
  uint64_t FirstFailing = 0;
  std::string Expected, Actual;

  bool passed() const { return Failing == 0; }
  double meanError() const {
    return Elements ? SumError / double(Elements) : 0;
  }
  void add(const Difference &D, uint64_t IndexBase = 0);
};

/// Compares \p Count elements of type \p T. A larger magnitude than that of
/// these elements, for the floor, may be given.
Difference compare(ElementType T, const void *Expected, const void *Actual,
                   uint64_t Count, const Tolerance &Limits,
                   double Magnitude = 0);

/// The same where the reference is a number of runs: in mode Deviations errors
/// are distances from their mean in standard deviations (of the sample, at
/// least the floor), in the others distances from the first run.
Difference compareToRuns(ElementType T, const std::vector<const void *> &Runs,
                         const void *Actual, uint64_t Count,
                         const Tolerance &Limits);

/// The largest finite magnitude among \p Count elements.
double largestMagnitude(ElementType T, const void *Data, uint64_t Count);

/// The element at \p Data as text.
std::string elementText(ElementType T, const void *Data);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_COMPARISON_H
