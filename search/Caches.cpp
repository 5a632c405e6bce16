//===- Caches.cpp - What was evaluated before -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By edit list within a search, by code across searches.
//
//===----------------------------------------------------------------------===//

#include "search/Evaluator.h"

using namespace llvm;
using namespace gevo;

Evaluator::~Evaluator() = default;

Expected<std::vector<std::string>> EditCache::load(uint64_t Before) {
  std::vector<std::string> Seen;
  if (!Log)
    return Seen;
  // The first one is the header.
  size_t Number = 1;
  for (const json::Value &Line : Log->takeLines()) {
    ++Number;
    EditList Edits;
    Answer A;
    json::Path::Root Root;
    json::ObjectMapper Map(Line, Root);
    if (!Map || !Map.map("number", A.Number) || !Map.map("edits", Edits) ||
        !Map.map("code", A.PayloadHash) || !Map.map("result", A.Result))
      return Log->damaged(Number, "it is no evaluation");
    std::string Key = keyOf(Edits);
    if (A.Number < Before)
      Seen.push_back(Key);
    Answers[Key] = std::move(A);
  }
  return Seen;
}

Error EditCache::write(const Variant &V) {
  return Log ? Log->append(json::Object{{"number", V.Number},
                                        {"edits", json::Array(V.Edits)},
                                        {"code", V.PayloadHash},
                                        {"result", V.Result}})
             : Error::success();
}

Error EditCache::evaluate(ArrayRef<Variant *> Batch,
                          const std::function<bool()> &Stop,
                          const OnFinished &Finished) {
  std::vector<Variant *> Unknown;
  // By key, of those: who else of the batch waits for the answer.
  StringMap<std::vector<Variant *>> Equal;
  auto Tell = [&](Variant &V, const Answer &A) {
    V.PayloadHash = A.PayloadHash;
    V.Result = A.Result;
    V.Finished = true;
    return Finished(V);
  };
  for (Variant *V : Batch) {
    std::string Key = keyOf(V->Edits);
    if (auto Known = Answers.find(Key); Known != Answers.end()) {
      Answer &A = Known->second;
      if (Error E = Tell(*V, A))
        return E;
      // What was asked for after a search that ended goes by the number that it
      // has in the one that goes on; but not in a generation that is cut short,
      // which is done again.
      if (V->Number < A.Number && !Stop()) {
        A.Number = V->Number;
        if (Error E = write(*V))
          return E;
      }
    } else if (auto [First, New] = Equal.try_emplace(Key); New) {
      Unknown.push_back(V);
    } else {
      First->second.push_back(V);
    }
  }
  return Next.evaluate(Unknown, Stop, [&](const Variant &V) -> Error {
    std::string Key = keyOf(V.Edits);
    const Answer &New = Answers[Key] = {V.PayloadHash, V.Result, V.Number};
    if (Error E = write(V))
      return E;
    if (Error E = Finished(V))
      return E;
    for (Variant *Other : Equal[Key])
      if (Error E = Tell(*Other, New))
        return E;
    return Error::success();
  });
}

static json::Object measurement(StringRef Hash, const Fitness &Result) {
  return withSum(json::Object{{"code", Hash}, {"result", Result}});
}

size_t PayloadCache::load() {
  if (!Log)
    return 0;
  size_t Damaged = Log->unreadable();
  for (const json::Value &Line : Log->takeLines()) {
    std::string Hash;
    Fitness Result;
    json::Path::Root Root;
    json::ObjectMapper Map(Line, Root);
    if (!Map || !Map.map("code", Hash) || !Map.map("result", Result) ||
        measurement(Hash, Result) != *Line.getAsObject())
      ++Damaged;
    else
      Results[Hash] = std::move(Result);
  }
  return Damaged;
}

const Fitness *PayloadCache::find(StringRef Hash) const {
  auto Known = Results.find(Hash);
  return Known == Results.end() ? nullptr : &Known->second;
}

Error PayloadCache::add(StringRef Hash, const Fitness &Result) {
  Results[Hash] = Result;
  Error E = Log ? Log->append(measurement(Hash, Result)) : Error::success();
  if (How == Keep::Surely)
    return E;
  consumeError(std::move(E));
  return Error::success();
}
