//===- DevicesRunner.cpp - One judgement over several GPUs ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message to the process of a device is the payload's modules as a JSON
// array, a reply the fitness.
//
//===----------------------------------------------------------------------===//

#include "search/DevicesRunner.h"
#include "passes/edit/JsonText.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace gevo;

Fitness IsolatedRunner::run(const Payload &Code) {
  if (!Process) {
    auto Started = forkWorkers(Limits, [this]() -> Service {
      std::shared_ptr<Runner> R = Make();
      return [R](StringRef Message) {
        Payload Code;
        Code.Modules = cantFail(json::parse<std::vector<std::string>>(Message),
                                "the parent wrote it");
        return formatv("{0}", toJSON(R->run(Code))).str();
      };
    });
    if (!Started)
      return Fitness::notJudged(toString(Started.takeError()));
    Process = std::move(*Started);
  }
  json::Array Modules;
  for (const std::string &M : Code.Modules)
    Modules.push_back(jsonText(M));
  Process->send(0, formatv("{0}", json::Value(std::move(Modules))).str());
  Expected<Workers::Reply> Reply = Process->wait();
  if (!Reply)
    return Fitness::notJudged(toString(Reply.takeError()));
  if (!Reply->Text)
    return Fitness::failedHere(Stage::Run, "the device died: " + Reply->Death);
  return cantFail(json::parse<Fitness>(*Reply->Text), "the child wrote it");
}

Fitness DevicesRunner::run(const Payload &Code) {
  for (size_t I = Times.size(); I < Each.size(); ++I) {
    Fitness F = Each[I]->run(Original);
    if (!F.valid())
      return F;
    Times.push_back(F.Time);
  }
  double Mean = 0, Ratios = 0, Worst = 0;
  Fitness All;
  for (size_t I = 0; I < Each.size(); ++I) {
    Fitness F = Each[I]->run(Code);
    if (!F.valid())
      return F;
    double Ratio = F.Time / Times[I];
    Mean += std::log(Times[I]) / Each.size();
    Ratios += std::log(Ratio) / Each.size();
    Worst = std::max(Worst, Ratio);
    All.Error = std::max(All.Error, F.Error);
  }
  All.Time = std::exp(Mean) * (Worst > 1 ? Worst : std::exp(Ratios));
  return All;
}
