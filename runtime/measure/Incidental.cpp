//===- Incidental.cpp - Numbers that change without a result --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Incidental.h"

#include <algorithm>
#include <cctype>

using namespace gevo;
using namespace gevo::measure;

namespace {

bool isDigit(char C) { return C >= '0' && C <= '9'; }
bool isLetter(char C) { return std::isalpha(static_cast<unsigned char>(C)); }
bool isUpper(char C) { return std::isupper(static_cast<unsigned char>(C)); }
char lower(char C) { return char(std::tolower(static_cast<unsigned char>(C))); }

bool isName(const std::string &Part) {
  static const std::set<std::string> Names = {
#define INCIDENTAL_NAME(Word) Word,
#include "runtime/measure/Incidental.def"
  };
  constexpr std::string_view Time = "time";
  bool EndsWithTime =
      Part.size() >= Time.size() &&
      !Part.compare(Part.size() - Time.size(), Time.size(), Time);
  return EndsWithTime || Names.count(Part);
}

bool isUnit(const std::string &Part) {
  static const std::set<std::string> Units = {
#define INCIDENTAL_UNIT(Word) Word,
#include "runtime/measure/Incidental.def"
  };
  return Units.count(Part);
}

bool isStep(std::string_view Word) {
  return Word.size() >= 4 && lower(Word[0]) == 's' &&
         Word.substr(1, 3) == "tep";
}

/// "kernel", "time", "ms" of "kernelTime_ms".
std::vector<std::string> partsOf(std::string_view Word) {
  std::vector<std::string> Parts;
  char Before = 0;
  for (char C : Word) {
    bool Begins = !isLetter(Before) || (isUpper(C) && !isUpper(Before));
    if (isLetter(C) && Begins)
      Parts.emplace_back();
    if (isLetter(C))
      Parts.back() += lower(C);
    Before = C;
  }
  return Parts;
}

/// Goes through a text, line by line.
class Reader {
public:
  explicit Reader(std::string_view Text) : Text(Text), Words(wordsOf(Text)) {}

  WordSet read() {
    for (size_t Begin = 0, End; Begin < Words.size(); Begin = End) {
      for (End = Begin;
           End < Words.size() && Words[End].Line == Words[Begin].Line;)
        ++End;
      readLine(Begin, End);
    }
    return std::move(Found);
  }

private:
  /// A number, or one with a unit.
  bool isNumber(size_t I) const {
    std::string_view Word = Words[I].Text;
    size_t At = Word.find_first_not_of("+-.");
    return (At != Word.npos && isDigit(Word[At])) || numberIn(Word);
  }
  /// What stands between the word \p I and the one before it.
  std::string_view gapBefore(size_t I) const {
    const char *From =
        I ? Words[I - 1].Text.data() + Words[I - 1].Text.size() : Text.data();
    return {From, size_t(Words[I].Text.data() - From)};
  }
  std::optional<size_t> pastUnit(size_t I, size_t End) const;
  bool isLabel(size_t I, size_t Begin, size_t End) const;
  bool isClock(size_t I, size_t End) const;
  void readLine(size_t Begin, size_t End);
  void readTable(size_t Begin, size_t End, bool Numbers, bool Named);

  std::string_view Text;
  std::vector<Word> Words;
  WordSet Found;
  /// Of the last line that has no numbers: is it about such, by column?
  std::vector<bool> Head;
  /// It ends with a colon, and says so of all lines up to the next such line.
  bool IsHeading = false;
};

} // namespace

/// If the number \p I has a unit of time or of a rate, as in "3.4 ms", "3ms",
/// "2 GB/s", "5 steps per second": which word comes next.
std::optional<size_t> Reader::pastUnit(size_t I, size_t End) const {
  auto isOne = [&](size_t K) {
    std::vector<std::string> Parts = partsOf(Words[K].Text);
    return !Parts.empty() && isUnit(Parts[0]);
  };
  std::vector<std::string> Own = partsOf(Words[I].Text);
  size_t Next = I + 1;
  if (!numberIn(Words[I].Text)) {
    if (!Own.empty() && isUnit(Own.back()))
      return Next;
  } else {
    if (Next >= End || isNumber(Next) ||
        gapBefore(Next).find_first_not_of(" \t[(") != std::string_view::npos)
      return std::nullopt;
    if (isOne(Next))
      return Next + 1;
    Next += Words[Next].Text != "per";
  }
  bool Per = Next < End && Words[Next].Text == "per";
  Next += Per;
  if (Next < End && (Per || gapBefore(Next) == "/") && isOne(Next))
    return Next + 1;
  return std::nullopt;
}

