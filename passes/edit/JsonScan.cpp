//===- JsonScan.cpp - Where things stand in a JSON text -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over a text that is known to be JSON, keeping line and column.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/JsonScan.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;
using namespace gevo;

namespace {

class Scanner {
public:
  Scanner(StringRef Text,
          function_ref<void(const JsonPath &, FilePosition)> Visit)
      : Text(Text), Visit(Visit) {}

  void value() {
    space();
    Visit(Path, here());
    if (peek() == '{')
      object();
    else if (peek() == '[')
      array();
    else if (peek() == '"')
      string();
    else
      while (Pos < Text.size() && !StringRef(",]} \t\r\n").contains(peek()))
        ++Pos;
  }

  std::optional<SecondKey> Second;

private:
  FilePosition here() const {
    return {Line, static_cast<unsigned>(Pos - LineStart + 1)};
  }

  char peek() const { return Pos < Text.size() ? Text[Pos] : '\0'; }

  void space() {
    for (; Pos < Text.size() && StringRef(" \t\r\n").contains(Text[Pos]); ++Pos)
      if (Text[Pos] == '\n') {
        ++Line;
        LineStart = Pos + 1;
      }
  }

  /// Skips a string and returns what stands between its quotes. A key with an
  /// escape in it is no key of ours, so the raw text serves.
  StringRef string() {
    size_t Start = ++Pos;
    while (Pos < Text.size() && Text[Pos] != '"')
      Pos += Text[Pos] == '\\' ? 2 : 1;
    size_t End = std::min(Pos, Text.size());
    Pos = std::min(Pos + 1, Text.size());
    return Text.slice(Start, End);
  }

  /// Steps over a comma, or over the closing bracket and ends the list.
  bool another() {
    space();
    return Pos < Text.size() && Text[Pos++] == ',';
  }

  void object() {
    ++Pos;
    space();
    if (peek() == '}') {
      ++Pos;
      return;
    }
    SmallDenseSet<StringRef, 16> Keys;
    do {
      space();
      StringRef Key = string();
      Path.push_back({Key, 0});
      space();
      ++Pos; // ':'
      space();
      if (!Keys.insert(Key).second && !Second)
        Second = {Key, here()};
      value();
      Path.pop_back();
    } while (another());
  }

  void array() {
    ++Pos;
    space();
    if (peek() == ']') {
      ++Pos;
      return;
    }
    size_t Index = 0;
    do {
      Path.push_back({StringRef(), Index++});
      value();
      Path.pop_back();
    } while (another());
  }

  StringRef Text;
  function_ref<void(const JsonPath &, FilePosition)> Visit;
  JsonPath Path;
  size_t Pos = 0;
  size_t LineStart = 0;
  unsigned Line = 1;
};

} // namespace

FilePosition gevo::positionAt(StringRef Text, size_t Offset) {
  StringRef Before = Text.take_front(Offset);
  size_t LineStart = Before.rfind('\n') + 1; // npos + 1 is 0
  return {static_cast<unsigned>(Before.count('\n') + 1),
          static_cast<unsigned>(Before.size() - LineStart + 1)};
}

size_t gevo::findTooDeep(StringRef Text, unsigned Limit) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      if (C == '\\')
        ++I;
      else if (C == '"')
        InString = false;
    } else if (C == '"') {
      InString = true;
    } else if (C == '{' || C == '[') {
      if (++Depth > Limit)
        return I;
    } else if ((C == '}' || C == ']') && Depth) {
      --Depth;
    }
  }
  return StringRef::npos;
}

std::optional<SecondKey>
gevo::scanJson(StringRef Text,
               function_ref<void(const JsonPath &, FilePosition)> Visit) {
  Scanner S(Text, Visit);
  S.value();
  return S.Second;
}
