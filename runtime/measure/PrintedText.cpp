//===- PrintedText.cpp - Texts that are compared by their numbers ---------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/PrintedText.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace gevo;
using namespace gevo::measure;

namespace {

uint64_t bitsAs(const PrintedNumber &N, ElementType T) {
  if (T != ElementType::F64 || N.Type == ElementType::F64)
    return N.Bits;
  double V = N.value();
  uint64_t Bits;
  std::memcpy(&Bits, &V, sizeof(V));
  return Bits;
}

std::string quoted(std::string_view Text) {
  constexpr size_t Most = 40;
  return "'" + std::string(Text.substr(0, Most)) + "'";
}

/// Where to start quoting a line so that a difference at \p At is seen.
size_t startOfExcerpt(size_t At) {
  constexpr size_t Before = 16;
  return At > Before ? At - Before : 0;
}

std::string inLine(unsigned Line, const OutputSpec &Spec) {
  return "line " + std::to_string(Line) + " of " + Spec.describe();
}

/// Is what stands between two words the same but for blanks?
bool sameGap(std::string_view A, std::string_view B) {
  auto next = [](std::string_view T, size_t At) {
    return std::min(T.find_first_not_of(" \t", At), T.size());
  };
  size_t I = next(A, 0), K = next(B, 0);
  for (; I < A.size() && K < B.size(); I = next(A, I + 1), K = next(B, K + 1))
    if (A[I] != B[K])
      return false;
  return I == A.size() && K == B.size();
}

/// What stands before the word \p At, or after the last.
std::string_view gapBefore(std::string_view Text,
                           const std::vector<Word> &Words, size_t At) {
  const char *Begin =
      At ? Words[At - 1].Text.data() + Words[At - 1].Text.size() : Text.data();
  const char *End =
      At < Words.size() ? Words[At].Text.data() : Text.data() + Text.size();
  return {Begin, size_t(End - Begin)};
}

std::string withoutBlanks(std::string_view Text) {
  std::string Rest;
  for (char C : Text)
    if (C != ' ' && C != '\t')
      Rest += C;
  return Rest;
}

/// By word, a number for all that are alike; see the header.
std::vector<unsigned> groupsOf(std::string_view Text,
                               const std::vector<Word> &Words) {
  // A shape is as long as its line: it is kept once, and not with every word.
  std::map<std::string, size_t> Shapes;
  std::map<std::pair<size_t, size_t>, unsigned> Known;
  std::vector<unsigned> Groups;
  for (size_t Begin = 0, End; Begin < Words.size(); Begin = End) {
    // A row of numbers is one sign in the shape of its line.
    std::string Shape;
    std::vector<size_t> Row;
    bool InRow = false;
    for (End = Begin;
         End < Words.size() && Words[End].Line == Words[Begin].Line; ++End) {
      std::string Gap =
          End == Begin ? "" : withoutBlanks(gapBefore(Text, Words, End));
      bool Number = numberIn(Words[End].Text).has_value();
      if (!(InRow && Number && (Gap.empty() || Gap == "," || Gap == ";")))
        Shape += Gap + (Number ? "#" : std::string(Words[End].Text) + " ");
      InRow = Number;
      Row.push_back(Shape.size());
    }
    size_t Number = Shapes.emplace(Shape, Shapes.size()).first->second;
    for (size_t I = Begin; I < End; ++I)
      Groups.push_back(
          Known.emplace(std::make_pair(Number, Row[I - Begin]), Known.size())
              .first->second);
  }
  return Groups;
}

/// The texts cut into words.
struct CutTexts {
  explicit CutTexts(const Texts &All) : All(All) {
    for (std::string_view Text : All)
      Words.push_back(wordsOf(Text));
  }
  /// Is the gap before word \p At the same in all?
  bool hasSameGap(size_t At) const {
    for (size_t K = 1; K < All.size(); ++K)
      if (!sameGap(gapBefore(All[0], Words[0], At),
                   gapBefore(All[K], Words[K], At)))
        return false;
    return true;
  }
  bool hasSameWord(size_t At) const {
    return std::all_of(Words.begin(), Words.end(), [&](const auto &W) {
      return W[At].Text == Words[0][At].Text;
    });
  }
  /// Is it the references that are not alike at \p At, before the word or in
  /// one that is no number?
  bool referencesDiffer(size_t At) const {
    const Word &First = Words[0][At];
    for (size_t K = 1; K + 1 < All.size(); ++K) {
      const Word &Other = Words[K][At];
      bool Numbers = numberIn(First.Text) && numberIn(Other.Text);
      if ((!Numbers && Other.Text != First.Text) ||
          !sameGap(gapBefore(All[0], Words[0], At),
                   gapBefore(All[K], Words[K], At)))
        return true;
    }
    return false;
  }
  /// The numbers that the words \p At are; empty if one is none.
  std::vector<PrintedNumber> numbersAt(size_t At) const {
    std::vector<PrintedNumber> Row;
    for (const auto &W : Words)
      if (std::optional<PrintedNumber> N = numberIn(W[At].Text))
        Row.push_back(*N);
    return Row.size() == Words.size() ? Row : std::vector<PrintedNumber>();
  }

