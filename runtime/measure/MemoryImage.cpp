//===- MemoryImage.cpp - The memory of a case on a device -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/measure/MemoryImage.h"

#include <algorithm>
#include <cstring>

using namespace gevo;
using namespace gevo::measure;
using capture::Bytes;

namespace {

constexpr uint64_t PageBytes = 4096;
constexpr uint8_t Poison[2] = {0xfe, 0x7f};

/// Fills \p Count bytes of \p Address, at \p To.
void poison(uint8_t *To, size_t Count, uint64_t Address) {
  const uint8_t Two[] = {Poison[Address & 1], Poison[(Address + 1) & 1]};
  for (size_t K = 0; K + 1 < Count; K += 2)
    std::memcpy(To + K, Two, 2);
  if (Count % 2)
    To[Count - 1] = Two[0];
}

bool allZero(const Bytes &B) {
  return std::all_of(B.begin(), B.end(), [](uint8_t X) { return X == 0; });
}

} // namespace

MemoryImage::MemoryImage(const capture::Case &C) : C(C) {
  for (size_t B = 0; B < C.Buffers.size(); ++B) {
    Addresses.push_back(C.Buffers[B].Address);
    for (const capture::Piece &P : C.Buffers[B].Pieces) {
      Parts.emplace_back();
      Parts.back().Buffer = B;
      Parts.back().Known = &P;
    }
  }
  layOut();
  poisonOutputs();
}

void MemoryImage::layOut() {
  Segments.clear();
  for (size_t K = 0; K < Parts.size(); ++K)
    Parts[K].Address = Addresses[Parts[K].Buffer] + Parts[K].Known->Offset;
  for (size_t B = 0, Next = 0; B < C.Buffers.size(); ++B) {
    uint64_t At = Addresses[B], End = At + C.Buffers[B].Size;
    // What a launch frees is not there to be read, and small blocks of the heap
    // are read by themselves.
    if (C.Buffers[B].Heap == capture::HeapUse::Freed ||
        !C.Buffers[B].Blocks.empty()) {
      while (Next < Parts.size() && Parts[Next].Buffer == B)
        ++Next;
      continue;
    }
    for (; Next < Parts.size() && Parts[Next].Buffer == B; ++Next) {
      const Part &P = Parts[Next];
      if (At < P.Address)
        Segments.push_back({At, P.Address, NoPart});
      At = P.Address + P.Known->Before.size();
      Segments.push_back({P.Address, At, Next});
    }
    if (At < End)
      Segments.push_back({At, End, NoPart});
  }
  std::sort(
      Segments.begin(), Segments.end(),
      [](const Segment &X, const Segment &Y) { return X.Begin < Y.Begin; });
}

void MemoryImage::moveBuffer(size_t Buffer, uint64_t Address) {
  if (Addresses[Buffer] == Address)
    return;
  Addresses[Buffer] = Address;
  layOut();
}

void MemoryImage::poisonOutputs() {
  for (Part &P : Parts) {
    const Bytes &Marks = P.Known->Marks;
    size_t Poisoned = capture::countMarks(Marks).Poisoned;
    if (!Poisoned)
      continue;
    // Nothing need be copied where nothing is kept.
    P.Start = Poisoned == Marks.size() ? Bytes(Marks.size()) : P.Known->Before;
    for (size_t K = 0, Next; K < Marks.size(); K = Next) {
      Next = capture::endOfRun(Marks, K);
      if (capture::isPoisoned(Marks[K]))
        poison(&P.Start[K], Next - K, P.Address + K);
    }
  }
}

/// Lets the device have the memory of \p P from its file; false if it is
/// nothing but a copy that serves.
bool MemoryImage::mapPart(Device &D, const Part &P) {
  const Bytes &Known = P.Known->Before;
  const auto &File = Known.get_allocator().File;
  return D.isEmbedded() && P.Start.empty() && File &&
         File->Bytes == Known.size() &&
         !D.driver().gevoGpuMapFile(P.Address, File->Bytes, File->Path.c_str(),
                                    File->Skip);
}

