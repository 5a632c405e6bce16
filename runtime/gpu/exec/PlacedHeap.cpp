//===- PlacedHeap.cpp - A device heap as a replay wants it ----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table itself, and how the allocation table makes use of it: blocks that
// lie together get one area of the arena, in which they wake.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/PlacedHeap.h"
#include "runtime/gpu/exec/Memory.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

namespace {
/// Further apart, blocks do not share an area.
constexpr uint64_t AreaGap = 1 << 20;
} // namespace

PlacedHeap::PlacedHeap(const HeapRun *Runs, size_t Count, const char *Start)
    : First(Runs), Last(Runs + Count), Start(Start) {
  uint64_t Packed = 0;
  for (const HeapRun *R = First; R != Last; ++R) {
    Packed = R->block(R->Count).Offset;
    if (R->Use != HeapBlock::Made)
      Bytes += R->Count * R->Bytes;
  }
  States.reset(static_cast<State *>(std::calloc(Packed / 16 + 1, 1)));
  if (!States)
    throw std::bad_alloc();
}

PlacedHeap::Place PlacedHeap::after(uint64_t Address) const {
  const HeapRun *R = std::upper_bound(
      First, Last, Address,
      [](uint64_t A, const HeapRun &Run) { return A < Run.end(); });
  if (R == Last || Address < R->Address || R->Count == 1)
    return {R, 0};
  uint64_t Number = (Address - R->Address) / R->Stride;
  return {R, Number + (R->block(Number).end() <= Address)};
}

void PlacedHeap::goOn(Place &P) {
  if (++P.Number == P.Run->Count)
    P = {P.Run + 1, 0};
}

void PlacedHeap::goBack(Place &P) {
  if (!P.Number)
    P = {P.Run - 1, P.Run[-1].Count};
  --P.Number;
}

std::optional<HeapBlock> PlacedHeap::peek(uint64_t Begin, uint64_t End) const {
  for (Place P = after(Begin); !isEnd(P); goOn(P)) {
    HeapBlock B = P.block();
    if (B.Address >= End)
      break;
    if (isThere(B))
      return B;
  }
  return std::nullopt;
}

void PlacedHeap::wake(const HeapBlock &B) {
  stateOf(B) = Awake;
  std::memcpy(reinterpret_cast<void *>(B.Address), Start + B.Offset, B.Bytes);
}

std::optional<HeapBlock> PlacedHeap::find(uint64_t Address) {
  std::optional<HeapBlock> B = peek(Address, Address + 1);
  if (B && stateOf(*B) == Untouched)
    wake(*B);
  return B;
}

std::pair<std::optional<HeapBlock>, std::optional<HeapBlock>>
PlacedHeap::around(uint64_t Address) const {
  std::pair<std::optional<HeapBlock>, std::optional<HeapBlock>> Found;
  Place Next = after(Address);
  for (Place P = Next; !isFirst(P) && !Found.first;) {
    goBack(P);
    if (isThere(P.block()))
      Found.first = P.block();
  }
  for (; !isEnd(Next) && !Found.second; goOn(Next))
    if (isThere(Next.block()))
      Found.second = Next.block();
  return Found;
}

bool PlacedHeap::make(uint64_t Address, uint64_t Size) {
  Place P = after(Address);
  if (isEnd(P))
    return false;
  HeapBlock B = P.block();
  if (B.Address != Address || B.Bytes != Size || B.Use != HeapBlock::Made ||
      stateOf(B) != Untouched)
    return false;
  wake(B);
  Bytes += Size;
  return true;
}

bool PlacedHeap::free(uint64_t Address) {
  std::optional<HeapBlock> B = peek(Address, Address + 1);
  if (!B || B->Address != Address)
    return false;
  stateOf(*B) = Gone;
  Bytes -= B->Bytes;
  return true;
}

void PlacedHeap::read(char *Packed) const {
  for (Place P{First, 0}; !isEnd(P); goOn(P))
    if (HeapBlock B = P.block(); stateOf(B) == Awake)
      std::memcpy(Packed + B.Offset, reinterpret_cast<const void *>(B.Address),
                  B.Bytes);
}

/// Adds [\p Begin, \p End), which no block is beyond, to \p Areas: what has
/// nothing of others in between and no large gap shares one. False if something
/// else lies there.
bool GlobalMemory::addArea(uint64_t Begin, uint64_t End,
                           std::vector<Allocation> &Areas) const {
  auto Next = Live.upper_bound(Begin);
  bool Behind = Next != Live.begin();
  if (Behind && std::prev(Next)->second.end() > Begin)
    return false;
  if (Next != Live.end() && Next->first < End)
    return false;
  bool Apart = Areas.empty() || Begin > Areas.back().end() + AreaGap ||
               (Behind && std::prev(Next)->first >= Areas.back().Base);
  if (Apart) {
    Areas.emplace_back();
    Areas.back().Base = Begin;
    Areas.back().Kind = MemoryKind::DeviceHeap;
  }
  Areas.back().Bytes = End - Areas.back().Base;
  return true;
}

