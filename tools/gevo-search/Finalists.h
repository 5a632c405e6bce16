//===- Finalists.h - From the best variants to a result ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes after a search: its best are minimised and validated, and where
// validation refuses them, what is left of them is found.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_FINALISTS_H
#define GEVO_TOOLS_GEVO_SEARCH_FINALISTS_H

#include "tools/gevo-search/Judges.h"

namespace gevo {

/// The fastest without error, and the fastest with one up to \p Tolerance; each
/// after what was refused in its place, if anything was.
std::vector<Finalist> findFinalists(Search &S, Judges &Judging,
                                    double Tolerance, View &V);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_FINALISTS_H
