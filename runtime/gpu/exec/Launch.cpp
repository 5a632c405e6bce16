//===- Launch.cpp - Running a kernel over a grid --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the configuration, runs blocks in order, and lets blocks that wait for
// others take turns with those that would be resident at the same time.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Launch.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/exec/Grid.h"
#include "runtime/gpu/exec/HostFloat.h"
#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;

const char *gevo::gpu::launchStatusName(LaunchStatus S) {
  static const char *const Names[] = {"ok",
                                      "invalid-configuration",
                                      "illegal-address",
                                      "misaligned-address",
                                      "illegal-instruction",
                                      "invalid-pc",
                                      "stack-overflow",
                                      "assert",
                                      "trap",
                                      "timeout",
                                      "deadlock"};
  return Names[unsigned(S)];
}

bool LaunchResult::clean() const {
  if (Status != LaunchStatus::Ok)
    return false;
  for (const Finding &F : Findings)
    if (F.Sev == Severity::Error)
      return false;
  return true;
}

struct LaunchSession::Impl {
  Impl(Device &D, std::unique_lock<std::mutex> Held, const Kernel &K,
       const KernelCode &C, GlobalMemory &M, const LaunchOptions &O)
      : Held(std::move(Held)), G(D, K, C, M, O) {}

  struct Resident {
    uint64_t Index;
    std::unique_ptr<Block> Running;
    bool Traced = false;
    BlockTrace Piece;             ///< What was not handed out yet.
    BlockTrace *Handed = nullptr; ///< Where the pieces before it are.
    AccessCounts Accesses;
    uint64_t TraceBytes = 0;
    bool Led = false; ///< Was the first of the unfinished ones in a round.
    bool Done = false;
  };

  std::unique_ptr<Block> takeBlock();
  Resident *find(uint64_t Index);
  Resident *firstUnfinished();
  Resident &open(bool Traced, BlockTrace *Storage = nullptr);
  bool turn(Resident &R, uint64_t Quantum);
  void countTraces(Resident &R);
  /// Runs that are not alike are in the table.
  uint64_t bytesWithTable(const Resident &R) const {
    return TraceBytes + R.Piece.Table->bytes();
  }
  bool tracesAreLong(const Resident &R) const {
    return bytesWithTable(R) > G.Options.PieceBytes;
  }
  bool round(bool Traced);
  void handOut(Resident &R, BlockTrace &To);
  void close(Resident &R);

  std::unique_lock<std::mutex> Held;
  HostFloatScope Float; ///< Also for the clock, which runs between blocks.
  Grid G;
  uint64_t Next = 0;   ///< To be asked for.
  uint64_t Opened = 0; ///< Blocks.
  uint64_t NumBlocks = 0;
  uint64_t MaxResident = 1;
  uint64_t RoundQuantum = 0;
  uint64_t TraceBytes = 0; ///< Of the open blocks.
  uint64_t After = 0;      ///< Where the traces of blocks begin.
  std::vector<std::unique_ptr<Block>> Idle;
  std::vector<std::unique_ptr<Resident>> Open; ///< In order of index.
};

namespace {
/// A block that runs longer than this gives others a turn: it may wait for
/// them.
constexpr uint64_t FirstQuantum = uint64_t(1) << 18;
/// Instructions of a round of turns: their traces are in memory at once.
constexpr uint64_t RoundSteps = uint64_t(1) << 24;
constexpr uint64_t LeastQuantum = uint64_t(1) << 13;

std::string checkConfiguration(const DeviceConfig &C, const Kernel &K,
                               const KernelCode &Code, const LaunchOptions &O) {
  const KernelAttributes &A = K.attributes();
  uint64_t Threads = O.Block.count();
  if (!O.Grid.X || !O.Grid.Y || !O.Grid.Z || !Threads)
    return "a size of the grid or of the block is zero";
  if (O.Grid.X > 0x7fffffffu || O.Grid.Y > 65535 || O.Grid.Z > 65535)
    return "the grid is larger than 2147483647 x 65535 x 65535";
  if (O.Block.X > 1024 || O.Block.Y > 1024 || O.Block.Z > 64)
    return "the block is larger than 1024 x 1024 x 64";
  uint32_t Max = std::min(C.MaxThreadsPerBlock, A.MaxThreadsPerBlock);
  if (Threads > Max)
    return "the block has " + std::to_string(Threads) +
           " threads, more than the " + std::to_string(Max) + " allowed";
  if (A.RequiredBlock.X && !(A.RequiredBlock == O.Block))
    return "the block differs from the kernel's .reqntid";
  uint64_t Shared =
      uint64_t(O.DynamicSharedBytes) +
      (O.DynamicSharedBytes ? Code.DynamicSharedBase : Code.StaticSharedBytes);
  if (Shared > C.MaxSharedBytesPerBlock)
    return "the block needs " + std::to_string(Shared) +
           " bytes of shared memory, more than the " +
           std::to_string(C.MaxSharedBytesPerBlock) + " allowed";
  if (O.ParamBytes < K.paramBytes())
    return "the parameters take " + std::to_string(K.paramBytes()) +
           " bytes but only " + std::to_string(O.ParamBytes) + " were given";
  return {};
}

/// Blocks that the device holds at once.
uint64_t residentBlocks(const DeviceConfig &C, const Kernel &K,
                        const LaunchOptions &O, uint32_t Shared) {
  BlockNeeds Needs{O.Block.count(), Shared, K.attributes().RegistersPerThread};
  return std::max(1u, occupancyOf(C, Needs).BlocksPerSM) *
         uint64_t(std::max(1u, C.NumSMs));
}
} // namespace

