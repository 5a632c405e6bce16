//===- LargerSizes.cpp - More work than a launch had ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that may follow a count gets as much memory as it may need; the original
// runs, and what it uses says what each buffer needs.
//
//===----------------------------------------------------------------------===//

#include "search/LargerSizes.h"
#include "search/OtherSizes.h"
#include "search/OtherValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace gevo;
using capture::Buffer;
using capture::Case;
using capture::Extent;

/// Of all buffers of an input.
static constexpr uint64_t MostBytes = 64 << 20;
/// Warp instructions that every input may take, and one with many times the
/// work; others may take some times those of the run.
static constexpr uint64_t FewSteps = 100000, ManySteps = 10000000,
                          MostTimes = 8;

namespace {
/// What becomes larger, and by how much.
struct Growth {
  CountChange Count, Blocks;

  /// What a buffer of \p Size bytes may have then.
  std::vector<uint64_t> sizes(uint64_t Size) const {
    // Anything is a multiple of 1, and of its powers.
    if (Count.Before == 1)
      return {Size * Count.Now};
    // A border of what is hardly larger would make a count of anything.
    int MostBorder = int(std::min<uint64_t>(4, Count.Before / 8));
    std::vector<uint64_t> All = sizesFor(Size, Count, MostBorder);
    // What blocks or threads have each.
    if (Blocks.Now > Blocks.Before && Size % Blocks.Before == 0)
      All.push_back(Size / Blocks.Before * Blocks.Now);
    return All;
  }
};

/// A case with more memory than it may need.
struct Roomy {
  Case Changed;
  /// By buffer, which one of the original's it is: some have moved.
  std::vector<size_t> From;
  bool HasRoom = false;
};
} // namespace

static uint64_t bytesOf(const Case &C) {
  uint64_t Bytes = 0;
  for (const Buffer &B : C.Buffers)
    Bytes += B.Size;
  return Bytes;
}

static uint64_t blocksOf(const Extent &Grid) {
  return uint64_t(Grid.X) * Grid.Y * Grid.Z;
}

// The blocks for \p Now where \p Blocks of \p Threads, with one element for
// each thread or several, are those for \p Before; else as many as they are.
static uint32_t blocksFor(uint32_t Blocks, uint32_t Threads, uint32_t Before,
                          uint32_t Now) {
  uint64_t Each = divideCeil(Before, uint64_t(Blocks) * Threads);
  uint64_t Unit = Each * Threads;
  if ((Each == 1 || Blocks > 1) && divideCeil(Before, Unit) == Blocks)
    return uint32_t(divideCeil(Now, Unit));
  if (Blocks > 1 && Before % Blocks == 0)
    return uint32_t(uint64_t(Blocks) * Now / Before);
  return Blocks;
}

// Grids to try, the likeliest first: one dimension or another may be that of
// another count of the same value, blocks may be those of a product of counts,
// and threads may take turns.
static std::vector<Extent> gridsFor(const capture::Launch &L, uint32_t Before,
                                    uint32_t Now) {
  const Extent &G = L.Grid, &B = L.Block;
  Extent All = {blocksFor(G.X, B.X, Before, Now),
                blocksFor(G.Y, B.Y, Before, Now),
                blocksFor(G.Z, B.Z, Before, Now)};
  std::vector<Extent> Grids;
  for (Extent E : {All, Extent{All.X, G.Y, G.Z}, Extent{G.X, All.Y, G.Z},
                   Extent{G.X, G.Y, All.Z},
                   Extent{uint32_t(uint64_t(G.X) * Now / Before), G.Y, G.Z}, G})
    if (!is_contained(Grids, E))
      Grids.push_back(E);
  return Grids;
}

// Only what parameters point to, with nothing but its start, can be moved.
static bool canMove(const Buffer &B, const capture::Launch &L) {
  bool Any = false;
  for (size_t At = 0; At + 8 <= L.Params.size(); At += 8) {
    auto Word = loadAs<uint64_t>(&L.Params[At]);
    if (Word > B.Address && Word <= B.Address + B.Size)
      return false;
    Any |= Word == B.Address;
  }
  return Any && B.Variable.empty();
}

