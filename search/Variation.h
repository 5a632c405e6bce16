//===- Variation.h - Offspring ----------------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// New lists of edits from old ones. What these make need not be valid;
// evaluation tells.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_VARIATION_H
#define GEVO_SEARCH_VARIATION_H

#include "search/State.h"

namespace gevo {

/// Those of \p Edits that must travel together, as lists of indices: linked
/// ones, and those that name a clone with the edit that makes it.
std::vector<std::vector<size_t>> unitsOf(const EditList &Edits,
                                         const Links &Linked);

/// Common edits go to both children; the others are dealt, in units, at random.
/// Edits keep the order that they have in \p A and then in \p B.
std::pair<EditList, EditList> crossOver(const EditList &A, const EditList &B,
                                        const Links &Linked, Random &Dice);

/// As in the paper: the symmetric difference is shuffled and cut at a random
/// point.
std::pair<EditList, EditList> crossOverByCut(const EditList &A,
                                             const EditList &B, Random &Dice);

/// \p Edits without one of its units; without all if it has but one.
EditList dropUnit(const EditList &Edits, const Links &Linked, Random &Dice);

/// \p A, then what \p B adds.
EditList unite(const EditList &A, const EditList &B);

/// \p Base with an edit more, or nothing if no draw came to anything.
std::optional<EditList> append(Program &P, const EditList &Base,
                               const Proposal &What, Random &Dice);

/// The better of two drawn by chance; \p Order ranks all, best first.
size_t tournament(const std::vector<size_t> &Order, Random &Dice);

} // namespace gevo

#endif // GEVO_SEARCH_VARIATION_H
