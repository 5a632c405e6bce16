//===- SmMemory.cpp - Load/store path and L1 of an SM ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All memory instructions of an SM share one path. Shared memory occupies it
// once per bank conflict; global and local memory once per group of tags, bank
// conflict (loads) or group of sectors, then look up L1 and ask L2 for what is
// missing.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Sm.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {
/// Of 32 bits, because longer divisions are slow.
uint32_t divideUp(uint32_t A, uint64_t B) {
  return (A + uint32_t(B) - 1) / uint32_t(B);
}

/// How often \p A occupies its place: conflicts of banks, or lanes at one word.
uint16_t degreeOf(const Uop &U, const TraceAccess &A) {
  return U.Flags & FlagOneLane ? 1 : std::max<uint16_t>(1, A.Degree);
}
} // namespace

const TraceAccess &Sm::accessOf(const WarpSlot &W, const Uop &U) {
  uint32_t K = U.Access - W.FirstAccess;
  assert(K < W.Open->Accesses.size() && "a memory instruction has a record");
  return W.Accesses[K];
}

/// Occupies the path for \p Cycles; returns when that starts.
uint64_t Sm::takePath(uint64_t Now, uint64_t Cycles) {
  uint64_t Start = std::max(Now, PathFree);
  PathFree = Start + std::max<uint64_t>(1, Cycles);
  return Start;
}

[[gnu::always_inline]] inline void Sm::sharedAccess(WarpSlot &W, const Uop &U,
                                                    const TraceAccess &A,
                                                    uint64_t Now) {
  uint64_t Degree = degreeOf(U, A), Cycles = Degree;
  // Passes of one access follow each other more slowly than those of others.
  uint64_t Later = (Degree - 1) * P.SharedConflictLatency;
  if (U.Kind == UopKind::Atomic || U.Kind == UopKind::Reduce) {
    Cycles = Degree * P.SharedAtomicStep;
    Later = Cycles - 1;
  } else if (Degree > 1) {
    uint64_t Wide =
        divideUp(unsigned(__builtin_popcount(A.Mask)) * A.BytesPerLane,
                 P.SharedBytesPerCycle);
    W.Stats[U.Instruction].BankConflicts +=
        Degree - std::min(Degree, std::max<uint64_t>(1, Wide));
  }
  uint64_t Start = takePath(Now, Cycles);
  uint64_t Done = Start + P.SharedLatency + Later;
  setResults(W, U, Done,
             U.Kind == UopKind::Atomic ? Stall::Atomic : Stall::Shared);
  W.MemoryDone = std::max(W.MemoryDone, Done);
}

/// Words of local memory lie side by side for the lanes of a warp, and what was
/// spilled is read soon: a full warp has four sectors for each word, in L1.
void Sm::spill(WarpSlot &W, const Uop &U, uint64_t Now) {
  uint32_t Sectors = divideUp(uint32_t(W.Lanes) * U.Latency, SectorBytes);
  uint64_t Cycles = divideUp(Sectors, P.L1SectorsPerCycle);
  InstructionProfile &Cost = W.Stats[U.Instruction];
  ++Cost.Requests;
  Cost.Sectors += Sectors;
  Cost.L1Hits += Sectors;
  uint64_t Start = takePath(Now, Cycles);
  setResults(W, U, Start + P.L1Latency + Cycles - 1, Stall::Global);
}

void Sm::memory(WarpSlot &W, const Uop &U, uint64_t Now) {
  if (U.Copy != W.Copy)
    moveToCopy(W, U.Copy);
  if (W.Order != W.OrderEnd)
    return orderedAccess(W, U, Now);
  const TraceAccess &A = accessOf(W, U);
  ++W.Stats[U.Instruction].Requests;
  switch (A.Space) {
  case TraceSpace::None:
    setResults(W, U, Now + P.pipe(Unit::Memory).Latency, Stall::Arithmetic);
    return;
  case TraceSpace::Shared:
    sharedAccess(W, U, A, Now);
    return;
  case TraceSpace::Const:
  case TraceSpace::Param: {
    // The constant cache delivers one word a cycle to the whole warp.
    uint64_t Words = std::max<uint64_t>(1, A.NumSectors);
    uint64_t Start = takePath(Now, Words);
    setResults(W, U, Start + P.ConstLatency + Words - 1, Stall::Shared);
    return;
  }
  case TraceSpace::Global:
  case TraceSpace::Local:
    break;
  }
  W.Stats[U.Instruction].Sectors += A.NumSectors;
  if (U.Kind == UopKind::Load)
    globalLoad(W, U, A, Now);
  else if (U.Kind == UopKind::Store)
    globalStore(W, U, A, Now);
  else
    globalAtomic(W, U, A, Now);
  if (U.Flags & FlagEmptiesL1)
    L1EmptiedAt = Now;
}