  const Texts &All;
  std::vector<std::vector<Word>> Words;
};

} // namespace

/// The type that all numbers of the rows can have without loss, or F64.
static ElementType typeOf(const std::vector<std::vector<PrintedNumber>> &Rows) {
  bool Float = false, Large = false, Negative = false;
  for (const auto &Row : Rows)
    for (const PrintedNumber &N : Row) {
      Float |= N.Type == ElementType::F64;
      Large |= N.Type == ElementType::U64;
      Negative |= N.Type == ElementType::S64 && int64_t(N.Bits) < 0;
    }
  return Float || (Large && Negative) ? ElementType::F64
         : Large                      ? ElementType::U64
                                      : ElementType::S64;
}

void NumberTable::addPlace(std::vector<PrintedNumber> Row, unsigned Group) {
  Groups[Group].Rows.push_back(std::move(Row));
  Groups[Group].Places.push_back(NumPlaces++);
}

Difference NumberTable::compareGroup(const GroupOfRows &G,
                                     const Tolerance &Limits) {
  ElementType T = typeOf(G.Rows);
  size_t Texts = G.Rows[0].size();
  std::vector<std::vector<uint64_t>> Bits(Texts);
  std::vector<const void *> Runs;
  for (size_t K = 0; K < Texts; ++K) {
    for (const Row &R : G.Rows)
      Bits[K].push_back(bitsAs(R[K], T));
    Runs.push_back(Bits[K].data());
  }
  const void *Actual = Runs.back();
  Runs.pop_back();
  Difference D = compareToRuns(T, Runs, Actual, G.Rows.size(), Limits);
  if (D.Failing)
    D.FirstFailing = G.Places[D.FirstFailing];
  return D;
}

Difference NumberTable::compare(const Tolerance &Limits) const {
  std::vector<Difference> All;
  for (const auto &[Number, Group] : Groups)
    All.push_back(compareGroup(Group, Limits));
  // So that the first failing number of the text is the one that is told.
  std::sort(All.begin(), All.end(),
            [](const Difference &A, const Difference &B) {
              return A.FirstFailing < B.FirstFailing;
            });
  Difference Sum;
  for (const Difference &D : All)
    Sum.add(D);
  return Sum;
}

WordSet measure::beyondTolerance(const OutputSpec &Spec, const Texts &Both,
                                 const WordSet &Which) {
  std::vector<Word> First = wordsOf(Both[0]), Other = wordsOf(Both[1]);
  std::vector<unsigned> Groups = groupsOf(Both[0], First);
  std::map<unsigned, double> Largest;
  for (size_t I = 0; I < First.size(); ++I)
    if (std::optional<PrintedNumber> N = numberIn(First[I].Text);
        N && std::isfinite(N->value()))
      Largest[Groups[I]] = std::max(Largest[Groups[I]], std::fabs(N->value()));
  WordSet Beyond;
  for (size_t I : Which) {
    auto A = numberIn(First[I].Text), B = numberIn(Other[I].Text);
    Tolerance Limits = Spec.Rule.Limits;
    Limits.Floor =
        std::max(Limits.Floor, Limits.FloorShare * Largest[Groups[I]]);
    NumberTable One;
    if (A && B)
      One.addPlace({*A, *B});
    if (!A || !B || !One.compare(Limits).passed())
      Beyond.insert(I);
  }
  return Beyond;
}

