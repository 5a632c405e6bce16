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
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Touch.h"
#include "runtime/gpu/ptx/Liveness.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <map>

using namespace gevo::gpu;

namespace {
constexpr uint64_t WorkspaceBytes = 256;
/// Shared memory of the system's own, in which cooperative groups keep the
/// barriers of several warps.
constexpr uint32_t ReservedSharedBytes = 1024;

/// Does the kernel ask where the system's own shared memory is?
bool usesReservedShared(const KernelCode &C) {
  using ptx::SpecialRegister;
  for (SpecialRegister R :
       {SpecialRegister::ReservedSmemBegin, SpecialRegister::ReservedSmemEnd,
        SpecialRegister::ReservedSmemCap})
    if (C.Specials >> unsigned(R) & 1)
      return true;
  return false;
}
} // namespace

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

Grid::Grid(Device &D, const Kernel &K, const KernelCode &C, GlobalMemory &M,
           const LaunchOptions &O)
    : Owner(D), What(K), Code(C), Memory(M), Options(O) {
  const char *P = static_cast<const char *>(O.Params);
  Params.resize(K.paramBytes());
  std::copy(P, P + std::min<uint64_t>(O.ParamBytes, Params.size()),
            Params.begin());
  Options.Params = nullptr;
  StepsBefore = D.StepsRun;
  Independent = D.config().SmArch >= 70;
  InStep = !Independent || K.attributes().TargetArch < 70;
  CheckUninit = checks(CheckFamily::Uninit);
  CheckStack = checks(CheckFamily::Bounds);
  if (checks(CheckFamily::Race))
    Races = std::make_unique<RaceDetector>(*this);
  SharedBytes = C.DynamicSharedBase + O.DynamicSharedBytes;
  if (!O.DynamicSharedBytes)
    SharedBytes = C.StaticSharedBytes;
  // It lies behind the kernel's.
  if (usesReservedShared(C))
    SharedBytes = ((SharedBytes + 15) & ~15u) + ReservedSharedBytes;
  if (O.Cooperative)
    Workspace = Memory.allocate(WorkspaceBytes, MemoryKind::Device);
  if (O.Touches)
    O.Touches->ignore(Workspace, O.Cooperative ? WorkspaceBytes : 0);
  LocalBytes = C.LocalBytesPerThread;
  if (C.UnboundedStack)
    LocalBytes += D.config().StackBytesPerThread;
  LocalBytes = (LocalBytes + 15) & ~15u;
}

Grid::~Grid() {
  Owner.StepsRun += Steps;
  if (Workspace)
    Memory.release(Workspace);
}

bool Grid::countFinding(FindingKind K, uint64_t Key, uint64_t OtherKey) {
  auto It = Known.find(std::make_tuple(K, Key, OtherKey));
  if (It == Known.end())
    return false;
  if (It->second < Result.Findings.size())
    ++Result.Findings[It->second].Count;
  return true;
}

void Grid::addFinding(Finding F, uint64_t Key, uint64_t OtherKey) {
  F.Sev = findingSeverity(F.Kind);
  if (countFinding(F.Kind, Key, OtherKey))
    return;
  auto It = Known
                .emplace(std::make_tuple(F.Kind, Key, OtherKey),
                         Result.Findings.size())
                .first;
  if (Options.StopAtFirstFinding && F.Sev == Severity::Error)
    stop(LaunchStatus::Trap, F.Message);
  if (Result.Findings.size() >= Options.MaxFindings) {
    It->second = SIZE_MAX;
    ++Result.FindingsDropped;
    // The map must not grow with a program that finds ever new ways to fail.
    if (Known.size() > 4 * size_t(Options.MaxFindings) + 1024)
      Known.erase(It);
    return;
  }
  Result.Findings.push_back(std::move(F));
}

void Grid::stop(LaunchStatus S, std::string Message) {
  if (stopped())
    return;
  Result.Status = S;
  Result.Message = std::move(Message);
}

Dim3 Grid::blockAt(uint64_t Index) const {
  const Dim3 &D = Options.Grid;
  return {uint32_t(Index % D.X), uint32_t(Index / D.X % D.Y),
          uint32_t(Index / (uint64_t(D.X) * D.Y))};
}

