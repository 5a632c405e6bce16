//===- CaseBuilder.cpp - From what a launch touched to a case -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/CaseBuilder.h"
#include "runtime/gpu/capture/HeapBlocks.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::driver;
using gpu::TouchRecord;

namespace {

constexpr uint64_t PageBytes = TouchRecord::PageBytes;
/// What a GPU fetches at once; the neighbours of a touched byte in its sector
/// are kept as well.
constexpr uint64_t SectorBytes = 32;
/// Pages between two pieces; fewer are zeros of one piece.
constexpr uint64_t MaxGap = 16;
constexpr uint64_t SmallVariable = 64 * 1024;

bool anyMark(const uint8_t *Marks, uint64_t Count) {
  // If the first byte is 0, all are that equal their neighbours.
  return Count && (Marks[0] || std::memcmp(Marks, Marks + 1, Count - 1) != 0);
}

/// Fills bytes [Begin, End) of a page into \p P, whose first byte is at
/// address \p Base.
void addPage(capture::Piece &P, uint64_t Base, const TouchRecord::Page &Page,
             uint64_t Number, uint64_t Begin, uint64_t End) {
  const uint8_t *Now = reinterpret_cast<const uint8_t *>(Number * PageBytes);
  const uint8_t *Old =
      Page.Before ? reinterpret_cast<const uint8_t *>(Page.Before.get()) : Now;
  for (uint64_t S = Begin / SectorBytes * SectorBytes; S < End;
       S += SectorBytes) {
    if (!anyMark(&Page.Marks[S], SectorBytes))
      continue;
    uint64_t First = std::max(S, Begin), Last = std::min(S + SectorBytes, End);
    uint64_t At = Number * PageBytes + First - Base;
    std::memcpy(&P.Before[At], Old + First, Last - First);
    if (!Page.Written || P.Marks.empty())
      continue;
    std::memcpy(&P.After[At], Now + First, Last - First);
    std::memcpy(&P.Marks[At], &Page.Marks[First], Last - First);
  }
}

/// Was a byte of [Begin, End) written, addresses in page \p Number?
bool writes(const TouchRecord::Page &Page, uint64_t Number, uint64_t Begin,
            uint64_t End) {
  uint64_t First = Number * PageBytes;
  const uint8_t *Marks = &Page.Marks[0];
  return Page.Written &&
         std::any_of(Marks + (std::max(Begin, First) - First),
                     Marks + (std::min(End, First + PageBytes) - First),
                     capture::isWritten);
}

/// What was not written is as before.
void keepUnwritten(capture::Piece &P) {
  for (size_t K = 0, Next; K < P.Marks.size(); K = Next) {
    Next = capture::endOfRun(P.Marks, K);
    if (!capture::isWritten(P.Marks[K]))
      std::memcpy(&P.After[K], &P.Before[K], Next - K);
  }
}

/// The piece of \p A that pages \p First to \p Last (numbers of touched pages)
/// hold.
capture::Piece buildPiece(const gpu::Allocation &A, const TouchRecord &Touches,
                          const uint64_t *First, const uint64_t *Last) {
  capture::Piece P;
  uint64_t Base = std::max(A.Base, *First * PageBytes);
  uint64_t End = std::min(A.end(), (Last[-1] + 1) * PageBytes);
  P.Offset = Base - A.Base;
  P.Before.resize(End - Base);
  bool Written = std::any_of(First, Last, [&](uint64_t Number) {
    return writes(Touches.page(Number), Number, Base, End);
  });
  if (Written) {
    P.After.resize(End - Base);
    P.Marks.resize(End - Base);
  }
  for (const uint64_t *N = First; N != Last; ++N) {
    uint64_t Page = *N * PageBytes;
    addPage(P, Base, Touches.page(*N), *N, std::max(Base, Page) - Page,
            std::min(End, Page + PageBytes) - Page);
  }
  keepUnwritten(P);
  return P;
}

/// Does \p A have a touched byte in that page?
bool touches(const gpu::Allocation &A, const TouchRecord &Touches,
             uint64_t Number) {
  uint64_t Page = Number * PageBytes;
  uint64_t Begin = std::max(A.Base, Page) - Page;
  uint64_t End = std::min(A.end(), Page + PageBytes) - Page;
  return anyMark(&Touches.page(Number).Marks[Begin], End - Begin);
}

capture::Buffer buildBuffer(const gpu::Allocation &A,
                            const TouchRecord &Touches,
                            const std::vector<uint64_t> &Pages) {
  capture::Buffer B;
  B.Address = A.Base;
  B.Size = A.Bytes;
  B.IsConst = A.Kind == gpu::MemoryKind::ModuleConst;
  auto First = std::lower_bound(Pages.begin(), Pages.end(), A.Base / PageBytes);
  std::vector<uint64_t> Mine;
  for (; First != Pages.end() && *First * PageBytes < A.end(); ++First)
    if (touches(A, Touches, *First))
      Mine.push_back(*First);
  for (size_t K = 0; K < Mine.size();) {
    size_t Next = K + 1;
    while (Next < Mine.size() && Mine[Next] - Mine[Next - 1] <= MaxGap)
      ++Next;
    B.Pieces.push_back(
        buildPiece(A, Touches, Mine.data() + K, Mine.data() + Next));
    K = Next;
  }
  return B;
}

/// What a launch writes to a block that it frees is gone.
void forgetWritten(capture::Piece &P, uint64_t Begin, uint64_t Size) {
  if (P.Marks.empty())
    return;
  std::memcpy(&P.After[Begin], &P.Before[Begin], Size);
  std::memset(&P.Marks[Begin], 0, Size);
}

/// Makes small blocks of the heap one buffer.
class HeapPacker {
public:
  explicit HeapPacker(const TouchRecord &Touches) : Touches(Touches) {}