bool GlobalMemory::layOutAreas(const HeapRun *Runs, size_t Count,
                               std::vector<Allocation> &Areas) const {
  for (const HeapRun *R = Runs; R != Runs + Count; ++R) {
    auto Next = Live.lower_bound(R->Address);
    bool Alone = Next == Live.end() || Next->first >= R->end();
    bool Together = Alone && R->Stride <= AreaGap;
    if (Together && !addArea(R->Address, R->end(), Areas))
      return false;
    for (uint64_t K = 0; !Together && K < R->Count; ++K)
      if (HeapBlock B = R->block(K); !addArea(B.Address, B.end(), Areas))
        return false;
  }
  return true;
}

bool GlobalMemory::placeHeap(const HeapRun *Runs, size_t Count,
                             const char *Start) {
  dropHeap();
  auto New = std::make_unique<PlacedHeap>(Runs, Count, Start);
  std::vector<Allocation> Areas;
  if (!layOutAreas(Runs, Count, Areas))
    return false;
  for (Allocation &A : Areas) {
    if (!takePlace(A)) {
      dropAreas();
      return false;
    }
    HeapAreas.push_back(std::move(A));
  }
  PutUp = std::move(New);
  Used += PutUp->bytes();
  Heap += PutUp->bytes();
  ++Generation;
  return true;
}

/// Gives areas back, with all that is in them; the bytes of that.
uint64_t GlobalMemory::dropAreas() {
  uint64_t Bytes = 0;
  for (const Allocation &A : HeapAreas) {
    auto First = Live.lower_bound(A.Base), End = Live.lower_bound(A.end());
    for (auto It = First; It != End; ++It)
      Bytes += It->second.Bytes;
    Live.erase(First, End);
    if (A.Extent)
      giveExtent(A.ExtentBase, A.Extent);
    else
      clearBytes(A.Base, A.Bytes);
  }
  HeapAreas.clear();
  return Bytes;
}

void GlobalMemory::dropHeap() {
  if (!PutUp)
    return;
  uint64_t Bytes = PutUp->bytes() + dropAreas();
  Used -= Bytes;
  Heap -= Bytes;
  PutUp.reset();
  ++Generation;
}

void GlobalMemory::readHeap(char *Packed) const {
  if (PutUp)
    PutUp->read(Packed);
}

bool GlobalMemory::isInHeapArea(uint64_t Base, uint64_t Bytes) const {
  return std::any_of(
      HeapAreas.begin(), HeapAreas.end(),
      [&](const Allocation &A) { return A.contains(Base, Bytes); });
}

const Allocation *GlobalMemory::asAllocation(const HeapBlock &B) {
  Asked = Allocation();
  Asked.Base = B.Address;
  Asked.Bytes = B.Bytes;
  Asked.Kind = MemoryKind::DeviceHeap;
  Asked.Placed = true;
  // What malloc returned is newer than all that was there.
  Asked.Id = B.Use == HeapBlock::Made ? UINT64_MAX - 1 : 0;
  return &Asked;
}

const Allocation *GlobalMemory::findInHeap(uint64_t Addr, uint64_t Bytes) {
  std::optional<HeapBlock> B = PutUp ? PutUp->find(Addr) : std::nullopt;
  return B && Bytes <= B->end() - Addr ? asAllocation(*B) : nullptr;
}

bool GlobalMemory::makeInHeap(uint64_t Base, uint64_t Bytes) {
  if (!PutUp || !PutUp->make(Base, Bytes))
    return false;
  Used += Bytes;
  Heap += Bytes;
  ++Generation;
  return true;
}

bool GlobalMemory::freeInHeap(uint64_t Base) {
  std::optional<HeapBlock> B =
      PutUp ? PutUp->peek(Base, Base + 1) : std::nullopt;
  if (!B || !PutUp->free(Base))
    return false;
  Used -= B->Bytes;
  Heap -= B->Bytes;
  ++Generation;
  clearBytes(B->Address, B->Bytes);
  return true;
}

void GlobalMemory::nearestInHeap(uint64_t Addr, Neighbour &N) {
  if (!PutUp)
    return;
  auto [Before, After] = PutUp->around(Addr);
  auto distance = [](int64_t D) { return D < 0 ? uint64_t(-D) : uint64_t(D); };
  auto take = [&](const std::optional<HeapBlock> &B, int64_t Distance) {
    if (B && (!N.Where || distance(Distance) < distance(N.Distance)))
      N = {asAllocation(*B), Distance};
  };
  take(Before, Before ? int64_t(Addr - Before->end()) : 0);
  take(After, After ? -int64_t(After->Address - Addr) : 0);
}
