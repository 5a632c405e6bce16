//===- Comparison.cpp - Is this output the expected one? ------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/Comparison.h"
#include "runtime/measure/Element.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace gevo;
using namespace gevo::measure;

namespace {

constexpr double Infinite = std::numeric_limits<double>::infinity();

/// The error of one element that does not have the expected bits.
template <typename E>
double errorOf(typename E::Bits Expected, typename E::Bits Actual,
               const Tolerance &T, double Floor) {
  double X = E::value(Expected), Y = E::value(Actual);
  if (std::isnan(X) || std::isnan(Y))
    return T.NanMatches && E::sameNan(Expected, Actual) ? 0 : Infinite;
  if (T.Mode == CompareMode::Exact)
    return X == 0 && Y == 0 && E::IsFloat && !T.SignedZeros ? 0 : 1;
  if (std::isinf(X) || std::isinf(Y))
    return X == Y ? 0 : Infinite;
  if (T.Mode == CompareMode::Ulp)
    return E::steps(Expected, Actual);
  double Distance = E::distance(Expected, Actual);
  if (T.Mode == CompareMode::Absolute || Distance == 0)
    return Distance;
  return Distance / std::max(std::fabs(X), Floor);
}

/// There is no noise in whole numbers.
template <typename E> double floorOf(const Tolerance &T, double Magnitude) {
  return E::IsFloat ? std::max(T.Floor, T.FloorShare * Magnitude) : T.Floor;
}

/// Calls \p Do with the bits of each element.
template <typename E, typename Fn>
void forElements(const void *Data, uint64_t Count, Fn Do) {
  const char *P = static_cast<const char *>(Data);
  for (uint64_t K = 0; K < Count; ++K, P += sizeof(typename E::Bits)) {
    typename E::Bits B;
    std::memcpy(&B, P, sizeof(B));
    Do(K, B);
  }
}

template <typename E> double magnitude(const void *Data, uint64_t Count) {
  double Most = 0;
  forElements<E>(Data, Count, [&](uint64_t, typename E::Bits B) {
    double V = std::fabs(E::value(B));
    if (std::isfinite(V))
      Most = std::max(Most, V);
  });
  return Most;
}

/// Takes note of an error of element \p Index.
void note(Difference &D, double Error, const Tolerance &T, uint64_t Index,
          ElementType Type, const void *Expected, const void *Actual) {
  D.MaxError = std::max(D.MaxError, Error);
  if (std::isfinite(Error))
    D.SumError += Error;
  if (Error <= T.Limit)
    return;
  if (!D.Failing++) {
    D.FirstFailing = Index;
    D.Expected = elementText(Type, Expected);
    D.Actual = elementText(Type, Actual);
  }
}

template <typename E>
Difference compareAs(const void *Expected, const void *Actual, uint64_t Count,
                     const Tolerance &T, double Magnitude) {
  using Bits = typename E::Bits;
  Difference D;
  D.Elements = Count;
  // Most outputs are equal, or equal for long stretches.
  constexpr uint64_t Stretch = 512;
  const char *X = static_cast<const char *>(Expected);
  const char *Y = static_cast<const char *>(Actual);
  double Floor = -1;
  bool NansDiffer = E::IsFloat && !T.NanMatches;
  for (uint64_t First = 0; First < Count; First += Stretch) {
    uint64_t N = std::min(Stretch, Count - First);
    const char *A = X + First * sizeof(Bits), *B = Y + First * sizeof(Bits);
    if (!NansDiffer && std::memcmp(A, B, N * sizeof(Bits)) == 0)
      continue;
    if (Floor < 0)
      Floor = floorOf<E>(T, T.Mode == CompareMode::Relative
                                ? std::max(Magnitude, magnitude<E>(X, Count))
                                : 0);
    for (uint64_t K = 0; K < N; ++K, A += sizeof(Bits), B += sizeof(Bits)) {
      Bits Want, Got;
      std::memcpy(&Want, A, sizeof(Bits));
      std::memcpy(&Got, B, sizeof(Bits));
      bool Same = Want == Got;
      if (Same && !(NansDiffer && std::isnan(E::value(Want))))
        continue;
      D.Differing += !Same;
      D.NewNans += std::isnan(E::value(Got)) && !std::isnan(E::value(Want));
      note(D, errorOf<E>(Want, Got, T, Floor), T, First + K, E::Type, A, B);
    }
  }
  return D;
}

/// Mean and standard deviation of one element over runs.
struct Spread {
  double Mean = 0, Deviation = 0;
  bool Odd = false; ///< Some run has NaN or an infinity.
};

template <typename E>
Spread spreadOf(const std::vector<const void *> &Runs, uint64_t Index) {
  // Welford's way: stable, in one pass.
  Spread S;
  double Squares = 0;
  unsigned N = 0;
  for (const void *Run : Runs) {
    typename E::Bits B;
    std::memcpy(&B, static_cast<const char *>(Run) + Index * sizeof(B),
                sizeof(B));
    double V = E::value(B);
    S.Odd |= !std::isfinite(V);
    double Off = V - S.Mean;
    S.Mean += Off / ++N;
    Squares += Off * (V - S.Mean);
  }
  S.Deviation = N > 1 ? std::sqrt(Squares / (N - 1)) : 0;
  return S;
}

template <typename E>
Difference compareSpread(const std::vector<const void *> &Runs,
                         const void *Actual, uint64_t Count,
                         const Tolerance &T) {
  Difference D;
  D.Elements = Count;
  double Floor = floorOf<E>(T, magnitude<E>(Runs[0], Count));
  forElements<E>(Actual, Count, [&](uint64_t K, typename E::Bits Got) {
    const char *Want =
        static_cast<const char *>(Runs[0]) + K * sizeof(typename E::Bits);
    typename E::Bits First;
    std::memcpy(&First, Want, sizeof(First));
    D.Differing += First != Got;
    Spread S = spreadOf<E>(Runs, K);
    double V = E::value(Got), Error;
    if (S.Odd || !std::isfinite(V)) {
      Tolerance Same = T;
      Same.Mode = CompareMode::Absolute;
      Error =
          First == Got && T.NanMatches ? 0 : errorOf<E>(First, Got, Same, 0);
      D.NewNans += std::isnan(V) && !std::isnan(E::value(First));
    } else {
      Error = std::fabs(V - S.Mean);
      if (Error != 0)
        Error /= std::max(S.Deviation, Floor);
    }
    note(D, Error, T, K, E::Type, Want, &Got);
  });
  return D;
}

} // namespace

