//===- Race.cpp - Races on shared and global memory -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Block.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace gevo::gpu;

namespace {
/// Global memory beyond this many pages of 4 KiB is not watched, which bounds
/// the detector's own memory.
constexpr size_t MaxPages = 8192;
constexpr size_t MaxSyncWords = 1 << 16;

/// The bytes a store writes for one lane.
void laneValue(const Warp &W, const Inst &I, unsigned Lane, char *To) {
  bool Wide = I.Target == 8;
  for (unsigned K = 0; K < I.Count; ++K) {
    uint32_t Slot = I.Count > 1 ? W.code().VectorSlots[I.B + K] : I.B;
    const char *Row = W.row<char>(Slot);
    std::memcpy(To + K * I.Bytes, Row + Lane * (Wide ? 8 : 4),
                std::min<unsigned>(I.Bytes, Wide ? 8 : 4));
    if (I.Bytes == 16)
      std::memcpy(To + 8, Row + 8 * WarpSize + Lane * 8, 8);
  }
}
} // namespace

RaceDetector::RaceDetector(Grid &G) : G(G) {
  uint32_t Base = 0;
  for (const auto &F : G.Code.Functions) {
    PlaceBase.push_back(Base);
    Base += uint32_t(F->Insts.size());
  }
}
RaceDetector::~RaceDetector() = default;

void RaceDetector::startBlock(const Block &B) {
  auto &C = Clocks[B.Index];
  if (!C)
    C = std::make_unique<BlockClock>();
  uint32_t N = uint32_t(B.Warps.size());
  C->NumWarps = N;
  C->Knows.assign(size_t(N) * N, 0);
  C->Full.assign(N, 0);
  C->Fence.assign(N, 0);
  C->Shared.assign((G.SharedBytes + 3) / 4, Cell());
}

void RaceDetector::endBlock(const Block &B) { Clocks.erase(B.Index); }

void RaceDetector::warpSync(const Block &B, uint32_t WarpIndex,
                            uint32_t Lanes) {
  BlockClock &C = *Clocks[B.Index];
  uint64_t Now = Time++;
  uint32_t Live = B.Warps[WarpIndex]->Live;
  if ((Lanes & Live) == Live) {
    C.Full[WarpIndex] = Now;
    return;
  }
  if (C.Pairs.empty())
    C.Pairs.assign(size_t(C.NumWarps) * WarpSize * WarpSize, 0);
  uint64_t *P = C.Pairs.data() + size_t(WarpIndex) * WarpSize * WarpSize;
  for (uint32_t X = Lanes; X; X &= X - 1)
    for (uint32_t Y = Lanes; Y; Y &= Y - 1)
      P[__builtin_ctz(X) * WarpSize + __builtin_ctz(Y)] = Now;
}

void RaceDetector::barrier(const Block &B, const std::vector<uint32_t> &Lanes,
                           bool Whole) {
  BlockClock &C = *Clocks[B.Index];
  uint64_t Now = Time++;
  if (Whole) {
    C.All = Now;
    std::fill(C.Full.begin(), C.Full.end(), Now);
    return;
  }
  std::vector<uint64_t> Joint(C.NumWarps, 0);
  for (uint32_t W = 0; W < C.NumWarps; ++W)
    if (Lanes[W])
      for (uint32_t V = 0; V < C.NumWarps; ++V)
        Joint[V] = std::max(Joint[V], C.Knows[size_t(W) * C.NumWarps + V]);
  for (uint32_t W = 0; W < C.NumWarps; ++W)
    if (Lanes[W])
      Joint[W] = Now;
  for (uint32_t W = 0; W < C.NumWarps; ++W)
    if (Lanes[W]) {
      std::copy(Joint.begin(), Joint.end(),
                C.Knows.begin() + std::ptrdiff_t(size_t(W) * C.NumWarps));
      if ((Lanes[W] & B.Warps[W]->Live) == B.Warps[W]->Live)
        C.Full[W] = Now;
    }
}

