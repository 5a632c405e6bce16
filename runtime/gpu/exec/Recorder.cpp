//===- Recorder.cpp - Writing traces --------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Block.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {

/// Local memory of all warps lies behind global memory.
constexpr uint64_t LocalStart = uint64_t(1) << 48;

/// The distinct units of \p Shift bits that the lanes touch, ascending.
unsigned distinct(uint32_t Mask, const uint64_t (&A)[WarpSize], uint32_t Bytes,
                  unsigned Shift, uint64_t (&Units)[4 * WarpSize]) {
  unsigned N = 0;
  bool Sorted = true;
  for (uint32_t M = Mask; M; M &= M - 1) {
    uint64_t P = A[__builtin_ctz(M)];
    for (uint64_t U = P >> Shift; U <= (P + Bytes - 1) >> Shift; ++U) {
      if (N && Units[N - 1] == U)
        continue;
      if (N == 4 * WarpSize)
        break;
      Sorted &= !N || Units[N - 1] < U;
      Units[N++] = U;
    }
  }
  if (!Sorted) {
    std::sort(Units, Units + N);
    N = unsigned(std::unique(Units, Units + N) - Units);
  }
  return N;
}

/// For each of the \p N ascending \p Sectors a bit for each byte of it that the
/// lanes write.
void findWritten(uint32_t Mask, const uint64_t (&A)[WarpSize], uint32_t Bytes,
                 const uint64_t *Sectors, unsigned N, uint32_t *Written) {
  std::fill(Written, Written + N, 0);
  for (uint32_t M = Mask; M; M &= M - 1) {
    uint64_t P = A[__builtin_ctz(M)], End = P + Bytes;
    while (P < End) {
      uint64_t Stop = std::min(End, (P | 31) + 1);
      uint64_t Run = (uint64_t(1) << (Stop - P)) - 1;
      const uint64_t *At = std::lower_bound(Sectors, Sectors + N, P >> 5);
      if (At != Sectors + N && *At == P >> 5)
        Written[At - Sectors] |= uint32_t(Run << (P & 31));
      P = Stop;
    }
  }
}

/// Sectors and lines; the lines are left relative to that of \p Lead.
void findLines(AccessMemo &M, uint32_t Mask, const uint64_t (&A)[WarpSize],
               uint32_t Bytes, uint64_t Lead, bool Stores) {
  uint64_t Sectors[4 * WarpSize];
  uint32_t Written[4 * WarpSize];
  unsigned N = distinct(Mask, A, Bytes, 5, Sectors);
  M.Access.NumSectors = uint16_t(N);
  M.Lines.clear();
  if (Stores)
    findWritten(Mask, A, Bytes, Sectors, N, Written);
  for (unsigned K = 0; K < N;) {
    uint64_t Line = Sectors[K] >> 2;
    unsigned Touched = 0, Whole = 0;
    for (; K < N && Sectors[K] >> 2 == Line; ++K) {
      Touched |= 1u << (Sectors[K] & 3);
      if (Stores && Written[K] == ~0u)
        Whole |= 1u << (Sectors[K] & 3);
    }
    M.Lines.push_back(traceLine(Line - (Lead >> 7), Touched, Whole));
  }
  M.Access.NumLines = uint16_t(M.Lines.size());
}

/// Do lanes next to each other, or every second ones, read the same address?
bool readsInPairs(uint32_t Mask, const uint64_t (&A)[WarpSize]) {
  for (unsigned Distance : {1u, 2u}) {
    uint64_t Other = 0;
    for (unsigned L = 0; L < WarpSize; ++L)
      if (Mask >> L & Mask >> (L ^ Distance) & 1)
        Other |= A[L] ^ A[L ^ Distance];
    if (!Other)
      return true;
  }
  return false;
}

