//===- OtherValues.cpp - Values like those of a buffer --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are found by size, told by value, and drawn.
//
//===----------------------------------------------------------------------===//

#include "search/OtherValues.h"
#include "runtime/measure/Element.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

namespace {

/// The bytes of a buffer as elements of one size, wherever they are.
class Elements {
public:
  Elements(Buffer &B, size_t Size) : Size(Size) {
    for (capture::Piece &P : B.Pieces)
      for (size_t I = 0; I + Size <= P.Before.size(); I += Size)
        At.push_back(&P.Before[I]);
  }
  size_t count() const { return At.size(); }
  size_t size() const { return Size; }
  uint8_t *operator[](size_t I) const { return At[I]; }

private:
  size_t Size;
  std::vector<uint8_t *> At;
};

/// The least and the largest of some numbers.
template <typename T> struct Range {
  T Least, Most;
  bool alone() const { return Least == Most; }
};

} // namespace

bool gevo::isAddress(uint64_t Word, const Case &C) {
  return any_of(C.Buffers, [&](const Buffer &To) {
    return Word >= To.Address && Word < To.Address + To.Size;
  });
}

bool gevo::isOfAddress(const capture::Bytes &Params, size_t At, const Case &C) {
  size_t Long = At / 8 * 8;
  return Long + 8 <= Params.size() &&
         isAddress(loadAs<uint64_t>(&Params[Long]), C);
}

bool gevo::holdsAddresses(Buffer &B, const Case &C) {
  Elements Words(B, 8);
  for (size_t I = 0; I < Words.count(); ++I)
    if (isAddress(loadAs<uint64_t>(Words[I]), C))
      return true;
  return false;
}

// Zeros, and numbers that people compute with; not zeros alone.
template <typename T> static bool areFloats(const Elements &All) {
  bool Any = false;
  for (size_t I = 0; I < All.count(); ++I) {
    if (loadAs<T>(All[I]) == 0)
      continue;
    if (!measure::isUsual(loadAs<T>(All[I])))
      return false;
    Any = true;
  }
  return Any;
}

template <typename T> static Range<T> rangeOf(const Elements &All) {
  Range<T> R{loadAs<T>(All[0]), loadAs<T>(All[0])};
  for (size_t I = 0; I < All.count(); ++I) {
    R.Least = std::min(R.Least, loadAs<T>(All[I]));
    R.Most = std::max(R.Most, loadAs<T>(All[I]));
  }
  return R;
}

template <typename T>
static void drawFloat(uint8_t *To, Range<T> In, Random &Dice) {
  double Share = double(Dice.next() >> 11) * 0x1p-53;
  T Value = In.Least + (In.Most - In.Least) * T(Share);
  std::memcpy(To, &Value, sizeof(T));
}

// One that stands alone, by up to a half.
template <typename T> static void drawNearAs(uint8_t *Of, Random &Dice) {
  T Value = loadAs<T>(Of);
  drawFloat<T>(Of, {Value / 2, Value * T(1.5)}, Dice);
}

bool gevo::drawNear(uint8_t *Of, size_t Size, Random &Dice) {
  bool Is =
      measure::isUsual(Size == 8 ? loadAs<double>(Of) : loadAs<float>(Of));
  if (Is)
    Size == 8 ? drawNearAs<double>(Of, Dice) : drawNearAs<float>(Of, Dice);
  return Is;
}

template <typename T> static void drawPart(uint8_t *To, Random &Dice) {
  T Sign = Dice.below(2) ? T(-1) : T(1);
  drawFloat<T>(To, {Sign / 64, Sign}, Dice);
}

bool gevo::drawForZero(uint8_t *Of, size_t Size, Random &Dice) {
  bool Is = Size == 8 ? loadAs<double>(Of) == 0 : loadAs<float>(Of) == 0;
  if (Is)
    Size == 8 ? drawPart<double>(Of, Dice) : drawPart<float>(Of, Dice);
  return Is;
}

template <typename T>
static void drawFloats(const Elements &All, bool Beyond, Random &Dice) {
  Range<T> R = rangeOf<T>(All);
  if (Beyond) {
    T Span = R.alone() ? 2 * std::fabs(R.Least) : R.Most - R.Least;
    R = {R.Least - Span, R.Most + Span};
  }
  for (size_t I = 0; I < All.count(); ++I)
    if (R.alone())
      drawNearAs<T>(All[I], Dice);
    else
      drawFloat<T>(All[I], R, Dice);
}

