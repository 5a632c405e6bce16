//===- PairedTimes.cpp - Two programs on a noisy clock --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/PairedTimes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace gevo;

double gevo::noiseOf(ArrayRef<double> Times) {
  assert(!Times.empty() && "nothing was timed");
  std::vector<double> Sorted = Times.vec();
  sort(Sorted);
  return Sorted[Sorted.size() / 2] / Sorted.front() - 1;
}

double PairedTimes::leastRatio() const {
  assert(count() && "nothing was timed");
  return *min_element(Variants) / *min_element(Originals);
}

double PairedTimes::ratio() const {
  double Ratio = leastRatio();
  // The slower one over the faster one: the same for a gain and for a loss, and
  // a gain of many times is one with any noise.
  if (std::max(Ratio, 1 / Ratio) - 1 <= noise())
    return 1;
  size_t Won = 0;
  for (auto [Original, Variant] : zip(Originals, Variants))
    Won += Variant < Original;
  return Ratio < 1 && 5 * Won < 4 * count() ? 1 : Ratio;
}

bool PairedTimes::isHopeless(double Bound) const {
  constexpr size_t EnoughForBound = 2, Enough = 3;
  if (Bound && count() >= EnoughForBound && leastRatio() > Bound)
    return true;
  return count() >= Enough && leastRatio() >= 1;
}