/// Does "20:03:52" begin there?
bool Reader::isClock(size_t I, size_t End) const {
  return I + 2 < End && isNumber(I) && isNumber(I + 1) && isNumber(I + 2) &&
         gapBefore(I + 1) == ":" && gapBefore(I + 2) == ":";
}

/// Does the word \p I say what a number after it is?
bool Reader::isLabel(size_t I, size_t Begin, size_t End) const {
  std::vector<std::string> Parts = partsOf(Words[I].Text);
  // A step of time is none.
  if (Parts.empty() || (I + 1 < End && isStep(Words[I + 1].Text)))
    return false;
  if (std::any_of(Parts.begin(), Parts.end(), isName))
    return true;
  // "kernel_ms: 3" and "GB/s: 3", but no variable "s".
  bool Letter = Parts.size() == 1 && Parts[0].size() == 1;
  return isUnit(Parts.back()) &&
         (!Letter || (I > Begin && gapBefore(I) == "/"));
}

void Reader::readLine(size_t Begin, size_t End) {
  bool Numbers = false, Named = false, Clock = false;
  // A label is about the next number, and others up to a label of their own;
  // that comes after a number with a sign or a unit, or in another clause.
  bool Labelled = false, Over = false;
  size_t PastUnit = Begin;
  for (size_t I = Begin; I < End; ++I) {
    std::string_view Gap = I > Begin ? gapBefore(I) : "";
    Over |= Gap.find_first_of(",;|") != Gap.npos;
    Clock |= isClock(I, End);
    if (!isNumber(I)) {
      Named = true;
      if (I < PastUnit)
        continue;
      Labelled = (Labelled && !Over) || isLabel(I, Begin, End);
      Over = false;
      continue;
    }
    Numbers = true;
    std::optional<size_t> Unit = pastUnit(I, End);
    PastUnit = Unit.value_or(PastUnit);
    if (Unit || Labelled)
      Found.insert(I);
    Over |= Unit || Gap.find_first_of(":=") != Gap.npos;
  }
  for (size_t I = Begin; Clock && I < End; ++I)
    if (isNumber(I))
      Found.insert(I);
  readTable(Begin, End, Numbers, Named);
}

/// The line as one of a table, or as the head of one.
void Reader::readTable(size_t Begin, size_t End, bool Numbers, bool Named) {
  if (!Numbers) {
    Head.clear();
    for (size_t I = Begin; I < End; ++I) {
      std::vector<std::string> Parts = partsOf(Words[I].Text);
      bool Is = std::any_of(Parts.begin(), Parts.end(), isName) ||
                std::any_of(Parts.begin(), Parts.end(), isUnit);
      // "time (ms)" is one column.
      bool Same = I > Begin &&
                  gapBefore(I).find_first_of("([/") != std::string_view::npos;
      if (Same)
        Head.back() = Head.back() || Is;
      else
        Head.push_back(Is);
    }
    std::string_view Rest = Text.substr(size_t(
        Words[End - 1].Text.data() + Words[End - 1].Text.size() - Text.data()));
    IsHeading = Rest.substr(0, Rest.find('\n')).find(':') != Rest.npos;
    return;
  }
  bool Aligned = Head.size() == End - Begin && !IsHeading;
  if (Named && !Aligned && !IsHeading)
    return;
  bool Any = std::find(Head.begin(), Head.end(), true) != Head.end();
  for (size_t I = Begin; I < End; ++I)
    if (isNumber(I) && (Aligned ? Head[I - Begin] : Any))
      Found.insert(I);
}

WordSet measure::incidentalNumbers(std::string_view Text) {
  return Reader(Text).read();
}

Steadiness measure::steadinessOf(std::string_view Text, const WordSet &Changing,
                                 const WordSet &Ignored) {
  std::vector<Word> Words = wordsOf(Text);
  WordSet Incidental = incidentalNumbers(Text);
  std::set<unsigned> WithWords;
  for (const Word &W : Words)
    if (!numberIn(W.Text) && isLetter(W.Text[0]))
      WithWords.insert(W.Line);
  Steadiness S;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (!Ignored.count(I)) {
      S.Same += numberIn(Words[I].Text).has_value();
    } else if (Changing.count(I) && !Incidental.count(I)) {
      if (!S.results())
        S.First = I;
      ++(WithWords.count(Words[I].Line) ? S.Named : S.Bare);
    } else {
      ++S.Incidental;
    }
  }
  return S;
}
