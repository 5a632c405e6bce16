//===- Block.cpp - The warps of a block and their shared memory -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <sys/mman.h>

using namespace gevo::gpu;
using ptx::SpecialRegister;

namespace {
constexpr unsigned SpecialStride = 256;
/// A warp runs this long before the next one gets its turn.
constexpr uint64_t WarpQuantum = uint64_t(1) << 16;
/// A loop that is known to poll needs fewer turns to be taken for a wait than
/// one that may be anything: one of its turns counts as so many.
constexpr uint64_t PolledTurns = 32;
} // namespace

/// Where the system's part of shared memory starts; its end if it has none.
static uint32_t reservedShared(const Grid &G) {
  uint32_t Dynamic = G.Options.DynamicSharedBytes;
  uint32_t Own =
      Dynamic ? G.Code.DynamicSharedBase + Dynamic : G.Code.StaticSharedBytes;
  return std::min((Own + 15) & ~15u, G.SharedBytes);
}

Block::Block(Grid &G) : G(G) {
  uint64_t Threads = G.Options.Block.count();
  uint32_t NumWarps = uint32_t((Threads + WarpSize - 1) / WarpSize);
  SharedStorage.resize(G.SharedBytes + 128);
  uintptr_t P = reinterpret_cast<uintptr_t>(SharedStorage.data());
  Shared = reinterpret_cast<char *>((P + 127) & ~uintptr_t(127));
  uint64_t PerWarp = uint64_t(G.LocalBytes) * WarpSize;
  bool HasShadow = G.CheckStack || G.CheckUninit;
  LocalStorageBytes = PerWarp * NumWarps * (HasShadow ? 2 : 1);
  if (LocalStorageBytes) {
    // Zeroed on first touch: deep stacks that are not used cost nothing.
    void *M = mmap(nullptr, LocalStorageBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (M == MAP_FAILED) {
      LocalStorageBytes = 0;
      G.stop(LaunchStatus::StackOverflow,
             "no memory for " + std::to_string(PerWarp * NumWarps) +
                 " bytes of local memory");
    } else {
      LocalStorage = static_cast<char *>(M);
    }
  }
  if (G.CheckUninit)
    SharedShadow.resize(G.SharedBytes);
  SpecialRows.resize(NumWarps);
  // The registers that code asks for most have the lowest numbers.
  size_t NumRows =
      G.Code.Specials ? 64 - size_t(__builtin_clzll(G.Code.Specials)) : 0;
  for (uint32_t W = 0; W < NumWarps; ++W) {
    Warps.push_back(std::make_unique<Warp>(*this, W));
    Warp &X = *Warps.back();
    SpecialRows[W].resize(NumRows * SpecialStride + 64);
    uintptr_t S = reinterpret_cast<uintptr_t>(SpecialRows[W].data());
    X.Bases[SpecialBase] = reinterpret_cast<char *>((S + 63) & ~uintptr_t(63));
    X.LocalMemory = LocalStorage + W * PerWarp;
    X.LocalStride = G.LocalBytes;
    X.LocalLimit =
        G.Code.UnboundedStack ? G.LocalBytes : G.Code.LocalBytesPerThread;
    if (!LocalStorage)
      X.LocalLimit = 0;
    if (HasShadow && LocalStorage)
      X.LocalShadow =
          reinterpret_cast<uint8_t *>(LocalStorage) + (NumWarps + W) * PerWarp;
  }
}

Block::~Block() {
  if (LocalStorage)
    munmap(LocalStorage, LocalStorageBytes);
}

void Block::start(uint64_t BlockIndex, BlockTrace *Trace) {
  Index = BlockIndex;
  Where = G.blockAt(BlockIndex);
  NextWarp = 0;
  BarrierEpoch = 0;
  TraceIn = NoTrace;
  Accesses = {};
  std::memset(Shared, 0, G.SharedBytes);
  std::fill(SharedShadow.begin(), SharedShadow.end(), 0);
  if (!SharedShadow.empty()) {
    std::fill(SharedShadow.begin() + reservedShared(G), SharedShadow.end(), 1);
    SharedUnwritten = reservedShared(G);
  }
  for (BarrierState &B : Barriers) {
    std::fill(B.Arrived.begin(), B.Arrived.end(), 0);
    B.Used = false;
    B.Popc = 0;
    B.All = true;
    B.Any = false;
    B.Count = 0;
  }
  uint64_t Threads = G.Options.Block.count();
  if (Trace)
    startPiece(*Trace);
  for (auto &W : Warps) {
    uint64_t First = uint64_t(W->Index) * WarpSize;
    uint64_t Count = std::min<uint64_t>(WarpSize, Threads - First);
    if (!Trace)
      W->Trace = nullptr;
    W->start(Count == WarpSize ? FullMask : (1u << Count) - 1);
    fillSpecials(*W);
  }
  if (G.Races)
    G.Races->startBlock(*this);
}

void Block::traceAfter(uint64_t Count, BlockTrace &Piece) {
  TraceIn = Count;
  Late = &Piece;
  G.makeTraces();
  for (auto &W : Warps)
    W->Watched = W->Counted = true;
}

void Block::startPiece(BlockTrace &Piece) {
  G.makeTraces();
  Runs = G.Traces->table().get();
  Piece.BlockIndex = Index;
  Piece.Dropped = 0;
  Piece.Table = G.Traces->table();
  Piece.Warps.resize(Warps.size());
  for (auto &W : Warps) {
    Piece.Warps[W->Index].clear();
    W->startPiece(&Piece.Warps[W->Index]);
  }
}

void Block::startLate() {
  TraceIn = NoTrace;
  startPiece(*Late);
  for (auto &W : Warps)
    W->joinTrace();
}

Dim3 Block::threadAt(uint32_t WarpIndex, unsigned Lane) const {
  uint32_t T = WarpIndex * WarpSize + Lane;
  const Dim3 &B = G.Options.Block;
  return {T % B.X, T / B.X % B.Y, T / (B.X * B.Y)};
}

/// Writes the rows that the kernel reads. A 64-bit register has 64-bit lanes.
void Block::fillSpecials(Warp &W) {
  const Dim3 &Grd = G.Options.Grid, &Blk = G.Options.Block;
  for (uint64_t Used = G.Code.Specials; Used; Used &= Used - 1) {
    unsigned R = unsigned(__builtin_ctzll(Used));
    char *Row = W.Bases[SpecialBase] + R * SpecialStride;
    auto *Words = reinterpret_cast<uint32_t *>(Row);
    auto All = [&](uint32_t V) { std::fill(Words, Words + WarpSize, V); };
    auto Each = [&](auto Fn) {
      for (unsigned L = 0; L < WarpSize; ++L)
        Words[L] = Fn(L);
    };
    switch (SpecialRegister(R)) {
    case SpecialRegister::TidX:
      Each([&](unsigned L) { return threadAt(W.Index, L).X; });
      break;
    case SpecialRegister::TidY:
      Each([&](unsigned L) { return threadAt(W.Index, L).Y; });
      break;
    case SpecialRegister::TidZ:
      Each([&](unsigned L) { return threadAt(W.Index, L).Z; });
      break;
    case SpecialRegister::NtidX:
      All(Blk.X);
      break;
    case SpecialRegister::NtidY:
      All(Blk.Y);
      break;
    case SpecialRegister::NtidZ:
      All(Blk.Z);
      break;
    case SpecialRegister::CtaidX:
    case SpecialRegister::ClusteridX:
      All(Where.X);
      break;
    case SpecialRegister::CtaidY:
    case SpecialRegister::ClusteridY:
      All(Where.Y);
      break;
    case SpecialRegister::CtaidZ:
    case SpecialRegister::ClusteridZ:
      All(Where.Z);
      break;
    case SpecialRegister::NctaidX:
    case SpecialRegister::NclusteridX:
      All(Grd.X);
      break;
    case SpecialRegister::NctaidY:
    case SpecialRegister::NclusteridY:
      All(Grd.Y);
      break;
    case SpecialRegister::NctaidZ:
    case SpecialRegister::NclusteridZ:
      All(Grd.Z);
      break;
    case SpecialRegister::ClusterNctaidX:
    case SpecialRegister::ClusterNctaidY:
    case SpecialRegister::ClusterNctaidZ:
    case SpecialRegister::ClusterNctarank:
      All(1);
      break;
    case SpecialRegister::LaneId:
      Each([](unsigned L) { return L; });
      break;
    case SpecialRegister::WarpId:
      All(W.Index);
      break;
    case SpecialRegister::NwarpId:
      All(uint32_t(Warps.size()));
      break;
    case SpecialRegister::SmId:
      All(uint32_t(Index % G.Owner.config().NumSMs));
      break;
    case SpecialRegister::NsmId:
      All(G.Owner.config().NumSMs);
      break;
    case SpecialRegister::LanemaskEq:
      Each([](unsigned L) { return 1u << L; });
      break;
    case SpecialRegister::LanemaskLe:
      Each([](unsigned L) { return (2u << L) - 1; });
      break;
    case SpecialRegister::LanemaskLt:
      Each([](unsigned L) { return (1u << L) - 1; });
      break;
    case SpecialRegister::LanemaskGe:
      Each([](unsigned L) { return ~((1u << L) - 1); });
      break;
    case SpecialRegister::LanemaskGt:
      Each([](unsigned L) { return ~((2u << L) - 1); });
      break;
    case SpecialRegister::TotalSmem:
    case SpecialRegister::AggrSmem:
      All(G.SharedBytes);
      break;
    case SpecialRegister::DynamicSmem:
      All(G.Options.DynamicSharedBytes);
      break;
    case SpecialRegister::ReservedSmemBegin:
      All(reservedShared(G));
      break;
    case SpecialRegister::ReservedSmemEnd:
    case SpecialRegister::ReservedSmemCap:
      All(G.SharedBytes);
      break;
    // Where cooperative groups look for the grid's barrier.
    case SpecialRegister::Envreg1:
      All(uint32_t(G.Workspace >> 32));
      break;
    case SpecialRegister::Envreg2:
      All(uint32_t(G.Workspace));
      break;
    case SpecialRegister::GridId: {
      auto *Long = reinterpret_cast<uint64_t *>(Row);
      std::fill(Long, Long + WarpSize, G.Result.GridNumber);
      break;
    }
    default:
      std::memset(Row, 0, SpecialStride);
      break;
    }
  }
}

BlockStop Block::run(uint64_t Quantum) {
  uint64_t Before = G.Steps;
  uint32_t N = uint32_t(Warps.size());
  uint32_t Idle = 0; // Warps in a row that could not move.
  // Turns in a row in which a warp only spun or waited: when all do, another
  // block has to move.
  uint64_t Spinning = 0;
  uint64_t Patience = (G.Options.Cooperative ? 2 : 256) * uint64_t(N);
  while (true) {
    if (G.stopped())
      return BlockStop::Stopped;
    if (Idle == N) {
      bool Done = true;
      for (auto &W : Warps)
        Done &= W->done();
      if (Done)
        return BlockStop::Done;
      reportDeadlock();
      return BlockStop::Stopped;
    }
    uint64_t Limit = G.Options.StepLimit;
    if (Limit && G.Steps >= Limit) {
      Warp &W = *Warps[NextWarp];
      Finding F;
      F.Kind = FindingKind::StepLimit;
      F.Message = "the launch executed more than " + std::to_string(Limit) +
                  " warp instructions; raise the step limit if it needs more";
      F.Kernel = G.What.name();
      F.Who.Block = Where;
      if (!W.splits().empty()) {
        const Split &S = W.splits().front();
        F.Who.Thread = threadAt(W.Index, unsigned(__builtin_ctz(S.Mask)));
        F.Who.Place = G.place(S.Where->Function, S.Pc);
      }
      G.stop(LaunchStatus::Timeout, F.Message);
      G.addFinding(std::move(F), 0);
      return BlockStop::Stopped;
    }
    if (G.Steps - Before >= Quantum || Spinning >= Patience)
      return BlockStop::Yielded;
    Warp &W = *Warps[NextWarp];
    uint64_t Turn = WarpQuantum;
    if (Limit)
      Turn = std::min(Turn, Limit - G.Steps);
    uint64_t Start = G.Steps;
    WarpStop Stop = W.done() ? WarpStop::Done : W.run(Turn);
    if (Stop == WarpStop::Fault)
      return BlockStop::Stopped;
    Idle = G.Steps == Start ? Idle + 1 : 0;
    bool Spun = Stop == WarpStop::Yielded && G.Steps - Start < Turn;
    bool Polled = Stop == WarpStop::Yielded && W.Polled;
    uint64_t Count = Polled ? PolledTurns : 1;
    Spinning = Spun || G.Steps == Start ? Spinning + Count : 0;
    NextWarp = (NextWarp + 1) % N;
    if (Stop == WarpStop::Yielded && W.Overtakes)
      return BlockStop::Yielded;
  }
}

/// A warp whose live lanes have all arrived counts as a whole; so do warps
/// that ended, if the barrier is for the whole block.
bool Block::complete(const BarrierState &B) const {
  uint64_t Count = 0;
  uint64_t Expected = B.Count ? B.Count : Warps.size() * uint64_t(WarpSize);
  for (size_t W = 0; W < Warps.size(); ++W) {
    uint32_t Live = Warps[W]->Live, Here = B.Arrived[W];
    if (!Here && (Live || B.Count))
      continue;
    Count +=
        (Here & Live) == Live ? WarpSize : unsigned(__builtin_popcount(Here));
  }
  return Count >= Expected;
}

void Block::arrive(uint32_t Number, uint32_t Count, Warp &W, uint32_t Lanes,
                   uint32_t Values, bool Reduces) {
  BarrierState &B = Barriers[Number];
  if (!B.Used) {
    B.Used = true;
    B.Count = Count;
  }
  B.Arrived.resize(Warps.size());
  B.Arrived[W.Index] |= Lanes;
  if (G.Races && B.Count)
    G.Races->arrive(*this, Number, W.Index, Lanes);
  if (Reduces) {
    B.Popc += unsigned(__builtin_popcount(Values));
    B.All &= Values == Lanes;
    B.Any |= Values != 0;
  }
  if (complete(B))
    finishBarrier(Number);
}

void Block::finishBarrier(uint32_t Number) {
  BarrierState &B = Barriers[Number];
  uint32_t Popc = B.Popc;
  bool All = B.All, Any = B.Any;
  if (!B.Count && G.checks(CheckFamily::Barrier))
    reportExited(Number);
  if (G.Races && !B.Count) {
    G.Races->barrier(*this);
  } else if (G.Races) {
    std::vector<uint32_t> Waiting;
    for (auto &W : Warps) {
      Waiting.push_back(0);
      for (const Split &S : W->splits())
        if (S.State == Split::AtBarrier && S.Barrier == Number)
          Waiting.back() |= S.Mask;
    }
    G.Races->complete(*this, Number, Waiting);
  }
  B.Used = false;
  B.Popc = 0;
  B.All = true;
  B.Any = false;
  B.Count = 0;
  std::fill(B.Arrived.begin(), B.Arrived.end(), 0);
  ++BarrierEpoch;
  for (auto &W : Warps)
    W->releaseBarrier(Number, Popc, All, Any);
}

void Block::recheckBarriers() {
  for (uint32_t Number = 0; Number <= ClusterBarrier; ++Number)
    if (Barriers[Number].Used && complete(Barriers[Number]))
      finishBarrier(Number);
}

uint64_t Block::globalTimer(const Warp &W) const {
  // Nanoseconds; an instruction of any launch of the device takes one cycle.
  return (G.StepsBefore + W.NowInGrid) * 1000000 /
         std::max(1u, G.Owner.config().ClockKHz);
}

bool Block::isConstAddress(uint64_t Address) const {
  const Allocation *A = G.Memory.find(Address);
  return A && A->Kind == MemoryKind::ModuleConst;
}
