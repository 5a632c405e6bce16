//===- Fitness.cpp - What an evaluation came to ---------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of stages, and fitness as JSON.
//
//===----------------------------------------------------------------------===//

#include "search/Fitness.h"
#include "passes/edit/JsonText.h"

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral Names[] = {
#define GEVO_STAGE(Id, Name, Summary) Name,
#include "search/Stages.def"
};
static constexpr StringLiteral Summaries[] = {
#define GEVO_STAGE(Id, Name, Summary) Summary,
#include "search/Stages.def"
};

StringRef gevo::name(Stage S) { return Names[static_cast<unsigned>(S)]; }
StringRef gevo::summary(Stage S) { return Summaries[static_cast<unsigned>(S)]; }

std::optional<Stage> gevo::findStage(StringRef Name) {
  for (unsigned I = 0; I < NumStages; ++I)
    if (Names[I] == Name)
      return static_cast<Stage>(I);
  return std::nullopt;
}

json::Value gevo::toJSON(const Fitness &F) {
  if (F.valid())
    return json::Object{
        {"stage", name(F.End)}, {"time", F.Time}, {"error", F.Error}};
  json::Object Failed{{"stage", name(F.End)}, {"reason", jsonText(F.Reason)}};
  if (!F.Judged)
    Failed["judged"] = false;
  if (!F.Lasting)
    Failed["lasting"] = false;
  return Failed;
}

bool gevo::fromJSON(const json::Value &Value, Fitness &F, json::Path P) {
  std::string Name;
  json::ObjectMapper Map(Value, P);
  if (!Map || !Map.map("stage", Name))
    return false;
  std::optional<Stage> End = findStage(Name);
  if (!End) {
    P.field("stage").report("unknown stage");
    return false;
  }
  F = Fitness();
  F.End = *End;
  return F.valid() ? Map.map("time", F.Time) && Map.map("error", F.Error)
                   : Map.map("reason", F.Reason) &&
                         Map.mapOptional("judged", F.Judged) &&
                         Map.mapOptional("lasting", F.Lasting);
}
