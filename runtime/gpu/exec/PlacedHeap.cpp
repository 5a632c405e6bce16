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

PlacedHeap::PlacedHeap(const HeapBlock *Blocks, size_t Count, const char *Start)
    : First(Blocks), Last(Blocks + Count), Start(Start),
      States(new State[Count]) {
  for (const HeapBlock *B = First; B != Last; ++B) {
    bool Made = B->Use == HeapBlock::Made;
    stateOf(*B) = Made ? ToCome : Asleep;
    Bytes += Made ? 0 : B->Bytes;
  }
}

const HeapBlock *PlacedHeap::after(uint64_t Address) const {
  return std::upper_bound(
      First, Last, Address,
      [](uint64_t A, const HeapBlock &B) { return A < B.end(); });
}

const HeapBlock *PlacedHeap::peek(uint64_t Begin, uint64_t End) const {
  for (const HeapBlock *B = after(Begin); B != Last && B->Address < End; ++B)
    if (isThere(*B))
      return B;
  return nullptr;
}

void PlacedHeap::wake(const HeapBlock &B) {
  stateOf(B) = Awake;
  std::memcpy(reinterpret_cast<void *>(B.Address), Start + B.Offset, B.Bytes);
}

const HeapBlock *PlacedHeap::find(uint64_t Address) {
  const HeapBlock *B = peek(Address, Address + 1);
  if (B && stateOf(*B) == Asleep)
    wake(*B);
  return B;
}

std::pair<const HeapBlock *, const HeapBlock *>
PlacedHeap::around(uint64_t Address) const {
  const HeapBlock *Next = after(Address), *Before = Next;
  while (Next != Last && !isThere(*Next))
    ++Next;
  while (Before != First && !isThere(Before[-1]))
    --Before;
  return {Before == First ? nullptr : Before - 1,
          Next == Last ? nullptr : Next};
}

bool PlacedHeap::make(uint64_t Address, uint64_t Size) {
  const HeapBlock *B = after(Address);
  if (B == Last || B->Address != Address || B->Bytes != Size ||
      stateOf(*B) != ToCome)
    return false;
  wake(*B);
  Bytes += Size;
  return true;
}

bool PlacedHeap::free(uint64_t Address) {
  const HeapBlock *B = peek(Address, Address + 1);
  if (!B || B->Address != Address)
    return false;
  stateOf(*B) = Gone;
  Bytes -= B->Bytes;
  return true;
}

void PlacedHeap::read(char *Packed) const {
  for (const HeapBlock *B = First; B != Last; ++B)
    if (stateOf(*B) == Awake)
      std::memcpy(Packed + B->Offset,
                  reinterpret_cast<const void *>(B->Address), B->Bytes);
}

/// Areas for \p Blocks: what has nothing of others in between and no large gap
/// shares one. False if something else lies in the place of a block.
bool GlobalMemory::layOutAreas(const HeapBlock *Blocks, size_t Count,
                               std::vector<Allocation> &Areas) const {
  auto Next = Live.end();
  for (size_t K = 0; K < Count; ++K) {
    const HeapBlock &B = Blocks[K];
    bool Apart = Areas.empty() || B.Address > Areas.back().end() + AreaGap ||
                 (Next != Live.end() && Next->second.end() <= B.Address);
    if (Apart) {
      Next = Live.upper_bound(B.Address);
      if (Next != Live.begin() && std::prev(Next)->second.end() > B.Address)
        return false;
      Allocation A;
      A.Base = B.Address;
      A.Kind = MemoryKind::DeviceHeap;
      Areas.push_back(std::move(A));
    }
    Allocation &A = Areas.back();
    A.Bytes = B.end() - A.Base;
    if (Next != Live.end() && Next->first < A.end())
      return false;
  }
  return true;
}

bool GlobalMemory::placeHeap(const HeapBlock *Blocks, size_t Count,
                             const char *Start) {
  dropHeap();
  std::vector<Allocation> Areas;
  if (!layOutAreas(Blocks, Count, Areas))
    return false;
  for (Allocation &A : Areas) {
    if (!takePlace(A)) {
      dropAreas();
      return false;
    }
    HeapAreas.push_back(std::move(A));
  }
  PutUp = std::make_unique<PlacedHeap>(Blocks, Count, Start);
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
  const HeapBlock *B = PutUp ? PutUp->find(Addr) : nullptr;
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
  const HeapBlock *B = PutUp ? PutUp->peek(Base, Base + 1) : nullptr;
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
  auto take = [&](const HeapBlock *B, int64_t Distance) {
    if (B && (!N.Where || distance(Distance) < distance(N.Distance)))
      N = {asAllocation(*B), Distance};
  };
  take(Before, Before ? int64_t(Addr - Before->end()) : 0);
  take(After, After ? -int64_t(After->Address - Addr) : 0);
}
