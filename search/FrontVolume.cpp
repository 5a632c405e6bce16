//===- FrontVolume.cpp - How good a front is, as one number ---------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales both objectives, so that neither's unit counts.
//
//===----------------------------------------------------------------------===//

#include "search/FrontVolume.h"
#include "search/Selection.h"
#include <cmath>

using namespace llvm;
using namespace gevo;

double gevo::frontVolume(ArrayRef<Individual> Of, const Fitness &Baseline,
                         double Most) {
  if (Most == 0 || std::isinf(Most)) {
    Most = 0;
    for (const Individual &I : Of)
      Most = std::max(Most, I.Result.Error);
  }
  std::vector<Objectives> Points;
  for (const Individual &I : Of)
    Points.push_back(
        {I.Result.Time / Baseline.Time, Most > 0 ? I.Result.Error / Most : 0});
  return hypervolume(Points, {1, 1});
}
