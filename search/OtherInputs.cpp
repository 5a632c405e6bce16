//===- OtherInputs.cpp - Inputs like those that were captured -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture does not say of what type memory is that is only read; the values
// tell.
//
//===----------------------------------------------------------------------===//

#include "search/OtherInputs.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

namespace {

template <typename T> T loadAs(const uint8_t *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return Value;
}

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

} // namespace

static bool holdsAddresses(Buffer &B, const Case &C) {
  Elements Words(B, 8);
  for (size_t I = 0; I < Words.count(); ++I) {
    auto Word = loadAs<uint64_t>(Words[I]);
    if (any_of(C.Buffers, [&](const Buffer &To) {
          return Word >= To.Address && Word < To.Address + To.Size;
        }))
      return true;
  }
  return false;
}

// Zeros, and numbers that people compute with; not zeros alone.
template <typename T> static bool areFloats(const Elements &All) {
  constexpr double Least = 1e-12, Most = 1e12;
  bool Any = false;
  for (size_t I = 0; I < All.count(); ++I) {
    double Value = std::fabs(loadAs<T>(All[I]));
    if (Value == 0)
      continue;
    if (!(Value >= Least && Value <= Most))
      return false;
    Any = true;
  }
  return Any;
}

template <typename T>
static void drawFloats(const Elements &All, Random &Dice) {
  T Least = loadAs<T>(All[0]), Most = Least;
  for (size_t I = 0; I < All.count(); ++I) {
    Least = std::min(Least, loadAs<T>(All[I]));
    Most = std::max(Most, loadAs<T>(All[I]));
  }
  for (size_t I = 0; I < All.count(); ++I) {
    double Share = double(Dice.next() >> 11) * 0x1p-53;
    T Value = Least + (Most - Least) * T(Share);
    std::memcpy(All[I], &Value, sizeof(T));
  }
}

static void drawWords(const Elements &All, Random &Dice) {
  std::vector<uint8_t> Seen;
  for (size_t I = 0; I < All.count(); ++I)
    Seen.insert(Seen.end(), All[I], All[I] + All.size());
  for (size_t I = 0; I < All.count(); ++I)
    std::memcpy(All[I], &Seen[Dice.below(All.count()) * All.size()],
                All.size());
}

static void shuffle(const Elements &All, Random &Dice) {
  for (size_t I = All.count(); I > 1; --I) {
    size_t J = Dice.below(I);
    std::swap_ranges(All[I - 1], All[I - 1] + All.size(), All[J]);
  }
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

static void change(Case &C, bool Doubles, bool Order, Random &Dice) {
  for (Buffer &B : C.Buffers) {
    if (holdsAddresses(B, C))
      continue;
    bool Floats;
    Elements All = elementsOf(B, Doubles, Floats);
    if (All.count() < 2)
      continue;
    if (Order)
      shuffle(All, Dice);
    else if (!Floats)
      drawWords(All, Dice);
    else if (All.size() == 8)
      drawFloats<double>(All, Dice);
    else
      drawFloats<float>(All, Dice);
  }
}

// A parameter of four bytes that may be a count is made somewhat smaller.
static void addCounts(const Case &C, Random &Dice,
                      std::vector<OtherInput> &To) {
  constexpr uint32_t Least = 2, Most = 1 << 24;
  const capture::Launch &L = C.Launches[0];
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t From = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    if (From + 4 > End || End - From >= 8)
      continue;
    auto Value = loadAs<uint32_t>(&L.Params[From]);
    if (Value < Least || Value > Most)
      continue;
    uint32_t Smaller = Value - 1 - Dice.below(std::max(1u, Value / 4));
    OtherInput O{C, std::to_string(Smaller) + " for " + std::to_string(Value) +
                        " in parameter " + std::to_string(I)};
    std::memcpy(&O.Changed.Launches[0].Params[From], &Smaller, sizeof(Smaller));
    To.push_back(std::move(O));
  }
}

std::vector<OtherInput> gevo::drawOtherInputs(const Case &C, bool Doubles,
                                              Random &Dice) {
  std::vector<OtherInput> All;
  for (unsigned Turn = 0; Turn < 2; ++Turn) {
    All.push_back({C, "other values"});
    change(All.back().Changed, Doubles, /*Order=*/false, Dice);
  }
  All.push_back({C, "the same values in another order"});
  change(All.back().Changed, Doubles, /*Order=*/true, Dice);
  if (C.Launches.size() == 1)
    addCounts(C, Dice, All);
  return All;
}