LaunchSession::LaunchSession(std::unique_ptr<Impl> I) : P(std::move(I)) {}
LaunchSession::~LaunchSession() = default;

Result<std::unique_ptr<LaunchSession>>
LaunchSession::create(Device &D, const Kernel &K, const LaunchOptions &O) {
  std::unique_lock<std::mutex> Held(D.Lock);
  std::string Why = checkConfiguration(D.Config, K, *K.Code, O);
  if (!Why.empty())
    return Diagnostic{Why};
  auto I = std::make_unique<Impl>(D, std::move(Held), K, *K.Code, D.Memory, O);
  I->NumBlocks = O.Grid.count();
  I->MaxResident = O.Resident
                       ? O.Resident
                       : residentBlocks(D.Config, K, O, I->G.SharedBytes);
  I->RoundQuantum =
      std::clamp(RoundSteps / std::min(I->NumBlocks, I->MaxResident),
                 LeastQuantum, FirstQuantum);
  if (O.Cooperative && I->NumBlocks > I->MaxResident)
    return Diagnostic{"a cooperative launch of " +
                      std::to_string(I->NumBlocks) + " blocks, but only " +
                      std::to_string(I->MaxResident) + " fit on the device"};
  I->G.Result.GridNumber = ++D.GridsRun;
  return std::unique_ptr<LaunchSession>(new LaunchSession(std::move(I)));
}

uint64_t LaunchSession::numBlocks() const { return P->NumBlocks; }
const LaunchResult &LaunchSession::result() const { return P->G.Result; }

std::unique_ptr<Block> LaunchSession::Impl::takeBlock() {
  if (Idle.empty())
    return std::make_unique<Block>(G);
  std::unique_ptr<Block> B = std::move(Idle.back());
  Idle.pop_back();
  return B;
}

LaunchSession::Impl::Resident *LaunchSession::Impl::find(uint64_t Index) {
  for (auto &R : Open)
    if (R->Index == Index)
      return R.get();
  return nullptr;
}

LaunchSession::Impl::Resident *LaunchSession::Impl::firstUnfinished() {
  for (auto &R : Open)
    if (!R->Done)
      return R.get();
  return nullptr;
}

/// Starts the next block; its trace uses the memory of \p Storage.
LaunchSession::Impl::Resident &LaunchSession::Impl::open(bool Traced,
                                                         BlockTrace *Storage) {
  auto R = std::make_unique<Resident>();
  R->Index = Opened++;
  R->Running = takeBlock();
  R->Traced = Traced && !After;
  if (Storage && R->Traced)
    R->Piece = std::move(*Storage);
  R->Running->start(R->Index, R->Traced ? &R->Piece : nullptr);
  if (Traced && After)
    R->Running->traceAfter(After, R->Piece);
  Open.push_back(std::move(R));
  return *Open.back();
}

/// Gives a block a turn; false if the launch has ended.
bool LaunchSession::Impl::turn(Resident &R, uint64_t Quantum) {
  if (R.Done)
    return true;
  BlockStop Stop = R.Running->run(Quantum);
  if (G.Races)
    G.Result.Counters.RaceWork = G.Races->work();
  R.Accesses = R.Running->Accesses;
  R.Traced |= R.Running->Warps.front()->Trace != nullptr;
  if (R.Traced)
    countTraces(R);
  switch (Stop) {
  case BlockStop::Done:
    R.Done = true;
    if (G.Races)
      G.Races->endBlock(*R.Running);
    ++G.Result.Counters.Blocks;
    Idle.push_back(std::move(R.Running));
    return !G.stopped();
  case BlockStop::Yielded:
    return !G.stopped();
  case BlockStop::Stopped:
    return false;
  }
  return false;
}