uint32_t Sm::newFetch(WarpSlot &W, const Uop &U, Stall Why) {
  uint32_t K;
  if (FreeFetches.empty()) {
    K = uint32_t(Fetches.size());
    Fetches.emplace_back();
  } else {
    K = FreeFetches.back();
    FreeFetches.pop_back();
  }
  Fetch &F = Fetches[K];
  F.Warp = indexOf(W);
  F.Parts = 0;
  F.Done = 0;
  F.Why = Why;
  F.Stats = &W.Stats[U.Instruction];
  ++W.Outstanding;
  F.Results = W.Fn->results(U);
  F.NumResults = U.NumResults;
  F.FirstRegister = uint32_t(W.File - registersOf(F.Warp));
  for (unsigned R = 0; R < U.NumResults; ++R)
    W.File[F.Results[R]] = PendingBit | K;
  return K;
}

void Sm::request(RequestKind Kind, uint64_t Time, uint32_t FetchIndex,
                 uint16_t Degree, uint32_t FirstLine, uint32_t NumSectors) {
  MemoryRequest R;
  R.Time = Time;
  R.SM = Index;
  R.Fetch = FetchIndex;
  R.Kind = Kind;
  R.Degree = Degree;
  R.FirstLine = FirstLine;
  R.NumLines = uint32_t(RequestLines.size()) - FirstLine;
  R.NumSectors = NumSectors;
  Requests.push_back(R);
  FirstRequest = std::min(FirstRequest, Time);
  LastRequest = std::max(LastRequest, Time);
}

/// When there is room for \p Lines more outstanding ones.
uint64_t Sm::mshrRoom(uint64_t Now, uint64_t Lines) {
  uint64_t Time = Now;
  // Those that are free again do not matter as long as there is room anyway.
  if (MshrsUsed + Lines <= P.L1Mshrs)
    return Time;
  for (; FirstRelease < MshrReleases.size(); ++FirstRelease) {
    const Release &R = MshrReleases[FirstRelease];
    if (R.Time > Time && MshrsUsed + Lines <= P.L1Mshrs)
      break;
    Time = std::max(Time, R.Time);
    MshrsUsed -= R.Lines;
  }
  if (2 * FirstRelease > MshrReleases.size()) {
    MshrReleases.erase(MshrReleases.begin(),
                       MshrReleases.begin() + ptrdiff_t(FirstRelease));
    FirstRelease = 0;
  }
  // What is still out has no time yet; it comes after this window.
  if (MshrsUsed && MshrsUsed + Lines > P.L1Mshrs)
    Time = std::max(Time, WindowEnd);
  return Time;
}