namespace {
/// Floats that comparisons and flags treat otherwise than others do.
template <typename T> class Tied {
public:
  Tied(const Elements &All, Random &Dice) : Dice(Dice) {
    constexpr size_t Few = 6;
    for (size_t I = 0; I < All.count(); ++I)
      Held.push_back(loadAs<T>(All[I]));
    for (size_t I = 0; I < Few; ++I)
      Often.push_back(Dice.pick(Held));
  }

  T draw(T Was, Draw How) {
    using Limits = std::numeric_limits<T>;
    if (How == Draw::Specials && !Dice.below(16))
      return Dice.below(2) ? Limits::quiet_NaN() : sign() * Limits::infinity();
    switch (uint64_t Share = Dice.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (How == Draw::Equal)
        break;
      if (Share == 3 && How == Draw::Ties)
        return sign() * Limits::min() * T(Dice.below(1 << 20)) * T(0x1p-20);
      return Share == 0 ? T(0) : Share == 1 ? -T(0) : -Dice.pick(Often);
    case 4:
    case 5:
      return Dice.pick(Held);
    case 6:
    case 7:
    case 8:
      return Was;
    default:
      break;
    }
    return Dice.pick(Often);
  }

private:
  T sign() { return Dice.below(2) ? T(-1) : T(1); }

  Random &Dice;
  std::vector<T> Held, Often;
};
} // namespace

static bool isTied(Draw How) {
  return How == Draw::Equal || How == Draw::Signed || How == Draw::Ties ||
         How == Draw::Specials;
}

template <typename T>
static bool drawTied(const Elements &All, Draw How, Random &Dice) {
  if (All.count() < 2)
    return false;
  Tied<T> Of(All, Dice);
  for (size_t I = 0; I < All.count(); ++I) {
    T Value = Of.draw(loadAs<T>(All[I]), How);
    std::memcpy(All[I], &Value, sizeof(T));
  }
  return true;
}

// A stride or a count behind a pointer: the next one, and the one before.
template <typename T> static bool drawNext(uint8_t *Of, bool Beyond) {
  auto Was = loadAs<T>(Of);
  if (!Was || Was == std::numeric_limits<T>::max() ||
      Was == std::numeric_limits<T>::min())
    return false;
  T Value = T(Beyond ? Was - 1 : Was + 1);
  std::memcpy(Of, &Value, sizeof(T));
  return true;
}

// Zeros alone are for drawInZeros.
template <typename T>
static bool drawWords(const Elements &All, bool Beyond, Random &Dice) {
  using Limits = std::numeric_limits<T>;
  Range<T> Is = rangeOf<T>(All);
  if (Is.alone() && Is.Least == 0)
    return false;
  int64_t Span = !Is.alone() ? int64_t(Is.Most) - Is.Least
                 : Beyond    ? 2 * std::abs(int64_t(Is.Least))
                             : 1;
  int64_t Least = std::max<int64_t>(Is.Least - Span, Limits::min());
  int64_t Most = std::min<int64_t>(Is.Most + Span, Limits::max());
  std::vector<T> Seen;
  for (size_t I = 0; I < All.count(); ++I)
    Seen.push_back(loadAs<T>(All[I]));
  for (size_t I = 0; I < All.count(); ++I) {
    T Value = Beyond || Is.alone() ? T(Least + Dice.below(Most - Least + 1))
                                   : Dice.pick(Seen);
    std::memcpy(All[I], &Value, sizeof(T));
  }
  return true;
}

// All the same have no other order.
static bool shuffle(const Elements &All, Random &Dice) {
  size_t Different = 1;
  while (Different < All.count() &&
         !std::memcmp(All[0], All[Different], All.size()))
    ++Different;
  if (Different >= All.count())
    return false;
  for (size_t I = All.count(); I > 1; --I) {
    size_t J = Dice.below(I);
    std::swap_ranges(All[I - 1], All[I - 1] + All.size(), All[J]);
  }
  return true;
}

// Elements of the size that the values of \p B seem to have.
static Elements elementsOf(Buffer &B, bool Doubles, bool &Floats) {
  Elements Eight(B, 8), Four(B, 4);
  bool Whole = all_of(B.Pieces, [](const capture::Piece &P) {
    return P.Before.size() % 4 == 0;
  });
  bool Long = all_of(B.Pieces, [](const capture::Piece &P) {
    return P.Before.size() % 8 == 0;
  });
  Floats = true;
  if (Doubles && Long && areFloats<double>(Eight))
    return Eight;
  if (Whole && areFloats<float>(Four))
    return Four;
  Floats = false;
  return Whole ? Four : Elements(B, 1);
}

