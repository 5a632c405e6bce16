//===- Heap.cpp - malloc and free of device code --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Heap.h"
#include "runtime/gpu/exec/Block.h"

using namespace gevo::gpu;

HeapRecord::HeapRecord(const std::vector<HeapCall> &Earlier) {
  for (const HeapCall &C : Earlier)
    Plan[{C.Thread, C.Number}] = C;
}

/// As planned; false if nothing is, or something else is there.
bool HeapRecord::allocate(GlobalMemory &Memory, HeapCall &Call) {
  auto It = Plan.find({Call.Thread, Call.Number});
  if (It == Plan.end() || It->second.Bytes != Call.Bytes)
    return false;
  Call.Address = It->second.Address;
  // The memory that a replay compares is there already.
  const Allocation *A = Call.Address ? Memory.find(Call.Address) : nullptr;
  bool Waits = A && A->Base == Call.Address && A->Placed &&
               A->Kind == MemoryKind::DeviceHeap && !Made.count(Call.Address);
  return !Call.Address || Waits ||
         Memory.allocateAt(Call.Address, Call.Bytes, MemoryKind::DeviceHeap);
}

void HeapRecord::release(const Allocation &A) {
  Change -= int64_t(A.Bytes);
  if (!Made.erase(A.Base))
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
    Call.Number = Record->Next[Call.Thread]++;
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
  if (Call.Address) {
    Record->Made.insert(Call.Address);
    Record->Change += int64_t(Bytes);
  }
  return Call.Address;
}

bool gevo::gpu::deviceFree(Warp &W, uint64_t Address) {
  Grid &G = W.Owner.G;
  const Allocation *A = G.Memory.find(Address);
  if (!A || A->Base != Address || A->Kind != MemoryKind::DeviceHeap)
    return false;
  if (G.Options.Heap)
    G.Options.Heap->release(*A);
  return G.Memory.release(Address);
}
