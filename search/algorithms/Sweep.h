//===- Sweep.h - Single edits, the most promising first ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second phase of the default algorithm. What an edit promises is known
// beforehand only roughly: whether barriers, guards or computed values can be
// spared differs between programs. So edits are put in classes, and a class
// whose edits fail in this program gives way to the others.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_ALGORITHMS_SWEEP_H
#define GEVO_SEARCH_ALGORITHMS_SWEEP_H

#include "search/Search.h"

namespace gevo {

/// Tries up to \p Count single edits. Those that are other code and valid join
/// the singles, those that fail when run the failures. Says if any are left.
bool sweep(Search &S, size_t Count);

} // namespace gevo

#endif // GEVO_SEARCH_ALGORITHMS_SWEEP_H
