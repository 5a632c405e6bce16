//===- Trace.cpp - What executed, for the timing model --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"

#include <algorithm>

using namespace gevo::gpu;

namespace {

uint64_t hashOf(const TraceRun &R, const TraceAccess *Accesses, size_t N) {
  uint64_t H = 0x9e3779b97f4a7c15ull;
  auto Mix = [&](uint64_t V) {
    H = (H ^ V) * 0xff51afd7ed558ccdull;
    H ^= H >> 32;
  };
  Mix(uint64_t(R.Function) << 32 | R.Begin);
  Mix(uint64_t(R.Count) << 32 | R.Mask);
  for (size_t K = 0; K < N; ++K) {
    const TraceAccess &A = Accesses[K];
    Mix(uint64_t(A.Mask) << 32 | uint64_t(A.Degree) << 16 |
        uint64_t(A.Space) << 8 | A.BytesPerLane);
    Mix(uint64_t(A.NumSectors) << 16 | A.NumLines);
  }
  return H;
}

bool isLike(const TraceRun &Stored, const TraceRun &R,
            const TraceAccess *Accesses, size_t N) {
  return Stored.Count == R.Count && Stored.Mask == R.Mask &&
         Stored.Begin == R.Begin && Stored.Function == R.Function &&
         Stored.Accesses.size() == N &&
         std::equal(Accesses, Accesses + N, Stored.Accesses.begin());
}

/// Puts \p More behind \p To; what is empty takes the memory of the other.
template <typename T> void take(std::vector<T> &To, std::vector<T> &More) {
  if (To.empty())
    To.swap(More);
  else
    To.insert(To.end(), More.begin(), More.end());
  More.clear();
}

} // namespace

const TraceRun *TraceTable::intern(const TraceRun &Run,
                                   const TraceAccess *Accesses,
                                   size_t NumAccesses) {
  if (Last.size() <= Run.Function)
    Last.resize(Run.Function + 1);
  if (Last[Run.Function].size() <= Run.Begin)
    Last[Run.Function].resize(Run.Begin + 1);
  const TraceRun *&Recent = Last[Run.Function][Run.Begin];
  if (Recent && isLike(*Recent, Run, Accesses, NumAccesses))
    return Recent;
  uint64_t Hash = hashOf(Run, Accesses, NumAccesses);
  auto [Begin, End] = ByHash.equal_range(Hash);
  for (auto It = Begin; It != End; ++It)
    if (isLike(*It->second, Run, Accesses, NumAccesses))
      return Recent = It->second;
  Runs.push_back(Run);
  TraceRun &Stored = Runs.back();
  Stored.Accesses.assign(Accesses, Accesses + NumAccesses);
  Stored.NumLines = 0;
  for (const TraceAccess &A : Stored.Accesses)
    Stored.NumLines += A.NumLines;
  Bytes += sizeof(TraceRun) + NumAccesses * sizeof(TraceAccess) + 64;
  ByHash.emplace(Hash, &Stored);
  return Recent = &Stored;
}

void WarpTrace::drop(size_t NumRuns, size_t NumLines, size_t NumOrders) {
  Runs.erase(Runs.begin(), Runs.begin() + ptrdiff_t(NumRuns));
  Lines.erase(Lines.begin(), Lines.begin() + ptrdiff_t(NumLines));
  Orders.erase(Orders.begin(), Orders.begin() + ptrdiff_t(NumOrders));
  uint32_t Before =
      Orders.empty() ? uint32_t(After.size()) : Orders.front().FirstAfter;
  After.erase(After.begin(), After.begin() + ptrdiff_t(Before));
  for (TraceOrder &O : Orders) {
    O.Run -= uint32_t(NumRuns);
    O.FirstAfter -= Before;
  }
}

void WarpTrace::append(WarpTrace &Piece) {
  for (TraceOrder &O : Piece.Orders) {
    O.Run += uint32_t(Runs.size());
    O.FirstAfter += uint32_t(After.size());
  }
  take(Runs, Piece.Runs);
  take(Lines, Piece.Lines);
  take(Orders, Piece.Orders);
  take(After, Piece.After);
}

uint64_t BlockTrace::bytes() const {
  uint64_t Sum = 0;
  for (const WarpTrace &W : Warps)
    Sum += W.bytes();
  return Sum;
}

bool BlockTrace::empty() const {
  return std::all_of(Warps.begin(), Warps.end(),
                     [](const WarpTrace &W) { return W.Runs.empty(); });
}

uint64_t BlockTrace::instructions() const {
  uint64_t Sum = Dropped;
  for (const WarpTrace &W : Warps)
    for (const TraceRun *R : W.Runs)
      Sum += R->Count;
  return Sum;
}

void BlockTrace::append(BlockTrace &Piece) {
  // Tables do not outlive their blocks because one run of them is still in use.
  if (Table != Piece.Table)
    for (WarpTrace &W : Warps)
      for (const TraceRun *&R : W.Runs)
        R = Piece.Table->intern(*R, R->Accesses.data(), R->Accesses.size());
  Table = Piece.Table;
  for (size_t W = 0; W < Warps.size(); ++W)
    Warps[W].append(Piece.Warps[W]);
}
