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
#include <set>

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

static bool isAddress(uint64_t Word, const Case &C) {
  return any_of(C.Buffers, [&](const Buffer &To) {
    return Word >= To.Address && Word < To.Address + To.Size;
  });
}

static bool holdsAddresses(Buffer &B, const Case &C) {
  Elements Words(B, 8);
  for (size_t I = 0; I < Words.count(); ++I)
    if (isAddress(loadAs<uint64_t>(Words[I]), C))
      return true;
  return false;
}

// A number that people compute with.
template <typename T> static bool isFloat(const uint8_t *At) {
  constexpr double Least = 1e-12, Most = 1e12;
  double Value = std::fabs(loadAs<T>(At));
  return Value >= Least && Value <= Most;
}

// Zeros, and numbers that people compute with; not zeros alone.
template <typename T> static bool areFloats(const Elements &All) {
  bool Any = false;
  for (size_t I = 0; I < All.count(); ++I) {
    if (loadAs<T>(All[I]) == 0)
      continue;
    if (!isFloat<T>(All[I]))
      return false;
    Any = true;
  }
  return Any;
}

template <typename T>
static void drawFloat(uint8_t *To, T Least, T Most, Random &Dice) {
  double Share = double(Dice.next() >> 11) * 0x1p-53;
  T Value = Least + (Most - Least) * T(Share);
  std::memcpy(To, &Value, sizeof(T));
}

// One that stands alone, by up to a half.
template <typename T> static void drawNear(uint8_t *Of, Random &Dice) {
  T Value = loadAs<T>(Of);
  drawFloat<T>(Of, Value / 2, Value * T(1.5), Dice);
}

template <typename T>
static void drawFloats(const Elements &All, Random &Dice) {
  T Least = loadAs<T>(All[0]), Most = Least;
  for (size_t I = 0; I < All.count(); ++I) {
    Least = std::min(Least, loadAs<T>(All[I]));
    Most = std::max(Most, loadAs<T>(All[I]));
  }
  for (size_t I = 0; I < All.count(); ++I)
    // A buffer filled with one number must not stay one: a kernel that takes
    // the number for granted would be right on it.
    if (Least == Most)
      drawNear<T>(All[I], Dice);
    else
      drawFloat<T>(All[I], Least, Most, Dice);
}

