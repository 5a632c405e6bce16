//===- OtherInputs.cpp - Inputs like those that were captured -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each way in which an input differs; those whose launches
// the original does not get along with are for the caller to leave out.
//
//===----------------------------------------------------------------------===//

#include "search/OtherInputs.h"
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <set>

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

static StringRef nameOf(Draw How) {
  switch (How) {
  case Draw::Like:
    return "other values";
  case Draw::Beyond:
    return "values beyond those seen";
  case Draw::Order:
    return "the same values in another order";
  case Draw::Counts:
    return "small numbers for zeros";
  case Draw::Parts:
    return "fractions for zeros";
  }
  llvm_unreachable("a draw without a name");
}

// All buffers or, where a kernel needs some of them as they are, such as the
// rows of a sparse matrix, as many as it gets along with.
static bool addValues(const Case &C, bool Doubles, Draw How, Random &Dice,
                      function_ref<bool(Case &)> Works,
                      std::vector<OtherInput> &To) {
  // A root of what was always positive is one of nothing: no input at all.
  auto GetsAlong = [&](Case &Changed) {
    bool Inside = How == Draw::Like || How == Draw::Order;
    return Works(Changed) && (Inside || staysFinite(C, Changed));
  };
  std::string What = nameOf(How).str();
  Case Whole = C;
  std::vector<size_t> Changed;
  for (size_t I = 0; I < C.Buffers.size(); ++I)
    if (drawValues(Whole.Buffers[I], C, Doubles, How, Dice))
      Changed.push_back(I);
  if (Changed.empty())
    return false;
  if (GetsAlong(Whole)) {
    To.push_back({std::move(Whole), What, std::nullopt});
    return true;
  }
  Case Some = C;
  size_t Count = 0;
  for (size_t I : Changed) {
    Case More = Some;
    More.Buffers[I] = Whole.Buffers[I];
    if (!GetsAlong(More))
      continue;
    Some = std::move(More);
    ++Count;
  }
  if (Count)
    To.push_back({std::move(Some),
                  What + " in " + std::to_string(Count) + " of " +
                      std::to_string(Changed.size()) + " buffers",
                  std::nullopt});
  return Count;
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
  if (Doubles && Size == 8 && drawNear(From, 8, Dice))
    return true;
  bool Any = false;
  for (size_t Word = 0; Word + 4 <= Size; Word += 4)
    if (!isOfAddress(Params, At + Word, C))
      Any |= drawNear(From + Word, 4, Dice);
  return Any;
}

