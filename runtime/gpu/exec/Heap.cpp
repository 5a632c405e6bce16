//===- Heap.cpp - malloc and free of device code --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Heap.h"
#include "runtime/gpu/exec/Block.h"

#include <algorithm>

using namespace gevo::gpu;

void HeapRecord::begin(const GlobalMemory &Memory) {
  FirstId = std::min(FirstId, Memory.nextId());
}

uint64_t HeapRecord::nextNumber(uint64_t Thread) {
  std::vector<uint64_t> &Some = Numbers[Thread / ThreadsTogether];
  Some.resize(ThreadsTogether);
  return Some[Thread % ThreadsTogether]++;
}

/// Takes the address from the call of the plan; false if it is not there, or of
/// another size.
bool HeapRecord::isPlanned(HeapCall &Call) {
  auto take = [&](size_t K) {
    if (K >= Planned || Plan[K].First.Number != Call.Number ||
        Plan[K].First.Bytes != Call.Bytes)
      return false;
    const HeapCallRun &R = Plan[K];
    uint64_t Away = Call.Thread - R.First.Thread;
    uint64_t At = R.ThreadStep ? Away / R.ThreadStep : 0;
    if (At >= R.Count || At * R.ThreadStep != Away)
      return false;
    Call.Address = R.First.Address + At * R.AddressStep;
    LastPlanned = K;
    return true;
  };
  if (take(LastPlanned) || take(LastPlanned + 1))
    return true;
  const HeapCallRun *After = std::upper_bound(
      Plan, Plan + Planned, Call, [](const HeapCall &C, const HeapCallRun &R) {
        return isBefore(C, R.First);
      });
  return After != Plan && take(size_t(After - Plan) - 1);
}

/// As planned; false if nothing is, or something else is there.
bool HeapRecord::allocate(GlobalMemory &Memory, HeapCall &Call) {
  if (!isPlanned(Call))
    return false;
  if (!Call.Address)
    return true;
  // Large memory that a replay compares is there already.
  const Allocation *A = Memory.find(Call.Address);
  if (A && A->Base == Call.Address && A->Placed &&
      A->Kind == MemoryKind::DeviceHeap && !isMade(*A)) {
    Memory.renew(A->Base);
    return true;
  }
  return Memory.allocateAt(Call.Address, Call.Bytes, MemoryKind::DeviceHeap);
}

void HeapRecord::release(const Allocation &A) {
  Change -= int64_t(A.Bytes);
  if (!isMade(A))
    Freed.push_back(A);
}

uint64_t gevo::gpu::deviceMalloc(Warp &W, unsigned Lane, uint64_t Bytes) {
  Grid &G = W.Owner.G;
  HeapRecord *Record = G.Options.Heap;
  HeapCall Call;
  Call.Bytes = Bytes;
  if (Record) {
    const Dim3 &At = W.Owner.Where, &All = G.Options.Grid;
    Call.Thread = ((uint64_t(At.Z) * All.Y + At.Y) * All.X + At.X) *
                      G.Options.Block.count() +
                  uint64_t(W.Index) * WarpSize + Lane;
    Call.Number = Record->nextNumber(Call.Thread);
    Record->begin(G.Memory);
  }
  if (!Record || !Record->allocate(G.Memory, Call)) {
    uint64_t Limit = G.Owner.config().DeviceHeapBytes;
    bool Fits =
        Bytes && Bytes <= Limit && G.Memory.heapBytes() + Bytes <= Limit;
    Call.Address =
        Fits ? G.Memory.allocate(Bytes, MemoryKind::DeviceHeap, 16) : 0;
  }
  if (!Record)
    return Call.Address;
  Record->Calls.push_back(Call);
  if (Call.Address)
    Record->Change += int64_t(Bytes);
  return Call.Address;
}

bool gevo::gpu::deviceFree(Warp &W, uint64_t Address) {
  Grid &G = W.Owner.G;
  const Allocation *A = G.Memory.find(Address);
  if (!A || A->Base != Address || A->Kind != MemoryKind::DeviceHeap)
    return false;
  if (HeapRecord *Record = G.Options.Heap) {
    Record->begin(G.Memory);
    Record->release(*A);
  }
  return G.Memory.release(Address);
}