  void add(const gpu::Allocation &A, capture::HeapUse Use);
  /// Adds the buffer to \p C, if there is one.
  void finish(capture::Case &C);

private:
  const TouchRecord &Touches;
  capture::Buffer All;
  capture::Piece Memory;
  std::vector<std::pair<uint64_t, const TouchRecord::Page *>> Touched;
};

void HeapPacker::add(const gpu::Allocation &A, capture::HeapUse Use) {
  Touched.clear();
  for (uint64_t N = A.Base / PageBytes; N * PageBytes < A.end(); ++N)
    if (const TouchRecord::Page *Page = Touches.find(N)) {
      uint64_t First = N * PageBytes, Begin = std::max(A.Base, First) - First;
      uint64_t End = std::min(A.end(), First + PageBytes) - First;
      if (anyMark(&Page->Marks[Begin], End - Begin))
        Touched.emplace_back(N, Page);
    }
  if (Touched.empty() && Use != capture::HeapUse::Freed)
    return;
  uint64_t Offset = All.Size;
  All.Size += capture::packedBytes(A.Bytes);
  for (capture::Bytes *B : {&Memory.Before, &Memory.After, &Memory.Marks}) {
    if (B->capacity() < All.Size)
      B->reserve(2 * All.Size);
    B->resize(All.Size);
  }
  for (auto [Number, Page] : Touched) {
    uint64_t First = Number * PageBytes;
    addPage(Memory, A.Base - Offset, *Page, Number,
            std::max(A.Base, First) - First,
            std::min(A.end(), First + PageBytes) - First);
  }
  if (Use == capture::HeapUse::Freed)
    forgetWritten(Memory, Offset, A.Bytes);
  capture::addBlock(All.Blocks, {A.Base, Offset, /*Stride=*/0, /*Count=*/1,
                                 uint32_t(A.Bytes), uint32_t(Use)});
}

void HeapPacker::finish(capture::Case &C) {
  if (All.Blocks.empty())
    return;
  keepUnwritten(Memory);
  if (std::none_of(Memory.Marks.begin(), Memory.Marks.end(),
                   capture::isWritten)) {
    Memory.After.clear();
    Memory.Marks.clear();
  }
  All.Address = All.Blocks[0].Address;
  All.Pieces.push_back(std::move(Memory));
  C.Buffers.push_back(std::move(All));
}

/// A block and what a launch does with it.
struct UsedBlock {
  gpu::Allocation A;
  capture::HeapUse Use;
};

/// The blocks of the heap that are there, \p Live, and those that the launch
/// freed, in order of address.
std::vector<UsedBlock> usedBlocks(const std::vector<gpu::Allocation> &Live,
                                  const gpu::HeapRecord &Heap) {
  std::vector<UsedBlock> All;
  for (const gpu::Allocation &A : Heap.freed())
    All.push_back({A, capture::HeapUse::Freed});
  auto before = [](const UsedBlock &X, const UsedBlock &Y) {
    return X.A.Base < Y.A.Base;
  };
  std::sort(All.begin(), All.end(), before);
  const std::vector<UsedBlock> Freed = All;
  for (const gpu::Allocation &A : Live) {
    bool Made = Heap.isMade(A);
    // In a replay the place of a block that is freed is that block's.
    auto Next = std::partition_point(
        Freed.begin(), Freed.end(),
        [&](const UsedBlock &F) { return F.A.end() <= A.Base; });
    if (!Made || Next == Freed.end() || Next->A.Base >= A.end())
      All.push_back(
          {A, Made ? capture::HeapUse::Made : capture::HeapUse::Kept});
  }
  if (!std::is_sorted(All.begin(), All.end(), before))
    std::sort(All.begin(), All.end(), before);
  return All;
}

void addHeap(capture::Case &C, const TouchRecord &Touches,
             const gpu::HeapRecord &Heap,
             const std::vector<gpu::Allocation> &Live,
             const std::vector<uint64_t> &Pages) {
  HeapPacker Small(Touches);
  for (const auto &[A, Use] : usedBlocks(Live, Heap)) {
    if (A.Bytes <= capture::LargestSmallBlock) {
      Small.add(A, Use);
      continue;
    }
    capture::Buffer B = buildBuffer(A, Touches, Pages);
    B.Heap = Use;
    if (Use == capture::HeapUse::Freed)
      for (capture::Piece &P : B.Pieces)
        P.After = P.Marks = capture::Bytes();
    if (!B.Pieces.empty() || Use == capture::HeapUse::Freed)
      C.Buffers.push_back(std::move(B));
  }
  Small.finish(C);
  std::sort(C.Buffers.begin(), C.Buffers.end(),
            [](const capture::Buffer &X, const capture::Buffer &Y) {
              return X.Address < Y.Address;
            });
  std::vector<gpu::HeapCall> Calls = Heap.calls();
  std::sort(Calls.begin(), Calls.end(), gpu::isBefore);
  for (const gpu::HeapCall &Call : Calls)
    capture::addCall(C.HeapCalls,
                     {Call.Thread, Call.Number, Call.Bytes, Call.Address});
  C.HeapChange = Heap.change();
}

} // namespace