CodePlace Grid::place(uint32_t Function, uint32_t Pc) const {
  CodePlace P;
  const ptx::Function &F = *Code.Functions[Function]->Source;
  const ptx::Module &M = What.module().source();
  P.Function = F.Name;
  if (Pc >= F.Code.size())
    return P;
  const ptx::Instruction &I = F.Code[Pc];
  P.PtxLine = I.Line;
  if (I.Loc == ptx::None)
    return P;
  const ptx::SourceLoc &L = M.Locs[I.Loc];
  if (L.File < M.Files.size())
    P.SourceFile = M.Files[L.File];
  P.SourceLine = L.Line;
  P.SourceColumn = L.Column;
  const ptx::SourceLoc *Caller = ptx::callerOf(M, F, Pc);
  if (Caller && Caller->File < M.Files.size()) {
    P.CallerFile = M.Files[Caller->File];
    P.CallerLine = Caller->Line;
  }
  return P;
}

bool Grid::copies(uint32_t Function, uint32_t Pc) {
  const ptx::Function &F = *Code.Functions[Function]->Source;
  const ptx::Operand &From = F.operands(F.Code[Pc])[1];
  uint32_t Pointer =
      From.Base == ptx::AddressBase::Register ? From.Index : ptx::None;
  // Keys that collide only cost a finding or two.
  auto [It, New] = OnlyStored.try_emplace(Function << 20 ^ Pointer);
  if (New)
    It->second = ptx::onlyStored(F, Pointer);
  ptx::RegisterUse Use;
  ptx::registersOf(F, F.Code[Pc], Use);
  bool Only = true;
  for (uint32_t R : Use.Writes)
    Only = Only && R < It->second.size() && It->second[R];
  return Only;
}

void Grid::print(std::string_view Text, std::FILE *To) {
  if (Options.Printed && To == stdout)
    Options.Printed->append(Text);
  if (Options.Printf)
    Options.Printf(Text);
  else
    std::fwrite(Text.data(), 1, Text.size(), To);
}

struct LaunchSession::Impl {
  Impl(Device &D, std::unique_lock<std::mutex> Held, const Kernel &K,
       const KernelCode &C, GlobalMemory &M, const LaunchOptions &O)
      : Held(std::move(Held)), G(D, K, C, M, O) {}

  struct Resident {
    uint64_t Index;
    std::unique_ptr<Block> Running;
    std::unique_ptr<BlockTrace> Trace;
    uint64_t TraceBytes = 0;
    bool Done = false;
  };

  std::unique_ptr<Block> takeBlock();
  Resident *find(uint64_t Index);
  Resident &open(uint64_t Index, bool Traced, BlockTrace *Storage = nullptr);
  bool turn(Resident &R, uint64_t Quantum);
  void boundTraces(Resident &R);
  bool runToEnd(uint64_t Index, BlockTrace *Trace);

  std::unique_lock<std::mutex> Held;
  HostFloatScope Float; ///< Also for the clock, which runs between blocks.
  Grid G;
  uint64_t Next = 0;
  uint64_t NumBlocks = 0;
  uint64_t MaxResident = 1;
  uint64_t TraceBytes = 0; ///< Of the open blocks.
  std::vector<std::unique_ptr<Block>> Idle;
  std::vector<std::unique_ptr<Resident>> Open; ///< In order of index.
};