void Sm::globalLoad(WarpSlot &W, const Uop &U, const TraceAccess &A,
                    uint64_t Now) {
  bool Cached =
      A.Space == TraceSpace::Local ||
      (!(U.Flags & FlagSkipL1) && (P.L1CachesGlobal || U.Flags & FlagReadOnly));
  // A cache that shares its memory with shared memory has the banks of that, so
  // what counts is where the words lie, not in how many sectors.
  uint64_t Turns = P.L1Unified ? std::max<uint16_t>(1, A.Degree)
                               : divideUp(A.NumSectors, P.L1SectorsPerCycle);
  uint64_t Cycles =
      std::max<uint64_t>(Turns, divideUp(A.NumLines, P.L1TagsPerCycle));
  uint64_t Start = takePath(Now, Cycles);
  uint64_t Hit = Start + P.L1Latency + Cycles - std::min<uint64_t>(1, Cycles);
  uint32_t F = NoIndex;
  auto NeedFetch = [&] {
    if (F == NoIndex)
      F = newFetch(W, U, Stall::Global);
  };
  uint64_t L1Hits = 0;
  uint32_t MissedSectors = 0;
  for (uint32_t K = 0; K < A.NumLines; ++K) {
    uint64_t Traced = W.Lines[A.FirstLine + K], Line = lineOf(Traced);
    uint8_t Mask = sectorsOf(Traced), Missing = Mask;
    if (Cached) {
      uint64_t Set = L1.setOf(Line);
      CacheLine *L = L1.find(Set, Line);
      if (L && L->FillTime < L1EmptiedAt && A.Space == TraceSpace::Global)
        L->Valid = 0;
      if (L) {
        uint8_t There = L->Valid & Mask, Coming = L->Pending & Mask;
        L1Hits += numSectors(There);
        Hit = std::max(Hit, L->filledAt(There));
        if (Coming) {
          NeedFetch();
          ++Fetches[F].Parts;
          Lists.append(Fetches[L->Filler].Followers, F);
        }
        Missing &= uint8_t(~(There | Coming));
      } else {
        EvictedLine Evicted;
        L = L1.replace(Set, Line, Evicted);
        evict(Evicted, Start);
      }
      if (!Missing)
        continue;
      NeedFetch();
      // One filler per line: sectors that were pending before keep theirs by
      // waiting for the later of the two.
      if (L->Pending && L->Filler != F) {
        ++Fetches[F].Parts;
        Lists.append(Fetches[L->Filler].Followers, F);
      }
      L->Pending |= Missing;
      L->Filler = F;
      Lists.append(Fetches[F].Lines, traceLine(Line, Missing),
                   uint32_t(L1.placeOf(L)));
    }
    NeedFetch();
    MissedSectors += numSectors(Missing);
    Misses.push_back(traceLine(Line, Missing));
  }
  W.Stats[U.Instruction].L1Hits += L1Hits;
  if (F == NoIndex) {
    setResults(W, U, Hit, Stall::Global);
    W.MemoryDone = std::max(W.MemoryDone, Hit);
    return;
  }
  Fetches[F].Done = Hit;
  if (Misses.empty())
    return;
  uint64_t Room = mshrRoom(Start, Misses.size());
  PathFree = std::max(PathFree, Room);
  MshrsUsed += Misses.size();
  uint32_t First = uint32_t(RequestLines.size());
  RequestLines.insert(RequestLines.end(), Misses.begin(), Misses.end());
  Misses.clear();
  ++Fetches[F].Parts;
  request(RequestKind::Read, Room, F, 1, First, MissedSectors);
}

/// Writes back the dirty sectors of a line that left L1 (local memory).
void Sm::evict(const EvictedLine &Line, uint64_t Time) {
  if (!Line.Dirty)
    return;
  uint32_t First = uint32_t(RequestLines.size());
  RequestLines.push_back(traceLine(Line.Tag, Line.Dirty));
  request(RequestKind::Write, Time, NoIndex, 1, First, numSectors(Line.Dirty));
}

/// What a store wrote from end to end is in L1 from \p Time on; L2 has it, too,
/// so that it is never dirty. L1 cannot answer for a sector of which it has
/// some bytes only.
void Sm::keepStored(uint64_t Traced, uint64_t Time) {
  uint8_t Whole = wholeOf(Traced);
  if (!Whole)
    return;
  uint64_t Line = lineOf(Traced), Set = L1.setOf(Line);
  CacheLine *L = L1.find(Set, Line);
  if (!L) {
    EvictedLine Evicted;
    L = L1.replace(Set, Line, Evicted);
    evict(Evicted, Time);
  }
  if (L->FillTime < L1EmptiedAt)
    L->Valid = 0;
  // What else of the line is on its way does not hold these sectors up.
  L->Pending &= uint8_t(~Whole);
  L->Filled &= uint8_t(~Whole);
  L->Valid |= Whole;
  if (L->FillTime <= Time)
    L->fill(Whole, Time, Time);
}

void Sm::globalStore(WarpSlot &W, const Uop &U, const TraceAccess &A,
                     uint64_t Now) {
  uint64_t Start = takePath(Now, divideUp(A.NumSectors, P.L1SectorsPerCycle));
  const uint64_t *Lines = W.Lines + A.FirstLine;
  W.MemoryDone = std::max(W.MemoryDone, Start + P.L2Latency);
  if (A.Space != TraceSpace::Local) {
    if (P.L1KeepsStores && !(U.Flags & FlagSkipL1))
      for (uint32_t K = 0; K < A.NumLines; ++K)
        keepStored(Lines[K], Start);
    uint32_t First = uint32_t(RequestLines.size());
    RequestLines.insert(RequestLines.end(), Lines, Lines + A.NumLines);
    request(RequestKind::Write, Start, NoIndex, 1, First, A.NumSectors);
    return;
  }
  // Local memory is private to the thread, so L1 keeps what is written.
  for (uint32_t K = 0; K < A.NumLines; ++K) {
    uint64_t Line = lineOf(Lines[K]), Set = L1.setOf(Line);
    CacheLine *L = L1.find(Set, Line);
    if (!L) {
      EvictedLine Evicted;
      L = L1.replace(Set, Line, Evicted);
      evict(Evicted, Start);
    }
    L->Valid |= sectorsOf(Lines[K]);
    L->Dirty |= sectorsOf(Lines[K]);
  }
}

