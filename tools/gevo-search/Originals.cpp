//===- Originals.cpp - What the original does, and did --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As JSON. Outputs may be any bytes, so they are in base 64.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Originals.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "search/ShellText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

std::string Target::identity() const {
  std::string All = Scenario.identity() + std::to_string(Scenario.StepLimit);
  for (const WholeCase &C : Cases) {
    All += formatv("\n{0} {1}", C.Original.ExitStatus, C.Time);
    for (size_t I = 0; I < C.Outputs.size(); ++I) {
      All += "\n" + C.Outputs[I].name() + "\n" +
             measure::withoutWords(C.Original.Outputs[I], C.Outputs[I].Ignored);
      for (const std::vector<std::string> &Run : C.Repeated)
        All += "\n" + Run[I];
    }
  }
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}

static json::Array encoded(const std::vector<std::string> &Outputs) {
  json::Array All;
  for (const std::string &Output : Outputs)
    All.push_back(encodeBase64(Output));
  return All;
}

static Error decode(std::vector<std::string> &Outputs) {
  for (std::string &Output : Outputs) {
    std::vector<char> Bytes;
    if (Error E = decodeBase64(Output, Bytes))
      return E;
    Output.assign(Bytes.begin(), Bytes.end());
  }
  return Error::success();
}

namespace gevo {

static json::Value toJSON(const WholeRun::Kernel &K) {
  json::Object O{{"name", K.Name},
                 {"launches", K.Launches},
                 {"silent", K.Silent},
                 {"us", K.Microseconds}};
  if (!K.WhyRules.empty()) {
    O["why_rules"] = jsonText(K.WhyRules);
    O["passing"] = K.Passing;
  }
  return O;
}

static bool fromJSON(const json::Value &Value, WholeRun::Kernel &K,
                     json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("name", K.Name) && Map.map("launches", K.Launches) &&
         Map.map("silent", K.Silent) && Map.map("us", K.Microseconds) &&
         Map.mapOptional("why_rules", K.WhyRules) &&
         Map.mapOptional("passing", K.Passing);
}

static json::Value toJSON(const OwnFile &File) {
  return json::Object{
      {"option", File.Option}, {"word", File.Word}, {"path", File.Path}};
}

static bool fromJSON(const json::Value &Value, OwnFile &File, json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("option", File.Option) && Map.map("word", File.Word) &&
         Map.map("path", File.Path);
}

static json::Value toJSON(const FoundFile &File) {
  return json::Object{{"from", jsonText(File.From)},
                      {"path", jsonText(File.Path)},
                      {"linked", File.Linked}};
}

static bool fromJSON(const json::Value &Value, FoundFile &File, json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("from", File.From) && Map.map("path", File.Path) &&
         Map.map("linked", File.Linked);
}

static json::Value toJSON(const ProgramRun &P) {
  return json::Object{{"words", json::Array(P.Words)},
                      {"own", json::Array(P.Own)},
                      {"found", json::Array(P.Found)},
                      {"outputs", json::Array(P.OutputFiles)},
                      {"named", P.Named}};
}

static bool fromJSON(const json::Value &Value, ProgramRun &P, json::Path Path) {
  json::ObjectMapper Map(Value, Path);
  return Map && Map.map("words", P.Words) && Map.map("own", P.Own) &&
         Map.mapOptional("found", P.Found) &&
         Map.map("outputs", P.OutputFiles) && Map.map("named", P.Named);
}

static json::Value toJSON(const WholeCase &C) {
  json::Array Ignored, Repeated;
  for (const measure::OutputSpec &Spec : C.Outputs)
    Ignored.push_back(json::Array(Spec.Ignored));
  for (const std::vector<std::string> &Run : C.Repeated)
    Repeated.push_back(encoded(Run));
  const WholeRun &R = C.Original;
  return json::Object{{"run", C.Run},
                      {"time", C.Time},
                      {"same_untimed", C.SameUntimed},
                      {"result", R.Result},
                      {"outputs", encoded(R.Outputs)},
                      {"ignored", std::move(Ignored)},
                      {"repeated", std::move(Repeated)},
                      {"exit_status", R.ExitStatus},
                      {"kernels", json::Array(R.Kernels)},
                      {"findings", json::Array(R.Findings)},
                      {"doubts", json::Array(R.Doubts)},
                      {"wall_seconds", R.WallSeconds}};
}

// Of outputs only which words are ignored; the scenario has the rest.
static bool fromJSON(const json::Value &Value, WholeCase &C, json::Path P) {
  json::ObjectMapper Map(Value, P);
  WholeRun &R = C.Original;
  std::vector<std::vector<uint64_t>> Ignored;
  std::vector<std::string> Findings, Doubts;
  if (!Map || !Map.map("run", C.Run) || !Map.map("time", C.Time) ||
      !Map.map("same_untimed", C.SameUntimed) || !Map.map("result", R.Result) ||
      !Map.map("outputs", R.Outputs) || !Map.map("ignored", Ignored) ||
      !Map.map("repeated", C.Repeated) ||
      !Map.map("exit_status", R.ExitStatus) || !Map.map("kernels", R.Kernels) ||
      !Map.map("findings", Findings) || !Map.map("doubts", Doubts) ||
      !Map.map("wall_seconds", R.WallSeconds))
    return false;
  R.Findings.insert(Findings.begin(), Findings.end());
  R.Doubts.insert(Doubts.begin(), Doubts.end());
  C.Outputs.resize(Ignored.size());
  for (size_t I = 0; I < Ignored.size(); ++I)
    C.Outputs[I].Ignored.insert(Ignored[I].begin(), Ignored[I].end());
  return true;
}

static json::Value toJSON(const Target &T) {
  return json::Object{{"gpu", T.Scenario.Gpu},
                      {"accepted", json::Array(T.Scenario.AcceptedFindings)},
                      {"step_limit", T.Scenario.StepLimit},
                      {"seconds", T.Scenario.Seconds},
                      {"cases", json::Array(T.Cases)},
                      {"held_out", json::Array(T.HeldOut)}};
}

static bool fromJSON(const json::Value &Value, Target &T, json::Path P) {
  json::ObjectMapper Map(Value, P);
  std::vector<std::string> Accepted;
  uint64_t Seconds = 0;
  if (!Map || !Map.map("gpu", T.Scenario.Gpu) ||
      !Map.map("accepted", Accepted) ||
      !Map.map("step_limit", T.Scenario.StepLimit) ||
      !Map.map("seconds", Seconds) || !Map.map("cases", T.Cases) ||
      !Map.map("held_out", T.HeldOut))
    return false;
  T.Scenario.Seconds = Seconds;
  T.Scenario.AcceptedFindings.insert(Accepted.begin(), Accepted.end());
  return true;
}

} // namespace gevo

