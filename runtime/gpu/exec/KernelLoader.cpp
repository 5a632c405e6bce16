//===- KernelLoader.cpp - Kernels of a module -----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/KernelLoader.h"
#include "runtime/gpu/exec/Occupancy.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace gevo::gpu;
using ptx::Space;

/// The functions \p Root can call, itself first.
std::vector<uint32_t> KernelLoader::reachable(uint32_t Root) const {
  const ptx::Module &M = module();
  std::vector<uint32_t> List{Root};
  std::vector<bool> Seen(M.Functions.size());
  Seen[Root] = true;
  auto Add = [&](uint32_t F) {
    if (!Seen[F] && M.Functions[F].HasBody && !M.Functions[F].IsKernel) {
      Seen[F] = true;
      List.push_back(F);
    }
  };
  for (size_t K = 0; K < List.size(); ++K)
    for (const ptx::CallSite &C : M.Functions[List[K]].Calls) {
      if (C.Target != ptx::None) {
        Add(M.Symbols[C.Target].Index);
        continue;
      }
      for (uint32_t F = 0; F < M.Functions.size(); ++F)
        if (Owner.AddressTaken[F])
          Add(F);
    }
  return List;
}

bool KernelLoader::layOutShared(const Kernel &K, DecodeContext &X,
                                Diagnostic &Error) const {
  const ptx::Module &M = module();
  KernelCode &Code = *X.Kernel;
  // In order of declaration, which is the order of symbols.
  std::set<uint32_t> Static, Dynamic;
  for (const ptx::Function *F : K.Functions)
    forSymbols(*F, [&](uint32_t Sym) {
      if (M.Symbols[Sym].Kind != ptx::SymbolKind::Variable)
        return;
      const ptx::Variable &V = M.variable(Sym);
      if (V.Where == Space::Shared)
        (V.Unsized ? Dynamic : Static).insert(Sym);
    });
  uint32_t Cursor = 0;
  for (uint32_t Sym : Static) {
    const ptx::Variable &V = M.variable(Sym);
    X.Shared[Sym] = layOut(Cursor, V.Bytes, std::max(1u, V.Align));
    Code.SharedVariables.push_back({V.Name, X.Shared[Sym], V.Bytes});
  }
  Code.StaticSharedBytes = Cursor;
  uint32_t &Align = Code.DynamicSharedAlign = 16;
  for (uint32_t Sym : Dynamic)
    Align = std::max(Align, M.variable(Sym).Align);
  Code.DynamicSharedBase = layOut(Cursor, 0, Align);
  for (uint32_t Sym : Dynamic)
    X.Shared[Sym] = Code.DynamicSharedBase;
  if (Code.DynamicSharedBase <= 256 * 1024)
    return true;
  Error = Diagnostic{"kernel '" + K.Name + "' needs " +
                     std::to_string(Code.StaticSharedBytes) +
                     " bytes of shared memory"};
  return false;
}

void KernelLoader::layOutParams(Kernel &K, DecodeContext &X) const {
  uint32_t Cursor = 0;
  for (const ptx::Formal &P : K.Functions[0]->Params) {
    if (P.Symbol == ptx::None)
      continue;
    const ptx::Variable &V = module().variable(P.Symbol);
    KernelParam Param;
    Param.Name = V.Name;
    Param.Size = uint32_t(V.Bytes);
    Param.Align = std::max(1u, V.Align);
    Param.Offset = layOut(Cursor, V.Bytes, Param.Align);
    X.KernelParams[P.Symbol] = Param.Offset;
    K.Params.push_back(std::move(Param));
  }
  K.ParamBytes = Cursor;
}

bool KernelLoader::decodeAll(const Kernel &K, DecodeContext &X,
                             Diagnostic &Error) const {
  KernelCode &Code = *X.Kernel;
  for (uint32_t N = 0; N < K.Functions.size(); ++N)
    X.Functions[K.FunctionIndices[N]] = N;
  for (uint32_t N = 0; N < K.Functions.size(); ++N) {
    auto Decoded = decodeFunction(*K.Functions[N], X);
    if (!Decoded) {
      Error = Decoded.error();
      return false;
    }
    if (Owner.AddressTaken[K.FunctionIndices[N]])
      Code.ByAddress[functionAddress(K.FunctionIndices[N])] = N;
    Code.Functions.push_back(std::move(*Decoded));
  }
  return true;
}

