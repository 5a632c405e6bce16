//===- Load.cpp - Modules on a device -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading gives variables addresses and initial values, finds what each kernel
// can call, lays out its shared memory and decodes it.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/exec/HostFloat.h"
#include "runtime/gpu/exec/Occupancy.h"
#include "runtime/gpu/ptx/Parser.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace gevo::gpu;
using ptx::Space;

namespace gevo::gpu {

/// Builds a LoadedModule; a friend of the classes it fills.
struct ModuleLoader {
  ModuleLoader(Device &D, std::unique_ptr<ptx::Module> Parsed,
               const VariableBindings &Bindings)
      : D(D), Bindings(Bindings), Out(new LoadedModule(D)) {
    Out->Source = std::move(Parsed);
  }

  Result<std::unique_ptr<LoadedModule>> run();

private:
  bool fail(std::string Message, unsigned Line = 0, unsigned Column = 0) {
    if (Error.Message.empty())
      Error = {std::move(Message), Line, Column};
    return false;
  }
  const ptx::Module &module() const { return *Out->Source; }
  bool placeVariables();
  bool initialise();
  bool addressOf(const ptx::InitValue &V, uint64_t &Address);
  void findAddressTaken();
  std::vector<uint32_t> reachable(uint32_t Root) const;
  bool loadKernel(uint32_t Function);
  bool checkUnreached();
  bool layOutShared(const std::vector<uint32_t> &Functions, DecodeContext &X);
  void layOutParams(const ptx::Function &F, Kernel &K, DecodeContext &X);
  bool decodeAll(const std::vector<uint32_t> &Functions, DecodeContext &X,
                 KernelCode &Code);
  void measureStack(KernelCode &Code) const;
  void fillAttributes(const ptx::Function &F, Kernel &K) const;
  template <typename Fn> void forSymbols(const ptx::Function &F, Fn Do) const;

  Device &D;
  const VariableBindings &Bindings;
  std::unique_ptr<LoadedModule> Out;
  Diagnostic Error;
  std::vector<uint64_t> Addresses; ///< By symbol.
  std::vector<bool> AddressTaken;  ///< By function.
  std::set<uint32_t> Reached;      ///< Functions some kernel can call.
};

} // namespace gevo::gpu

Result<std::unique_ptr<LoadedModule>> ModuleLoader::run() {
  const ptx::Module &M = module();
  if (M.AddressSize != 64)
    return Diagnostic{"only .address_size 64 is supported"};
  Addresses.resize(M.Symbols.size());
  findAddressTaken();
  if (!placeVariables() || !initialise())
    return Error;
  for (uint32_t F = 0; F < M.Functions.size(); ++F)
    if (M.Functions[F].IsKernel && M.Functions[F].HasBody && !loadKernel(F))
      return Error;
  if (!checkUnreached())
    return Error;
  return std::move(Out);
}

bool ModuleLoader::placeVariables() {
  const ptx::Module &M = module();
  for (uint32_t Sym = 0; Sym < M.Symbols.size(); ++Sym) {
    if (M.Symbols[Sym].Kind != ptx::SymbolKind::Variable)
      continue;
    const ptx::Variable &V = M.variable(Sym);
    bool Const = V.Where == Space::Const;
    if (!Const && V.Where != Space::Global)
      continue;
    MemoryKind Kind = Const       ? MemoryKind::ModuleConst
                      : V.Managed ? MemoryKind::Managed
                                  : MemoryKind::ModuleGlobal;
    auto Named = M.Names.find(V.Name);
    ModuleVariable Placed{V.Name, 0, V.Bytes, Const, V.Managed};
    Placed.IsNamed = Named != M.Names.end() && Named->second == Sym;
    auto Bound = Placed.IsNamed ? Bindings.find(V.Name) : Bindings.end();
    Placed.IsBound = Bound != Bindings.end();
    if (V.Link == ptx::Linkage::Extern && !Placed.IsBound) {
      if (V.Unsized)
        return fail("extern variable '" + V.Name +
                    "' has no size here, and no module defines it; link the "
                    "one that does");
      // As ptxas does with a whole program: the declaration is taken for the
      // definition.
      Out->Notes.push_back("extern variable '" + V.Name +
                           "' is defined by no module; it gets memory of its "
                           "own, with zeros");
    }
    if (!Placed.IsBound) {
      Placed.Address =
          D.Memory.allocate(V.Bytes, Kind, std::max(256u, V.Align), V.Name);
      if (!Placed.Address)
        return fail("no memory for variable '" + V.Name + "' of " +
                    std::to_string(V.Bytes) + " bytes");
      Out->Storage.push_back(Placed.Address);
    } else if (!D.Memory.find(Placed.Address = Bound->second, V.Bytes)) {
      return fail("variable '" + V.Name + "' of " + std::to_string(V.Bytes) +
                  " bytes does not fit the memory it is bound to");
    }
    Addresses[Sym] = Placed.Address;
    Out->Variables.push_back(std::move(Placed));
  }
  return true;
}