void RaceDetector::fence(const Warp &W) {
  Clocks[W.Owner.Index]->Fence[W.Index] = Time++;
}

RaceDetector::Cell *RaceDetector::cell(BlockClock &C, const Block &B,
                                       uint64_t Address, TraceSpace Space) {
  if (Space == TraceSpace::Shared)
    return &C.Shared[(Address - reinterpret_cast<uint64_t>(B.Shared)) / 4];
  uint64_t Number = Address >> 12;
  if (Number != LastPageNumber) {
    auto It = Pages.find(Number);
    if (It == Pages.end()) {
      if (Pages.size() >= MaxPages)
        return nullptr;
      It = Pages.emplace(Number, std::make_unique<Page>()).first;
    }
    LastPageNumber = Number;
    LastPage = It->second.get();
  }
  return &(*LastPage)[Address / 4 % 1024];
}

/// Does \p R happen before what the lane does now?
bool RaceDetector::ordered(const Record &R, const BlockClock &C, const Warp &W,
                           unsigned Lane) const {
  uint32_t Mine = uint32_t(W.Owner.Index);
  if (R.BlockIndex != Mine) {
    auto It = C.Blocks.find(R.BlockIndex);
    return It != C.Blocks.end() && It->second >= R.Time;
  }
  uint32_t Other = R.Thread / WarpSize;
  if (Other != W.Index)
    return R.Time <= C.All ||
           R.Time <= C.Knows[size_t(W.Index) * C.NumWarps + Other];
  unsigned OtherLane = R.Thread % WarpSize;
  if (OtherLane == Lane)
    return true;
  if (!G.Independent)
    return R.Time < Time; // Lanes run in step.
  if (R.Time <= C.Full[W.Index])
    return true;
  return !C.Pairs.empty() &&
         R.Time <= C.Pairs[(size_t(W.Index) * WarpSize + Lane) * WarpSize +
                           OtherLane];
}

bool RaceDetector::conflicts(const Record &Old, const Record &Now,
                             const BlockClock &C, const Warp &W, unsigned Lane,
                             TraceSpace Space) const {
  if (!Old.Time || !(Old.Bytes & Now.Bytes))
    return false;
  if ((Old.Flags & Strong) && (Now.Flags & Strong)) {
    // Code that counts on a warp running in step marks its shared memory
    // volatile; that orders nothing between lanes from sm_70 on.
    bool InStep = Space == TraceSpace::Shared && G.Independent &&
                  (Old.Flags & Now.Flags & VolatileOnly) &&
                  Old.BlockIndex == Now.BlockIndex &&
                  Old.Thread / WarpSize == Now.Thread / WarpSize;
    if (!InStep)
      return false;
  }
  return !ordered(Old, C, W, Lane);
}