/// The device has the blocks of the heap from its start, until it is told of
/// others.
bool MemoryImage::writePart(Device &D, const Part &P) {
  const Bytes &Start = P.start();
  const capture::Table<capture::HeapRun> &Blocks = C.Buffers[P.Buffer].Blocks;
  static_assert(sizeof(capture::HeapRun) == sizeof(GevoGpuHeapRun),
                "they are the same by another name");
  if (isPacked(P))
    return !D.driver().gevoGpuPlaceHeap(
        reinterpret_cast<const GevoGpuHeapRun *>(Blocks.data()), Blocks.size(),
        Start.data());
  return mapPart(D, P) ||
         !D.driver().cuMemcpyHtoD_v2(P.Address, Start.data(), Start.size());
}

bool MemoryImage::write(Device &D) {
  for (Part &P : Parts) {
    if (!writePart(D, P))
      return false;
    if (!P.Actual.empty())
      P.Actual = P.start();
    P.Dirty = false;
  }
  Changes.clear();
  return true;
}

bool MemoryImage::erase(Device &D) {
  bool Ok = restore(D);
  for (const Part &P : Parts)
    if (!isPacked(P))
      Ok &= !D.driver().cuMemsetD8_v2(P.Address, 0, P.start().size());
  return Ok;
}

bool MemoryImage::readSegment(Device &D, const Segment &S, uint64_t Begin,
                              uint64_t End) {
  Begin = std::max(Begin, S.Begin);
  End = std::min(End, S.End);
  if (S.Owner == NoPart) {
    Bytes Stray(End - Begin);
    if (D.driver().cuMemcpyDtoH_v2(Stray.data(), Begin, Stray.size()))
      return false;
    if (allZero(Stray))
      return true;
    auto First = std::find_if(Stray.begin(), Stray.end(),
                              [](uint8_t X) { return X != 0; });
    if (!StrayAddress)
      StrayAddress = Begin + uint64_t(First - Stray.begin());
    Changes.push_back({Begin, End, NoPart});
    return true;
  }
  Part &P = Parts[S.Owner];
  if (D.driver().cuMemcpyDtoH_v2(&P.actual()[Begin - P.Address], Begin,
                                 End - Begin))
    return false;
  P.Dirty = true;
  Changes.push_back({Begin, End, S.Owner});
  return true;
}

/// Reads the blocks of the heap; a block that nobody used is as it was.
bool MemoryImage::readPacked(Device &D) {
  for (Part &P : Parts)
    if (isPacked(P)) {
      if (D.driver().gevoGpuReadHeap(P.actual().data()))
        return false;
      P.Dirty = true;
    }
  return true;
}

bool MemoryImage::read(Device &D, const std::vector<uint64_t> *Pages) {
  StrayAddress = 0;
  if (!readPacked(D))
    return false;
  if (!Pages) {
    // Nobody knows what was written; gaps are not looked at.
    for (const Segment &S : Segments)
      if (S.Owner != NoPart && !readSegment(D, S, S.Begin, S.End))
        return false;
    return true;
  }
  for (size_t K = 0; K < Pages->size();) {
    uint64_t Begin = (*Pages)[K], End = Begin + PageBytes;
    for (++K; K < Pages->size() && (*Pages)[K] == End; ++K)
      End += PageBytes;
    auto It = std::upper_bound(
        Segments.begin(), Segments.end(), Begin,
        [](uint64_t A, const Segment &S) { return A < S.End; });
    for (; It != Segments.end() && It->Begin < End; ++It)
      if (!readSegment(D, *It, Begin, End))
        return false;
  }
  return true;
}

bool MemoryImage::restore(Device &D) {
  bool Ok = true;
  for (const Touched &T : Changes) {
    uint64_t Size = T.End - T.Begin;
    if (T.Owner == NoPart) {
      Ok &= !D.driver().cuMemsetD8_v2(T.Begin, 0, Size);
      continue;
    }
    Part &P = Parts[T.Owner];
    uint64_t Offset = T.Begin - P.Address;
    const uint8_t *Start = &P.start()[Offset];
    Ok &= !D.driver().cuMemcpyHtoD_v2(T.Begin, Start, Size);
    std::memcpy(&P.actual()[Offset], Start, Size);
    P.Dirty = false;
  }
  Changes.clear();
  return Ok;
}

Bytes MemoryImage::contents(size_t Buffer) const {
  Bytes All;
  for (const Part &P : Parts)
    if (P.Buffer == Buffer)
      All.insert(All.end(), P.current().begin(), P.current().end());
  return All;
}
