//===- Case.cpp - Captured launches ---------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Case.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace gevo;
using namespace gevo::capture;

size_t gevo::capture::endOfRun(const Bytes &Marks, size_t From) {
  // Outputs have megabytes of one mark.
  uint64_t Same = Marks[From] * uint64_t(0x0101010101010101), Word;
  size_t K = From + 1;
  for (; K + sizeof(Word) <= Marks.size(); K += sizeof(Word)) {
    std::memcpy(&Word, &Marks[K], sizeof(Word));
    if (Word != Same)
      break;
  }
  while (K < Marks.size() && Marks[K] == Marks[From])
    ++K;
  return K;
}

MarkCounts gevo::capture::countMarks(const Bytes &Marks) {
  MarkCounts All;
  // Sums that fit a byte are of many bytes at once.
  constexpr size_t Together = 192;
  for (size_t Begin = 0; Begin < Marks.size(); Begin += Together) {
    size_t End = std::min(Begin + Together, Marks.size());
    uint8_t Written = 0, Poisoned = 0, Most = 0;
    for (size_t K = Begin; K < End; ++K) {
      uint8_t M = Marks[K], T = uint8_t(M & ~ReadFirst);
      Written = uint8_t(Written + (T != 0));
      Poisoned = uint8_t(Poisoned + (T != 0 && M == T));
      Most = std::max(Most, T);
    }
    All.Written += Written;
    All.Poisoned += Poisoned;
    All.AllKnown &= Most < gpu::NumElementTypes;
  }
  return All;
}

Buffer Buffer::input(uint64_t Address, Bytes Before) {
  Buffer B;
  B.Address = Address;
  B.Size = Before.size();
  B.Pieces.push_back({0, std::move(Before), {}, {}});
  return B;
}

Buffer Buffer::output(uint64_t Address, Bytes Before, Bytes After,
                      ElementType T, bool Reads) {
  assert(Before.size() == After.size() && "a buffer has one size");
  Buffer B = input(Address, std::move(Before));
  uint8_t Mark = uint8_t(uint8_t(T) | (Reads ? ReadFirst : 0));
  B.Pieces[0].Marks.assign(After.size(), Mark);
  B.Pieces[0].After = std::move(After);
  return B;
}

uint64_t Case::gridNumber(size_t Launch) const {
  uint64_t Number = Launches[Launch].GridNumber;
  return Number ? Number : Index + Launch + 1;
}

bool Case::callsHeap() const {
  auto frees = [](const Buffer &B) {
    return B.Heap == HeapUse::Freed ||
           std::any_of(B.Blocks.begin(), B.Blocks.end(), [](const HeapRun &R) {
             return HeapUse(R.Use) == HeapUse::Freed;
           });
  };
  return !HeapCalls.empty() ||
         std::any_of(Buffers.begin(), Buffers.end(), frees);
}

bool Case::usesHeap() const {
  return !HeapCalls.empty() ||
         std::any_of(Buffers.begin(), Buffers.end(),
                     [](const Buffer &B) { return B.ofHeap(); });
}
