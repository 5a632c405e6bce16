//===- OutputRules.h - How far each output may be off -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the options --tolerance of a command line come to: a rule for one output
// and another, and one for the rest. Outputs are those of a launch (arg0, the
// name of a variable, heap, printf) and those of a run (stdout, files).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_OUTPUTRULES_H
#define GEVO_RUNTIME_MEASURE_OUTPUTRULES_H

#include "runtime/measure/Comparison.h"

#include <map>
#include <set>

namespace gevo::measure {

struct OutputRules {
  OutputRule Others;                       ///< For all outputs but these,
  std::map<std::string, OutputRule> Named; ///< by name.

  /// The rule for \p Output.
  const OutputRule &of(const std::string &Output) const;
  /// Takes "RULE" or "OUTPUT=RULE". False, with the reason in \p Error, if it
  /// is none, or if there is one for that already.
  bool add(std::string_view Text, std::string &Error);
  /// The first output with a rule that is not among \p Known, or null.
  const std::string *findUnknown(const std::set<std::string> &Known) const;
  /// As add() takes them, that for the rest first; equal for equal rules.
  std::vector<std::string> texts() const;

  /// \name One error for all outputs
  /// In the unit of the rules, if all that allow an error allow the same one;
  /// otherwise as a share of what each allows.
  /// @{
  double errorOf(const std::string &Output, double MaxError) const;
  /// The largest that passes; 0: none.
  double largestError() const;
  /// What it is counted in: the name of a mode, "of what is allowed", or
  /// nothing where there is no error.
  std::string unit() const;
  /// @}

private:
  /// What all rules allow that allow an error; null: none does, or they differ.
  const Tolerance *common() const;
  bool allowErrors() const;

  bool HasOthers = false; ///< add() was given a rule for the rest.
};

/// As parseRule reads it.
std::string ruleText(const OutputRule &R);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_OUTPUTRULES_H