capture::Case gevo::driver::buildCase(const LaunchPlan &Plan,
                                      const LaunchOutcome &Outcome,
                                      const TouchRecord &Touches,
                                      const gpu::HeapRecord &Heap) {
  capture::Case C;
  capture::Launch L;
  L.Kernel = Plan.F->Code->name();
  L.Grid = {Plan.Grid.X, Plan.Grid.Y, Plan.Grid.Z};
  L.Block = {Plan.Block.X, Plan.Block.Y, Plan.Block.Z};
  L.SharedBytes = Plan.DynamicShared;
  L.Cooperative = Plan.Cooperative;
  L.GridNumber = Outcome.Result.GridNumber;
  L.Params.assign(Plan.Params.begin(), Plan.Params.end());
  for (const gpu::KernelParam &P : Plan.F->Code->params())
    L.Offsets.push_back(P.Offset);
  C.Launches.push_back(std::move(L));
  C.WarpInstructions = Outcome.Result.Counters.WarpInstructions;
  C.Cycles = Outcome.Timing ? Outcome.Timing->Cycles : 0;
  C.Microseconds = Outcome.Microseconds;
  std::vector<uint64_t> Pages = Touches.touched();
  std::vector<gpu::Allocation> Blocks;
  Plan.F->Owner->Ctx->Engine->forAllocations([&](const gpu::Allocation &A) {
    if (A.Kind == gpu::MemoryKind::DeviceHeap) {
      Blocks.push_back(A);
      return;
    }
    capture::Buffer B = buildBuffer(A, Touches, Pages);
    if (B.Pieces.empty())
      return;
    // Variables of other modules are memory like any other.
    for (const gpu::ModuleVariable &V : Plan.F->Owner->Loaded->variables())
      if (V.Address == A.Base)
        B.Variable = V.Name;
    C.Buffers.push_back(std::move(B));
  });
  addHeap(C, Touches, Heap, Blocks, Pages);
  return C;
}

void gevo::driver::markVariables(const LaunchPlan &Plan, TouchRecord &Touches) {
  for (const gpu::ModuleVariable &V : Plan.F->Owner->Loaded->variables())
    if (V.Bytes <= SmallVariable)
      Touches.readAll(V.Address, V.Bytes);
}