/// The deepest chain of frames; recursion has no deepest.
void KernelLoader::measureStack(KernelCode &Code) const {
  size_t N = Code.Functions.size();
  std::vector<uint8_t> State(N); // 1: on the path, 2: done.
  std::vector<uint64_t> Depth(N);
  // Explicit stack: call chains of hostile modules may be long.
  std::vector<std::pair<uint32_t, size_t>> Path{{0, 0}};
  State[0] = 1;
  while (!Path.empty()) {
    auto &[F, Next] = Path.back();
    const gevo::gpu::Code &C = *Code.Functions[F];
    Code.UnboundedStack |= C.HasIndirectCalls;
    if (Next < C.Calls.size()) {
      uint32_t Callee = C.Calls[Next++].Callee;
      if (Callee == NoPc)
        continue;
      if (State[Callee] == 1)
        Code.UnboundedStack = true;
      if (State[Callee] == 0) {
        State[Callee] = 1;
        Path.push_back({Callee, 0});
      }
      continue;
    }
    uint64_t Below = 0;
    for (const CallInfo &Call : C.Calls)
      if (Call.Callee != NoPc)
        Below = std::max(Below, Depth[Call.Callee]);
    // Calls are charged for. Without any, memory ends with the last variable.
    bool Alone = !F && !Below && !C.Variables.empty();
    Depth[F] = Alone ? C.Variables.back().Begin + C.Variables.back().Bytes
                     : C.LocalBytes + 32 + Below;
    State[F] = 2;
    Path.pop_back();
  }
  if (Code.Functions.size() > 1 || Code.Functions[0]->LocalBytes ||
      Code.UnboundedStack)
    Code.LocalBytesPerThread = uint32_t(std::min(Depth[0], uint64_t(1) << 20));
}

void KernelLoader::fillAttributes(Kernel &K) const {
  const ptx::Function &F = *K.Functions[0];
  const ptx::Module &M = module();
  KernelAttributes &A = K.Attributes;
  A.StaticSharedBytes = K.Code->StaticSharedBytes;
  A.LocalBytesPerThread = K.Code->Functions[0]->LocalBytes;
  A.RegistersPerThread = K.Code->RegistersPerThread;
  A.PtxVersion = M.Version;
  A.TargetArch = M.Target;
  A.MinBlocksPerSM = F.MinBlocksPerSM;
  A.MaxBlock = {F.MaxNtid[0], F.MaxNtid[1], F.MaxNtid[2]};
  A.RequiredBlock = {F.ReqNtid[0], F.ReqNtid[1], F.ReqNtid[2]};
  A.MaxThreadsPerBlock = Config.MaxThreadsPerBlock;
  for (const uint32_t *N : {F.MaxNtid, F.ReqNtid})
    if (N[0]) {
      uint64_t Threads = uint64_t(N[0]) * N[1] * N[2];
      A.MaxThreadsPerBlock = uint32_t(std::min<uint64_t>(
          A.MaxThreadsPerBlock, std::max<uint64_t>(1, Threads)));
    }
  uint64_t Const = 0;
  std::set<uint32_t> Seen;
  for (const ptx::Function *Fn : K.Functions)
    forSymbols(*Fn, [&](uint32_t Sym) {
      if (M.Symbols[Sym].Kind == ptx::SymbolKind::Variable &&
          M.variable(Sym).Where == Space::Const && Seen.insert(Sym).second)
        Const += M.variable(Sym).Bytes;
    });
  A.ConstBytes = uint32_t(std::min<uint64_t>(Const, UINT32_MAX));
}

Result<std::unique_ptr<Kernel>> KernelLoader::make(std::unique_ptr<Kernel> K) {
  K->Name = K->Functions[0]->Name;
  K->Owner = &Owner;
  K->Code = std::make_unique<KernelCode>();
  DecodeContext X;
  X.M = &module();
  X.Addresses = &Owner.Addresses;
  X.Kernel = K->Code.get();
  layOutParams(*K, X);
  Diagnostic Error;
  if (!layOutShared(*K, X, Error) || !decodeAll(*K, X, Error))
    return Error;
  measureStack(*K->Code);
  markPollWrites(*K->Code);
  // Address arithmetic and the ABI take a few more than the PTX shows.
  uint32_t Registers = 16;
  for (const auto &C : K->Code->Functions)
    Registers = std::max(Registers, C->Pressure + 4);
  K->Code->RegistersPerThread =
      std::min(Registers, registerLimit(Config, *K->Functions[0]));
  fillAttributes(*K);
  return std::move(K);
}

Result<std::unique_ptr<Kernel>> KernelLoader::load(uint32_t Function) {
  std::unique_ptr<Kernel> K(new Kernel());
  K->FunctionIndices = reachable(Function);
  for (uint32_t F : K->FunctionIndices)
    K->Functions.push_back(&module().Functions[F]);
  return make(std::move(K));
}

Result<std::unique_ptr<Kernel>>
KernelLoader::replace(const Kernel &K, std::vector<ptx::Function> Code) {
  assert(Code.size() == K.Functions.size() && "each function has its code");
  std::unique_ptr<Kernel> New(new Kernel());
  New->FunctionIndices = K.FunctionIndices;
  for (ptx::Function &F : Code) {
    New->Own.push_back(std::make_unique<ptx::Function>(std::move(F)));
    New->Functions.push_back(New->Own.back().get());
  }
  return make(std::move(New));
}

Kernel::Kernel() = default;
Kernel::~Kernel() = default;

Result<std::unique_ptr<Kernel>>
LoadedModule::withCode(const Kernel &K, std::vector<ptx::Function> Code) const {
  return KernelLoader(Owner.config(), *this).replace(K, std::move(Code));
}
