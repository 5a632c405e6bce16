//===- Minimise.h - Edits that are worth nothing go -------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search finds is full of passengers. Each edit that is worth less than
// a threshold is dropped before anything is validated or written.
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
};

/// The time that counts, of each: infinity for what has none.
using Clock =
    llvm::function_ref<std::vector<double>(llvm::ArrayRef<const Individual *>)>;
/// The one that steers the search.
std::vector<double> timeByRules(llvm::ArrayRef<const Individual *> Of);

/// Drops edits of \p From whose loss together costs less than \p Threshold of
/// its time, and keeps it valid with an error up to \p MostError.
Minimised minimise(Search &S, const Individual &From, double MostError,
                   Clock TimeOf = timeByRules, double Threshold = 0.01);

} // namespace gevo

#endif // GEVO_SEARCH_MINIMISE_H