void RaceDetector::report(Warp &W, const Record &Old, const Record &Now,
                          unsigned Lane, uint64_t Address, TraceSpace Space,
                          bool OldWrites, bool Writes, bool SameValue) {
  bool Shared = Space == TraceSpace::Shared;
  if (Shared)
    Address -= reinterpret_cast<uint64_t>(W.Owner.Shared);
  char Where[32];
  std::snprintf(Where, sizeof Where, "0x%llx", (unsigned long long)Address);
  Finding F;
  F.Kind = SameValue ? FindingKind::RaceSameValue
           : Shared  ? FindingKind::RaceShared
                     : FindingKind::RaceGlobal;
  auto Verb = [](const Record &R, bool Write) {
    return R.Flags & Atomic ? "atomic access" : Write ? "write" : "read";
  };
  F.Message = std::string(Verb(Now, Writes)) + " of " +
              (Shared ? "shared" : "global") + " memory at " + Where +
              " races with a " + Verb(Old, OldWrites) + " by " +
              (Old.BlockIndex != Now.BlockIndex ? "another block"
               : Old.Thread / WarpSize != Now.Thread / WarpSize
                   ? "another warp of the block"
                   : "another lane of the warp") +
              (SameValue ? "; both leave the same value" : "");
  F.Kernel = G.What.name();
  F.Address = Address;
  F.AccessBytes = 4;
  F.Who.Block = W.Owner.Where;
  F.Who.Thread = W.Owner.threadAt(W.Index, Lane);
  F.Who.Place = G.place(W.Current->Function, W.Pc);
  ThreadPlace Other;
  Other.Block = G.blockAt(Old.BlockIndex);
  Other.Thread = W.Owner.threadAt(Old.Thread / WarpSize, Old.Thread % WarpSize);
  uint32_t Function =
      uint32_t(std::upper_bound(PlaceBase.begin(), PlaceBase.end(), Old.Place) -
               PlaceBase.begin() - 1);
  Other.Place = G.place(Function, Old.Place - PlaceBase[Function]);
  F.Other = Other;
  G.addFinding(std::move(F), Now.Place, uint64_t(Old.Place) + 1);
}

void RaceDetector::acquire(BlockClock &C, const Warp &W, uint64_t Address) {
  auto It = SyncWords.find(Address);
  if (It == SyncWords.end())
    return;
  const SyncWord &S = It->second;
  for (auto &[Block, When] : S.Blocks)
    if (Block != uint32_t(W.Owner.Index)) {
      uint64_t &Known = C.Blocks[Block];
      Known = std::max(Known, When);
    }
  if (S.BlockIndex == uint32_t(W.Owner.Index))
    for (auto &[Other, When] : S.Warps) {
      uint64_t &Known = C.Knows[size_t(W.Index) * C.NumWarps + Other];
      Known = std::max(Known, When);
      if (Other == W.Index)
        C.Full[W.Index] = std::max(C.Full[W.Index], When);
    }
}

void RaceDetector::release(BlockClock &C, const Warp &W, const Inst &I,
                           uint64_t Address) {
  uint64_t When = I.Flags & FlagReleaseOrder ? Time - 1 : C.Fence[W.Index];
  if (!When)
    return;
  if (SyncWords.size() >= MaxSyncWords && !SyncWords.count(Address))
    return;
  SyncWord &S = SyncWords[Address];
  uint32_t Mine = uint32_t(W.Owner.Index);
  for (auto &[Block, Then] : C.Blocks) {
    uint64_t &Known = S.Blocks[Block];
    Known = std::max(Known, Then);
  }
  uint64_t &Known = S.Blocks[Mine];
  Known = std::max(Known, When);
  if (S.BlockIndex != Mine) {
    S.BlockIndex = Mine;
    S.Warps.clear();
  }
  auto Add = [&](uint32_t Warp, uint64_t Then) {
    for (auto &[Other, Old] : S.Warps)
      if (Other == Warp) {
        Old = std::max(Old, Then);
        return;
      }
    S.Warps.push_back({Warp, Then});
  };
  Add(W.Index, When);
  for (uint32_t V = 0; V < C.NumWarps; ++V)
    if (uint64_t Then = C.Knows[size_t(W.Index) * C.NumWarps + V])
      Add(V, Then);
}

/// Keeps two readers that are not in order with each other.
void RaceDetector::remember(Cell &X, const Record &Now, const BlockClock &C,
                            const Warp &W, unsigned Lane) {
  for (Record &R : X.Read)
    if (!R.Time || (R.Thread == Now.Thread && R.BlockIndex == Now.BlockIndex)) {
      uint8_t Bytes = R.Time ? R.Bytes | Now.Bytes : Now.Bytes;
      R = Now;
      R.Bytes = Bytes;
      return;
    }
  unsigned Victim = ordered(X.Read[0], C, W, Lane) ? 0 : 1;
  X.Read[Victim] = Now;
}

