//===- FrontVolume.h - How good a front is, as one number -------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hypervolume of times and errors, for results to be compared by and for
// islands to know whether they found anything.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_FRONTVOLUME_H
#define GEVO_SEARCH_FRONTVOLUME_H

#include "search/State.h"
#include "llvm/ADT/ArrayRef.h"

namespace gevo {

/// What \p Of, all valid, dominate up to the time of \p Baseline and to the
/// error \p Most, both counted as 1: 0 for the original alone, and the share of
/// the time that is saved where there are no errors. Where \p Most is 0 or
/// infinite, it is the largest error of \p Of that counts.
double frontVolume(llvm::ArrayRef<Individual> Of, const Fitness &Baseline,
                   double Most);

} // namespace gevo

#endif // GEVO_SEARCH_FRONTVOLUME_H
