//===- LargerBlocks.cpp - More threads than a block had -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, then what they are tried with, the likeliest to show something first.
//
//===----------------------------------------------------------------------===//

#include "search/LargerBlocks.h"
#include "search/LargerSizes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace gevo;
using capture::Case;
using capture::Extent;

// All GPUs.
static constexpr uint32_t MostDeep = 64;

static uint64_t threadsOf(const Extent &Block) {
  return uint64_t(Block.X) * Block.Y * Block.Z;
}

using Dimension = uint32_t Extent::*;
static constexpr Dimension Dimensions[] = {&Extent::X, &Extent::Y, &Extent::Z};

// Those in which the kernel asks, the longest first.
static std::vector<Dimension> askedOf(const Extent &Block,
                                      const KernelTraits &Traits) {
  std::vector<Dimension> Asked;
  for (auto [D, Asks] : zip(Dimensions, Traits.AsksThreads))
    if (Asks)
      Asked.insert(find_if(Asked,
                           [&, Of = D](Dimension Other) {
                             return Block.*Other < Block.*Of;
                           }),
                   D);
  return Asked;
}

// Blocks of \p Times the threads of \p Block: those of a tile along both sides
// if that can be, else along one.
static std::vector<Extent> blocksOf(const Extent &Block, uint32_t Times,
                                    const KernelTraits &Traits) {
  std::vector<Dimension> Asked = askedOf(Block, Traits);
  std::vector<Extent> All;
  auto Add = [&](Extent Now) {
    if (Now.Z <= MostDeep && threadsOf(Now) <= Traits.MostThreads)
      All.push_back(Now);
  };
  if (Times == 4 && Asked.size() > 1 && Block.*Asked[1] > 1) {
    Extent Tile = Block;
    Tile.*Asked[0] *= 2;
    Tile.*Asked[1] *= 2;
    Add(Tile);
  }
  for (Dimension D : Asked) {
    Extent Now = Block;
    Now.*D *= Times;
    Add(Now);
  }
  return All;
}

// As many threads as \p Grid of \p Before has, in blocks of \p Now.
static Extent gridFor(Extent Grid, const Extent &Before, const Extent &Now) {
  for (Dimension D : Dimensions)
    Grid.*D = uint32_t(divideCeil(uint64_t(Grid.*D) * Before.*D, Now.*D));
  return Grid;
}

bool gevo::takesLargerBlocks(const Case &C, const KernelTraits &Traits) {
  return C.Launches.size() == 1 &&
         !blocksOf(C.Launches[0].Block, 2, Traits).empty();
}

namespace {
/// Tries what blocks of one size may be launched with.
class Trial {
public:
  Trial(const Case &C, const Extent &Block, uint32_t Times, RunOriginal Run)
      : C(C), Block(Block), Times(Times), Run(Run) {}

  /// \p Of with \p Grid; and with more dynamic shared memory, if it has any.
  std::optional<OtherInput> with(const OtherInput &Of, const Extent &Grid) {
    for (uint32_t More : {1u, Times}) {
      OtherInput O = Of;
      capture::Launch &L = O.Changed.Launches[0];
      L.Grid = Grid;
      L.Block = Block;
      if (More > 1 && !L.SharedBytes)
        break;
      L.SharedBytes *= More;
      std::vector<uint64_t> Ends;
      if (!Run(O.Changed, Ends) ||
          O.Changed.WarpInstructions > mostSteps(C.WarpInstructions))
        continue;
      O.What += (O.What.empty() ? "" : ", with ") + std::to_string(Times) +
                " times the threads in a block";
      return O;
    }
    return std::nullopt;
  }

  std::optional<OtherInput> first(ArrayRef<OtherInput> Larger) {
    constexpr size_t MostTried = 2;
    const Extent &Grid = C.Launches[0].Grid;
    for (const OtherInput &Of : Larger.take_front(MostTried))
      for (const Extent &G : {Grid, Of.Changed.Launches[0].Grid})
        if (auto Made = with(Of, G))
          return Made;
    OtherInput Same{C, "", std::nullopt};
    for (const Extent &G : {Grid, gridFor(Grid, C.Launches[0].Block, Block)})
      if (auto Made = with(Same, G))
        return Made;
    return std::nullopt;
  }

private:
  const Case &C;
  const Extent Block;
  const uint32_t Times;
  RunOriginal Run;
};
} // namespace

std::vector<OtherInput> gevo::drawLargerBlocks(const Case &C,
                                               ArrayRef<OtherInput> Larger,
                                               const KernelTraits &Traits,
                                               RunOriginal Run) {
  std::vector<OtherInput> All;
  if (C.Launches.size() != 1)
    return All;
  for (uint32_t Times : {2, 4})
    for (const Extent &Block : blocksOf(C.Launches[0].Block, Times, Traits))
      if (auto Made = Trial(C, Block, Times, Run).first(Larger)) {
        All.push_back(std::move(*Made));
        break;
      }
  return All;
}