static void drawWords(const Elements &All, Random &Dice) {
  std::vector<uint8_t> Seen;
  for (size_t I = 0; I < All.count(); ++I)
    Seen.insert(Seen.end(), All[I], All[I] + All.size());
  // As with floats: one number alone must not stay it. Zeros do, as what was
  // cleared is there to be counted from.
  uint32_t First = 0;
  std::memcpy(&First, Seen.data(), All.size());
  bool Alone = First && llvm::equal(ArrayRef(Seen).drop_front(All.size()),
                                    ArrayRef(Seen).drop_back(All.size()));
  for (size_t I = 0; I < All.count(); ++I) {
    uint32_t Near = First + Dice.below(3) - 1;
    std::memcpy(All[I],
                Alone ? reinterpret_cast<const uint8_t *>(&Near)
                      : &Seen[Dice.below(All.count()) * All.size()],
                All.size());
  }
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

// False if \p B is left as it is.
static bool change(Buffer &B, const Case &C, bool Doubles, bool Order,
                   Random &Dice) {
  if (holdsAddresses(B, C))
    return false;
  bool Floats;
  Elements All = elementsOf(B, Doubles, Floats);
  if (All.count() < 2 && (Order || !Floats))
    return false;
  if (Order)
    shuffle(All, Dice);
  else if (!Floats)
    drawWords(All, Dice);
  else if (All.size() == 8)
    drawFloats<double>(All, Dice);
  else
    drawFloats<float>(All, Dice);
  return true;
}

// All buffers or, where a kernel needs some of them as they are, such as the
// rows of a sparse matrix, as many as it gets along with.
static void addValues(const Case &C, bool Doubles, bool Order, Random &Dice,
                      function_ref<bool(Case &)> Works,
                      std::vector<OtherInput> &To) {
  std::string What =
      Order ? "the same values in another order" : "other values";
  Case Whole = C;
  std::vector<size_t> Changed;
  for (size_t I = 0; I < C.Buffers.size(); ++I)
    if (change(Whole.Buffers[I], C, Doubles, Order, Dice))
      Changed.push_back(I);
  if (Changed.empty())
    return;
  if (Works(Whole))
    return To.push_back({std::move(Whole), What, std::nullopt});
  Case Some = C;
  size_t Count = 0;
  for (size_t I : Changed) {
    Case More = Some;
    More.Buffers[I] = Whole.Buffers[I];
    if (!Works(More))
      continue;
    Some = std::move(More);
    ++Count;
  }
  if (Count)
    To.push_back({std::move(Some),
                  What + " in " + std::to_string(Count) + " of " +
                      std::to_string(Changed.size()) + " buffers",
                  std::nullopt});
}

// The word at \p At is a half of an address.
static bool isOfAddress(const capture::Bytes &Params, size_t At,
                        const Case &C) {
  size_t Long = At / 8 * 8;
  return Long + 8 <= Params.size() &&
         isAddress(loadAs<uint64_t>(&Params[Long]), C);
}

// Draws the floats that a parameter of \p Size bytes at \p At has; false if it
// has none.
static bool drawParameter(capture::Bytes &Params, size_t At, size_t Size,
                          bool Doubles, const Case &C, Random &Dice) {
  uint8_t *From = &Params[At];
  if (Doubles && Size == 8 && isFloat<double>(From)) {
    drawNear<double>(From, Dice);
    return true;
  }
  bool Any = false;
  for (size_t Word = 0; Word + 4 <= Size; Word += 4)
    if (!isOfAddress(Params, At + Word, C) && isFloat<float>(From + Word)) {
      drawNear<float>(From + Word, Dice);
      Any = true;
    }
  return Any;
}

// Numbers among the parameters, such as the factor of a sum: it may be 1 in
// every run that was seen.
static void addParameters(const Case &C, bool Doubles, Random &Dice,
                          std::vector<OtherInput> &To) {
  OtherInput O{C, "other numbers in its parameters", std::nullopt};
  capture::Launch &L = O.Changed.Launches[0];
  bool Any = false;
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    Any |= drawParameter(L.Params, At, End - At, Doubles, C, Dice);
  }
  if (Any)
    To.push_back(std::move(O));
}

namespace {
/// A word of the parameters that may be a count.
struct Count {
  size_t Offset = 0;
  uint32_t Value = 0;
  /// "parameter 2", or "parameter 2+4" of a structure.
  std::string Where;
};
} // namespace

// Of the first few that may be: every word, as a parameter may be a structure,
// and one of eight bytes may have the count in its lower half.
static std::vector<Count> countsOf(const Case &C) {
  constexpr uint32_t Least = 2, Most = 1 << 24;
  constexpr size_t MostCounts = 8;
  const capture::Launch &L = C.Launches[0];
  std::vector<Count> All;
  for (size_t At = 0; At + 4 <= L.Params.size() && All.size() < MostCounts;
       At += 4) {
    if (isOfAddress(L.Params, At, C))
      continue;
    auto Value = loadAs<uint32_t>(&L.Params[At]);
    auto After = upper_bound(L.Offsets, At);
    if (Value < Least || Value > Most || After == L.Offsets.begin())
      continue;
    size_t Inside = At - *std::prev(After);
    std::string Where = "parameter " +
                        std::to_string(After - L.Offsets.begin() - 1) +
                        (Inside ? "+" + std::to_string(Inside) : "");
    All.push_back({At, Value, std::move(Where)});
  }
  return All;
}

static OtherInput withCount(const Case &C, const Count &Of, uint32_t Now) {
  OtherInput O{C,
               std::to_string(Now) + " for " + std::to_string(Of.Value) +
                   " in " + Of.Where,
               CountChange{Of.Value, Now}};
  std::memcpy(&O.Changed.Launches[0].Params[Of.Offset], &Now, sizeof(Now));
  return O;
}

