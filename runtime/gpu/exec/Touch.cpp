//===- Touch.cpp - Which memory a launch touches --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Touch.h"
#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/exec/Warp.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

namespace {
constexpr uint8_t NoType = 0xff; ///< Of an instruction not looked at yet.

constexpr uint64_t EachByte = 0x0101010101010101;

/// Calls \p Word for eight marks at a time, \p Byte for those that are left.
template <typename F, typename G>
void forMarks(uint8_t *Marks, uint32_t Size, F Word, G Byte) {
  uint32_t K = 0;
  for (; K + 8 <= Size; K += 8) {
    uint64_t W;
    std::memcpy(&W, Marks + K, 8);
    if (Word(W))
      std::memcpy(Marks + K, &W, 8);
    else
      for (uint32_t I = K; I < K + 8; ++I)
        Byte(Marks[I]);
  }
  for (; K < Size; ++K)
    Byte(Marks[K]);
}

/// Marks what was never written as read.
void markRead(uint8_t *Marks, uint32_t Size) {
  forMarks(
      Marks, Size,
      [](uint64_t &W) {
        constexpr uint64_t Reads = EachByte * TouchRecord::ReadFirst;
        uint64_t Types = W & ~Reads;
        if (Types == 0)
          W = Reads;
        // Otherwise there is nothing to do if every byte was written.
        return Types == 0 || !((Types - EachByte) & ~Types & Reads);
      },
      [](uint8_t &M) {
        if (!(M & ~TouchRecord::ReadFirst))
          M = TouchRecord::ReadFirst;
      });
}

void markWritten(uint8_t *Marks, uint32_t Size, uint8_t Type) {
  forMarks(
      Marks, Size,
      [=](uint64_t &W) {
        W = (W & EachByte * TouchRecord::ReadFirst) | EachByte * Type;
        return true;
      },
      [=](uint8_t &M) { M = uint8_t((M & TouchRecord::ReadFirst) | Type); });
}

/// Do the lanes of a whole warp access one stretch inside of one page?
bool isStretch(const uint64_t (&A)[32], uint32_t Mask, uint32_t Size) {
  if (Mask != FullMask)
    return false;
  uint64_t Off = 0;
  for (unsigned L = 0; L < WarpSize; ++L)
    Off |= A[L] ^ (A[0] + L * Size);
  constexpr uint64_t Page = TouchRecord::PageBytes;
  return Off == 0 && A[0] / Page == (A[31] + Size - 1) / Page;
}
} // namespace

TouchRecord::Page &TouchRecord::pageAt(uint64_t Number) {
  if (Number == LastNumber)
    return *Last;
  std::unique_ptr<Page> &P = Pages[Number];
  if (!P) {
    P = std::make_unique<Page>();
    if (Bytes)
      P->Marks = std::make_unique<uint8_t[]>(PageBytes);
  }
  LastNumber = Number;
  Last = P.get();
  return *P;
}

void TouchRecord::write(uint64_t Address, uint32_t Size, uint8_t Type) {
  uint64_t Number = Address / PageBytes;
  Page &P = pageAt(Number);
  if (!P.Written) {
    P.Written = true;
    Written.push_back(Number);
    if (Bytes) {
      P.Before.reset(new char[PageBytes]);
      std::memcpy(P.Before.get(),
                  reinterpret_cast<const void *>(Number * PageBytes),
                  PageBytes);
    }
  }
  if (Bytes)
    markWritten(P.Marks.get() + Address % PageBytes, Size, Type);
}

void TouchRecord::read(uint64_t Address, uint32_t Size) {
  markRead(pageAt(Address / PageBytes).Marks.get() + Address % PageBytes, Size);
}

void TouchRecord::readAll(uint64_t Base, uint64_t Size) {
  for (uint64_t At = Base, End = Base + Size; At < End;) {
    uint64_t Part = std::min(End - At, PageBytes - At % PageBytes);
    read(At, uint32_t(Part));
    At += Part;
  }
}

uint8_t TouchRecord::storedType(const Warp &W) {
  const Code &C = W.code();
  if (&C != LastCode) {
    LastCode = &C;
    LastTypes = &Types[&C];
    LastTypes->resize(C.Insts.size(), NoType);
  }
  uint8_t &T = (*LastTypes)[W.Pc];
  if (T == NoType) {
    const ptx::Instruction &I = C.Source->Code[W.Pc];
    T = uint8_t(elementOf(C.Source->nth(I, ptx::ModClass::Type)));
  }
  return T;
}

void TouchRecord::access(const Warp &W, uint32_t Mask, const uint64_t (&A)[32],
                         uint32_t Size, bool Reads, bool Writes) {
  if (!Writes && !Bytes)
    return;
  uint8_t Type = Writes && Bytes ? storedType(W) : 0;
  // The usual access is one stretch, and costs no more than one lane.
  if (isStretch(A, Mask, Size)) {
    Mask = 1;
    Size *= WarpSize;
  }
  for (uint32_t M = Mask; M; M &= M - 1) {
    uint64_t Address = A[__builtin_ctz(M)];
    if (Address - IgnoredBase < IgnoredBytes)
      continue;
    if (Reads && Bytes)
      read(Address, Size);
    if (Writes)
      write(Address, Size, Type);
  }
}

std::vector<uint64_t> TouchRecord::touched() const {
  std::vector<uint64_t> Numbers;
  for (const auto &Entry : Pages)
    Numbers.push_back(Entry.first);
  std::sort(Numbers.begin(), Numbers.end());
  return Numbers;
}

void TouchRecord::marks(uint64_t Base, uint64_t Size, uint8_t *Out) const {
  for (uint64_t At = Base, End = Base + Size; At < End;) {
    uint64_t Part = std::min(End - At, PageBytes - At % PageBytes);
    auto It = Pages.find(At / PageBytes);
    if (It == Pages.end())
      std::memset(Out, 0, Part);
    else
      std::memcpy(Out, It->second->Marks.get() + At % PageBytes, Part);
    At += Part;
    Out += Part;
  }
}

void TouchRecord::clear() {
  Pages.clear();
  Written.clear();
  LastNumber = ~uint64_t(0);
  Last = nullptr;
  LastCode = nullptr;
  Types.clear();
}
