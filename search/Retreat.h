//===- Retreat.h - What is left of a refused finalist -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Validation may refuse what the search liked best: edits that only held for
// its inputs. What comes next are the best of earlier times, the same edits
// without those that are to blame, and the other good ones that the search
// knows.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_RETREAT_H
#define GEVO_SEARCH_RETREAT_H

#include "search/Search.h"

namespace gevo {

/// What validation says of one.
using Acceptance = std::function<bool(const Individual &)>;

/// The best of their time with an error up to \p Most, the last one first.
std::vector<Individual> milestones(const Search &S, double Most);

/// Goes on from \p Refused, which \p Accepts has refused: of \p Ancestors, in
/// their order, of its subsets and
/// those of the search's population, the fastest that \p Accepts takes and that
/// is valid, faster than the original and has an error up to \p Most. Asks
/// \p Accepts at most \p Tries times in each of three ways to go; what it took
/// last need not be the result. Before an edit is blamed, what it was put on is
/// asked about again, which is not counted: \p Accepts should know its answers.
std::optional<Individual> retreat(Search &S, const Individual &Refused,
                                  double Most,
                                  llvm::ArrayRef<Individual> Ancestors,
                                  const Acceptance &Accepts,
                                  unsigned Tries = 40);

} // namespace gevo

#endif // GEVO_SEARCH_RETREAT_H
