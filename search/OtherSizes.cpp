//===- OtherSizes.cpp - Sizes that a launch may have ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each way in which sizes differ.
//
//===----------------------------------------------------------------------===//

#include "search/OtherSizes.h"
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <set>

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;

// Every word, as a parameter may be a structure, and one of eight bytes may
// have the count in its lower half.
static std::vector<Count> wordsOf(const Case &C, uint32_t Least,
                                  uint32_t Most) {
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

std::vector<Count> gevo::countsOf(const Case &C) {
  return wordsOf(C, 2, MostCount);
}

std::vector<Count> gevo::onesOf(const Case &C) { return wordsOf(C, 1, 1); }

OtherInput gevo::withCount(const Case &C, const Count &Of, uint32_t Now) {
  OtherInput O{C,
               std::to_string(Now) + " for " + std::to_string(Of.Value) +
                   " in " + Of.Where,
               CountChange{Of.Value, Now}};
  std::memcpy(&O.Changed.Launches[0].Params[Of.Offset], &Now, sizeof(Now));
  return O;
}

// The least that a dimension of \p L has, of those that have more than \p Few;
// 0 if none has.
static uint64_t leastThreads(const capture::Launch &L, uint64_t Few) {
  uint64_t Least = 0;
  for (auto [Blocks, Threads] :
       {std::pair(L.Grid.X, L.Block.X), std::pair(L.Grid.Y, L.Block.Y),
        std::pair(L.Grid.Z, L.Block.Z)})
    if (uint64_t All = uint64_t(Blocks) * Threads;
        All > Few && (!Least || All < Least))
      Least = All;
  return Least;
}

// Somewhat smaller and, if that can be, with three left over after fours.
static uint32_t drawLess(uint32_t Value, Random &Dice) {
  uint32_t Less = Value - 1 - uint32_t(Dice.below(std::max(1u, Value / 4)));
  uint32_t Odd = Less | 3;
  if (Odd >= Value)
    Odd = Odd > 3 ? Odd - 4 : Less;
  return Odd;
}

std::vector<OtherInput> gevo::drawCounts(const Case &C, Random &Dice) {
  constexpr uint32_t Few = 4;
  uint64_t Threads = leastThreads(C.Launches[0], Few);
  std::vector<OtherInput> All;
  for (const Count &Of : countsOf(C)) {
    std::vector<uint32_t> Less = {drawLess(Of.Value, Dice)};
    if (Of.Value > Few)
      append_values(Less, 1, 2 + Dice.below(2));
    uint64_t Most = Of.Value - Of.Value / 4;
    if (Threads)
      Most = std::min(Most, Threads);
    if (Most > Few)
      Less.push_back(Few + uint32_t(Dice.below(Most - Few)));
    for (uint32_t Now : Less)
      All.push_back(withCount(C, Of, Now));
  }
  return All;
}

// A kernel that relies on having no threads without work gets as many blocks
// less as the count goes down.
static void addLess(const Case &C, std::vector<OtherInput> &To) {
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

std::vector<OtherInput> gevo::drawBlocks(const Case &C, bool AnyBlock) {
  std::vector<OtherInput> All;
  addLess(C, All);
  addRounds(C, AnyBlock, All);
  return All;
}

std::vector<uint64_t> gevo::sizesFor(uint64_t Before, const CountChange &Count,
                                     int MostBorder) {
  __extension__ using Wide = unsigned __int128;
  std::vector<uint64_t> Sizes;
  for (int Border = -MostBorder; Border <= MostBorder; ++Border) {
    int64_t A = int64_t(Count.Before) + Border, B = int64_t(Count.Now) + Border;
    if (A < 1 || B < 1)
      continue;
    Wide PowerA = 1, PowerB = 1;
    for (unsigned Power = 1; Power <= 3; ++Power) {
      PowerA *= uint64_t(A);
      PowerB *= uint64_t(B);
      if (PowerA > Before || Before % PowerA)
        break;
      Wide Size = Before / PowerA * PowerB;
      if (Size <= std::numeric_limits<int64_t>::max())
        Sizes.push_back(uint64_t(Size));
    }
  }
  return Sizes;
}

void gevo::cutOff(Buffer &B, uint64_t Size) {
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
  constexpr int MostBorder = 4;
  bool Any = false;
  for (size_t I = 0; I < O.Changed.Buffers.size() && O.Count; ++I) {
    Buffer &B = O.Changed.Buffers[I];
    if (!B.Variable.empty() || !Now[I])
      continue;
    // A stencil leaves out corners, which belong to the buffer nevertheless.
    uint64_t Spare = B.Size - Before[I], Size = Now[I] + Spare;
    if (Size >= B.Size || Spare > B.Size / 4 ||
        !is_contained(sizesFor(B.Size, *O.Count, MostBorder), Size))
      continue;
    cutOff(B, Size);
    Any = true;
  }
  if (Any)
    O.What += ", with buffers to fit";
  return Any;
}
