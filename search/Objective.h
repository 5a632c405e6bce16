//===- Objective.h - What a search minimises --------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time unless the user names another: registers, code size, wall time, or any
// number that the program prints.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OBJECTIVE_H
#define GEVO_SEARCH_OBJECTIVE_H

#include "search/Program.h"
#include <functional>

namespace gevo {

enum class ObjectiveKind {
#define GEVO_OBJECTIVE(Id, Name, Unit, PerUnit, Source, Summary) Id,
#include "search/Objectives.def"
};

struct Objective {
  enum Sources { Launches, Code, Runs, None };
  ObjectiveKind Kind = ObjectiveKind::Time;
  /// Of stdout: and stdout-max:.
  std::string Pattern;

  /// What the user wrote: "time", "stdout:loss ([0-9.]+)".
  std::string text() const;
  llvm::StringRef unit() const;
  double perUnit() const;
  Sources source() const;
  /// Numbers whose quotients are numbers, too.
  static constexpr double Least = 1e-150, Most = 1e150;

  /// The objective's number in \p Text; what the pattern matches is replaced
  /// there, so that it is no part of what is compared. Nothing if there is none
  /// or it is not from Least to Most.
  std::optional<double> takeFrom(std::string &Text) const;
};

/// Reads what a user writes. The error names what there is.
llvm::Expected<Objective> parseObjective(llvm::StringRef Text);

/// A cost that the code alone decides.
using CodeCost = std::function<llvm::Expected<double>(const Payload &)>;

/// Takes the cost of the code for the time of what \p Inner finds valid.
class CostRunner : public Runner {
public:
  CostRunner(std::unique_ptr<Runner> Inner, CodeCost Cost)
      : Inner(std::move(Inner)), Cost(std::move(Cost)) {}
  Fitness run(const Payload &Code) override;

private:
  std::unique_ptr<Runner> Inner;
  CodeCost Cost;
};

} // namespace gevo

#endif // GEVO_SEARCH_OBJECTIVE_H
