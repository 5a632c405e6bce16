//===- PairedTimes.h - Two programs on a noisy clock ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Original and variant are run in turn, so that a machine that gets slower or
// faster meanwhile does so for both. What else the machine does only adds to a
// time, so the least of each counts; how far the original's own runs are apart
// is the noise, and a difference within it is none.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_PAIREDTIMES_H
#define GEVO_SEARCH_PAIREDTIMES_H

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace gevo {

/// How far the middle one of \p Times is above the least, as a share of that.
double noiseOf(llvm::ArrayRef<double> Times);

class PairedTimes {
public:
  /// Two runs, one after the other.
  void add(double Original, double Variant) {
    Originals.push_back(Original);
    Variants.push_back(Variant);
  }
  size_t count() const { return Originals.size(); }

  /// That of the original.
  double noise() const { return noiseOf(Originals); }
  /// The variant's time as a share of the original's: 1 if the slower of them
  /// is above the faster by no more than the noise, or if the variant seems
  /// faster and did not win four pairs of five.
  double ratio() const;
  /// Further pairs would hardly show that the variant is faster: after three
  /// its least is no less than the original's, or more than \p Bound times that
  /// after two; 0: any.
  bool isHopeless(double Bound) const;

private:
  double leastRatio() const;

  std::vector<double> Originals, Variants;
};

} // namespace gevo

#endif // GEVO_SEARCH_PAIREDTIMES_H