/// Turns that 32 banks of 4 bytes take; lanes that read the same word share
/// it. Wide accesses go by halves or quarters of the warp; twice as many lanes
/// at once if \p Packed and the lanes have pairs, whose answers are one.
uint16_t bankConflicts(uint32_t Mask, const uint64_t (&A)[WarpSize],
                       uint32_t Bytes, bool Packed) {
  unsigned Words = std::max(1u, Bytes / 4);
  unsigned Group = Words >= 4 ? 8 : Words == 2 ? 16 : 32;
  if (Group < 32 && Packed && readsInPairs(Mask, A))
    Group *= 2;
  unsigned Total = 0;
  for (unsigned First = 0; First < WarpSize; First += Group) {
    uint64_t Seen[32][32];
    uint8_t Count[32] = {};
    unsigned Worst = 0;
    for (unsigned L = First; L < First + Group; ++L) {
      if (!(Mask >> L & 1))
        continue;
      for (unsigned K = 0; K < Words; ++K) {
        uint64_t Word = (A[L] >> 2) + K;
        unsigned Bank = unsigned(Word & 31);
        bool Known = false;
        for (unsigned J = 0; J < Count[Bank]; ++J)
          Known |= Seen[Bank][J] == Word;
        if (!Known && Count[Bank] < 32)
          Seen[Bank][Count[Bank]++] = Word;
        Worst = std::max<unsigned>(Worst, Count[Bank]);
      }
    }
    Total += Worst;
  }
  return uint16_t(std::max(1u, Total));
}

uint16_t sameAddress(uint32_t Mask, const uint64_t (&A)[WarpSize]) {
  uint64_t Sorted[WarpSize];
  unsigned N = 0, Run = 1, Worst = 1;
  for (uint32_t M = Mask; M; M &= M - 1)
    Sorted[N++] = A[__builtin_ctz(M)];
  std::sort(Sorted, Sorted + N);
  for (unsigned K = 1; K < N; ++K) {
    Run = Sorted[K] == Sorted[K - 1] ? Run + 1 : 1;
    Worst = std::max(Worst, Run);
  }
  return uint16_t(Worst);
}

/// Where hardware has a thread's local memory: the words of a warp's threads
/// are interleaved, so that one variable of all of them is contiguous.
uint64_t localAddress(const Warp &W, unsigned Lane, uint64_t Pointer) {
  uint64_t Offset = Pointer - reinterpret_cast<uint64_t>(W.LocalMemory) -
                    Lane * W.LocalStride;
  const Block &B = W.Owner;
  uint64_t Warp = B.Index * B.Warps.size() + W.Index;
  uint64_t WarpBytes = (B.G.LocalBytes + 3ull & ~3ull) * WarpSize;
  return LocalStart + Warp * WarpBytes + (Offset & ~3ull) * WarpSize +
         4ull * Lane + (Offset & 3);
}

/// The address of the clock's device: the same wherever the host has it.
uint64_t modelAddress(const Warp &W, TraceSpace Space, unsigned Lane,
                      uint64_t Pointer) {
  switch (Space) {
  case TraceSpace::Global:
    return W.Owner.G.Memory.offsetOf(Pointer);
  case TraceSpace::Local:
    return localAddress(W, Lane, Pointer);
  default:
    return 0;
  }
}

void append(Warp &W, const AccessMemo &M, uint64_t Lead) {
  W.Owner.Accesses.add(M.Access);
  if (!W.Trace)
    return;
  std::vector<uint64_t> &Lines = W.Trace->Lines;
  W.Recorded.push_back(M.Access);
  W.Recorded.back().FirstLine = uint32_t(Lines.size()) - W.RunLines;
  for (uint64_t Relative : M.Lines)
    Lines.push_back(Relative + traceLine(Lead >> 7, 0));
}

} // namespace

