//===- RandomDraws.cpp - Independent random lists -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The baseline that every search must beat: no selection at all.
//
//===----------------------------------------------------------------------===//

#include "search/Search.h"
#include "search/Variation.h"

using namespace gevo;

namespace gevo {

void stepRandomDraws(Search &S) {
  constexpr unsigned MostEdits = 4;
  std::vector<EditList> Batch;
  for (unsigned I = 0; I < S.population(); ++I) {
    Random Dice = S.dice(I);
    EditList Edits;
    for (unsigned Count = 1 + Dice.below(MostEdits); Count; --Count)
      if (std::optional<EditList> Longer =
              append(S.program(), Edits, Proposal(), Dice))
        Edits = std::move(*Longer);
    Batch.push_back(std::move(Edits));
  }
  S.evaluate(Batch);
}

} // namespace gevo
