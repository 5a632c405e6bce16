//===- SmMemory.cpp - Load/store path and L1 of an SM ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All memory instructions of an SM share one path. Shared memory occupies it
// once per bank conflict; global and local memory once per group of tags or
// sectors, then look up L1 and ask L2 for what is missing.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {
uint64_t divideUp(uint64_t A, uint64_t B) { return (A + B - 1) / B; }
unsigned bits(uint32_t Mask) { return unsigned(__builtin_popcount(Mask)); }

/// Calls \p Use(line, mask of sectors) for each line of ascending sectors.
template <typename F>
void forEachLine(const uint64_t *Sectors, uint32_t Count, F Use) {
  for (uint32_t K = 0; K < Count;) {
    uint64_t Line = Sectors[K] / SectorsPerLine;
    uint8_t Mask = 0;
    while (K < Count && Sectors[K] / SectorsPerLine == Line)
      Mask |= uint8_t(1u << Sectors[K++] % SectorsPerLine);
    Use(Line, Mask);
  }
}
} // namespace

const TraceAccess &Sm::accessOf(const WarpSlot &W, const Uop &U) const {
  uint32_t K = W.AccessBase + functionOf(W).AccessesBefore[U.Instruction];
  assert(K < W.Trace->Accesses.size() && "a memory instruction has a record");
  return W.Trace->Accesses[K];
}

/// Occupies the path for \p Cycles; returns when that starts.
uint64_t Sm::takePath(uint64_t Now, uint64_t Cycles) {
  uint64_t Start = std::max(Now, PathFree);
  PathFree = Start + std::max<uint64_t>(1, Cycles);
  return Start;
}

void Sm::memory(uint32_t Warp, const Uop &U, uint64_t Now) {
  const TraceAccess &A = accessOf(Warps[Warp], U);
  ++Statistics[Warps[Warp].Function][U.Instruction].Requests;
  switch (A.Space) {
  case TraceSpace::None:
    setResults(Warp, U, Now + P.pipe(Unit::Memory).Latency, Stall::Arithmetic);
    return;
  case TraceSpace::Shared:
    sharedAccess(Warp, U, A, Now);
    return;
  case TraceSpace::Const:
  case TraceSpace::Param: {
    // The constant cache delivers one word a cycle to the whole warp.
    uint64_t Words = std::max(1u, A.NumSectors);
    uint64_t Start = takePath(Now, Words);
    setResults(Warp, U, Start + P.ConstLatency + Words - 1, Stall::Shared);
    return;
  }
  case TraceSpace::Global:
  case TraceSpace::Local:
    break;
  }
  Statistics[Warps[Warp].Function][U.Instruction].Sectors += A.NumSectors;
  if (U.Kind == UopKind::Load)
    globalLoad(Warp, U, A, Now);
  else if (U.Kind == UopKind::Store)
    globalStore(Warp, U, A, Now);
  else
    globalAtomic(Warp, U, A, Now);
}

void Sm::sharedAccess(uint32_t Warp, const Uop &U, const TraceAccess &A,
                      uint64_t Now) {
  uint64_t Degree = std::max<uint64_t>(1, A.Degree);
  uint64_t Wide =
      std::max<uint64_t>(1, divideUp(uint64_t(bits(A.Mask)) * A.BytesPerLane,
                                     P.SharedBytesPerCycle));
  uint64_t Cycles = Degree;
  if (U.Kind == UopKind::Atomic || U.Kind == UopKind::Reduce)
    Cycles = Degree * P.SharedAtomicStep;
  else if (Degree > Wide)
    Statistics[Warps[Warp].Function][U.Instruction].BankConflicts +=
        Degree - Wide;
  uint64_t Start = takePath(Now, Cycles);
  uint64_t Done = Start + P.SharedLatency + Cycles - 1;
  setResults(Warp, U, Done,
             U.Kind == UopKind::Atomic ? Stall::Atomic : Stall::Shared);
  Warps[Warp].MemoryDone = std::max(Warps[Warp].MemoryDone, Done);
}

uint32_t Sm::newFetch(uint32_t Warp, const Uop &U, Stall Why) {
  uint32_t K;
  if (FreeFetches.empty()) {
    K = uint32_t(Fetches.size());
    Fetches.emplace_back();
  } else {
    K = FreeFetches.back();
    FreeFetches.pop_back();
  }
  WarpSlot &W = Warps[Warp];
  Fetch &F = Fetches[K];
  F.Warp = Warp;
  F.Parts = 0;
  F.Done = 0;
  F.Why = Why;
  F.Function = W.Function;
  F.Instruction = U.Instruction;
  ++W.Outstanding;
  uint64_t *File = registersOf(Warp) + Code.RegisterBase[W.Function];
  for (unsigned R = 0; R < U.NumResults; ++R) {
    uint32_t Register = functionOf(W).results(U)[R];
    File[Register] = PendingBit | K;
    F.Results.push_back(Code.RegisterBase[W.Function] + Register);
  }
  return K;
}

