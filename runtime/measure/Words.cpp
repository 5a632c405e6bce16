//===- Words.cpp - The words and numbers of a text ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Words.h"

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

using namespace gevo;
using namespace gevo::measure;
using gpu::ElementType;

namespace {

bool isDigit(char C) { return C >= '0' && C <= '9'; }

bool isPart(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '.' ||
         C == '+' || C == '-';
}

/// How many digits \p Text starts with; they are taken away.
size_t takeDigits(std::string_view &Text) {
  size_t N = 0;
  while (N < Text.size() && isDigit(Text[N]))
    ++N;
  Text.remove_prefix(N);
  return N;
}

bool takeSign(std::string_view &Text) {
  bool Signed = !Text.empty() && (Text[0] == '-' || Text[0] == '+');
  bool Negative = Signed && Text[0] == '-';
  Text.remove_prefix(Signed);
  return Negative;
}

bool isNamedNumber(std::string_view Text) {
  std::string Lower;
  for (char C : Text)
    Lower += char(std::tolower(static_cast<unsigned char>(C)));
  return Lower == "nan" || Lower == "inf" || Lower == "infinity";
}

/// "12", "1.5", ".5", "5.", "1e-3", without a sign.
bool isDecimal(std::string_view Text) {
  size_t Digits = takeDigits(Text);
  if (!Text.empty() && Text[0] == '.') {
    Text.remove_prefix(1);
    Digits += takeDigits(Text);
  }
  if (!Digits)
    return false;
  if (!Text.empty() && (Text[0] == 'e' || Text[0] == 'E')) {
    Text.remove_prefix(1);
    takeSign(Text);
    if (!takeDigits(Text))
      return false;
  }
  return Text.empty();
}

/// The whole number that the digits are, if 64 bits hold it.
std::optional<PrintedNumber> wholeNumber(std::string_view Digits,
                                         bool Negative) {
  uint64_t Value = 0;
  for (char C : Digits) {
    if (!isDigit(C) || __builtin_mul_overflow(Value, uint64_t(10), &Value) ||
        __builtin_add_overflow(Value, uint64_t(C - '0'), &Value))
      return std::nullopt;
  }
  constexpr uint64_t Most = uint64_t(std::numeric_limits<int64_t>::max());
  // A zero with a sign is a float's.
  if (Digits.empty() || (Negative && (Value == 0 || Value > Most)))
    return std::nullopt;
  return PrintedNumber{Value > Most ? ElementType::U64 : ElementType::S64,
                       Negative ? -Value : Value};
}

bool startsWithNumber(std::string_view Text) {
  takeSign(Text);
  if (!Text.empty() && Text[0] == '.')
    Text.remove_prefix(1);
  return !Text.empty() && isDigit(Text[0]);
}

/// \p Word without the point or points that end a sentence after a number. The
/// one of "5." is the number's own: that is how some programs print 5.0.
std::string_view withoutStop(std::string_view Word) {
  size_t End = Word.find_last_not_of('.') + 1;
  std::string_view Number = Word.substr(0, End);
  bool Whole = Number.find_first_not_of("+-0123456789") == Number.npos;
  if (End == Word.size() || (Whole && Word.size() - End == 1) ||
      !numberIn(Number))
    return Word;
  return Number;
}

} // namespace

std::vector<Word> measure::wordsOf(std::string_view Text) {
  std::vector<Word> Words;
  unsigned Line = 1;
  for (size_t At = 0, End; At < Text.size(); At = End) {
    for (End = At; End < Text.size() && isPart(Text[End]);)
      ++End;
    if (End > At)
      Words.push_back({withoutStop(Text.substr(At, End - At)), Line});
    else
      Line += Text[End++] == '\n';
  }
  return Words;
}

double PrintedNumber::value() const {
  if (Type == ElementType::S64)
    return double(int64_t(Bits));
  if (Type == ElementType::U64)
    return double(Bits);
  double V;
  std::memcpy(&V, &Bits, sizeof(V));
  return V;
}

std::optional<PrintedNumber> measure::numberIn(std::string_view Word) {
  std::string_view Rest = Word;
  bool Negative = takeSign(Rest);
  if (std::optional<PrintedNumber> Whole = wholeNumber(Rest, Negative))
    return Whole;
  bool Named = isNamedNumber(Rest);
  if (!Named && !isDecimal(Rest))
    return std::nullopt;
  double V = std::strtod(std::string(Word).c_str(), nullptr);
  if (!Named && !std::isfinite(V))
    return std::nullopt;
  PrintedNumber N{ElementType::F64, 0};
  std::memcpy(&N.Bits, &V, sizeof(V));
  return N;
}

std::optional<WordSet> measure::changedNumbers(std::string_view First,
                                               std::string_view Other) {
  std::vector<Word> Words = wordsOf(First), Others = wordsOf(Other);
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

WordSet measure::withAlikeLines(std::string_view Text, const WordSet &Chosen) {
  std::vector<Word> Words = wordsOf(Text);
  // The number of a line without its numbers, and a place in it.
  using Place = std::pair<size_t, size_t>;
  std::map<std::string, size_t> Lines;
  std::vector<Place> Places;
  for (size_t Begin = 0, End; Begin < Words.size(); Begin = End) {
    std::string Line;
    bool Named = false;
    for (End = Begin;
         End < Words.size() && Words[End].Line == Words[Begin].Line; ++End) {
      bool Number = startsWithNumber(Words[End].Text);
      Named |= !Number;
      Line += (Number ? "#" : std::string(Words[End].Text)) + " ";
    }
    // Rows of nothing but numbers say nothing about each other.
    if (!Named)
      Line += std::to_string(Begin);
    size_t Number = Lines.emplace(Line, Lines.size()).first->second;
    for (size_t I = Begin; I < End; ++I)
      Places.push_back({Number, I - Begin});
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

std::string measure::withoutWords(std::string_view Text, const WordSet &Words) {
  std::vector<Word> All = wordsOf(Text);
  std::string Rest;
  const char *From = Text.data();
  for (size_t I : Words) {
    if (I >= All.size())
      break;
    Rest.append(From, size_t(All[I].Text.data() - From));
    // Numbers of another width have other blanks before them.
    while (!Rest.empty() && (Rest.back() == ' ' || Rest.back() == '\t'))
      Rest.pop_back();
    Rest += '*';
    From = All[I].Text.data() + All[I].Text.size();
  }
  return Rest.append(From, size_t(Text.data() + Text.size() - From));
}

unsigned measure::lineOfWord(std::string_view Text, size_t Word) {
  return wordsOf(Text)[Word].Line;
}