bool ModuleLoader::addressOf(const ptx::InitValue &V, uint64_t &Address) {
  const ptx::Symbol &S = module().Symbols[V.Symbol];
  if (S.Kind == ptx::SymbolKind::Function) {
    Address = functionAddress(S.Index) + V.Bits;
    return true;
  }
  Space Where = module().Variables[S.Index].Where;
  if (Where != Space::Global && Where != Space::Const)
    return fail("an initialiser takes the address of '" +
                module().Variables[S.Index].Name +
                "', which is not a constant");
  Address = Addresses[V.Symbol] + V.Bits;
  return true;
}

bool ModuleLoader::initialise() {
  const ptx::Module &M = module();
  for (uint32_t Sym = 0; Sym < M.Symbols.size(); ++Sym) {
    if (!Addresses[Sym])
      continue;
    char *Base = reinterpret_cast<char *>(Addresses[Sym]);
    const ptx::Variable &V = M.variable(Sym);
    auto Bound = Bindings.find(V.Name);
    if (Bound != Bindings.end() && Bound->second == Addresses[Sym])
      continue;
    for (const ptx::InitValue &I : V.Init) {
      uint64_t Bits = I.Bits;
      if (I.Symbol != ptx::None && !addressOf(I, Bits))
        return false;
      Bits >>= I.Shift;
      if (I.Offset + uint64_t(I.Bytes) <= V.Bytes)
        std::memcpy(Base + I.Offset, &Bits, std::min(I.Bytes, 8u));
    }
  }
  return true;
}

/// Calls \p Do for each symbol that an instruction of \p F mentions.
template <typename Fn>
void ModuleLoader::forSymbols(const ptx::Function &F, Fn Do) const {
  for (const ptx::Operand &O : F.Operands)
    if (O.Kind == ptx::OperandKind::Symbol ||
        (O.Kind == ptx::OperandKind::Address &&
         O.Base == ptx::AddressBase::Symbol))
      Do(O.Index);
}

void ModuleLoader::findAddressTaken() {
  const ptx::Module &M = module();
  AddressTaken.resize(M.Functions.size());
  auto Take = [&](uint32_t Sym) {
    if (M.Symbols[Sym].Kind == ptx::SymbolKind::Function)
      AddressTaken[M.Symbols[Sym].Index] = true;
  };
  for (const ptx::Function &F : M.Functions)
    forSymbols(F, Take);
  for (const ptx::Variable &V : M.Variables)
    for (const ptx::InitValue &I : V.Init)
      if (I.Symbol != ptx::None)
        Take(I.Symbol);
}

/// The functions \p Root can call, itself first.
std::vector<uint32_t> ModuleLoader::reachable(uint32_t Root) const {
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
        if (AddressTaken[F])
          Add(F);
    }
  return List;
}