void Sm::request(RequestKind Kind, uint64_t Time, uint32_t FetchIndex,
                 uint16_t Degree, uint32_t FirstSector) {
  MemoryRequest R;
  R.Time = Time;
  R.SM = Index;
  R.Fetch = FetchIndex;
  R.Kind = Kind;
  R.Degree = Degree;
  R.FirstSector = FirstSector;
  R.NumSectors = uint32_t(RequestSectors.size()) - FirstSector;
  Requests.push_back(R);
}

/// When there is room for \p Lines more outstanding ones.
uint64_t Sm::mshrRoom(uint64_t Now, uint64_t Lines) {
  uint64_t Time = Now;
  while (!MshrReleases.empty() &&
         (MshrReleases.top().first <= Time || MshrsUsed + Lines > P.L1Mshrs)) {
    Time = std::max(Time, MshrReleases.top().first);
    MshrsUsed -= MshrReleases.top().second;
    MshrReleases.pop();
  }
  // What is still out has no time yet; it comes after this window.
  if (MshrsUsed && MshrsUsed + Lines > P.L1Mshrs)
    Time = std::max(Time, WindowEnd);
  return Time;
}

void Sm::globalLoad(uint32_t Warp, const Uop &U, const TraceAccess &A,
                    uint64_t Now) {
  WarpSlot &W = Warps[Warp];
  bool Cached =
      A.Space == TraceSpace::Local ||
      (!(U.Flags & FlagSkipL1) && (P.L1CachesGlobal || U.Flags & FlagReadOnly));
  uint64_t Sectors[128];
  uint32_t Count = std::min<uint32_t>(A.NumSectors, 128);
  for (uint32_t K = 0; K < Count; ++K)
    Sectors[K] = canonicalSector(W.Trace->Sectors[A.FirstSector + K]);
  uint64_t Tags = 0;
  forEachLine(Sectors, Count, [&](uint64_t, uint8_t) { ++Tags; });
  uint64_t Cycles = std::max(divideUp(Count, P.L1SectorsPerCycle),
                             divideUp(Tags, P.L1TagsPerCycle));
  uint64_t Start = takePath(Now, Cycles);
  uint64_t Hit = Start + P.L1Latency + Cycles - std::min<uint64_t>(1, Cycles);
  uint32_t F = NoIndex;
  auto NeedFetch = [&] {
    if (F == NoIndex)
      F = newFetch(Warp, U, Stall::Global);
  };
  uint64_t L1Hits = 0, Missed = 0;
  forEachLine(Sectors, Count, [&](uint64_t Line, uint8_t Mask) {
    uint8_t Missing = Mask;
    if (Cached) {
      uint64_t Set = Line % L1.sets();
      CacheLine *L = L1.find(Set, Line);
      if (L) {
        uint8_t There = L->Valid & Mask, Coming = L->Pending & Mask;
        L1Hits += bits(There);
        if (There)
          Hit = std::max(Hit, L->FillTime);
        if (Coming) {
          NeedFetch();
          ++Fetches[F].Parts;
          Fetches[L->Filler].Followers.push_back(F);
        }
        Missing &= uint8_t(~(There | Coming));
      } else {
        CacheLine Evicted;
        L = L1.replace(Set, Line, Evicted);
        evict(Evicted, Start);
      }
      if (!Missing)
        return;
      NeedFetch();
      // One filler per line: sectors that were pending before keep theirs by
      // waiting for the later of the two.
      if (L->Pending && L->Filler != F) {
        ++Fetches[F].Parts;
        Fetches[L->Filler].Followers.push_back(F);
      }
      L->Pending |= Missing;
      L->Filler = F;
      Fetches[F].Lines.push_back({Line, Missing});
    }
    NeedFetch();
    ++Missed;
    for (unsigned B = 0; B < SectorsPerLine; ++B)
      if (Missing >> B & 1)
        Pending.push_back(Line * SectorsPerLine + B);
  });
  Statistics[W.Function][U.Instruction].L1Hits += L1Hits;
  if (F == NoIndex) {
    setResults(Warp, U, Hit, Stall::Global);
    W.MemoryDone = std::max(W.MemoryDone, Hit);
    return;
  }
  Fetches[F].Done = Hit;
  if (Pending.empty())
    return;
  uint64_t Room = mshrRoom(Start, Missed);
  PathFree = std::max(PathFree, Room);
  MshrsUsed += Missed;
  uint32_t First = uint32_t(RequestSectors.size());
  RequestSectors.insert(RequestSectors.end(), Pending.begin(), Pending.end());
  Pending.clear();
  ++Fetches[F].Parts;
  request(RequestKind::Read, Room, F, 1, First);
  Requests.back().NumLines = uint32_t(Missed);
}