void RaceDetector::check(Warp &W, BlockClock &C, Cell &X, const Record &Now,
                         AccessKind Kind, unsigned Lane, uint64_t Address,
                         TraceSpace Space, bool SameAsWrite) {
  bool Writes = Kind != AccessKind::Load;
  if (conflicts(X.Write, Now, C, W, Lane, Space)) {
    bool Same = Writes ? SameAsWrite : bool(X.Write.Flags & Silent);
    report(W, X.Write, Now, Lane, Address, Space, true, Writes, Same);
  }
  if (!Writes)
    return remember(X, Now, C, W, Lane);
  for (const Record &R : X.Read)
    if (conflicts(R, Now, C, W, Lane, Space))
      report(W, R, Now, Lane, Address, Space, false, true, Now.Flags & Silent);
  X.Write = Now;
  // Readers before this write are answered for.
  X.Read[0] = X.Read[1] = Record();
}

void RaceDetector::access(Warp &W, const Inst &I, uint32_t Mask,
                          const uint64_t (&A)[WarpSize], uint32_t Bytes,
                          AccessKind Kind, TraceSpace Space) {
  if (I.Flags & FlagReadOnly)
    return;
  BlockClock &C = *Clocks[W.Owner.Index];
  Time++;
  bool IsStrong = I.Flags & FlagStrong;
  if (IsStrong)
    for (uint32_t M = Mask; M; M &= M - 1) {
      uint64_t Address = A[__builtin_ctz(M)];
      if (Kind != AccessKind::Store)
        acquire(C, W, Address);
      if (Kind != AccessKind::Load)
        release(C, W, I, Address);
    }
  Record Now;
  Now.Time = Time;
  Now.BlockIndex = uint32_t(W.Owner.Index);
  Now.Place = PlaceBase[W.Current->Function] + W.Pc;
  uint8_t Flags =
      (IsStrong ? Strong : 0) | (Kind == AccessKind::Atomic ? Atomic : 0) |
      (IsStrong && Kind != AccessKind::Atomic && I.Sub ? VolatileOnly : 0);
  char Value[32] = {}, OtherValue[32] = {};
  // Many lanes reading one word: two of them are enough to find any race.
  uint64_t Last = 0;
  unsigned Repeats = 0;
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (Kind == AccessKind::Load) {
      Repeats = A[L] == Last ? Repeats + 1 : 0;
      Last = A[L];
      if (Repeats > 1)
        continue;
    }
    Now.Thread = uint16_t(W.Index * WarpSize + L);
    if (Kind == AccessKind::Store)
      laneValue(W, I, L, Value);
    for (uint32_t Done = 0; Done < Bytes;) {
      uint64_t Address = A[L] + Done;
      uint32_t Offset = uint32_t(Address & 3);
      uint32_t Part = std::min(4 - Offset, Bytes - Done);
      Cell *X = cell(C, W.Owner, Address, Space);
      if (!X)
        break;
      Now.Bytes = uint8_t(((1u << Part) - 1) << Offset);
      Now.Flags = Flags;
      bool Same = false;
      if (Kind == AccessKind::Store) {
        // Lanes of one instruction have not written yet.
        const char *Old = reinterpret_cast<const char *>(Address);
        if (X->Write.Time == Time) {
          laneValue(W, I, X->Write.Thread % WarpSize, OtherValue);
          uint64_t Start = A[X->Write.Thread % WarpSize];
          Old = Address >= Start && Address + Part <= Start + Bytes
                    ? OtherValue + (Address - Start)
                    : Old;
        }
        Same = std::memcmp(Old, Value + Done, Part) == 0;
        if (std::memcmp(reinterpret_cast<const char *>(Address), Value + Done,
                        Part) == 0)
          Now.Flags |= Silent;
      }
      check(W, C, *X, Now, Kind, L, Address, Space, Same);
      Done += Part;
    }
  }
}