bool gevo::isInput(const Buffer &B) {
  return any_of(B.Pieces, [](const capture::Piece &P) {
    return P.Marks.empty() || any_of(P.Marks, [](uint8_t Mark) {
             return Mark & capture::ReadFirst;
           });
  });
}

// What the kernel stores there; None if it only reads.
static capture::ElementType storedIn(const Buffer &B) {
  for (const capture::Piece &P : B.Pieces)
    for (uint8_t Mark : P.Marks)
      if (capture::isWritten(Mark))
        return capture::typeOf(Mark);
  return capture::ElementType::None;
}

// What was cleared before may be there to be counted from, or a first guess: a
// kernel that adds to it must not forget what it adds to.
static bool drawInZeros(Buffer &B, bool Doubles, bool Floats, Random &Dice) {
  auto Zero = [](const capture::Piece &P) {
    return all_of(P.Before, [](uint8_t Byte) { return !Byte; });
  };
  if (!all_of(B.Pieces, Zero))
    return false;
  capture::ElementType Stored = storedIn(B);
  bool Known = Stored != capture::ElementType::None;
  unsigned Size = Known ? gpu::elementBytes(Stored) : Floats && Doubles ? 8 : 4;
  if (Known &&
      Floats != (gpu::elementFamily(Stored) == gpu::ElementFamily::Float))
    return false;
  if (Floats && Size < 4)
    return false;
  Elements All(B, Size);
  constexpr uint8_t MostCount = 3;
  for (size_t I = 0; I < All.count(); ++I)
    if (Floats)
      drawForZero(All[I], Size, Dice);
    else
      All[I][0] = uint8_t(Dice.below(MostCount + 1));
  return All.count();
}

bool gevo::drawValues(Buffer &B, const Case &C, bool Doubles, Draw How,
                      Random &Dice) {
  if (!isInput(B) || holdsAddresses(B, C))
    return false;
  if (How == Draw::Counts || How == Draw::Parts)
    return drawInZeros(B, Doubles, How == Draw::Parts, Dice);
  bool Floats;
  Elements All = elementsOf(B, Doubles, Floats);
  if (How == Draw::Order)
    return shuffle(All, Dice);
  if (isTied(How))
    return Floats && (All.size() == 8 ? drawTied<double>(All, How, Dice)
                                      : drawTied<float>(All, How, Dice));
  bool Beyond = How == Draw::Beyond;
  if (All.count() == 1 && !Floats)
    return All.size() == 4 ? drawNext<int32_t>(All[0], Beyond)
                           : drawNext<uint8_t>(All[0], Beyond);
  if (!All.count())
    return false;
  if (!Floats)
    return All.size() == 4 ? drawWords<int32_t>(All, Beyond, Dice)
                           : drawWords<uint8_t>(All, Beyond, Dice);
  else if (All.size() == 8)
    drawFloats<double>(All, Beyond, Dice);
  else
    drawFloats<float>(All, Beyond, Dice);
  return true;
}

// The float that \p P is expected to have at \p At; 0 if there is none.
static double floatAt(const capture::Piece &P, size_t At) {
  if (At >= P.Marks.size())
    return 0;
  capture::ElementType T = capture::typeOf(P.Marks[At]);
  if (T == capture::ElementType::F32 && At + 4 <= P.After.size())
    return loadAs<float>(&P.After[At]);
  if (T == capture::ElementType::F64 && (P.Offset + At) % 8 == 0 &&
      At + 8 <= P.After.size())
    return loadAs<double>(&P.After[At]);
  return 0;
}

bool gevo::staysFinite(const Case &Before, const Case &Now) {
  for (size_t B = 0; B < Now.Buffers.size(); ++B)
    for (size_t K = 0; K < Now.Buffers[B].Pieces.size(); ++K) {
      const capture::Piece &Is = Now.Buffers[B].Pieces[K];
      const capture::Piece &Was = Before.Buffers[B].Pieces[K];
      for (size_t At = 0; At < Is.Marks.size(); At += 4)
        if (!std::isfinite(floatAt(Is, At)) && std::isfinite(floatAt(Was, At)))
          return false;
    }
  return true;
}
