//===- Allowance.h - The time for what comes after a search -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finalists come one after the other, each by steps that may be cut short, such
// as minimising, and by validation, which may not: it is what proves. So a step
// gets a part of what is left for its finalist, and what one leaves is for
// those that follow.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_ALLOWANCE_H
#define GEVO_SEARCH_ALLOWANCE_H

#include <algorithm>
#include <limits>

namespace gevo {

class Allowance {
public:
  /// After a search with a budget of so many seconds, as long again; 0: no
  /// bound. Times are those of one clock.
  Allowance(double Budget, double Now)
      : End(Budget > 0 ? Now + std::max(Least, Budget)
                       : std::numeric_limits<double>::infinity()) {}

  bool bounded() const { return End < std::numeric_limits<double>::infinity(); }
  /// The first of \p Finalists that are to come begins.
  void begin(double Now, unsigned Finalists) {
    EndOfOne = Now + std::max(0.0, End - Now) / Finalists;
  }
  /// How long a step may take that gets \p Share of what is left for this
  /// finalist. A moment if validation has taken all.
  double step(double Now, double Share) const {
    return std::max(Moment, (EndOfOne - Now) * Share);
  }

  /// Of searches with small budgets: programs do not get shorter by them.
  static constexpr double Least = 120;
  static constexpr double Moment = 5;

private:
  double End, EndOfOne = End;
};

} // namespace gevo

#endif // GEVO_SEARCH_ALLOWANCE_H
