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

std::vector<double> gevo::timeByRules(ArrayRef<const Individual *> Of) {
  std::vector<double> Times;
  for (const Individual *I : Of)
    Times.push_back(I->Result.Time);
  return Times;
}

Minimised gevo::minimise(Search &S, const Individual &From, double MostError,
                         Clock TimeOf, double Threshold) {
  Minimised Result{From, From.Edits.size()};
  Individual &Kept = Result.Kept;
  double Most = TimeOf(&From)[0] * (1 + Threshold);
  // Which of them can take the place of what is kept, with their times.
  auto Acceptable = [&](ArrayRef<Individual> Of) {
    std::vector<std::pair<double, size_t>> Some;
    std::vector<const Individual *> Right;
    for (size_t I = 0; I < Of.size() && !S.stopped(); ++I)
      if (Of[I].valid() && Of[I].Result.Error <= MostError) {
        Some.push_back({0, I});
        Right.push_back(&Of[I]);
      }
    std::vector<double> Times = TimeOf(Right);
    for (size_t I = 0; I < Some.size(); ++I)
      Some[I].first = Times[I];
    llvm::erase_if(Some, [&](const auto &One) { return One.first >= Most; });
    return Some;
  };
  while (!Kept.Edits.empty() && !S.stopped()) {
    size_t Count = Kept.Edits.size();
    std::vector<EditList> Batch;
    for (size_t I = 0; I < Count; ++I) {
      std::vector<bool> Drop(Count);
      Drop[I] = true;
      Batch.push_back(without(Kept.Edits, Drop));
    }
    std::vector<std::pair<double, size_t>> Worthless =
        Acceptable(S.evaluateBeyond(Batch));
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
      if (!Acceptable(I).empty()) {
        Kept = std::move(I);
        break;
      }
    if (Kept.Edits.size() == Count)
      break;
  }
  return Result;
}
