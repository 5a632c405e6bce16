//===- Minimise.cpp - Edits that are worth nothing go ---------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round measures the list without each of its parts of one size, and then
// drops as many of those that seem worth nothing as are together, the least
// missed first. Edits that depend on one another survive: apart they fail.
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

namespace {

class Minimiser {
public:
  Minimiser(Search &S, const Individual &From, const Dropping &What,
            Clock TimeOf)
      : S(S), What(What), TimeOf(TimeOf), Kept(From),
        Most(TimeOf(&From)[0] * (1 + What.Threshold)) {}

  /// Tries to drop each \p Size edits that stand together. Says if some went.
  bool dropParts(size_t Size);
  bool tired() const { return Tried >= What.MostTried || S.stopped(); }
  Individual take() { return std::move(Kept); }
  const Individual &kept() const { return Kept; }
  size_t untried() const {
    return count_if(Kept.Edits, [&](const PlacedEdit &E) {
      return !is_contained(TriedWithout, E);
    });
  }

private:
  std::vector<Individual> evaluate(std::vector<EditList> Batch);
  std::vector<std::pair<double, size_t>> acceptable(ArrayRef<Individual> Of);
  bool dropTogether(ArrayRef<std::pair<double, size_t>> Worthless, size_t Size);

  Search &S;
  const Dropping &What;
  Clock TimeOf;
  Individual Kept;
  double Most;
  size_t Tried = 0;
  EditList TriedWithout;
};

} // namespace

// As many as the budget allows.
std::vector<Individual> Minimiser::evaluate(std::vector<EditList> Batch) {
  Batch.resize(std::min(Batch.size(), What.MostTried - Tried));
  Tried += Batch.size();
  return S.evaluateBeyond(Batch);
}

// Which of them can take the place of what is kept, with their times.
std::vector<std::pair<double, size_t>>
Minimiser::acceptable(ArrayRef<Individual> Of) {
  std::vector<std::pair<double, size_t>> Some;
  std::vector<const Individual *> Right;
  for (size_t I = 0; I < Of.size() && !S.stopped(); ++I)
    if (Of[I].valid() && Of[I].Result.Error <= What.MostError) {
      Some.push_back({0, I});
      Right.push_back(&Of[I]);
    }
  std::vector<double> Times = TimeOf(Right);
  for (size_t I = 0; I < Some.size(); ++I)
    Some[I].first = Times[I];
  llvm::erase_if(Some, [&](const auto &One) { return One.first >= Most; });
  return Some;
}

// All parts of \p Size edits that seem worth nothing, half of them and so on;
// two at a time, whatever the number of workers.
bool Minimiser::dropTogether(ArrayRef<std::pair<double, size_t>> Worthless,
                             size_t Size) {
  std::vector<EditList> Fewer;
  for (size_t Count = Worthless.size(); Count > 1; Count /= 2) {
    std::vector<bool> Drop(Kept.Edits.size());
    for (const auto &[Time, Part] : Worthless.take_front(Count))
      for (size_t I = Part * Size; I < std::min(Drop.size(), (Part + 1) * Size);
           ++I)
        Drop[I] = true;
    Fewer.push_back(without(Kept.Edits, Drop));
  }
  constexpr size_t AtOnce = 2;
  for (size_t I = 0; I < Fewer.size() && !tired(); I += AtOnce) {
    std::vector<EditList> Batch(
        Fewer.begin() + I, Fewer.begin() + std::min(Fewer.size(), I + AtOnce));
    for (Individual &Less : evaluate(std::move(Batch)))
      if (!acceptable(Less).empty()) {
        Kept = std::move(Less);
        return true;
      }
  }
  return false;
}

bool Minimiser::dropParts(size_t Size) {
  std::vector<EditList> Batch;
  size_t Count = Kept.Edits.size();
  for (size_t First = 0; First < Count; First += Size) {
    std::vector<bool> Drop(Count);
    for (size_t I = First; I < std::min(Count, First + Size); ++I)
      Drop[I] = true;
    Batch.push_back(without(Kept.Edits, Drop));
  }
  std::vector<Individual> Without = evaluate(std::move(Batch));
  std::vector<std::pair<double, size_t>> Worthless = acceptable(Without);
  if (Size == 1 && !S.stopped())
    llvm::append_range(TriedWithout,
                       ArrayRef(Kept.Edits).take_front(Without.size()));
  if (Worthless.empty())
    return false;
  llvm::sort(Worthless);
  if (!dropTogether(Worthless, Size))
    Kept = std::move(Without[Worthless[0].second]);
  return true;
}

Minimised gevo::minimise(Search &S, const Individual &From,
                         const Dropping &What, Clock TimeOf) {
  Minimiser M(S, From, What, TimeOf);
  size_t Size = std::max<size_t>(1, From.Edits.size() / 2);
  while (!M.kept().Edits.empty() && !M.tired()) {
    bool Dropped = M.dropParts(Size);
    if (Size == 1 && !Dropped)
      break;
    Size = std::max<size_t>(1, Size / 2);
  }
  Minimised Result;
  Result.Before = From.Edits.size();
  Result.Untried = M.untried();
  Result.Kept = M.take();
  return Result;
}
