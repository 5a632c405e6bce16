//===- OtherPointers.h - Pointers to the same memory ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OtherInputs that knows pointers. A kernel that takes two may be
// launched in place, with the same memory for both, where the run has other
// memory for each; and the other way round. What holds only while they differ,
// such as a load before a store that it follows, no other input shows.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OTHERPOINTERS_H
#define GEVO_SEARCH_OTHERPOINTERS_H

#include "search/OtherInputs.h"

namespace gevo {

/// Where in its parameters the only launch of \p C has the two addresses of
/// \p Pair; nothing if it has none there.
std::optional<std::pair<size_t, size_t>> placesOf(const capture::Case &C,
                                                  const PointerPair &Pair);

/// Does the only launch of \p C have two addresses there that are the same?
bool isSame(const capture::Case &C, const PointerPair &Pair);

/// Does the only launch of \p Made have one address for two arguments that have
/// two in one of \p Run, launches of its kernel, and one in none of them?
bool joinsPointers(llvm::ArrayRef<const capture::Case *> Run,
                   const capture::Case &Made);

/// The only launch of \p C with one address for both pointers of a pair, the
/// first few that the original gets along with: that of the first or, where
/// not, as nothing is known of what it holds, that of the second. Where numbers
/// that are finite in \p C are not then, there is one with a smaller count,
/// too. Pointers that are the same there get memory of their own.
std::vector<OtherInput>
drawPointers(const capture::Case &C, llvm::ArrayRef<PointerPair> Pairs,
             llvm::function_ref<bool(capture::Case &)> GetsAlong);

} // namespace gevo

#endif // GEVO_SEARCH_OTHERPOINTERS_H
