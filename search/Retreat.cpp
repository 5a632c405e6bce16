//===- Retreat.cpp - What is left of a refused finalist -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best first: a queue by time, in which a refused list is replaced by the lists
// with one edit less. So the first that is accepted is the fastest of all that
// were within reach. Of a long list too many are: there the edits that are to
// blame are found by halves first, and so is the last of its ancestors that is
// accepted; the faster one counts.
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

// A list is refused from some edit on: that one is left out, and so on until
// the rest is accepted. Search lists grow edit by edit, so that most beginnings
// are valid.
static std::optional<Individual>
withoutCulprits(Search &S, EditList Edits, double Most,
                const std::function<bool(const Individual &)> &Accepts,
                unsigned &Tries) {
  std::optional<Individual> Left;
  auto Passes = [&](size_t Length) {
    EditList Beginning(Edits.begin(), Edits.begin() + Length);
    Left = std::move(S.evaluateBeyond({Beginning})[0]);
    if (!Left->valid() || Left->Result.Error > Most)
      return false;
    --Tries;
    return Accepts(*Left);
  };
  for (size_t Fine = 0; !Edits.empty() && Tries && !S.stopped();) {
    size_t Bad = Edits.size();
    while (Bad - Fine > 1 && Tries) {
      size_t Middle = (Fine + Bad) / 2;
      (Passes(Middle) ? Fine : Bad) = Middle;
    }
    Edits.erase(Edits.begin() + (Bad - 1));
    if (!Edits.empty() && Tries && Passes(Edits.size()))
      return Left->Result.Time < S.state().Baseline.Time ? Left : std::nullopt;
  }
  return std::nullopt;
}

// The longer a search goes on, the more its best holds on its inputs alone. So
// there is a last milestone that is accepted; it is found by halves, too.
static std::optional<Individual>
lastMilestone(Search &S, double Most,
              const std::function<bool(const Individual &)> &Accepts,
              unsigned &Tries) {
  std::vector<Individual> All;
  for (const Individual &I : S.state().Milestones)
    if (!I.Edits.empty() && I.Result.Error <= Most &&
        I.Result.Time < S.state().Baseline.Time)
      All.push_back(I);
  std::optional<Individual> Last;
  for (size_t Fine = 0, Bad = All.size();
       Fine < Bad && Tries && !S.stopped();) {
    size_t Middle = (Fine + Bad) / 2;
    --Tries;
    if (Accepts(All[Middle])) {
      Last = All[Middle];
      Fine = Middle + 1;
    } else {
      Bad = Middle;
    }
  }
  return Last;
}

std::optional<Individual>
gevo::retreat(Search &S, const Individual &Refused, double Most,
              const std::function<bool(const Individual &)> &Accepts,
              unsigned Tries) {
  constexpr size_t Long = 8;
  if (Refused.Edits.size() > Long) {
    unsigned ByHalves = Tries - Tries / 4;
    Tries /= 4;
    std::optional<Individual> Early = lastMilestone(S, Most, Accepts, ByHalves);
    std::optional<Individual> Left =
        withoutCulprits(S, Refused.Edits, Most, Accepts, ByHalves);
    if (Early && (!Left || Early->Result.Time < Left->Result.Time))
      return Early;
    if (Left)
      return Left;
  }
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
