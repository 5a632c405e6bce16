//===- State.cpp - What a search knows ------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front, and all of it as JSON.
//
//===----------------------------------------------------------------------===//

#include "search/State.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace gevo;

bool SearchState::offerToFront(const Individual &I) {
  // Of equals the shorter one stays, then the earlier one.
  auto Covers = [](const Individual &A, const Individual &B) {
    return A.Result.dominates(B.Result) || (A.Result.Time == B.Result.Time &&
                                            A.Result.Error == B.Result.Error &&
                                            A.Edits.size() <= B.Edits.size());
  };
  if (any_of(Front, [&](const Individual &F) { return Covers(F, I); }))
    return false;
  llvm::erase_if(Front, [&](const Individual &F) { return Covers(I, F); });
  Front.push_back(I);
  llvm::sort(Front, [](const Individual &A, const Individual &B) {
    return A.Result.Time < B.Result.Time;
  });
  return true;
}

void SearchState::noteMilestone() {
  // The fastest at all, and the fastest without error.
  for (double Most : {double(INFINITY), 0.0}) {
    const Individual *Now = best(Most);
    if (Now && none_of(Milestones, [&](const Individual &M) {
          return M.Result.Error <= Most && Now->Result.Time >= M.Result.Time;
        }))
      Milestones.push_back(*Now);
  }
}

const Individual *SearchState::best(double Most) const {
  auto Found = find_if(
      Front, [&](const Individual &I) { return I.Result.Error <= Most; });
  return Found == Front.end() ? nullptr : &*Found;
}

json::Value gevo::toJSON(const Individual &I) {
  return json::Object{{"edits", json::Array(I.Edits)},
                      {"code", I.PayloadHash},
                      {"island", I.Island},
                      {"result", I.Result}};
}

bool gevo::fromJSON(const json::Value &Value, Individual &I, json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("edits", I.Edits) && Map.map("code", I.PayloadHash) &&
         Map.map("island", I.Island) && Map.map("result", I.Result);
}

json::Value gevo::toJSON(const EditGroup &G) {
  return json::Object{{"edits", json::Array(G.Edits)}, {"promise", G.Promise}};
}

bool gevo::fromJSON(const json::Value &Value, EditGroup &G, json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("edits", G.Edits) && Map.map("promise", G.Promise);
}

// Flat lists of numbers and pairs of texts, for which JSON has no record.
static json::Array flatten(const std::vector<KindScore> &Kinds) {
  json::Array Flat;
  for (const KindScore &K : Kinds) {
    Flat.push_back(K.Tried);
    Flat.push_back(K.Useful);
  }
  return Flat;
}

static json::Array flatten(const std::vector<SweepScore> &Sweep) {
  json::Array Flat;
  for (const SweepScore &Class : Sweep)
    for (uint64_t Number :
         {Class.Position, Class.Score.Tried, Class.Score.Useful})
      Flat.push_back(Number);
  return Flat;
}

static json::Array flatten(const Links &Linked) {
  json::Array Flat;
  for (const auto &[A, B] : Linked) {
    Flat.push_back(A);
    Flat.push_back(B);
  }
  return Flat;
}

json::Value gevo::toJSON(const SearchState &S) {
  return json::Object{{"generation", S.Generation},
                      {"evaluations", S.Evaluations},
                      {"fruitless", S.Fruitless},
                      {"seconds", S.Seconds},
                      {"baseline", S.Baseline},
                      {"baseline_code", S.BaselineHash},
                      {"population", json::Array(S.Population)},
                      {"front", json::Array(S.Front)},
                      {"milestones", json::Array(S.Milestones)},
                      {"kinds", flatten(S.Kinds)},
                      {"links", flatten(S.Linked)},
                      {"stagnation", json::Array(S.Stagnation)},
                      {"groups", json::Array(S.Groups)},
                      {"singles", json::Array(S.Singles)},
                      {"failures", json::Array(S.Failures)},
                      {"sweep", flatten(S.Sweep)},
                      {"round", S.Round},
                      {"phase", S.Phase},
                      {"stages", json::Array(S.Stages)}};
}

bool gevo::fromJSON(const json::Value &Value, SearchState &S, json::Path P) {
  std::vector<uint64_t> Kinds, Stages, Sweep;
  std::vector<std::string> Linked;
  json::ObjectMapper Map(Value, P);
  if (!Map || !Map.map("generation", S.Generation) ||
      !Map.map("evaluations", S.Evaluations) ||
      !Map.map("fruitless", S.Fruitless) || !Map.map("seconds", S.Seconds) ||
      !Map.map("baseline", S.Baseline) ||
      !Map.map("baseline_code", S.BaselineHash) ||
      !Map.map("population", S.Population) || !Map.map("front", S.Front) ||
      !Map.map("milestones", S.Milestones) || !Map.map("kinds", Kinds) ||
      !Map.map("links", Linked) || !Map.map("stagnation", S.Stagnation) ||
      !Map.map("groups", S.Groups) || !Map.map("singles", S.Singles) ||
      !Map.map("failures", S.Failures) || !Map.map("sweep", Sweep) ||
      !Map.map("round", S.Round) || !Map.map("phase", S.Phase) ||
      !Map.map("stages", Stages))
    return false;
  if (S.Phase >= NumPhases) {
    P.field("phase").report("no such phase");
    return false;
  }
  if (Stages.size() != S.Stages.size() ||
      Kinds.size() != 2 * editKinds().size() || Sweep.size() % 3 ||
      Linked.size() % 2) {
    P.report("a list has the wrong length");
    return false;
  }
  llvm::copy(Stages, S.Stages.begin());
  for (size_t I = 0; I < Kinds.size(); I += 2)
    S.Kinds.push_back({Kinds[I], Kinds[I + 1]});
  for (size_t I = 0; I < Sweep.size(); I += 3)
    S.Sweep.push_back({Sweep[I], {Sweep[I + 1], Sweep[I + 2]}});
  for (size_t I = 0; I < Linked.size(); I += 2)
    S.Linked.insert({Linked[I], Linked[I + 1]});
  return true;
}
