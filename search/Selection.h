//===- Selection.h - Who survives and who has offspring ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces of NSGA-II, all objectives minimised. They come from pagmo, which
// stays behind this header: its own are large, and it throws.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_SELECTION_H
#define GEVO_SEARCH_SELECTION_H

#include <cstddef>
#include <vector>

namespace gevo {

using Objectives = std::vector<double>;

/// A point's place in its population.
struct Standing {
  /// 0 for the points that none dominates.
  size_t Rank = 0;
  /// How alone it is in its rank; infinite at the ends.
  double Crowding = 0;

  /// The order of a tournament.
  bool operator<(const Standing &Other) const {
    return Rank != Other.Rank ? Rank < Other.Rank : Crowding > Other.Crowding;
  }
};

/// One for each point.
std::vector<Standing> standings(const std::vector<Objectives> &Points);

/// The \p Count best by standing, equals in order; all if there are fewer.
std::vector<size_t> selectBest(const std::vector<Objectives> &Points,
                               size_t Count);

/// The volume that \p Points dominate up to \p Reference. Points beyond it add
/// nothing.
double hypervolume(const std::vector<Objectives> &Points,
                   const Objectives &Reference);

} // namespace gevo

#endif // GEVO_SEARCH_SELECTION_H