// Makes \p B one piece of \p Size bytes: what it held, over and over. What is
// not known of it is as its first piece.
static void repeatUpTo(Buffer &B, uint64_t Size) {
  constexpr size_t Largest = 16; // Of elements.
  const capture::Piece &First = B.Pieces[0];
  size_t Period = First.Before.size() / Largest * Largest;
  capture::Bytes All(Size);
  for (uint64_t I = 0; I < B.Size && Period; ++I)
    All[I] = First.Before[(I + Period - First.Offset % Period) % Period];
  for (const capture::Piece &P : B.Pieces)
    copy(P.Before, All.begin() + std::ptrdiff_t(P.Offset));
  for (uint64_t I = B.Size; I < Size; ++I)
    All[I] = All[I - B.Size];
  B.Pieces = {{0, std::move(All), {}, {}}};
  B.Size = Size;
}

uint64_t gevo::mostSteps(uint64_t Steps) {
  return FewSteps + MostTimes * Steps;
}

uint64_t gevo::freePlace(const Case &C, uint64_t From, uint64_t Size) {
  constexpr uint64_t Apart = 1 << 16;
  uint64_t At = alignTo(From, Apart) + Apart;
  for (const Buffer &B : C.Buffers) // In order of address.
    if (B.Address < At + Size + Apart && B.Address + B.Size + Apart > At)
      At = alignTo(B.Address + B.Size, Apart) + Apart;
  return At;
}

static void moveTo(Case &C, Buffer &B, uint64_t Address) {
  capture::Bytes &Params = C.Launches[0].Params;
  for (size_t At = 0; At + 8 <= Params.size(); At += 8)
    if (loadAs<uint64_t>(&Params[At]) == B.Address)
      std::memcpy(&Params[At], &Address, sizeof(Address));
  B.Address = Address;
}

// Gives what may follow \p G room for the most that it may need, and all memory
// contents, as more work may come to what the run left alone.
static Roomy makeRoom(const Case &C, ArrayRef<uint64_t> Ends, const Growth &G) {
  Roomy R{C, {}, false};
  std::vector<size_t> Moved;
  uint64_t Bytes = bytesOf(C), Next = 0;
  for (size_t I = 0; I < C.Buffers.size(); ++I) {
    Buffer &B = R.Changed.Buffers[I];
    bool Plain = !B.ofHeap() && !B.Pieces.empty() && !holdsAddresses(B, C);
    uint64_t Most = 0;
    for (uint64_t Size : G.sizes(B.Size))
      if (Size > B.Size && Bytes + (Size - B.Size) <= MostBytes)
        Most = std::max(Most, Size);
    if (!Most || !Ends[I] || B.Size - Ends[I] > B.Size / 4 || !Plain ||
        !canMove(B, C.Launches[0])) {
      R.From.push_back(I);
      if (Plain)
        repeatUpTo(B, B.Size);
      continue;
    }
    Bytes += Most - B.Size;
    repeatUpTo(B, Most);
    Next = std::max(Next, C.Buffers[I].Address + C.Buffers[I].Size);
    Moved.push_back(I);
  }
  for (size_t I : Moved) {
    Buffer &B = R.Changed.Buffers[I];
    Next = freePlace(C, Next, B.Size);
    moveTo(R.Changed, B, Next);
    Next += B.Size;
  }
  R.HasRoom = !Moved.empty();
  append_range(R.From, Moved);
  llvm::sort(R.From, [&](size_t A, size_t B) {
    return R.Changed.Buffers[A].Address < R.Changed.Buffers[B].Address;
  });
  std::vector<Buffer> Sorted;
  for (size_t I : R.From)
    Sorted.push_back(std::move(R.Changed.Buffers[I]));
  R.Changed.Buffers = std::move(Sorted);
  return R;
}

