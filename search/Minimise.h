//===- Minimise.h - Edits that are worth nothing go -------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search finds is full of passengers. Those that are together worth less
// than a threshold are dropped before anything is validated or written: halves
// of the list first, then smaller parts, so that what is done when the budget
// ends has dropped most. The budget is a number of lists, the same on every
// machine.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_MINIMISE_H
#define GEVO_SEARCH_MINIMISE_H

#include "search/Search.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gevo {

/// What dropping did to one finalist.
struct Minimised {
  Individual Kept;
  /// How many edits there were.
  size_t Before = 0;
  /// How many of those that were kept were not tried without: the budget ended.
  size_t Untried = 0;
};

/// What may be dropped.
struct Dropping {
  /// What is kept has no larger error.
  double MostError = 0;
  /// The part of its time that all that is dropped is worth less than.
  double Threshold = 0.01;
  /// How many lists to try.
  size_t MostTried = SIZE_MAX;
};

/// The time that counts, of each: infinity for what has none.
using Clock =
    llvm::function_ref<std::vector<double>(llvm::ArrayRef<const Individual *>)>;
/// The one that steers the search.
std::vector<double> timeByRules(llvm::ArrayRef<const Individual *> Of);

/// Drops edits of \p From, and keeps it valid.
Minimised minimise(Search &S, const Individual &From, const Dropping &What,
                   Clock TimeOf = timeByRules);

} // namespace gevo

#endif // GEVO_SEARCH_MINIMISE_H
