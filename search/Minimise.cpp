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

double gevo::timeByRules(const Individual &I) { return I.Result.Time; }

Minimised gevo::minimise(Search &S, const Individual &From, double MostError,
                         Clock TimeOf, double Threshold) {
  Minimised Result{From, From.Edits.size()};
  Individual &Kept = Result.Kept;
  double Most = TimeOf(From) * (1 + Threshold);
  // Its time, if it can take the place of what is kept.
  auto Acceptable = [&](const Individual &I) -> std::optional<double> {
    if (!I.valid() || I.Result.Error > MostError || S.stopped())
      return std::nullopt;
    double Time = TimeOf(I);
    return Time < Most ? std::optional(Time) : std::nullopt;
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
    std::vector<std::pair<double, size_t>> Worthless;
    for (size_t I = 0; I < Count; ++I)
      if (std::optional<double> Time = Acceptable(Singles[I]))
        Worthless.push_back({*Time, I});
    if (Worthless.empty())
      break;
    llvm::sort(Worthless);
    // All, half of them and so on; one alone is known to do.
    std::vector<EditList> Fewer;
    for (size_t Size = Worthless.size(); Size; Size /= 2) {
      std::vector<bool> Drop(Count);
      for (const auto &[Time, I] : ArrayRef(Worthless).take_front(Size))
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
