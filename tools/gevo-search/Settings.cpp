//===- Settings.cpp - What a user asks for --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Settings as JSON, durations and commands as text.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Settings.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "search/Store.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace gevo;

json::Value gevo::toJSON(const Settings &S) {
  return json::Object{{"program", json::Array(S.Program)},
                      {"held_out", json::Array(S.HeldOut)},
                      {"outputs", json::Array(S.Outputs)},
                      {"out", S.Out},
                      {"gpu", S.Gpu},
                      {"best_on", S.BestOn},
                      {"objective", jsonText(S.Objective)},
                      {"other_inputs", S.OtherInputs},
                      {"distinct_pointers", S.DistinctPointers},
                      {"kernels", S.Kernels},
                      {"algorithm", S.Algorithm},
                      {"seed", S.Seed},
                      {"population", S.Population},
                      {"evaluations", S.Evaluations},
                      {"seconds", S.Seconds},
                      {"tolerance", json::Array(S.Tolerance.texts())},
                      {"accept_findings", S.AcceptFindings},
                      {"share_folder", S.ShareFolder},
                      {"whole_runs", S.WholeRuns},
                      {"identity", S.Identity},
                      {"measured_by", S.MeasuredBy},
                      {"directory", S.Directory}};
}

bool gevo::fromJSON(const json::Value &Value, Settings &S, json::Path P) {
  json::ObjectMapper Map(Value, P);
  std::vector<std::string> Tolerance;
  bool Read =
      Map && Map.map("program", S.Program) && Map.map("held_out", S.HeldOut) &&
      Map.map("outputs", S.Outputs) && Map.map("out", S.Out) &&
      Map.map("gpu", S.Gpu) && Map.map("best_on", S.BestOn) &&
      Map.map("objective", S.Objective) &&
      Map.map("other_inputs", S.OtherInputs) && Map.map("kernels", S.Kernels) &&
      Map.map("algorithm", S.Algorithm) && Map.map("seed", S.Seed) &&
      Map.map("population", S.Population) &&
      Map.map("evaluations", S.Evaluations) && Map.map("seconds", S.Seconds) &&
      Map.map("tolerance", Tolerance) &&
      Map.map("accept_findings", S.AcceptFindings) &&
      Map.mapOptional("share_folder", S.ShareFolder) &&
      Map.mapOptional("distinct_pointers", S.DistinctPointers) &&
      Map.map("whole_runs", S.WholeRuns) && Map.map("identity", S.Identity) &&
      Map.map("measured_by", S.MeasuredBy) && Map.map("directory", S.Directory);
  S.Tolerance = {};
  std::string Problem;
  return Read && all_of(Tolerance, [&](const std::string &Rule) {
           return S.Tolerance.add(Rule, Problem);
         });
}

Error gevo::checkText(const Settings &S) {
  std::vector<Command> All = {S.Program, S.Outputs, {S.Out, S.Directory}};
  llvm::append_range(All, S.HeldOut);
  for (const Command &Words : All)
    for (const std::string &Word : Words)
      if (!json::isUTF8(Word))
        return createStringError(inconvertibleErrorCode(),
                                 "'" + json::fixUTF8(Word) +
                                     "' is no UTF-8; give the file or folder "
                                     "another name, or name a link to it");
  return Error::success();
}

std::vector<std::string> Settings::gpus() const {
  SmallVector<StringRef, 4> Names;
  StringRef(Gpu).split(Names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<std::string> All;
  for (StringRef Name : Names)
    All.push_back(Name.trim().str());
  return All;
}

Expected<double> gevo::parseDuration(StringRef Text) {
  StringRef Number = Text;
  double Unit = 1, Value;
  if (Number.consume_back("h"))
    Unit = 3600;
  else if (Number.consume_back("m"))
    Unit = 60;
  else
    Number.consume_back("s");
  if (Number.getAsDouble(Value) || !(Value > 0) || Value > 1e9)
    return createStringError(inconvertibleErrorCode(),
                             "'" + Text +
                                 "' is no duration; write 90s, 10m or 1.5h");
  return Value * Unit;
}

static std::string budgetFile(StringRef Folder) {
  return (Folder + "/" + BudgetName).str();
}

Error gevo::keepBudget(StringRef Folder, const Settings &S) {
  return writeFileAtomically(
      budgetFile(Folder),
      [&](raw_ostream &OS) {
        OS << json::Value(json::Object{{"evaluations", S.Evaluations},
                                       {"seconds", S.Seconds}})
           << '\n';
      },
      Outlives::Machine);
}

// Without one that can be read, it is what the search began with.
static void takeBudget(StringRef Folder, Settings &S) {
  auto File = MemoryBuffer::getFile(budgetFile(Folder));
  if (!File)
    return;
  Expected<json::Value> Value = json::parse((*File)->getBuffer());
  if (!Value)
    return consumeError(Value.takeError());
  uint64_t Evaluations = 0;
  double Seconds = 0;
  json::Path::Root Root;
  json::ObjectMapper Map(*Value, Root);
  if (!Map || !Map.map("evaluations", Evaluations) ||
      !Map.map("seconds", Seconds) || (!Evaluations && !(Seconds > 0)))
    return;
  S.Evaluations = Evaluations;
  S.Seconds = Seconds;
}

Expected<Settings> gevo::settingsOf(const std::string &Folder) {
  Expected<std::unique_ptr<Store>> S = Store::resume(Folder);
  if (!S)
    return S.takeError();
  Settings Result;
  json::Path::Root Root;
  if (!fromJSON(json::Value(json::Object((*S)->setup())), Result, Root))
    return createStringError(inconvertibleErrorCode(),
                             "'" + Folder +
                                 "' holds a search that was set up by "
                                 "something else");
  takeBudget(Folder, Result);
  return Result;
}
