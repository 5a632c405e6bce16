//===- Families.h - The same edit at places that are alike ------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first phase of the default algorithm. A loop that the compiler unrolled
// has a barrier, a store or a guard as often as it went round, and each of them
// alone is worth next to nothing. So the same edit is made at all of them at
// once; where that fails, at one half and at the other, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_ALGORITHMS_FAMILIES_H
#define GEVO_SEARCH_ALGORITHMS_FAMILIES_H

#include "search/Search.h"

namespace gevo {

/// What edits that the program suggests are weighed with; see PlaceKind.
constexpr unsigned SuggestedWeight = 10;

/// The families of \p Places, which are the hottest first, as groups to try.
std::vector<EditGroup> findFamilies(Search &S,
                                    const std::vector<Place> &Places);

/// Tries up to \p Count of the state's groups, those that promise most. Those
/// that are of use join the singles.
void tryGroups(Search &S, size_t Count);

} // namespace gevo

#endif // GEVO_SEARCH_ALGORITHMS_FAMILIES_H