// Counts made somewhat smaller, which leaves threads without work.
static void addCounts(const Case &C, Random &Dice,
                      std::vector<OtherInput> &To) {
  for (const Count &Of : countsOf(C))
    To.push_back(withCount(
        C, Of, Of.Value - 1 - Dice.below(std::max(1u, Of.Value / 4))));
}

// A kernel that relies on having no threads without work gets as many blocks
// less as the count goes down.
static void addBlocks(const Case &C, std::vector<OtherInput> &To) {
  const capture::Extent &Grid = C.Launches[0].Grid;
  for (const Count &Of : countsOf(C)) {
    std::set<uint32_t> Units;
    for (uint32_t Blocks : {Grid.X, Grid.Y, Grid.Z})
      if (Blocks > 1 && Of.Value % Blocks == 0)
        Units.insert(Of.Value / Blocks);
    for (uint32_t Unit : Units) {
      OtherInput O = withCount(C, Of, Of.Value - Unit);
      capture::Extent &Less = O.Changed.Launches[0].Grid;
      for (uint32_t *Blocks : {&Less.X, &Less.Y, &Less.Z})
        *Blocks -= *Blocks > 1 && uint64_t(*Blocks) * Unit == Of.Value;
      O.What += ", with fewer blocks";
      To.push_back(std::move(O));
    }
  }
}

std::vector<OtherInput>
gevo::drawOtherInputs(const Case &C, bool Doubles, Random &Dice,
                      function_ref<bool(Case &)> Works) {
  std::vector<OtherInput> All;
  for (bool Order : {false, false, true})
    addValues(C, Doubles, Order, Dice, Works, All);
  if (C.Launches.size() == 1) {
    addParameters(C, Doubles, Dice, All);
    addCounts(C, Dice, All);
    addBlocks(C, All);
  }
  return All;
}

// Both sizes are so many elements, or rows, for the count that they go with.
static bool follow(uint64_t Before, uint64_t Now, const CountChange &Count) {
  constexpr int MostBorder = 4;
  __extension__ using Wide = unsigned __int128;
  for (int Border = -MostBorder; Border <= MostBorder; ++Border) {
    int64_t A = int64_t(Count.Before) + Border, B = int64_t(Count.Now) + Border;
    if (B < 1)
      continue;
    Wide PowerA = 1, PowerB = 1;
    for (unsigned Power = 1; Power <= 3; ++Power) {
      PowerA *= uint64_t(A);
      PowerB *= uint64_t(B);
      if (Before % PowerA == 0 && Before / PowerA * PowerB == Now)
        return true;
    }
  }
  return false;
}

static void cutOff(Buffer &B, uint64_t Size) {
  B.Size = Size;
  llvm::erase_if(B.Pieces,
                 [&](const capture::Piece &P) { return P.Offset >= Size; });
  for (capture::Piece &P : B.Pieces)
    for (capture::Bytes *Of : {&P.Before, &P.After, &P.Marks})
      if (Of->size() > Size - P.Offset)
        Of->resize(Size - P.Offset);
}

bool gevo::fitBuffers(OtherInput &O, ArrayRef<uint64_t> Before,
                      ArrayRef<uint64_t> Now) {
  bool Any = false;
  for (size_t I = 0; I < O.Changed.Buffers.size() && O.Count; ++I) {
    Buffer &B = O.Changed.Buffers[I];
    if (!B.Variable.empty() || !Now[I])
      continue;
    // A stencil leaves out corners, which belong to the buffer nevertheless.
    uint64_t Spare = B.Size - Before[I], Size = Now[I] + Spare;
    if (Size >= B.Size || Spare > B.Size / 4 || !follow(B.Size, Size, *O.Count))
      continue;
    cutOff(B, Size);
    Any = true;
  }
  if (Any)
    O.What += ", with buffers to fit";
  return Any;
}
