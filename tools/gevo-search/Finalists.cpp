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
#include "search/Allowance.h"
#include "search/Minimise.h"
#include "search/Retreat.h"
#include "search/Variation.h"
#include <cmath>
#include <limits>
#include <map>

using namespace llvm;
using namespace gevo;

// Edits that are worth no more than this part of the time go.
static constexpr double Worthless = 0.01;

// Of the time for a finalist: two fifths are left for validation.
static constexpr double PolishingShare = 0.25, MinimisingShare = 0.45;

// How many variants a worker gets at once.
static constexpr size_t PerJob = 2;

namespace {

class Finals {
public:
  Finals(Search &S, Judges &Judging, double Tolerance, View &V)
      : S(S), Judging(Judging), Tolerance(Tolerance), V(V),
        Time(S.options().MaxSeconds, S.elapsed()) {
    Judging.onTrouble([&S](Error Why) { S.fail(std::move(Why)); });
    Unknown.Checks.emplace_back().Result = Fitness::notJudged("");
  }
  ~Finals() { Judging.onTrouble(nullptr); }
  std::vector<Finalist> all();

private:
  const Finalist &validated(const Individual &I);
  std::vector<Individual> candidates(StringRef Title, double Most);
  void priceAhead(StringRef Title, ArrayRef<const Individual *> All);
  std::vector<Individual> lookAhead(const EditList &Edits,
                                    ArrayRef<EditList> Parts, size_t At,
                                    size_t Count);
  size_t priceNext(StringRef Title, const Individual &Next,
                   ArrayRef<Individual> Ahead, double Most);
  Individual polished(StringRef Title, Individual I, double Most,
                      ArrayRef<Individual> All);
  bool isWorthIt(const Individual &I);
  /// Empty if all of it is worth nothing.
  Individual minimised(StringRef Title, const Individual &I, double Most);
  std::optional<Finalist> settle(StringRef Title, Individual From, double Most,
                                 ArrayRef<Individual> All);
  void add(StringRef Title, double Most, std::vector<Finalist> &Result);
  /// Bounds the next step, if the search had a bound on its time; says so.
  std::string allowTime(double Share);

  Search &S;
  Judges &Judging;
  double Tolerance;
  View &V;
  Allowance Time;
  /// How many variants were timed as machine code.
  size_t Priced = 0;
  struct Verdict {
    Finalist Result;
    /// How many exams there were.
    size_t Exams = 0;
  };
  /// By the edits' key.
  StringMap<Verdict> Validated;
  /// What is said of all once something has failed. It has not passed.
  Finalist Unknown;
  /// By the edits' key, of those that were minimised: how many edits of the
  /// list were not tried without.
  StringMap<size_t> Untried;
};

} // namespace

// What validation says of \p I. Whole runs take time: none for edits that have
// seen all that there is to validate with.
const Finalist &Finals::validated(const Individual &I) {
  std::string Key = keyOf(I.Edits);
  auto Known = Validated.find(Key);
  if (S.failed())
    return Unknown;
  if (Known != Validated.end() && (!Known->second.Result.passed() ||
                                   Known->second.Exams == Judging.examCount()))
    return Known->second.Result;
  Verdict &New = Validated[Key];
  New.Result = Judging.validate(I);
  New.Exams = Judging.examCount();
  return New.Result;
}

// Counts bound what comes after the search, so that its result is the same on
// every machine, whatever else that does. A bound on the time is for programs
// that take very long, and only if the search had one.
std::string Finals::allowTime(double Share) {
  if (!Time.bounded())
    return "";
  double Allowed = Time.step(S.elapsed(), Share);
  S.finishWithin(Allowed);
  return " for up to " + duration(Allowed);
}

// A few at a time, so that there is something to tell in between.
void Finals::priceAhead(StringRef Title, ArrayRef<const Individual *> All) {
  while (!All.empty() && !S.stopped()) {
    size_t Count = std::min<size_t>(All.size(), PerJob * Judging.jobs());
    Judging.priceAhead(All.take_front(Count), [this] { return S.stopped(); });
    All = All.drop_front(Count);
    Priced += Count;
    V.step(S, Title + ": " + counted(Priced, "variant") +
                  " timed as machine code so far");
  }
}

