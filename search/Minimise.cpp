//===- Minimise.cpp - Edits that are worth nothing go ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each round measures the list without each of its edits, and then drops all
// that seem worth nothing at once, if together they are; otherwise the one that
// is missed least. Edits that depend on one another survive: apart they fail.
//
//===----------------------------------------------------------------------===//

#include "search/Minimise.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

static EditList without(const EditList &Edits, const std::vector<bool> &Drop) {
  EditList Rest;
  for (size_t I = 0; I < Edits.size(); ++I)
    if (!Drop[I])
      Rest.push_back(Edits[I]);
  return Rest;
}

Minimised gevo::minimise(Search &S, const Individual &From, double MostError,
                         double Threshold) {
  Minimised Result{From, From.Edits.size()};
  Individual &Kept = Result.Kept;
  auto Acceptable = [&](const Individual &I) {
    return I.valid() && I.Result.Error <= MostError &&
           I.Result.Time < From.Result.Time * (1 + Threshold);
  };
  while (!Kept.Edits.empty() && !S.stopped()) {
    size_t Count = Kept.Edits.size();
    std::vector<EditList> Batch;
    for (size_t I = 0; I < Count; ++I) {
      std::vector<bool> Drop(Count);
      Drop[I] = true;
      Batch.push_back(without(Kept.Edits, Drop));
    }
    std::vector<Individual> Singles = S.evaluateBeyond(Batch);
    std::vector<bool> Worthless(Count);
    const Individual *Least = nullptr;
    for (size_t I = 0; I < Count; ++I)
      if (Acceptable(Singles[I])) {
        Worthless[I] = true;
        if (!Least || Singles[I].Result.Time < Least->Result.Time)
          Least = &Singles[I];
      }
    if (!Least)
      break;
    if (llvm::count(Worthless, true) > 1) {
      Individual All =
          std::move(S.evaluateBeyond({without(Kept.Edits, Worthless)})[0]);
      if (Acceptable(All)) {
        Kept = std::move(All);
        continue;
      }
    }
    Kept = *Least;
  }
  return Result;
}