/// A trace holds what a block did until that is timed. The clock takes it in
/// pieces, but what it does not get to must not fill the memory.
void LaunchSession::Impl::countTraces(Resident &R) {
  uint64_t Bytes = R.Piece.bytes() + (R.Handed ? R.Handed->bytes() : 0);
  TraceBytes += Bytes - R.TraceBytes;
  R.TraceBytes = Bytes;
  uint64_t Limit = G.Options.TraceBytes;
  if (bytesWithTable(R) > Limit)
    G.stop(LaunchStatus::Timeout,
           "what the launch did takes more than " +
               std::to_string(Limit >> 20) +
               " MiB before it can be timed; run it without timing");
}

/// The first block that has not ended gets a turn. If it goes on, it may wait
/// for others: each resident one gets a turn, too, and more are opened while
/// there is room. Who asks for what does not change the order in which blocks
/// execute. False if the launch has ended.
bool LaunchSession::Impl::round(bool Traced) {
  Resident *First = firstUnfinished();
  uint64_t Quantum = First->Led ? RoundQuantum : FirstQuantum;
  First->Led = true;
  if (!turn(*First, Quantum))
    return false;
  if (First->Done)
    return true;
  // What runs beside a block that is timed is timed from its start.
  if (First->Traced)
    After = 0;
  for (size_t K = 0; K < Open.size(); ++K)
    if (Open[K].get() != First && !turn(*Open[K], RoundQuantum))
      return false;
  size_t Busy = 0;
  for (auto &R : Open)
    Busy += !R->Done;
  uint64_t Most = G.Options.Cooperative ? NumBlocks : 16;
  for (uint64_t New = 0; New < Most && Busy < MaxResident && Opened < NumBlocks;
       ++New, ++Busy)
    if (!turn(open(Traced), RoundQuantum))
      return false;
  return true;
}

/// Gives what block \p R has traced since the last time to \p To.
void LaunchSession::Impl::handOut(Resident &R, BlockTrace &To) {
  if (R.Handed)
    To.append(R.Piece);
  else
    To = std::move(R.Piece);
  To.Accesses = R.Accesses;
  R.Handed = &To;
  if (R.Done || G.stopped())
    for (WarpTrace &W : To.Warps)
      W.End = TraceEnd::Final;
  if (R.Done)
    return;
  if (!G.stopped())
    for (size_t W = 0; W < To.Warps.size(); ++W)
      To.Warps[W].End = R.Running->Warps[W]->traceEnd();
  R.Running->startPiece(R.Piece);
}

void LaunchSession::Impl::close(Resident &R) {
  TraceBytes -= R.TraceBytes;
  if (R.Running)
    Idle.push_back(std::move(R.Running));
  Open.erase(std::find_if(Open.begin(), Open.end(),
                          [&](const auto &X) { return X.get() == &R; }));
}

bool LaunchSession::runBlock(uint64_t Index, BlockTrace *Trace,
                             uint64_t After) {
  assert(Index == P->Next && "blocks run in order");
  P->After = After;
  if (Trace && After)
    Trace->Warps.clear();
  if (P->G.stopped() || Index >= P->NumBlocks)
    return false;
  ++P->Next;
  bool Ok = true;
  Impl::Resident *R;
  while (true) {
    R = P->find(Index);
    if (!R && !P->firstUnfinished())
      R = &P->open(Trace != nullptr, Trace);
    if (R && R->Done)
      break;
    if (!Ok || (R && R->Traced && Trace && P->tracesAreLong(*R)))
      break;
    Ok = P->round(Trace != nullptr);
  }
  if (!R)
    return Ok;
  if (Trace && R->Traced)
    P->handOut(*R, *Trace);
  else if (Trace)
    Trace->Accesses = R->Accesses;
  if (R->Done || !Ok)
    P->close(*R);
  return Ok;
}

void LaunchSession::more(BlockTrace &Trace) {
  Impl::Resident *R = P->find(Trace.BlockIndex);
  if (R && R->Piece.empty() && !R->Done && !P->G.stopped())
    P->round(true);
  if (!R) {
    // The launch has ended early.
    for (WarpTrace &W : Trace.Warps)
      W.End = TraceEnd::Final;
    return;
  }
  assert(R->Handed == &Trace && "the trace of a block stays where it is");
  P->handOut(*R, Trace);
  if (R->Done)
    P->close(*R);
}

void LaunchSession::runAll() {
  while (P->Next < P->NumBlocks && runBlock(P->Next))
    ;
}