Recorder::Recorder(const KernelCode &Code, const LaunchOptions &O)
    : TableBytes(O.PieceBytes) {
  for (const auto &F : Code.Functions)
    Memos.emplace_back(F->Insts.size());
  for (size_t F = 0; O.AccessBytes && F < Memos.size(); ++F)
    for (size_t K = 0; K < (*O.AccessBytes)[F].size(); ++K)
      Memos[F][K].Width = (*O.AccessBytes)[F][K];
}

const std::shared_ptr<TraceTable> &Recorder::table() {
  if (!Table || Table->bytes() > TableBytes)
    Table = std::make_shared<TraceTable>();
  return Table;
}

void gevo::gpu::recordAgain(Warp &W, const AccessMemo &M, uint64_t Lead) {
  append(W, M, W.Trace ? modelAddress(W, M.Access.Space, M.Lead, Lead) : 0);
}

void gevo::gpu::recordAccess(Warp &W, AccessMemo &M, uint32_t Mask,
                             const uint64_t (&A)[WarpSize], uint32_t Bytes,
                             AccessKind Kind, TraceSpace Space) {
  M.Mask = Mask;
  M.Lead = uint8_t(__builtin_ctz(Mask));
  bool Wide = M.Width > Bytes && Space != TraceSpace::Local;
  if (Wide)
    Bytes = M.Width;
  M.AlignMask = Space == TraceSpace::Global ? 127 : Wide ? M.Width - 1 : 3;
  M.Align = uint8_t(A[M.Lead] & M.AlignMask);
  M.Access = TraceAccess();
  M.Access.Space = Space;
  M.Access.BytesPerLane = uint8_t(Bytes);
  M.Access.Mask = Mask;
  M.Lines.clear();
  int64_t Least = 0, Most = 0;
  M.DeltaBits = 0;
  for (unsigned L = 0; L < WarpSize; ++L) {
    M.Delta[L] = Mask >> L & 1 ? A[L] - A[M.Lead] : 0;
    M.DeltaBits |= M.Delta[L];
    Least = std::min(Least, int64_t(M.Delta[L]));
    Most = std::max(Most, int64_t(M.Delta[L]));
  }
  M.Least = uint64_t(Least);
  M.Most = uint64_t(Most);
  uint64_t Model[WarpSize] = {}, Host[WarpSize] = {};
  uint64_t Aligned = Wide ? ~uint64_t(M.Width - 1) : ~uint64_t(0);
  for (uint32_t Rest = Mask; Rest; Rest &= Rest - 1) {
    unsigned L = unsigned(__builtin_ctz(Rest));
    Host[L] = A[L] & Aligned;
    Model[L] = modelAddress(W, Space, L, A[L]) & Aligned;
  }
  switch (Space) {
  case TraceSpace::Global:
    findLines(M, Mask, Model, Bytes, Model[M.Lead], Kind == AccessKind::Store);
    // Measured on A100: one double for all lanes takes two turns.
    if (Kind == AccessKind::Load)
      M.Access.Degree = bankConflicts(Mask, Model, Bytes, false);
    break;
  case TraceSpace::Local:
    findLines(M, Mask, Model, std::min(Bytes, 4u), Model[M.Lead], false);
    if (Kind == AccessKind::Load)
      M.Access.Degree = bankConflicts(Mask, Model, std::min(Bytes, 4u), false);
    break;
  case TraceSpace::Shared:
    // Banks rotate with the base, so host pointers do as well as offsets.
    M.Access.Degree =
        bankConflicts(Mask, Host, Bytes, Kind == AccessKind::Load);
    break;
  case TraceSpace::Const:
  case TraceSpace::Param: {
    uint64_t Words[4 * WarpSize];
    M.Access.NumSectors =
        uint16_t(distinct(Mask, A, std::min(Bytes, 4u), 2, Words));
    break;
  }
  case TraceSpace::None:
    break;
  }
  if (Kind == AccessKind::Atomic)
    M.Access.Degree = sameAddress(Mask, A);
  append(W, M, Model[M.Lead]);
}
