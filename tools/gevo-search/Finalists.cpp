//===- Finalists.cpp - From the best variants to a result -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was validated is remembered: minimising and retreating come by the same
// edits more than once.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Finalists.h"
#include "search/Minimise.h"
#include "search/Retreat.h"
#include "search/Variation.h"
#include <cmath>
#include <limits>
#include <map>

using namespace llvm;
using namespace gevo;

namespace {

class Finals {
public:
  Finals(Search &S, Judges &Judging, double Tolerance, View &V)
      : S(S), Judging(Judging), Tolerance(Tolerance), V(V) {}
  std::vector<Finalist> all();

private:
  const Finalist &validated(const Individual &I);
  std::vector<Individual> candidates(double Most);
  Individual polished(Individual I, double Most, ArrayRef<Individual> All);
  Individual minimised(const Individual &I, double Most);
  std::optional<Finalist> settle(Individual From, double Most,
                                 ArrayRef<Individual> All);
  void add(StringRef Title, double Most, std::vector<Finalist> &Result);
  /// Bounds the next step, if the search had a bound on its time; says so.
  std::string allowTime();

  Search &S;
  Judges &Judging;
  double Tolerance;
  View &V;
  struct Verdict {
    Finalist Result;
    /// How many exams there were.
    size_t Exams = 0;
  };
  /// By the edits' key.
  StringMap<Verdict> Validated;
};

} // namespace

// What validation says of \p I. Whole runs take time: none for edits that have
// seen all that there is to validate with.
const Finalist &Finals::validated(const Individual &I) {
  std::string Key = keyOf(I.Edits);
  auto Known = Validated.find(Key);
  if (Known != Validated.end() && (!Known->second.Result.passed() ||
                                   Known->second.Exams == Judging.examCount()))
    return Known->second.Result;
  Verdict &New = Validated[Key];
  New.Result = Judging.validate(I);
  New.Exams = Judging.examCount();
  return New.Result;
}

// Without a bound on the time of the search, counts alone bound what comes
// after it, so that its result is the same everywhere.
std::string Finals::allowTime() {
  constexpr double Least = 30, Share = 0.25;
  double Budget = S.options().MaxSeconds;
  if (Budget == 0)
    return "";
  double Allowed = std::max(Least, Share * Budget);
  S.finishWithin(Allowed);
  return " for up to " + duration(Allowed);
}

// The best of the search and of earlier times. By rules about PTX each is
// faster than the one after it; where machine code counts, that has the last
// word about those which are nearly as fast as the first.
std::vector<Individual> Finals::candidates(double Most) {
  constexpr size_t MostPriced = 32;
  constexpr double Near = 1.2;
  std::vector<Individual> All;
  const Individual *Best = S.state().best(Most);
  if (!Best || Best->Edits.empty())
    return All;
  All.push_back(*Best);
  for (Individual &I : milestones(S, Most))
    if (I.PayloadHash != Best->PayloadHash)
      All.push_back(std::move(I));
  std::vector<std::pair<double, size_t>> Order;
  for (size_t I = 0; I < std::min(All.size(), MostPriced); ++I) {
    if (All[I].Result.Time > Near * Best->Result.Time || S.stopped())
      break;
    std::optional<double> Price = Judging.price(All[I]);
    if (!Price)
      return All;
    Order.push_back({*Price, I});
  }
  llvm::sort(Order);
  std::vector<Individual> Sorted;
  for (const auto &[Price, I] : Order)
    Sorted.push_back(All[I]);
  llvm::append_range(Sorted, ArrayRef(All).drop_front(Order.size()));
  return Sorted;
}

// Without \p Part if all of it is there, otherwise with it.
static EditList toggled(const EditList &Edits, const EditList &Part) {
  EditList Rest = Edits;
  llvm::erase_if(Rest,
                 [&](const PlacedEdit &E) { return is_contained(Part, E); });
  return Rest.size() + Part.size() == Edits.size() ? Rest : unite(Edits, Part);
}

// With and without edits that are of use by themselves or that the best of
// earlier times have, as long as machine code gets faster: rules about PTX,
// which steer the search, are off by a few per cent.
Individual Finals::polished(Individual I, double Most,
                            ArrayRef<Individual> All) {
  constexpr unsigned MostPriced = 64;
  constexpr double Worth = 0.999;
  std::optional<double> Best = Judging.price(I);
  if (!Best)
    return I;
  std::vector<EditList> Parts;
  auto AddPart = [&](const EditList &Part) {
    if (!is_contained(Parts, Part))
      Parts.push_back(Part);
  };
  for (const PlacedEdit &E : reverse(I.Edits))
    AddPart({E});
  for (const Individual &Single : S.state().Singles)
    if (Single.Result.Time < S.state().Baseline.Time)
      AddPart(Single.Edits);
  for (const Individual &Other : All)
    for (const PlacedEdit &E : Other.Edits)
      AddPart({E});
  size_t SinceBetter = 0;
  unsigned Priced = 0;
  for (size_t At = 0;
       SinceBetter < Parts.size() && !S.stopped() && Priced < MostPriced;
       At = (At + 1) % Parts.size(), ++SinceBetter) {
    Individual Next =
        std::move(S.evaluateBeyond({toggled(I.Edits, Parts[At])})[0]);
    if (Next.Edits.empty() || !Next.valid() || Next.Result.Error > Most)
      continue;
    std::optional<double> Price = Judging.price(Next);
    ++Priced;
    if (!Price || *Price >= *Best * Worth)
      continue;
    Best = Price;
    I = std::move(Next);
    SinceBetter = 0;
  }
  return I;
}