// The best of the search and of earlier times. By rules about PTX each is
// faster than the one after it; where machine code counts, that has the last
// word about those which are nearly as fast as the first.
std::vector<Individual> Finals::candidates(StringRef Title, double Most) {
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
  std::vector<const Individual *> Close;
  for (const Individual &I : ArrayRef(All).take_front(MostPriced))
    if (I.Result.Time <= Near * Best->Result.Time)
      Close.push_back(&I);
    else
      break;
  priceAhead(Title, Close);
  std::vector<std::pair<double, size_t>> Order;
  for (size_t I = 0; I < Close.size() && !S.stopped(); ++I) {
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

// What \p Edits are with some of the \p Parts toggled, from \p At on, evaluated
// by all workers at once; the last first. How many does not depend on the
// number of workers: what was evaluated is kept.
std::vector<Individual> Finals::lookAhead(const EditList &Edits,
                                          ArrayRef<EditList> Parts, size_t At,
                                          size_t Count) {
  constexpr size_t AtOnce = 8;
  std::vector<EditList> Batch;
  for (size_t I = 0; I < std::min(Count, AtOnce); ++I)
    Batch.push_back(toggled(Edits, Parts[(At + I) % Parts.size()]));
  std::vector<Individual> All = S.evaluateBeyond(Batch);
  std::reverse(All.begin(), All.end());
  return All;
}

static bool isRight(const Individual &I, double Most) {
  return !I.Edits.empty() && I.valid() && I.Result.Error <= Most;
}

// Prices \p Next and those of \p Ahead that come after it, the last first, as
// many as workers get at once. Says how many.
size_t Finals::priceNext(StringRef Title, const Individual &Next,
                         ArrayRef<Individual> Ahead, double Most) {
  std::vector<const Individual *> Right{&Next};
  for (const Individual &I : reverse(Ahead))
    if (Right.size() < PerJob * Judging.jobs() && isRight(I, Most))
      Right.push_back(&I);
  priceAhead(Title, Right);
  return Right.size();
}

// With and without edits that are of use by themselves or that the best of
// earlier times have, as long as machine code gets faster: rules about PTX,
// which steer the search, are off by a few per cent.
Individual Finals::polished(StringRef Title, Individual I, double Most,
                            ArrayRef<Individual> All) {
  constexpr double Worth = 0.999;
  const size_t MostPriced = Judging.mostPriced();
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
  size_t SinceBetter = 0, Asked = 0, KnownPrices = 0;
  // Of the next parts, as long as nothing is better: the last first.
  std::vector<Individual> Ahead;
  for (size_t At = 0;
       SinceBetter < Parts.size() && !S.stopped() && Asked < MostPriced;
       At = (At + 1) % Parts.size(), ++SinceBetter) {
    if (Ahead.empty())
      Ahead =
          lookAhead(I.Edits, Parts, At,
                    std::min(Parts.size() - SinceBetter, MostPriced - Asked));
    Individual Next = std::move(Ahead.back());
    Ahead.pop_back();
    if (!isRight(Next, Most))
      continue;
    if (!KnownPrices)
      KnownPrices = priceNext(Title, Next, Ahead, Most);
    --KnownPrices;
    std::optional<double> Price = Judging.price(Next);
    ++Asked;
    if (!Price || *Price >= *Best * Worth)
      continue;
    Best = Price;
    I = std::move(Next);
    SinceBetter = KnownPrices = 0;
    Ahead.clear();
  }
  return I;
}

// As minimising would find out if it has the time.
bool Finals::isWorthIt(const Individual &I) {
  std::optional<double> Price = Judging.price(I), Without;
  if (Price)
    Without = Judging.originalPrice();
  return Price && Without
             ? *Without >= *Price * (1 + Worthless)
             : S.state().Baseline.Time >= I.Result.Time * (1 + Worthless);
}

// Without what is worth nothing: by rules about PTX, which is quick, if machine
// code does not miss it; then by machine code, where that counts.
Individual Finals::minimised(StringRef Title, const Individual &I,
                             double Most) {
  constexpr size_t TriesPerEdit = 6;
  if (!isWorthIt(I))
    return Individual();
  std::optional<double> Before = Judging.price(I);
  Dropping What{Most, Worthless, TriesPerEdit * I.Edits.size()};
  Minimised M = minimise(S, I, What, timeByRules);
  if (Before) {
    auto Price = [&](ArrayRef<const Individual *> Of) {
      priceAhead(Title, Of);
      std::vector<double> Times;
      for (const Individual *One : Of)
        Times.push_back((S.stopped() ? std::nullopt : Judging.price(*One))
                            .value_or(std::numeric_limits<double>::infinity()));
      return Times;
    };
    // What may still be lost of the time.
    double Rest = *Before * (1 + Worthless) / Price(&M.Kept)[0] - 1;
    What.Threshold = Rest > 0 ? Rest : Worthless;
    What.MostTried = Judging.mostPriced();
    M = minimise(S, Rest > 0 ? M.Kept : I, What, Price);
  }
  // So much may have been dropped that the rest is.
  if (!M.Kept.Edits.empty() && !S.failed() && !isWorthIt(M.Kept))
    return Individual();
  Untried[keyOf(M.Kept.Edits)] = M.Untried;
  if (M.Untried && !S.failed())
    V.say(Title + ": " + counted(M.Kept.Edits.size(), "edit") + " left; " +
          Twine(M.Untried) + " of them may be worth nothing, as " +
          (S.stopped() ? "the time for minimising is over"
                       : "only " + std::to_string(What.MostTried) +
                             " lists were tried"));
  return std::move(M.Kept);
}

// What is left of \p From, which validation refused: the fastest of all that it
// accepts on the way, minimised if it accepts that, too. Something new to
// validate with, of which a refusal is the cause, is for the next to stand,
// too.
std::optional<Finalist> Finals::settle(StringRef Title, Individual From,
                                       double Most, ArrayRef<Individual> All) {
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
    while (!Accepted.empty()) {
      Individual Fastest = Accepted.begin()->second;
      Accepted.erase(Accepted.begin());
      From = Fastest;
      if (!validated(Fastest).passed())
        continue;
      Individual Less = minimised(Title, Fastest, Most);
      // Nor are the others, which are slower.
      if (S.failed())
        return std::nullopt;
      if (Less.Edits.empty()) {
        V.say(Title + ": what is left is worth less than 1 %, dropped");
        return std::nullopt;
      }
      if (validated(Less).passed())
        return validated(Less);
      // To be refused may have brought something new to stand.
      if (const Finalist &F = validated(Fastest); F.passed())
        return F;
    }
    if (!Left || S.stopped())
      break;
  }
  return std::nullopt;
}

// A finalist, minimised and validated; what validation refuses is told, and
// followed by what is left of it.
void Finals::add(StringRef Title, double Most, std::vector<Finalist> &Result) {
  std::string Allowed = allowTime(PolishingShare);
  std::vector<Individual> All = candidates(Title, Most);
  if (All.empty() || S.failed())
    return;
  V.say(Title + ": polishing " + counted(All[0].Edits.size(), "edit") +
        Allowed);
  All.insert(All.begin(), polished(Title, All[0], Most, All));
  bool InPart = S.stopped();
  size_t Before = All[0].Edits.size();
  V.say(Title + ": minimising " + counted(Before, "edit") +
        allowTime(MinimisingShare));
  Individual Kept = minimised(Title, All[0], Most);
  // What has no error may be the faster machine code, too.
  for (const Finalist &F : Result)
    if (std::optional<double> Price = Judging.price(Kept);
        Price && F.passed() && F.Kept.Result.Time <= *Price)
      Kept = F.Kept;
  auto Add = [&](Finalist F, StringRef Suffix) {
    F.Title = (Title + Suffix).str();
    F.Before = Before;
    F.PolishedInPart = InPart;
    auto Known = Untried.find(keyOf(F.Kept.Edits));
    F.Untried = Known == Untried.end() ? F.Kept.Edits.size() : Known->second;
    Result.push_back(std::move(F));
  };
  if (S.failed())
    return;
  if (Kept.Edits.empty()) {
    V.say(Title + ": " + counted(Before, "edit") +
          " worth less than 1 %, dropped");
    return;
  }
  V.say(Title + ": validating " + counted(Kept.Edits.size(), "edit"));
  Finalist F = validated(Kept);
  if (S.failed())
    return;
  if (F.passed())
    return Add(std::move(F), "");
  // What refused it may have been asked before its price, which minimising
  // knows. By rules about PTX its time says nothing beside the baseline's.
  Judging.price(F);
  Add(std::move(F), ", refused");
  V.say(Title + ": refused; looking for what is left" + allowTime(1));
  if (std::optional<Finalist> Left = settle(Title, Kept, Most, All))
    Add(std::move(*Left), "");
  else if (S.stopped() && !S.failed())
    V.say(Title + ": nothing was found in time; gevo-search --resume with a "
                  "larger --budget looks longer");
}

// The fastest without error and the fastest at all.
std::vector<Finalist> Finals::all() {
  std::vector<Finalist> Result;
  const Individual *Fastest = S.state().best(Tolerance);
  bool Two = Fastest && Fastest->Result.Error > 0;
  Time.begin(S.elapsed(), Two ? 2 : 1);
  add("best without error", 0, Result);
  Time.begin(S.elapsed(), 1);
  if (Two)
    add("best within the tolerance", Tolerance, Result);
  for (Finalist &F : Result)
    Judging.markSteered(F);
  return Result;
}

std::vector<Finalist> gevo::findFinalists(Search &S, Judges &Judging,
                                          double Tolerance, View &V) {
  return Finals(S, Judging, Tolerance, V).all();
}
