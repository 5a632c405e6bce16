//===- Program.cpp - What the engine evolves ------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of placed edits, and hashes of payloads.
//
//===----------------------------------------------------------------------===//

#include "search/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

Program::~Program() = default;
Runner::~Runner() = default;

std::string PlacedEdit::key() const {
  return std::to_string(Function) + " " + Change.key();
}

std::string gevo::keyOf(const EditList &Edits) {
  std::string Key;
  for (const PlacedEdit &E : Edits)
    Key += E.key() + "\n";
  return Key;
}

Expected<PlacedEdit> gevo::parsePlacedEdit(StringRef Key) {
  PlacedEdit P;
  auto [Function, Rest] = Key.split(' ');
  if (Function.getAsInteger(10, P.Function))
    return createStringError(inconvertibleErrorCode(),
                             "'" + Key + "' names no function by its number");
  Expected<Edit> E = parseEditKey(Rest);
  if (!E)
    return E.takeError();
  P.Change = std::move(*E);
  return P;
}

json::Value gevo::toJSON(const PlacedEdit &E) { return E.key(); }

bool gevo::fromJSON(const json::Value &Value, PlacedEdit &E, json::Path P) {
  std::optional<StringRef> Key = Value.getAsString();
  if (!Key) {
    P.report("expected an edit");
    return false;
  }
  Expected<PlacedEdit> Parsed = parsePlacedEdit(*Key);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    P.report("not an edit");
    return false;
  }
  E = std::move(*Parsed);
  return true;
}

std::string Payload::hash() const {
  // The lengths keep "ab", "c" apart from "a", "bc".
  std::string All;
  for (const std::string &M : Modules)
    All += std::to_string(M.size()) + "\n" + M;
  return utohexstr(xxh3_64bits(All), /*LowerCase=*/true, 16);
}