// Without what is worth nothing: by rules about PTX, which is quick, if machine
// code does not miss it; then by machine code, where that counts.
Individual Finals::minimised(const Individual &I, double Most) {
  constexpr double Threshold = 0.01;
  std::optional<double> Before = Judging.price(I);
  Individual Less = minimise(S, I, Most, timeByRules, Threshold).Kept;
  if (!Before)
    return Less;
  auto Price = [&](const Individual &Of) {
    return Judging.price(Of).value_or(std::numeric_limits<double>::infinity());
  };
  // What may still be lost of the time.
  double Rest = *Before * (1 + Threshold) / Price(Less) - 1;
  return Rest > 0 ? minimise(S, Less, Most, Price, Rest).Kept
                  : minimise(S, I, Most, Price, Threshold).Kept;
}

// What is left of \p From, which validation refused: the fastest of all that it
// accepts on the way. Something new to validate with, of which a refusal is the
// cause, is for the next to stand, too.
std::optional<Finalist> Finals::settle(Individual From, double Most,
                                       ArrayRef<Individual> All) {
  // One after the other, neighbours would be asked about the same mistake.
  constexpr double Apart = 0.01;
  constexpr unsigned Tries = 60;
  std::vector<Individual> Ancestors;
  for (const Individual &I : All)
    if (Ancestors.empty() ||
        std::abs(I.Result.Time / Ancestors.back().Result.Time - 1) >= Apart)
      Ancestors.push_back(I);
  std::map<std::pair<double, std::string>, Individual> Accepted;
  auto Accepts = [&](const Individual &I) {
    const Finalist &F = validated(I);
    if (F.passed())
      Accepted[{F.Kept.Result.Time, keyOf(I.Edits)}] = I;
    return F.passed();
  };
  constexpr unsigned Rounds = 8;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    std::optional<Individual> Left =
        retreat(S, From, Most, Ancestors, Accepts, Tries);
    // What is left may be an ancestor, which was not minimised yet.
    if (Left && !S.stopped())
      if (Individual Less = minimised(*Left, Most); !Less.Edits.empty())
        Accepts(Less);
    while (!Accepted.empty()) {
      Individual Fastest = Accepted.begin()->second;
      Accepted.erase(Accepted.begin());
      if (const Finalist &F = validated(Fastest); F.passed())
        return F;
      From = Fastest;
    }
    if (!Left || S.stopped())
      break;
  }
  return std::nullopt;
}

// A finalist, minimised and validated; what validation refuses is told, and
// followed by what is left of it.
void Finals::add(StringRef Title, double Most, std::vector<Finalist> &Result) {
  std::string Time = allowTime();
  std::vector<Individual> All = candidates(Most);
  if (All.empty())
    return;
  All.insert(All.begin(), polished(All[0], Most, All));
  size_t Before = All[0].Edits.size();
  V.say(Title + ": minimising " + counted(Before, "edit") + Time);
  Individual Kept = minimised(All[0], Most);
  // What has no error may be the faster machine code, too.
  for (const Finalist &F : Result)
    if (std::optional<double> Price = Judging.price(Kept);
        Price && F.passed() && F.Kept.Result.Time <= *Price)
      Kept = F.Kept;
  auto Add = [&](Finalist F, StringRef Suffix) {
    F.Title = (Title + Suffix).str();
    F.Before = Before;
    Result.push_back(std::move(F));
  };
  if (Kept.Edits.empty()) {
    V.say(Title + ": " + counted(Before, "edit") +
          " worth less than 1 %, dropped");
    return;
  }
  V.say(Title + ": validating " + counted(Kept.Edits.size(), "edit"));
  Finalist F = validated(Kept);
  if (F.passed())
    return Add(std::move(F), "");
  Add(std::move(F), ", refused");
  V.say(Title + ": refused; looking for what is left" + allowTime());
  if (std::optional<Finalist> Left = settle(Kept, Most, All))
    Add(std::move(*Left), "");
  else if (S.stopped())
    V.say(Title + ": nothing was found in time; gevo-search --resume with a "
                  "larger --budget looks longer");
}

// The fastest without error and the fastest at all.
std::vector<Finalist> Finals::all() {
  std::vector<Finalist> Result;
  add("best without error", 0, Result);
  const Individual *Fastest = S.state().best(Tolerance);
  if (Fastest && Fastest->Result.Error > 0)
    add("best within the tolerance", Tolerance, Result);
  for (Finalist &F : Result)
    Judging.markSteered(F);
  return Result;
}

std::vector<Finalist> gevo::findFinalists(Search &S, Judges &Judging,
                                          double Tolerance, View &V) {
  return Finals(S, Judging, Tolerance, V).all();
}