RunDifference measure::lineDiffers(const OutputSpec &Spec,
                                   std::string_view Want,
                                   std::string_view Got) {
  auto takeLine = [](std::string_view &Text) {
    std::string_view Line = Text.substr(0, Text.find('\n'));
    Text.remove_prefix(std::min(Line.size() + 1, Text.size()));
    return Line;
  };
  for (unsigned Line = 1; !Want.empty() && !Got.empty(); ++Line) {
    std::string_view A = takeLine(Want), B = takeLine(Got);
    if (A != B) {
      auto Off = std::mismatch(A.begin(), A.end(), B.begin(), B.end());
      size_t From = startOfExcerpt(size_t(Off.first - A.begin()));
      return RunDifference::failed(
          inLine(Line, Spec) + (From ? " has " : " is ") +
          quoted(B.substr(From)) + " instead of " + quoted(A.substr(From)));
    }
    if (Want.empty() != Got.empty())
      return RunDifference::failed(
          Spec.describe() + " has " + (Want.empty() ? "more" : "fewer") +
          " lines than expected: it differs after line " +
          std::to_string(Line));
  }
  return RunDifference::failed("the end of the last line of " +
                               Spec.describe() + " differs");
}

/// Why the texts fail at the word \p At or before it.
static std::string whatDiffers(const OutputSpec &Spec, const CutTexts &Cut,
                               size_t At) {
  const Word &Want = Cut.Words[0][At], &Got = Cut.Words.back()[At];
  if (Cut.referencesDiffer(At))
    return inLine(Want.Line, Spec) +
           " differs between runs of the reference, at " + quoted(Want.Text);
  if (!Cut.hasSameGap(At))
    return inLine(Got.Line, Spec) + " has other signs before " +
           quoted(Got.Text) + " than expected";
  return inLine(Got.Line, Spec) + " has " + quoted(Got.Text) + " instead of " +
         quoted(Want.Text);
}

RunDifference measure::compareTexts(const OutputSpec &Spec, const Texts &All) {
  CutTexts Cut(All);
  const std::vector<Word> &Want = Cut.Words[0], &Got = Cut.Words.back();
  for (size_t K = 1; K + 1 < All.size(); ++K)
    if (Cut.Words[K].size() != Want.size())
      return RunDifference::failed("the text of " + Spec.describe() +
                                   " differs between runs of the reference");
  NumberTable Table;
  std::vector<size_t> Places;
  std::vector<unsigned> Groups = groupsOf(All[0], Want);
  size_t Common = std::min(Want.size(), Got.size());
  for (size_t I = 0; I < Common; ++I) {
    std::vector<PrintedNumber> Row = Cut.numbersAt(I);
    bool SameGap = Cut.hasSameGap(I);
    if (SameGap && !Row.empty()) {
      Table.addPlace(std::move(Row), Groups[I]);
      Places.push_back(I);
      continue;
    }
    if (SameGap && Cut.hasSameWord(I))
      continue;
    return RunDifference::failed(whatDiffers(Spec, Cut, I));
  }
  if (Want.size() != Got.size())
    return RunDifference::failed(
        Spec.describe() + " has " + std::to_string(Got.size()) +
        " words and numbers instead of " + std::to_string(Want.size()));
  if (!Cut.hasSameGap(Common))
    return RunDifference::failed(Spec.describe() +
                                 " ends with other signs than expected");
  RunDifference D;
  D.Diff = Table.compare(Spec.Rule.Limits);
  D.Passed = D.Diff.passed();
  if (D.Passed)
    return D;
  size_t First = Places[D.Diff.FirstFailing];
  // Deviations count from the mean, which the first run need not be near.
  bool AsFirst = Spec.Rule.Limits.Mode == CompareMode::Deviations &&
                 Got[First].Text == Want[First].Text;
  D.Reason = inLine(Got[First].Line, Spec) + " has " + quoted(Got[First].Text) +
             (AsFirst ? ", as the first run of the reference, but far from "
                        "the mean of its runs"
                      : " instead of " + quoted(Want[First].Text)) +
             ", beyond the tolerance";
  return D;
}
