//===- Minimise.cpp - Edits that are worth nothing go ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each round measures the list without each of its edits, and then drops as
// many of those that seem worth nothing as are together, the least missed
// first. Edits that depend on one another survive: apart they fail.
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
    std::vector<size_t> Worthless;
    for (size_t I = 0; I < Count; ++I)
      if (Acceptable(Singles[I]))
        Worthless.push_back(I);
    if (Worthless.empty())
      break;
    llvm::stable_sort(Worthless, [&](size_t A, size_t B) {
      return Singles[A].Result.Time < Singles[B].Result.Time;
    });
    // All, half of them and so on; one alone is known to do.
    std::vector<EditList> Fewer;
    for (size_t Size = Worthless.size(); Size; Size /= 2) {
      std::vector<bool> Drop(Count);
      for (size_t I : ArrayRef(Worthless).take_front(Size))
        Drop[I] = true;
      Fewer.push_back(without(Kept.Edits, Drop));
    }
    for (Individual &I : S.evaluateBeyond(Fewer))
      if (Acceptable(I)) {
        Kept = std::move(I);
        break;
      }
    if (Kept.Edits.size() == Count)
      break;
  }
  return Result;
}
