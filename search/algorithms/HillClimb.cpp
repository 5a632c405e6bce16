//===- HillClimb.cpp - One list of edits, uphill --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbours have an edit more or fewer. The best of a batch takes over if it
// is no worse: neutral steps are how it leaves a plateau.
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/Variation.h"

using namespace gevo;

static EditList neighbour(Search &S, const EditList &From, Random &Dice) {
  constexpr unsigned DropOneIn = 4;
  if (!From.empty() && Dice.below(DropOneIn) == 0)
    return dropUnit(From, Links(), Dice);
  return append(S.program(), From, Proposal(), Dice).value_or(From);
}

namespace gevo {

void stepHillClimb(Search &S) {
  std::vector<Individual> &Current = S.state().Population;
  if (Current.empty())
    Current = S.evaluate({EditList()});
  std::vector<EditList> Batch;
  for (unsigned I = 0; I < S.population(); ++I) {
    Random Dice = S.dice(I);
    Batch.push_back(neighbour(S, Current[0].Edits, Dice));
  }
  for (Individual &I : S.evaluate(Batch))
    if (I.valid() && objectives(I)[0] <= objectives(Current[0])[0] &&
        keyOf(I.Edits) != keyOf(Current[0].Edits))
      Current[0] = std::move(I);
}

} // namespace gevo
