//===- Grid.cpp - What the blocks of a launch share -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, options and findings of a launch, and where its instructions come
// from.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Grid.h"
#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"
#include "runtime/gpu/exec/Touch.h"
#include "runtime/gpu/ptx/Liveness.h"

#include <algorithm>
#include <cstdio>

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

void Grid::makeTraces() {
  if (!Traces)
    Traces = std::make_unique<Recorder>(Code, Options);
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
