//===- Islands.h - Populations that meet now and then -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evolving phase of the default algorithm.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_ALGORITHMS_ISLANDS_H
#define GEVO_SEARCH_ALGORITHMS_ISLANDS_H

#include "search/Search.h"
#include "search/Variation.h"

namespace gevo {

/// Makes the first populations from \p Tower, the single edits that the sweep
/// found, and the original; later on \p Tower joins the first island.
void seedIslands(Search &S, std::vector<Individual> Tower);

/// One generation on all islands.
void evolveIslands(Search &S);

} // namespace gevo

#endif // GEVO_SEARCH_ALGORITHMS_ISLANDS_H
