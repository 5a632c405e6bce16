//===- Output.cpp - Is this what the program should print? ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Word by word, so that a difference can be named by its line.
//
//===----------------------------------------------------------------------===//

#include "search/Output.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace gevo;

// The share of the largest magnitude below which errors are absolute.
static constexpr double FloorShare = 1e-6;

namespace {
struct Word {
  StringRef Text;
  unsigned Line;
};
} // namespace

static SmallVector<Word, 0> wordsOf(StringRef Text) {
  SmallVector<Word, 0> Words;
  unsigned Line = 1;
  while (!Text.empty()) {
    size_t Length = Text.find_first_of(" \t\r\n,;:=()[]{}");
    if (Length)
      Words.push_back({Text.take_front(Length), Line});
    if (Length == StringRef::npos)
      break;
    if (Text[Length] == '\n')
      ++Line;
    Text = Text.drop_front(Length + 1);
  }
  return Words;
}

static std::optional<double> numberIn(StringRef Text) {
  double Value;
  if (Text.getAsDouble(Value) || !std::isfinite(Value))
    return std::nullopt;
  return Value;
}

static std::string mismatch(unsigned Line, StringRef Expected,
                            StringRef Actual) {
  return ("line " + Twine(Line) + ": '" + Actual.take_front(40) +
          "' instead of '" + Expected.take_front(40) + "'")
      .str();
}

static std::string firstDifference(StringRef Expected, StringRef Actual) {
  SmallVector<StringRef, 0> Lines, Others;
  Expected.split(Lines, '\n');
  Actual.split(Others, '\n');
  for (size_t I = 0; I < Lines.size() && I < Others.size(); ++I)
    if (Lines[I] != Others[I])
      return mismatch(I + 1, Lines[I], Others[I]);
  return "it has " + std::to_string(Others.size()) + " lines instead of " +
         std::to_string(Lines.size());
}

TextDifference gevo::compareTexts(StringRef Expected, StringRef Actual,
                                  bool Numbers) {
  TextDifference D;
  if (Expected == Actual)
    return D;
  if (!Numbers) {
    D.Mismatch = firstDifference(Expected, Actual);
    return D;
  }
  SmallVector<Word, 0> Wanted = wordsOf(Expected), Got = wordsOf(Actual);
  if (Wanted.size() != Got.size()) {
    D.Mismatch = firstDifference(Expected, Actual);
    return D;
  }
  double Largest = 0;
  for (const Word &W : Wanted)
    if (std::optional<double> Value = numberIn(W.Text))
      Largest = std::max(Largest, std::fabs(*Value));
  for (size_t I = 0; I < Wanted.size(); ++I) {
    if (Wanted[I].Text == Got[I].Text)
      continue;
    std::optional<double> A = numberIn(Wanted[I].Text);
    std::optional<double> B = numberIn(Got[I].Text);
    if (!A || !B) {
      D.Mismatch = mismatch(Wanted[I].Line, Wanted[I].Text, Got[I].Text);
      return D;
    }
    double Scale = std::max(std::fabs(*A), FloorShare * Largest);
    D.Error = std::max(D.Error, std::fabs(*A - *B) / Scale);
  }
  return D;
}

static bool startsWithNumber(StringRef Text) {
  if (Text.starts_with("-") || Text.starts_with("+") || Text.starts_with("."))
    Text = Text.drop_front();
  return !Text.empty() && isDigit(Text.front());
}

std::optional<WordSet> gevo::changedNumbers(StringRef First, StringRef Other) {
  SmallVector<Word, 0> Words = wordsOf(First), Others = wordsOf(Other);
  if (Words.size() != Others.size())
    return std::nullopt;
  WordSet Changed;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (Words[I].Text == Others[I].Text)
      continue;
    if (!startsWithNumber(Words[I].Text) || !startsWithNumber(Others[I].Text))
      return std::nullopt;
    Changed.insert(I);
  }
  return Changed;
}