namespace {
/// A block that runs longer than this gives others a turn: it may wait for
/// them. Doubles as blocks keep running, so long kernels rotate rarely.
constexpr uint64_t FirstQuantum = uint64_t(1) << 18;

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

/// Blocks that an SM holds at once, from the device's limits.
uint64_t residentBlocks(const DeviceConfig &C, const Kernel &K,
                        const LaunchOptions &O, uint32_t Shared) {
  uint64_t Threads = (O.Block.count() + 31) / 32 * 32;
  uint64_t PerSM =
      std::min<uint64_t>(C.MaxBlocksPerSM, C.MaxThreadsPerSM / Threads);
  if (Shared)
    PerSM = std::min<uint64_t>(PerSM, C.SharedBytesPerSM / Shared);
  uint64_t Regs = std::max(1u, K.attributes().RegistersPerThread) * Threads;
  PerSM = std::min<uint64_t>(PerSM, C.RegistersPerSM / Regs);
  return std::max<uint64_t>(1, PerSM) * std::max(1u, C.NumSMs);
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
  I->MaxResident = residentBlocks(D.Config, K, O, I->G.SharedBytes);
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

/// Starts block \p Index; its trace uses the memory of \p Storage.
LaunchSession::Impl::Resident &
LaunchSession::Impl::open(uint64_t Index, bool Traced, BlockTrace *Storage) {
  auto R = std::make_unique<Resident>();
  R->Index = Index;
  R->Running = takeBlock();
  if (Traced)
    R->Trace = Storage ? std::make_unique<BlockTrace>(std::move(*Storage))
                       : std::make_unique<BlockTrace>();
  R->Running->start(Index, R->Trace.get());
  Open.push_back(std::move(R));
  return *Open.back();
}

/// Gives a block a turn; false if the launch has ended.
bool LaunchSession::Impl::turn(Resident &R, uint64_t Quantum) {
  if (R.Done)
    return true;
  BlockStop Stop = R.Running->run(Quantum);
  if (R.Trace)
    boundTraces(R);
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

/// A trace holds all that a block did until the block is timed, so it must not
/// grow with a kernel that does not end.
void LaunchSession::Impl::boundTraces(Resident &R) {
  uint64_t Bytes = 0;
  for (const WarpTrace &W : R.Trace->Warps)
    Bytes +=
        W.Runs.size() * sizeof(W.Runs[0]) + W.Lines.size() * sizeof(W.Lines[0]);
  TraceBytes += Bytes - R.TraceBytes;
  R.TraceBytes = Bytes;
  // Runs that are not alike are in the table.
  uint64_t Limit = G.Options.TraceBytes;
  if (TraceBytes + R.Trace->Table->bytes() > Limit)
    G.stop(LaunchStatus::Timeout,
           "what the launch did takes more than " +
               std::to_string(Limit >> 20) +
               " MiB before a block ends; run it without timing");
}

bool LaunchSession::Impl::runToEnd(uint64_t Index, BlockTrace *Trace) {
  bool Traced = Trace != nullptr;
  uint64_t Quantum = FirstQuantum;
  uint64_t Opened = Index;
  if (!find(Index))
    open(Index, Traced, Trace);
  for (auto &R : Open)
    Opened = std::max(Opened, R->Index);
  while (true) {
    Resident *Mine = find(Index);
    if (!turn(*Mine, Quantum))
      return false;
    if (Mine->Done)
      return true;
    // It may wait for others: each resident one gets a turn, and one more is
    // opened while there is room.
    for (size_t K = 0; K < Open.size(); ++K)
      if (Open[K].get() != Mine && !turn(*Open[K], Quantum))
        return false;
    size_t Busy = 0;
    for (auto &R : Open)
      Busy += !R->Done;
    uint64_t Most = G.Options.Cooperative ? NumBlocks : 16;
    for (uint64_t More = 0;
         More < Most && Busy < MaxResident && Opened + 1 < NumBlocks;
         ++More, ++Busy) {
      ++Opened;
      if (!turn(open(Opened, Traced), Quantum))
        return false;
    }
  }
}

bool LaunchSession::runBlock(uint64_t Index, BlockTrace *Trace) {
  assert(Index == P->Next && "blocks run in order");
  if (P->G.stopped() || Index >= P->NumBlocks)
    return false;
  bool Ok = P->runToEnd(Index, Trace);
  ++P->Next;
  auto It = std::find_if(P->Open.begin(), P->Open.end(),
                         [&](const auto &R) { return R->Index == Index; });
  if (It != P->Open.end()) {
    P->TraceBytes -= (*It)->TraceBytes;
    if (Trace && (*It)->Trace)
      *Trace = std::move(*(*It)->Trace);
    if ((*It)->Running)
      P->Idle.push_back(std::move((*It)->Running));
    P->Open.erase(It);
  }
  return Ok;
}

void LaunchSession::runAll() {
  while (P->Next < P->NumBlocks && runBlock(P->Next))
    ;
}
