//===- Retreat.cpp - What is left of a refused finalist -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best first: a queue by time, in which a refused list is replaced by the lists
// with one edit less. So the first that is accepted is the fastest of all that
// were within reach.
//
//===----------------------------------------------------------------------===//

#include "search/Retreat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

namespace {

class Queue {
public:
  Queue(Search &S, double Most) : S(S), Most(Most) {}

  void add(const Individual &I) {
    if (I.valid() && !I.Edits.empty() && I.Result.Error <= Most &&
        I.Result.Time < S.state().Baseline.Time &&
        Known.insert(I.PayloadHash).second)
      Waiting.push_back(I);
  }

  void addSubsets(const Individual &I) {
    std::vector<EditList> Batch;
    for (size_t Left = 0; Left < I.Edits.size(); ++Left) {
      Batch.push_back(I.Edits);
      Batch.back().erase(Batch.back().begin() + Left);
    }
    for (const Individual &Smaller : S.evaluateBeyond(Batch))
      add(Smaller);
  }

  /// The fastest, then the shortest; nothing if none is left.
  std::optional<Individual> next() {
    auto Key = [](const Individual &I) {
      return std::tuple(I.Result.Time, I.Edits.size(), keyOf(I.Edits));
    };
    auto First =
        std::min_element(Waiting.begin(), Waiting.end(),
                         [&](const Individual &A, const Individual &B) {
                           return Key(A) < Key(B);
                         });
    if (First == Waiting.end())
      return std::nullopt;
    Individual I = std::move(*First);
    Waiting.erase(First);
    return I;
  }

private:
  Search &S;
  double Most;
  std::vector<Individual> Waiting;
  StringSet<> Known;
};

} // namespace

std::optional<Individual>
gevo::retreat(Search &S, const Individual &Refused, double Most,
              const std::function<bool(const Individual &)> &Accepts,
              unsigned Tries) {
  Queue Q(S, Most);
  Q.add(Refused);
  Q.next();
  Q.addSubsets(Refused);
  for (const auto *List :
       {&S.state().Front, &S.state().Population, &S.state().Singles})
    for (const Individual &I : *List)
      Q.add(I);
  for (; Tries && !S.stopped(); --Tries) {
    std::optional<Individual> I = Q.next();
    if (!I || Accepts(*I))
      return I;
    Q.addSubsets(*I);
  }
  return std::nullopt;
}