WordSet gevo::withAlikeLines(StringRef Text, const WordSet &Chosen) {
  SmallVector<Word, 0> Words = wordsOf(Text);
  // A line without its numbers, and a place in it.
  using Place = std::pair<std::string, size_t>;
  std::vector<Place> Places;
  for (size_t Begin = 0, End; Begin < Words.size(); Begin = End) {
    std::string Line;
    bool Named = false;
    for (End = Begin;
         End < Words.size() && Words[End].Line == Words[Begin].Line; ++End) {
      bool Number = startsWithNumber(Words[End].Text);
      Named |= !Number;
      Line += (Number ? "#" : Words[End].Text.str()) + " ";
    }
    // Rows of nothing but numbers say nothing about each other.
    if (!Named)
      Line += std::to_string(Begin);
    for (size_t I = Begin; I < End; ++I)
      Places.push_back({Line, I - Begin});
  }
  std::set<Place> Wanted;
  for (size_t I : Chosen)
    Wanted.insert(Places[I]);
  WordSet All;
  for (size_t I = 0; I < Places.size(); ++I)
    if (Wanted.count(Places[I]))
      All.insert(I);
  return All;
}

std::string gevo::withoutWords(StringRef Text, const WordSet &Words) {
  SmallVector<Word, 0> All = wordsOf(Text);
  std::string Rest;
  const char *From = Text.begin();
  for (size_t I : Words) {
    if (I >= All.size())
      break;
    // Numbers of another width have other blanks before them.
    Rest +=
        StringRef(From, All[I].Text.begin() - From).rtrim(" \t").str() + "*";
    From = All[I].Text.end();
  }
  return Rest + StringRef(From, Text.end() - From).str();
}

unsigned gevo::lineOfWord(StringRef Text, size_t Word) {
  return wordsOf(Text)[Word].Line;
}

bool gevo::isBinary(StringRef Content) { return Content.contains('\0'); }

// Zeros and numbers that people compute with, not zeros alone.
template <typename T> static bool isFloats(StringRef Content) {
  constexpr double Least = 1e-12, Most = 1e12;
  bool Any = false;
  for (size_t I = 0; I + sizeof(T) <= Content.size(); I += sizeof(T)) {
    T Value;
    std::memcpy(&Value, Content.data() + I, sizeof(T));
    double Magnitude = std::fabs(Value);
    if (Magnitude != 0 && !(Magnitude >= Least && Magnitude <= Most))
      return false;
    Any |= Magnitude != 0;
  }
  return Any && Content.size() % sizeof(T) == 0;
}

template <typename T>
static TextDifference compareFloats(StringRef Expected, StringRef Actual) {
  std::vector<T> Wanted(Expected.size() / sizeof(T)), Got(Wanted.size());
  std::memcpy(Wanted.data(), Expected.data(), Expected.size());
  std::memcpy(Got.data(), Actual.data(), Actual.size());
  double Largest = 0;
  for (T Value : Wanted)
    Largest = std::max(Largest, std::fabs(double(Value)));
  TextDifference D;
  for (size_t I = 0; I < Wanted.size(); ++I) {
    if (!std::isfinite(Got[I])) {
      D.Mismatch = "number " + std::to_string(I) + " is not finite";
      return D;
    }
    double Scale = std::max(std::fabs(double(Wanted[I])), FloorShare * Largest);
    D.Error = std::max(D.Error, std::fabs(double(Wanted[I]) - Got[I]) / Scale);
  }
  return D;
}

TextDifference gevo::compareBinary(StringRef Expected, StringRef Actual,
                                   bool Numbers) {
  TextDifference D;
  if (Expected == Actual)
    return D;
  if (Expected.size() != Actual.size())
    D.Mismatch = "it has " + std::to_string(Actual.size()) +
                 " bytes instead of " + std::to_string(Expected.size());
  else if (Numbers && Expected.size() % 4 == 0 && isFloats<float>(Expected))
    D = compareFloats<float>(Expected, Actual);
  else if (Numbers && Expected.size() % 8 == 0 && isFloats<double>(Expected))
    D = compareFloats<double>(Expected, Actual);
  else
    D.Mismatch = "byte " +
                 std::to_string(std::mismatch(Expected.begin(), Expected.end(),
                                              Actual.begin())
                                    .first -
                                Expected.begin()) +
                 " differs";
  return D;
}