// The least size that a buffer of \p Was bytes, used up to \p Before, may have
// if it is now used up to \p Now: of what is used no less than it was, as a
// stencil leaves out corners or rows, which belong to the buffer nevertheless.
// 0 if there is none.
static uint64_t sizeToFit(uint64_t Was, uint64_t Before, uint64_t Now,
                          const Growth &G) {
  uint64_t Least = 0;
  for (uint64_t Size : G.sizes(Was))
    if (Size >= Now &&
        double(Size - Now) * double(Was) <= double(Was - Before) * double(Size))
      Least = Least ? std::min(Least, Size) : Size;
  return Least;
}

// Lets each buffer that has room end with what the run of the original, which
// ends at \p Now by buffer of \p R, asks for; false if one is used otherwise
// than \p G says, or none is used more than before.
static bool fit(Roomy &R, const Case &C, ArrayRef<uint64_t> Before,
                ArrayRef<uint64_t> Now, const Growth &G) {
  bool Any = false;
  for (size_t I = 0; I < R.From.size(); ++I) {
    Buffer &B = R.Changed.Buffers[I];
    uint64_t Was = C.Buffers[R.From[I]].Size, Size = Was;
    if (B.Size == Was)
      continue;
    if (Now[I] > Was)
      Size = sizeToFit(Was, Before[R.From[I]], Now[I], G);
    if (!Size || Size > B.Size)
      return false;
    cutOff(B, Size);
    Any |= Size > Was;
  }
  return Any;
}

// \p Of made \p Now, with nothing else: that of a loop, if no more than that.
static std::optional<OtherInput> prolong(const Case &C, const Count &Of,
                                         uint32_t Now, uint64_t MostSteps,
                                         RunOriginal Run) {
  OtherInput O = withCount(C, Of, Now);
  std::vector<uint64_t> Touched;
  // What grows from round to round may end as infinity, which hides anything.
  if (!Run(O.Changed, Touched) || O.Changed.WarpInstructions > MostSteps ||
      !staysFinite(C, O.Changed))
    return std::nullopt;
  O.Count.reset();
  return O;
}

// \p Of made \p Now, with the first of \p Grids that the original gets along
// with.
static std::optional<OtherInput>
enlarge(const Case &C, const Count &Of, uint32_t Now, uint64_t MostSteps,
        ArrayRef<Extent> Grids, ArrayRef<uint64_t> Ends, RunOriginal Run) {
  for (const Extent &Grid : Grids) {
    OtherInput O = withCount(C, Of, Now);
    capture::Launch &L = O.Changed.Launches[0];
    Growth G{*O.Count, {blocksOf(L.Grid), blocksOf(Grid)}};
    L.Grid = Grid;
    Roomy R = makeRoom(O.Changed, Ends, G);
    std::vector<uint64_t> Touched;
    if (!R.HasRoom || !Run(R.Changed, Touched) ||
        R.Changed.WarpInstructions > MostSteps || !fit(R, C, Ends, Touched, G))
      continue;
    O.Changed = std::move(R.Changed);
    O.What += ", with larger buffers";
    // They fit: nothing is left for fitBuffers.
    O.Count.reset();
    return O;
  }
  return std::nullopt;
}

std::vector<OtherInput> gevo::drawLarger(const Case &C, ArrayRef<uint64_t> Ends,
                                         RunOriginal Run) {
  constexpr size_t MostInputs = 6;
  std::vector<OtherInput> All;
  if (bytesOf(C) >= MostBytes)
    return All;
  uint64_t Steps = C.WarpInstructions;
  auto Add = [&](const Count &Of, uint64_t Times, uint64_t MostSteps) {
    if (All.size() == MostInputs || Of.Value * Times > MostCount ||
        Steps * Times > MostSteps)
      return false;
    auto Now = uint32_t(Of.Value * Times);
    auto Larger = enlarge(C, Of, Now, MostSteps,
                          gridsFor(C.Launches[0], Of.Value, Now), Ends, Run);
    if (Larger)
      All.push_back(std::move(*Larger));
    return Larger.has_value();
  };
  for (const Count &Of : countsOf(C)) {
    uint64_t Most = mostSteps(Steps);
    // What cannot be twice as large is not tried with more.
    if (Add(Of, 2, Most) && !Add(Of, 61, FewSteps))
      Add(Of, 7, std::min(Most, ManySteps));
  }
  return All;
}