Error gevo::writeOriginals(StringRef Path, ArrayRef<Target> All) {
  return writeFileAtomically(
      Path,
      [&](raw_ostream &OS) { OS << json::Value(json::Array(All)) << '\n'; },
      Outlives::Machine);
}

// What the scenario says about outputs, and what was seen.
static Error complete(const WholeScenario &S, WholeCase &C) {
  if (C.Outputs.size() != C.Run.OutputFiles.size() + 1 ||
      C.Original.Outputs.size() != C.Outputs.size())
    return failure("there are other outputs");
  C.Rules = S.Rules;
  for (size_t I = 0; I < C.Outputs.size(); ++I) {
    measure::WordSet Ignored = std::move(C.Outputs[I].Ignored);
    C.Outputs[I] = S.output(C.Run, I);
    C.Outputs[I].Ignored = std::move(Ignored);
  }
  if (Error E = decode(C.Original.Outputs))
    return E;
  for (std::vector<std::string> &Run : C.Repeated)
    if (Error E = decode(Run))
      return E;
  return Error::success();
}

Expected<bool> gevo::readOriginal(StringRef Path, std::vector<Target> &All) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return false;
  auto Read = json::parse<std::vector<Target>>((*Buffer)->getBuffer());
  if (!Read)
    return failure("'" + Path + "' is damaged: " + toString(Read.takeError()));
  Target &T = All.back();
  if (Read->size() < All.size() ||
      (*Read)[All.size() - 1].Scenario.Gpu != T.Scenario.Gpu)
    return failure("'" + Path + "' is of other GPUs");
  Target &Seen = (*Read)[All.size() - 1];
  T.Scenario.AcceptedFindings = std::move(Seen.Scenario.AcceptedFindings);
  T.Scenario.StepLimit = Seen.Scenario.StepLimit;
  T.Scenario.Seconds = Seen.Scenario.Seconds;
  T.Cases = std::move(Seen.Cases);
  T.HeldOut = std::move(Seen.HeldOut);
  for (std::vector<WholeCase> *Cases : {&T.Cases, &T.HeldOut})
    for (WholeCase &C : *Cases)
      if (Error E = complete(T.Scenario, C))
        return failure("'" + Path + "': " + toString(std::move(E)));
  return true;
}

static Error compareCase(const WholeScenario &S, const WholeCase &C) {
  WholeRun Now = runWhole(S, C.Run, {}, RunMode::Plain);
  Fitness F = Now.Result.valid() ? C.compare(Now) : Now.Result;
  // With the order of its threads a program's time may change a little.
  constexpr double Little = 0.1;
  double Was = C.Original.Result.Time, Is = Now.Result.Time;
  if (F.valid() && S.Goal.source() != Objective::Runs &&
      std::abs(Is - Was) > Little * Was)
    F = Fitness::failed(
        Stage::Time, formatv("its kernels take {0:f2} us, and took {1:f2} us",
                             Is / 1000, Was / 1000));
  if (F.valid())
    return Error::success();
  return failure(
      "'" + shellText(C.Run.Words) +
      "' does not do what it did when the search began: " + F.Reason +
      ". The environment, or a file that it reads, may have "
      "changed; begin anew, without --resume");
}

Error gevo::compareWithEarlier(const Target &T) {
  for (const std::vector<WholeCase> *Cases : {&T.Cases, &T.HeldOut})
    for (const WholeCase &C : *Cases)
      if (Error E = compareCase(T.Scenario, C))
        return E;
  return Error::success();
}
