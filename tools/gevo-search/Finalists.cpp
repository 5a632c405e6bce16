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
  std::optional<Finalist> settle(Individual From, double Most);
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

// What is left of \p From, which validation refused. Something new to validate
// with, of which a refusal is the cause, is for the next to stand, too.
std::optional<Finalist> Finals::settle(Individual From, double Most) {
  auto Accepts = [&](const Individual &I) { return validated(I).passed(); };
  constexpr unsigned Rounds = 8;
  for (unsigned Round = 0; Round < Rounds && !S.stopped(); ++Round) {
    std::optional<Individual> Left = retreat(S, From, Most, Accepts);
    if (!Left)
      return std::nullopt;
    // What is left may be an ancestor, which was not minimised yet.
    for (const Individual &I : {minimise(S, *Left, Most).Kept, *Left})
      if (!I.Edits.empty() && Accepts(I))
        return validated(I);
    From = *Left;
  }
  return std::nullopt;
}

// A finalist, minimised and validated; what validation refuses is told, and
// followed by what is left of it.
void Finals::add(StringRef Title, double Most, std::vector<Finalist> &Result) {
  const Individual *Best = S.state().best(Most);
  if (!Best || Best->Edits.empty())
    return;
  V.say(Title + ": minimising " + counted(Best->Edits.size(), "edit") +
        allowTime());
  Minimised M = minimise(S, *Best, Most);
  auto Add = [&](Finalist F, StringRef Suffix) {
    F.Title = (Title + Suffix).str();
    F.Before = M.Before;
    Result.push_back(std::move(F));
  };
  if (M.Kept.Edits.empty()) {
    V.say(Title + ": " + counted(M.Before, "edit") +
          " worth less than 1 %, dropped");
    return;
  }
  V.say(Title + ": validating " + counted(M.Kept.Edits.size(), "edit"));
  Finalist F = validated(M.Kept);
  if (F.passed())
    return Add(std::move(F), "");
  Add(std::move(F), ", refused");
  V.say(Title + ": refused; looking for what is left" + allowTime());
  if (std::optional<Finalist> Left = settle(M.Kept, Most))
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