/// Writes back the dirty sectors of a line that left L1 (local memory).
void Sm::evict(const CacheLine &Line, uint64_t Time) {
  if (!Line.Dirty)
    return;
  uint32_t First = uint32_t(RequestSectors.size());
  for (unsigned B = 0; B < SectorsPerLine; ++B)
    if (Line.Dirty >> B & 1)
      RequestSectors.push_back(Line.Tag * SectorsPerLine + B);
  request(RequestKind::Write, Time, NoIndex, 1, First);
}

void Sm::globalStore(uint32_t Warp, const Uop &U, const TraceAccess &A,
                     uint64_t Now) {
  WarpSlot &W = Warps[Warp];
  uint64_t Start = takePath(Now, divideUp(A.NumSectors, P.L1SectorsPerCycle));
  bool Local = A.Space == TraceSpace::Local;
  uint32_t First = uint32_t(RequestSectors.size());
  for (uint32_t K = 0; K < A.NumSectors; ++K) {
    uint64_t Sector = canonicalSector(W.Trace->Sectors[A.FirstSector + K]);
    uint64_t Line = Sector / SectorsPerLine;
    uint8_t Bit = uint8_t(1u << Sector % SectorsPerLine);
    if (!Local) {
      RequestSectors.push_back(Sector);
      continue;
    }
    // Local memory is private to the thread, so L1 keeps what is written.
    uint64_t Set = Line % L1.sets();
    CacheLine *L = L1.find(Set, Line);
    if (!L) {
      CacheLine Evicted;
      L = L1.replace(Set, Line, Evicted);
      evict(Evicted, Start);
      First = uint32_t(RequestSectors.size());
    }
    L->Valid |= Bit;
    L->Dirty |= Bit;
  }
  if (!Local)
    request(RequestKind::Write, Start, NoIndex, 1, First);
  W.MemoryDone = std::max(W.MemoryDone, Start + P.L2Latency);
}

void Sm::globalAtomic(uint32_t Warp, const Uop &U, const TraceAccess &A,
                      uint64_t Now) {
  WarpSlot &W = Warps[Warp];
  uint64_t Start = takePath(Now, divideUp(A.NumSectors, P.L1SectorsPerCycle));
  uint32_t First = uint32_t(RequestSectors.size());
  for (uint32_t K = 0; K < A.NumSectors; ++K)
    RequestSectors.push_back(
        canonicalSector(W.Trace->Sectors[A.FirstSector + K]));
  uint32_t F = NoIndex;
  if (U.Kind == UopKind::Atomic) {
    F = newFetch(Warp, U, Stall::Atomic);
    ++Fetches[F].Parts;
  }
  request(RequestKind::Atomic, Start, F, std::max<uint16_t>(1, A.Degree),
          First);
  W.MemoryDone = std::max(W.MemoryDone, Start + P.AtomicLatency);
}

void Sm::reply(const MemoryRequest &R, const MemoryReply &Reply) {
  // A launch has ended when its last write and atomic operation is done.
  LastTime = std::max(LastTime, Reply.Time);
  if (R.Fetch == NoIndex)
    return;
  const Fetch &F = Fetches[R.Fetch];
  Statistics[F.Function][F.Instruction].L2Hits += Reply.L2Hits;
  if (R.Kind == RequestKind::Read)
    MshrReleases.push({Reply.Time, R.NumLines});
  part(R.Fetch, Reply.Time);
}

void Sm::part(uint32_t FetchIndex, uint64_t Time) {
  Fetch &F = Fetches[FetchIndex];
  assert(F.Parts && "more replies than requests");
  F.Done = std::max(F.Done, Time);
  if (--F.Parts == 0)
    complete(FetchIndex);
}

void Sm::complete(uint32_t FetchIndex) {
  Fetch F = std::move(Fetches[FetchIndex]);
  Fetches[FetchIndex] = Fetch();
  FreeFetches.push_back(FetchIndex);
  for (auto [Line, Mask] : F.Lines)
    if (CacheLine *L = L1.find(Line % L1.sets(), Line)) {
      L->Valid |= Mask & L->Pending;
      L->Pending &= uint8_t(~Mask);
      L->FillTime = std::max(L->FillTime, F.Done);
    }
  if (F.Warp != NoIndex) {
    WarpSlot &W = Warps[F.Warp];
    uint64_t *File = registersOf(F.Warp);
    for (uint32_t R : F.Results)
      if (File[R] == (PendingBit | FetchIndex))
        File[R] = readyAt(F.Done, F.Why);
    --W.Outstanding;
    W.MemoryDone = std::max(W.MemoryDone, F.Done);
    if (WarpReady[F.Warp] == Never && !W.AtBarrier)
      prepare(F.Warp);
  }
  for (uint32_t Follower : F.Followers)
    part(Follower, F.Done);
}

void Sm::clearRequests() {
  Requests.clear();
  RequestSectors.clear();
}
