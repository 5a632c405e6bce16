//===- Retreat.cpp - What is left of a refused finalist -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best first: a queue by time, in which a refused list is replaced by the lists
// with one edit less. So the first that is accepted is the fastest of all that
// were within reach. Of a long list too many are. It has ancestors, of which
// the last that is accepted is taken; then the edits that came later are put on
// top of it again, but for those that are to blame.
//
//===----------------------------------------------------------------------===//

#include "search/Retreat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

static bool isFaster(const Individual &I, double Than, double Most) {
  return I.valid() && !I.Edits.empty() && I.Result.Error <= Most &&
         I.Result.Time < Than;
}

namespace {

class Queue {
public:
  Queue(Search &S, double Most) : S(S), Most(Most) {}

  void add(const Individual &I) {
    if (isFaster(I, S.state().Baseline.Time, Most) &&
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

/// Asks, as long as it may.
class Referee {
public:
  Referee(Search &S, const Acceptance &Accepts, unsigned Tries)
      : S(S), Accepts(Accepts), Tries(Tries) {}
  bool tired() const { return !Tries || S.stopped(); }
  bool takes(const Individual &I) {
    if (tired())
      return false;
    --Tries;
    return Accepts(I);
  }
  /// A refusal may bring something new to stand. Takes from \p Stood, each on
  /// top of the one before, those that do not; says whether there were any.
  bool takesBack(std::vector<Individual> &Stood) {
    size_t Before = Stood.size();
    while (!Stood.empty() && !S.stopped() && !Accepts(Stood.back()))
      Stood.pop_back();
    return Stood.size() < Before;
  }

private:
  Search &S;
  const Acceptance &Accepts;
  unsigned Tries;
};

} // namespace

std::vector<Individual> gevo::milestones(const Search &S, double Most) {
  std::vector<Individual> All;
  for (const Individual &I : reverse(S.state().Milestones))
    if (isFaster(I, S.state().Baseline.Time, Most))
      All.push_back(I);
  return All;
}

static std::optional<Individual> firstOf(ArrayRef<Individual> Ancestors,
                                         Referee &R) {
  for (const Individual &I : Ancestors) {
    if (R.takes(I))
      return I;
    if (R.tired())
      break;
  }
  return std::nullopt;
}

static EditList without(EditList Edits, const EditList &Those) {
  llvm::erase_if(Edits,
                 [&](const PlacedEdit &E) { return is_contained(Those, E); });
  return Edits;
}

// Puts the edits of \p Refused on top of \p Base again, as many at a time as
// are accepted. One that is refused alone is left out: it is to blame, or lacks
// one that comes later; so a second round tries again what the first left out.
// If what they are put on is no longer accepted, they are not to blame.
static std::optional<Individual> rebuild(Search &S, const EditList &Refused,
                                         std::optional<Individual> Base,
                                         double Most, Referee &R) {
  constexpr unsigned Rounds = 2;
  std::vector<Individual> Stood;
  if (Base)
    Stood.push_back(std::move(*Base));
  auto Fine = [&] { return Stood.empty() ? EditList() : Stood.back().Edits; };
  EditList Blamed = Refused;
  for (unsigned Round = 0; Round < Rounds && !R.tired(); ++Round) {
    EditList Left = without(std::exchange(Blamed, {}), Fine());
    bool More = false;
    size_t Chunk = std::max<size_t>(1, Left.size() / 2);
    for (size_t Next = 0; Next < Left.size() && !R.tired();) {
      size_t Size = std::min(Chunk, Left.size() - Next);
      EditList Edits = Fine();
      llvm::append_range(Edits, ArrayRef(Left).slice(Next, Size));
      Individual I = std::move(S.evaluateBeyond({Edits})[0]);
      if (I.valid() && I.Result.Error <= Most && R.takes(I)) {
        Stood.push_back(std::move(I));
        More = true;
        Next += Size;
        Chunk *= 2;
      } else if (R.takesBack(Stood)) {
        Left = without(Refused, Fine());
        Blamed.clear();
        Next = 0;
      } else if (Size == 1) {
        Blamed.push_back(Left[Next++]);
      } else {
        Chunk = Size / 2;
      }
    }
    if (!More)
      break;
  }
  // What makes one slower may have made the next one faster.
  auto LastFirst = reverse(Stood);
  auto Best =
      min_element(LastFirst, [](const Individual &A, const Individual &B) {
        return A.Result.Time < B.Result.Time;
      });
  return Stood.empty() ? std::nullopt : std::optional(std::move(*Best));
}

// The fastest that is accepted of the lists with one edit less, then with two,
// and of all others that the search knows.
static std::optional<Individual> bestFirst(Search &S, const Individual &Refused,
                                           double Most, Referee &R) {
  Queue Q(S, Most);
  Q.add(Refused);
  Q.next();
  Q.addSubsets(Refused);
  for (const auto *List : {&S.state().Front, &S.state().Population,
                           &S.state().Milestones, &S.state().Singles})
    for (const Individual &I : *List)
      Q.add(I);
  while (!R.tired()) {
    std::optional<Individual> I = Q.next();
    if (!I || R.takes(*I))
      return I;
    Q.addSubsets(*I);
  }
  return std::nullopt;
}

std::optional<Individual> gevo::retreat(Search &S, const Individual &Refused,
                                        double Most,
                                        ArrayRef<Individual> Ancestors,
                                        const Acceptance &Accepts,
                                        unsigned Tries) {
  constexpr size_t Long = 8;
  if (Refused.Edits.size() > Long) {
    Referee Walk(S, Accepts, Tries), Rebuild(S, Accepts, Tries);
    if (std::optional<Individual> Left =
            rebuild(S, Refused.Edits, firstOf(Ancestors, Walk), Most, Rebuild);
        Left && isFaster(*Left, S.state().Baseline.Time, Most))
      return Left;
  }
  Referee R(S, Accepts, Tries);
  return bestFirst(S, Refused, Most, R);
}
