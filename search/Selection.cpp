//===- Selection.cpp - Who survives and who has offspring -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file that sees pagmo.
//
//===----------------------------------------------------------------------===//

#include "search/Selection.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

using namespace gevo;

// pagmo wants two points at least; one or two alone are ends.
static void setCrowding(const std::vector<Objectives> &Points,
                        const std::vector<pagmo::pop_size_t> &Front,
                        std::vector<Standing> &Result) {
  std::vector<double> Distances(Front.size(),
                                std::numeric_limits<double>::infinity());
  if (Front.size() > 2) {
    std::vector<Objectives> Members;
    for (auto I : Front)
      Members.push_back(Points[I]);
    Distances = pagmo::crowding_distance(Members);
  }
  // Points that are all alike in an objective have no distance there.
  for (size_t I = 0; I < Front.size(); ++I)
    Result[Front[I]].Crowding = Distances[I] == Distances[I] ? Distances[I] : 0;
}

std::vector<Standing> gevo::standings(const std::vector<Objectives> &Points) {
  std::vector<Standing> Result(Points.size());
  if (Points.size() < 2)
    return Result;
  auto Fronts = std::get<0>(pagmo::fast_non_dominated_sorting(Points));
  for (size_t Rank = 0; Rank < Fronts.size(); ++Rank) {
    // The order of equals must not depend on how pagmo sorts.
    std::sort(Fronts[Rank].begin(), Fronts[Rank].end());
    for (auto I : Fronts[Rank])
      Result[I].Rank = Rank;
    setCrowding(Points, Fronts[Rank], Result);
  }
  return Result;
}

std::vector<size_t> gevo::selectBest(const std::vector<Objectives> &Points,
                                     size_t Count) {
  std::vector<Standing> All = standings(Points);
  std::vector<size_t> Order(Points.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::sort(Order.begin(), Order.end(), [&](size_t A, size_t B) {
    if (All[A] < All[B] || All[B] < All[A])
      return All[A] < All[B];
    return A < B;
  });
  Order.resize(std::min(Order.size(), Count));
  return Order;
}

double gevo::hypervolume(const std::vector<Objectives> &Points,
                         const Objectives &Reference) {
  std::vector<Objectives> Inside;
  for (const Objectives &P : Points)
    if (std::equal(P.begin(), P.end(), Reference.begin(),
                   [](double A, double B) { return A < B; }))
      Inside.push_back(P);
  return Inside.empty() ? 0 : pagmo::hypervolume(Inside).compute(Reference);
}