bool ModuleLoader::layOutShared(const std::vector<uint32_t> &Functions,
                                DecodeContext &X) {
  const ptx::Module &M = module();
  KernelCode &Code = *X.Kernel;
  // In order of declaration, which is the order of symbols.
  std::set<uint32_t> Static, Dynamic;
  for (uint32_t F : Functions)
    forSymbols(M.Functions[F], [&](uint32_t Sym) {
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
  if (Code.DynamicSharedBase > 256 * 1024)
    return fail("kernel '" + M.Functions[Functions[0]].Name + "' needs " +
                std::to_string(Code.StaticSharedBytes) +
                " bytes of shared memory");
  return true;
}

void ModuleLoader::layOutParams(const ptx::Function &F, Kernel &K,
                                DecodeContext &X) {
  uint32_t Cursor = 0;
  for (const ptx::Formal &P : F.Params) {
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

bool ModuleLoader::decodeAll(const std::vector<uint32_t> &Functions,
                             DecodeContext &X, KernelCode &Code) {
  for (uint32_t K = 0; K < Functions.size(); ++K)
    X.Functions[Functions[K]] = K;
  for (uint32_t F : Functions) {
    auto Decoded = decodeFunction(module().Functions[F], X);
    if (!Decoded) {
      Error = Decoded.error();
      return false;
    }
    if (AddressTaken[F])
      Code.ByAddress[functionAddress(F)] = uint32_t(Code.Functions.size());
    Code.Functions.push_back(std::move(*Decoded));
  }
  return true;
}

/// The deepest chain of frames; recursion has no deepest.
void ModuleLoader::measureStack(KernelCode &Code) const {
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

void ModuleLoader::fillAttributes(const ptx::Function &F, Kernel &K) const {
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
  A.MaxThreadsPerBlock = D.Config.MaxThreadsPerBlock;
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

bool ModuleLoader::loadKernel(uint32_t Function) {
  const ptx::Function &F = module().Functions[Function];
  std::unique_ptr<Kernel> K(new Kernel());
  K->Name = F.Name;
  K->Owner = Out.get();
  K->Code = std::make_unique<KernelCode>();
  DecodeContext X;
  X.M = &module();
  X.Addresses = &Addresses;
  X.Kernel = K->Code.get();
  std::vector<uint32_t> Functions = reachable(Function);
  Reached.insert(Functions.begin(), Functions.end());
  layOutParams(F, *K, X);
  if (!layOutShared(Functions, X) || !decodeAll(Functions, X, *K->Code))
    return false;
  for (uint32_t G : Functions)
    K->Functions.push_back(&module().Functions[G]);
  measureStack(*K->Code);
  markPollWrites(*K->Code);
  // Address arithmetic and the ABI take a few more than the PTX shows.
  uint32_t Registers = 16;
  for (const auto &C : K->Code->Functions)
    Registers = std::max(Registers, C->Pressure + 4);
  K->Code->RegistersPerThread = std::min(Registers, registerLimit(D.Config, F));
  fillAttributes(F, *K);
  Out->Kernels.push_back(std::move(K));
  return true;
}

/// Functions that no kernel calls must be correct all the same.
bool ModuleLoader::checkUnreached() {
  const ptx::Module &M = module();
  for (uint32_t F = 0; F < M.Functions.size(); ++F) {
    if (!M.Functions[F].HasBody || Reached.count(F))
      continue;
    DecodeContext X;
    X.M = &M;
    X.Addresses = &Addresses;
    auto Decoded = decodeFunction(M.Functions[F], X);
    if (!Decoded) {
      Error = Decoded.error();
      return false;
    }
  }
  return true;
}

Kernel::Kernel() = default;
Kernel::~Kernel() = default;

LoadedModule::LoadedModule(Device &D) : Owner(D) {}

LoadedModule::~LoadedModule() {
  for (uint64_t A : Storage)
    Owner.release(A);
}

Result<std::unique_ptr<LoadedModule>>
Device::load(std::string_view Ptx, const VariableBindings &Bindings) {
  HostFloatScope Float;
  auto Parsed = ptx::parseModule(Ptx);
  if (!Parsed)
    return Parsed.error();
  // A failing loader frees its variables when it goes, which takes the lock.
  ModuleLoader Loader(*this, std::move(*Parsed), Bindings);
  std::lock_guard<std::mutex> Held(Lock);
  return Loader.run();
}

Result<std::unique_ptr<LoadedModule>>
Device::link(const std::vector<std::string> &Texts,
             const VariableBindings &Bindings) {
  HostFloatScope Float;
  auto Whole = ptx::linkTexts(Texts);
  if (!Whole)
    return Whole.error();
  ModuleLoader Loader(*this, std::move(*Whole), Bindings);
  std::lock_guard<std::mutex> Held(Lock);
  return Loader.run();
}