void Difference::add(const Difference &D, uint64_t IndexBase) {
  if (!Failing && D.Failing) {
    FirstFailing = IndexBase + D.FirstFailing;
    Expected = D.Expected;
    Actual = D.Actual;
  }
  Elements += D.Elements;
  Differing += D.Differing;
  Failing += D.Failing;
  NewNans += D.NewNans;
  MaxError = std::max(MaxError, D.MaxError);
  SumError += D.SumError;
}

Difference measure::compare(ElementType T, const void *Expected,
                            const void *Actual, uint64_t Count,
                            const Tolerance &Limits, double Magnitude) {
  if (Limits.Mode == CompareMode::Deviations)
    return compareToRuns(T, {Expected}, Actual, Count, Limits);
  return withElement(T, [&](auto E) {
    return compareAs<decltype(E)>(Expected, Actual, Count, Limits, Magnitude);
  });
}

Difference measure::compareToRuns(ElementType T,
                                  const std::vector<const void *> &Runs,
                                  const void *Actual, uint64_t Count,
                                  const Tolerance &Limits) {
  if (Limits.Mode != CompareMode::Deviations)
    return compare(T, Runs[0], Actual, Count, Limits);
  return withElement(T, [&](auto E) {
    return compareSpread<decltype(E)>(Runs, Actual, Count, Limits);
  });
}

double measure::largestMagnitude(ElementType T, const void *Data,
                                 uint64_t Count) {
  return withElement(
      T, [&](auto E) { return magnitude<decltype(E)>(Data, Count); });
}

std::string measure::elementText(ElementType T, const void *Data) {
  return withElement(T, [&](auto E) {
    typename decltype(E)::Bits B;
    std::memcpy(&B, Data, sizeof(B));
    return decltype(E)::text(B);
  });
}

namespace {

std::optional<double> parseNumber(std::string_view Text) {
  std::string Copy(Text);
  char *End;
  errno = 0;
  double V = std::strtod(Copy.c_str(), &End);
  if (Copy.empty() || *End || !(V >= 0) || !std::isfinite(V))
    return std::nullopt;
  return V;
}

std::optional<CompareMode> modeByName(std::string_view Name) {
#define COMPARE_MODE(Mode, Text, Meaning)                                      \
  if (Name == Text)                                                            \
    return CompareMode::Mode;
#include "runtime/measure/CompareModes.def"
  return std::nullopt;
}

/// One word of a rule, "key:value".
bool applyWord(std::string_view Word, OutputRule &R, std::string &Error) {
  size_t Colon = Word.find(':');
  std::string_view Key = Word.substr(0, Colon);
  std::string_view Value =
      Colon == Word.npos ? std::string_view() : Word.substr(Colon + 1);
  if (Key == "type") {
    std::optional<ElementType> T = gpu::elementByName(Value);
    if (T)
      R.Type = *T;
    else
      Error = "unknown element type '" + std::string(Value) + "'";
    return T.has_value();
  }
  std::optional<CompareMode> Mode = modeByName(Key);
  if (Mode == CompareMode::Exact && Colon == Word.npos) {
    R.Limits.Mode = *Mode;
    R.Limits.Limit = 0;
    return true;
  }
  if (std::optional<double> Plain = parseNumber(Word)) {
    R.Limits.Mode = *Plain > 0 ? CompareMode::Relative : CompareMode::Exact;
    R.Limits.Limit = *Plain;
    return true;
  }
  std::optional<double> Number = parseNumber(Value);
  if (Key == "floor" && Number) {
    R.Limits.Floor = *Number;
    R.Limits.FloorShare = 0;
    return true;
  }
  if (Mode && Mode != CompareMode::Exact && Number) {
    R.Limits.Mode = *Mode;
    R.Limits.Limit = *Number;
    return true;
  }
  Error = "'" + std::string(Word) +
          "' is no tolerance; expected exact, abs:X, rel:X, ulp:X or sd:X, "
          "and after a comma floor:X, type:T";
  return false;
}

} // namespace

std::optional<OutputRule> measure::parseRule(std::string_view Text,
                                             std::string &Error) {
  OutputRule R;
  while (true) {
    size_t Comma = Text.find(',');
    if (!applyWord(Text.substr(0, Comma), R, Error))
      return std::nullopt;
    if (Comma == Text.npos)
      return R;
    Text.remove_prefix(Comma + 1);
  }
}

std::optional<NamedRule> measure::parseNamedRule(std::string_view Text,
                                                 std::string &Error) {
  // Names of files may have a '=', rules have none.
  size_t Equals = Text.rfind('=');
  bool Named = Equals != Text.npos;
  std::optional<OutputRule> Rule =
      parseRule(Named ? Text.substr(Equals + 1) : Text, Error);
  if (Rule && Named && !Equals)
    Error = "'" + std::string(Text) + "' names no output before its '='";
  if (!Rule || (Named && !Equals))
    return std::nullopt;
  return NamedRule{std::string(Named ? Text.substr(0, Equals) : ""), *Rule};
}