// The count itself may be that of blocks in one dimension, or of elements that
// the threads take.
static std::vector<Extent> gridsForMany(const Extent &G, uint32_t Now) {
  std::vector<Extent> Grids = {G};
  for (uint32_t Extent::*Of : {&Extent::Z, &Extent::Y, &Extent::X}) {
    Extent Larger = G;
    Larger.*Of *= Now;
    Grids.push_back(Larger);
  }
  return Grids;
}

static bool isNarrow(const Case &C, const Count &Of,
                     const KernelTraits &Traits) {
  auto Number = size_t(upper_bound(C.Launches[0].Offsets, Of.Offset) -
                       C.Launches[0].Offsets.begin() - 1);
  return Number < Traits.IsNarrow.size() && Traits.IsNarrow[Number];
}

std::vector<OtherInput> gevo::drawManyForOne(const Case &C,
                                             ArrayRef<uint64_t> Ends,
                                             const KernelTraits &Traits,
                                             RunOriginal Run) {
  constexpr size_t MostInputs = 9;
  // Rounds of a loop that is unrolled by four or eight, with three left over,
  // and with none.
  constexpr uint32_t Twice = 19, WithRest[] = {Twice, 11, 7, 3},
                     WithoutRest[] = {8, 4};
  uint64_t Steps = C.WarpInstructions;
  std::vector<OtherInput> All;
  auto Add = [&](const Count &Of, uint32_t Now) {
    uint64_t Times = Steps * Now, Most = mostSteps(Steps);
    if (All.size() == MostInputs ||
        (Now > 2 && Times > (Now == Twice ? FewSteps : ManySteps)))
      return false;
    Most = std::max(Most, FewSteps + Times);
    std::optional<OtherInput> Made;
    if (bytesOf(C) < MostBytes)
      Made = enlarge(C, Of, Now, Most, gridsForMany(C.Launches[0].Grid, Now),
                     Ends, Run);
    if (!Made)
      Made = prolong(C, Of, Now, Most, Run);
    if (Made)
      All.push_back(std::move(*Made));
    return Made.has_value();
  };
  for (const Count &Of : onesOf(C))
    if (!isNarrow(C, Of, Traits) && Add(Of, 2))
      for (ArrayRef<uint32_t> Likely :
           {ArrayRef<uint32_t>(WithRest), ArrayRef<uint32_t>(WithoutRest)})
        for (uint32_t Now : Likely)
          if (Add(Of, Now))
            break;
  return All;
}

std::vector<OtherInput>
gevo::drawLonger(const Case &C, ArrayRef<OtherInput> Larger, RunOriginal Run) {
  constexpr size_t MostInputs = 6;
  uint64_t Steps = C.WarpInstructions;
  std::vector<OtherInput> All;
  constexpr uint32_t Many = 7;
  // Twice as much may be there for twice as many blocks alone.
  auto Follows = [&](const Count &Of) {
    return any_of(Larger, [&](const OtherInput &O) {
      return loadAs<uint32_t>(&O.Changed.Launches[0].Params[Of.Offset]) >=
             Many * Of.Value;
    });
  };
  for (const Count &Of : countsOf(C))
    for (uint32_t Times : {Many, 61U}) {
      if (All.size() == MostInputs || uint64_t(Of.Value) * Times > MostCount ||
          Steps * Times > ManySteps || Follows(Of))
        break;
      auto Made =
          prolong(C, Of, uint32_t(Of.Value * Times), mostSteps(Steps), Run);
      if (!Made)
        break;
      All.push_back(std::move(*Made));
    }
  return All;
}
