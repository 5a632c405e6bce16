//===- BatchRunner.cpp - Results of several variants at once --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The evaluator of a search without its log of evaluations.
//
//===----------------------------------------------------------------------===//

#include "search/BatchRunner.h"

using namespace llvm;
using namespace gevo;

Error BatchRunner::start() {
  auto Started = forkWorkers(Limits, [this]() -> Service {
    std::shared_ptr<Runner> R = Make();
    Service Serve = variantService(P, *R);
    return [R, Serve](StringRef Message) { return Serve(Message); };
  });
  if (!Started)
    return Started.takeError();
  Codes.load();
  Pool = std::move(*Started);
  Base = std::make_unique<PoolEvaluator>(*Pool, Codes);
  Known = std::make_unique<EditCache>(*Base);
  return Error::success();
}

std::vector<std::optional<Fitness>>
BatchRunner::run(ArrayRef<EditList> Batch, const std::function<bool()> &Stop) {
  std::vector<std::optional<Fitness>> Results(Batch.size());
  std::vector<Variant> Variants(Batch.size());
  std::vector<Variant *> Wanted;
  for (size_t I = 0; I < Batch.size(); ++I) {
    Variants[I].Edits = Batch[I];
    Wanted.push_back(&Variants[I]);
  }
  Error Bad = Known ? Error::success() : start();
  if (!Bad)
    Bad = Known->evaluate(Wanted, Stop,
                          [](const Variant &) { return Error::success(); });
  // Its workers may be in the middle of something.
  if (Bad) {
    Known.reset();
    Base.reset();
    Pool.reset();
  }
  std::string Why = toString(std::move(Bad));
  for (size_t I = 0; I < Batch.size(); ++I)
    if (const Variant &V = Variants[I]; V.Finished)
      Results[I] = V.Result;
    else if (!Why.empty())
      Results[I] = Fitness::notJudged(Why);
  return Results;
}

Fitness BatchRunner::run(const EditList &Edits) {
  return *run(ArrayRef<EditList>(Edits), [] { return false; })[0];
}