// Numbers among the parameters, such as the factor of a sum: it may be 1 in
// every run that was seen.
static void addParameters(const Case &C, const KernelTraits &Traits,
                          Random &Dice, std::vector<OtherInput> &To) {
  OtherInput O{C, "other numbers in its parameters", std::nullopt};
  capture::Launch &L = O.Changed.Launches[0];
  bool Any = false;
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    // That a zero is a float, only its declaration tells.
    bool Float = Traits.isFloat(I) && Traits.FloatBytes[I] <= End - At;
    if (Float && drawForZero(&L.Params[At], Traits.FloatBytes[I], Dice))
      Any = true;
    else
      Any |= drawParameter(L.Params, At, End - At, Traits.Doubles, C, Dice);
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

static constexpr uint32_t MostCount = 1 << 24;

// Of the first few that may be: every word, as a parameter may be a structure,
// and one of eight bytes may have the count in its lower half.
static std::vector<Count> countsOf(const Case &C) {
  constexpr uint32_t Least = 2;
  constexpr size_t MostCounts = 8;
  const capture::Launch &L = C.Launches[0];
  std::vector<Count> All;
  for (size_t At = 0; At + 4 <= L.Params.size() && All.size() < MostCounts;
       At += 4) {
    if (isOfAddress(L.Params, At, C))
      continue;
    auto Value = loadAs<uint32_t>(&L.Params[At]);
    auto After = upper_bound(L.Offsets, At);
    if (Value < Least || Value > MostCount || After == L.Offsets.begin())
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

// No and yes, or the first and the second of something: a kernel that is asked
// for one alone must not forget the other. Not in eight bytes, where a zero is
// no address.
static void addFlags(const Case &C, const KernelTraits &Traits,
                     std::vector<OtherInput> &To) {
  const capture::Launch &L = C.Launches[0];
  for (size_t I = 0; I < L.Offsets.size(); ++I) {
    size_t At = L.Offsets[I],
           End = I + 1 < L.Offsets.size() ? L.Offsets[I + 1] : L.Params.size();
    ArrayRef<uint8_t> Bytes = ArrayRef(L.Params).slice(At, End - At);
    if (Traits.isFloat(I) || Bytes.empty() || Bytes.size() > 4 ||
        Bytes[0] > 1 || any_of(Bytes.drop_front(), [](uint8_t B) { return B; }))
      continue;
    OtherInput O{C,
                 std::to_string(1 - Bytes[0]) + " for " +
                     std::to_string(Bytes[0]) + " in parameter " +
                     std::to_string(I),
                 std::nullopt};
    O.Changed.Launches[0].Params[At] ^= 1;
    To.push_back(std::move(O));
  }
}

// In each dimension that has more than one.
static bool halve(capture::Extent &Of) {
  bool Any = false;
  for (uint32_t *Size : {&Of.X, &Of.Y, &Of.Z})
    if (*Size > 1) {
      *Size /= 2;
      Any = true;
    }
  return Any;
}

// Loops that take more than what there are threads for, and that go round once
// here: with fewer blocks for the same, with a larger count for what fewer
// blocks leave of the memory, and with fewer threads where a kernel asks how
// many it has.
static void addRounds(const Case &C, bool AnyBlock,
                      std::vector<OtherInput> &To) {
  OtherInput Fewer{C, "half of its blocks", std::nullopt};
  if (halve(Fewer.Changed.Launches[0].Grid)) {
    for (const Count &Of : countsOf(C))
      if (Of.Value <= MostCount / 2) {
        OtherInput O = withCount(Fewer.Changed, Of, 2 * Of.Value);
        O.What += " and " + Fewer.What;
        O.Count.reset();
        To.push_back(std::move(O));
      }
    To.push_back(std::move(Fewer));
  }
  constexpr uint64_t Warp = 32;
  capture::Extent Block = C.Launches[0].Block;
  if (!AnyBlock || uint64_t(Block.X) * Block.Y * Block.Z < 2 * Warp)
    return;
  uint32_t &Longest = Block.X >= Block.Y && Block.X >= Block.Z ? Block.X
                      : Block.Y >= Block.Z                     ? Block.Y
                                                               : Block.Z;
  Longest /= 2;
  OtherInput Narrow{C, "half of its threads", std::nullopt};
  Narrow.Changed.Launches[0].Block = Block;
  To.push_back(std::move(Narrow));
}

std::vector<OtherInput>
gevo::drawOtherInputs(const Case &C, const KernelTraits &Traits, Random &Dice,
                      function_ref<bool(Case &)> Works) {
  std::vector<OtherInput> All;
  for (Draw How : {Draw::Like, Draw::Beyond, Draw::Order})
    if (!addValues(C, Traits.Doubles, How, Dice, Works, All) &&
        How == Draw::Beyond)
      addValues(C, Traits.Doubles, Draw::Like, Dice, Works, All);
  if (C.Launches.size() == 1) {
    addParameters(C, Traits, Dice, All);
    addFlags(C, Traits, All);
    addCounts(C, Dice, All);
    addBlocks(C, All);
    addRounds(C, Traits.AnyBlock, All);
  }
  for (Draw How : {Draw::Counts, Draw::Parts})
    addValues(C, Traits.Doubles, How, Dice, Works, All);
  return All;
}

KernelTraits gevo::traitsOf(StringRef Ptx, StringRef Kernel) {
  StringRef Text =
      Ptx.substr(Ptx.find((Twine(".entry ") + Kernel + "(").str()));
  Text = Text.substr(0, Text.find("\n}"));
  KernelTraits Traits{Ptx.contains(".f64"), Text.contains("%ntid"), {}};
  auto [Parameters, Body] = Text.split(')');
  SmallVector<StringRef, 16> Each;
  Parameters.split('(').second.split(Each, ',');
  for (StringRef One : Each)
    Traits.FloatBytes.push_back(One.contains(".param .f32")   ? 4
                                : One.contains(".param .f64") ? 8
                                                              : 0);
  return Traits;
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
