//===- FloatBytes.cpp - Bytes that may be floats --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/FloatBytes.h"
#include "runtime/measure/Element.h"

#include <cmath>
#include <cstring>
#include <set>

using namespace gevo;
using namespace gevo::measure;

namespace {

/// Zeros and numbers that people compute with, not zeros alone.
template <typename T> bool isFloats(std::string_view Content) {
  bool Any = false;
  for (size_t I = 0; I + sizeof(T) <= Content.size(); I += sizeof(T)) {
    T Value;
    std::memcpy(&Value, Content.data() + I, sizeof(T));
    if (Value != 0 && !isUsual(Value))
      return false;
    Any |= Value != 0;
  }
  return Any && Content.size() % sizeof(T) == 0;
}

/// The lower halves of the doubles that a content may be; if it is floats of
/// four bytes, these are every other one of them.
class LowWords {
public:
  explicit LowWords(std::string_view Content) {
    constexpr float Tiny = 1e-20F, Huge = 1e20F, Near = 128;
    for (size_t I = 0; I + 8 <= Content.size(); I += 8) {
      float Value[2];
      std::memcpy(Value, Content.data() + I, 8);
      float Low = std::fabs(Value[0]), High = std::fabs(Value[1]);
      AnySet |= Low != 0;
      AnyTiny |= Low != 0 && Low < Tiny;
      AnyHuge |= !(Low <= Huge);
      if (!(Low > 0) || std::isnan(High))
        continue;
      All.add(Value);
      if (Low < High * Near && High < Low * Near)
        Alike.add(Value);
    }
  }
  bool areZeros() const { return !AnySet; }
  /// Of random words less than a third are numbers that people compute with,
  /// and one in twenty is as large as another number: this many of them do not
  /// come from doubles. If all else is such a number, it is floats.
  bool areFloats() const { return Alike.atLeast(4) || All.atLeast(Most); }
  /// Nobody computes with such floats side by side.
  bool areOfAnySize() const { return AnyTiny && AnyHuge; }

private:
  static constexpr size_t Most = 16;
  /// Counts different words, up to Most. The upper ones have to differ too:
  /// the lower ones of doubles that are nearly the same are not random.
  struct Different {
    std::set<float> Seen[2];

    void add(const float (&Value)[2]) {
      for (unsigned Half : {0, 1})
        if (Seen[Half].size() < Most)
          Seen[Half].insert(Value[Half]);
    }
    bool atLeast(size_t N) const {
      return Seen[0].size() >= N && Seen[1].size() >= N;
    }
  };
  bool AnySet = false, AnyTiny = false, AnyHuge = false;
  Different All, Alike;
};

/// Are words pairs of floats of 16 bits of type \p T? Both of a pair are mostly
/// near each other; the lower one of another word is anything.
bool arePairs(ElementType T, const std::set<uint32_t> &Words) {
  constexpr double Near = 128;
  constexpr size_t Enough = 16;
  size_t Pairs = 0, Alike = 0;
  for (uint32_t Word : Words) {
    uint16_t Half[2] = {uint16_t(Word), uint16_t(Word >> 16)};
    double Low = largestMagnitude(T, &Half[0], 1),
           High = largestMagnitude(T, &Half[1], 1);
    if (!(Half[0] << 1 & 0xffff) || !(Half[1] << 1 & 0xffff))
      continue;
    ++Pairs;
    Alike +=
        isUsual(Low) && isUsual(High) && Low < High * Near && High < Low * Near;
  }
  return Pairs >= Enough && Alike * 10 >= Pairs * 9;
}

} // namespace

std::vector<ElementType> measure::halfTypesOf(std::string_view Content) {
  constexpr size_t Most = 1024;
  std::set<uint32_t> Words;
  for (size_t I = 0; I + 4 <= Content.size() && Words.size() < Most; I += 4) {
    uint32_t Word;
    std::memcpy(&Word, Content.data() + I, 4);
    Words.insert(Word);
  }
  std::vector<ElementType> Types;
  for (ElementType T : {ElementType::F16, ElementType::BF16})
    if (arePairs(T, Words))
      Types.push_back(T);
  return Types;
}

std::vector<ElementType> measure::floatTypesOf(std::string_view Content) {
  bool Single = isFloats<float>(Content), Double = isFloats<double>(Content);
  if (!Single && !Double)
    return {};
  if (Content.size() % 8)
    return {ElementType::F32};
  LowWords Low(Content);
  if (Single && (Low.areFloats() || (!Double && !Low.areZeros())))
    return {ElementType::F32};
  if (!Single && Low.areOfAnySize())
    return {ElementType::F64};
  return {ElementType::F32, ElementType::F64};
}

Difference measure::compareStoredBits(ElementType T, std::string_view Expected,
                                      std::string_view Actual,
                                      Tolerance Limits) {
  std::string Compared(Actual);
  uint64_t Size = gpu::elementBytes(T);
  withElement(T, [&](auto E) {
    for (size_t K = 0; K + Size <= Expected.size(); K += Size) {
      typename decltype(E)::Bits B;
      std::memcpy(&B, &Expected[K], Size);
      if (!isUsual(decltype(E)::value(B)))
        Expected.copy(&Compared[K], Size, K);
    }
  });
  Limits.FloorShare = 0;
  return compare(T, Expected.data(), Compared.data(), Expected.size() / Size,
                 Limits);
}