void Sm::globalAtomic(WarpSlot &W, const Uop &U, const TraceAccess &A,
                      uint64_t Now) {
  uint64_t Start = takePath(Now, divideUp(A.NumSectors, P.L1SectorsPerCycle));
  uint32_t First = uint32_t(RequestLines.size());
  const uint64_t *Lines = W.Lines + A.FirstLine;
  RequestLines.insert(RequestLines.end(), Lines, Lines + A.NumLines);
  uint32_t F = NoIndex;
  if (U.Kind == UopKind::Atomic) {
    F = newFetch(W, U, Stall::Atomic);
    ++Fetches[F].Parts;
  }
  request(RequestKind::Atomic, Start, F, degreeOf(U, A), First, A.NumSectors);
  W.MemoryDone = std::max(W.MemoryDone, Start + P.AtomicLatency);
}

void Sm::prefetchLists(const Answer &A) const {
  const Fetch &F = Fetches[A.Fetch];
  for (const ListPool::List &L : {F.Lines, F.Followers})
    if (L.First != NoIndex)
      Lists.prefetch(L.First);
}

void Sm::prefetchLine(const Answer &A) const {
  uint32_t N = Fetches[A.Fetch].Lines.First;
  if (N != NoIndex)
    L1.prefetchAt(Lists[N].Place);
}

void Sm::reply(const Answer &A) {
  LastTime = std::max(LastTime, A.Time);
  Fetches[A.Fetch].Stats->L2Hits += A.L2Hits;
  if (A.NumLines)
    releaseMshrs({A.Time, A.NumLines});
  part(A.Fetch, A.Time);
}

/// Answers come almost in order of their times.
void Sm::releaseMshrs(Release R) {
  size_t K = MshrReleases.size();
  MshrReleases.push_back(R);
  for (; K > FirstRelease && MshrReleases[K - 1].Time > R.Time; --K)
    MshrReleases[K] = MshrReleases[K - 1];
  MshrReleases[K] = R;
}

void Sm::part(uint32_t FetchIndex, uint64_t Time) {
  Fetch &F = Fetches[FetchIndex];
  assert(F.Parts && "more replies than requests");
  F.Done = std::max(F.Done, Time);
  if (--F.Parts == 0)
    complete(FetchIndex);
}

void Sm::complete(uint32_t FetchIndex) {
  // Nothing below makes new fetches, so the reference stays good.
  Fetch &F = Fetches[FetchIndex];
  for (uint32_t N = F.Lines.First; N != NoIndex;) {
    ListPool::Node Filled = Lists[N];
    N = Filled.Next;
    uint64_t Line = lineOf(Filled.Value);
    uint8_t Mask = sectorsOf(Filled.Value);
    if (CacheLine *L = L1.findAt(Filled.Place, L1.setOf(Line), Line)) {
      // What is issued from now on is so at the end of the last window at
      // least.
      L->fill(Mask & L->Pending, F.Done, WindowEnd);
      L->Pending &= uint8_t(~Mask);
    }
  }
  if (F.Warp != NoIndex)
    deliver(F, PendingBit | FetchIndex);
  for (uint32_t N = F.Followers.First; N != NoIndex;) {
    ListPool::Node Follower = Lists[N];
    N = Follower.Next;
    part(uint32_t(Follower.Value), F.Done);
  }
  F.Warp = NoIndex;
  Lists.clear(F.Lines);
  Lists.clear(F.Followers);
  Lists.clear(F.Copies);
  FreeFetches.push_back(FetchIndex);
}

/// The data of \p F, for which registers have the entry \p Pending, is there.
void Sm::deliver(const Fetch &F, uint32_t Pending) {
  WarpSlot &W = Warps[F.Warp];
  uint32_t *File = registersOf(F.Warp);
  uint32_t Ready = readyAt(F.Done, F.Why);
  auto Set = [&](uint64_t Register) {
    if (File[Register] == Pending)
      File[Register] = Ready;
  };
  for (unsigned R = 0; R < F.NumResults; ++R)
    Set(F.FirstRegister + F.Results[R]);
  for (uint32_t N = F.Copies.First; N != NoIndex; N = Lists[N].Next)
    Set(Lists[N].Value);
  --W.Outstanding;
  W.MemoryDone = std::max(W.MemoryDone, F.Done);
  if (W.Ready == Never && !W.AtBarrier)
    prepare(W);
}

void Sm::clearRequests() {
  Requests.clear();
  RequestLines.clear();
  Ordered.clear();
  FirstRequest = Never;
  LastRequest = 0;
}
