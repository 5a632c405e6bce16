//===- Load.cpp - Modules on a device -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading gives variables addresses and initial values. KernelLoader.cpp does
// the rest, kernel by kernel.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Device.h"
#include "runtime/gpu/exec/HostFloat.h"
#include "runtime/gpu/exec/KernelLoader.h"
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
  bool loadKernels();
  bool checkUnreached();

  Device &D;
  const VariableBindings &Bindings;
  std::unique_ptr<LoadedModule> Out;
  Diagnostic Error;
  std::set<uint32_t> Reached; ///< Functions some kernel can call.
};

} // namespace gevo::gpu

Result<std::unique_ptr<LoadedModule>> ModuleLoader::run() {
  const ptx::Module &M = module();
  if (M.AddressSize != 64)
    return Diagnostic{"only .address_size 64 is supported"};
  Out->Addresses.resize(M.Symbols.size());
  findAddressTaken();
  if (!placeVariables() || !initialise())
    return Error;
  if (!loadKernels() || !checkUnreached())
    return Error;
  return std::move(Out);
}

bool ModuleLoader::loadKernels() {
  const ptx::Module &M = module();
  for (uint32_t F = 0; F < M.Functions.size(); ++F) {
    if (!M.Functions[F].IsKernel || !M.Functions[F].HasBody)
      continue;
    auto K = KernelLoader(D.config(), *Out).load(F);
    if (!K) {
      Error = K.error();
      return false;
    }
    Reached.insert((*K)->FunctionIndices.begin(), (*K)->FunctionIndices.end());
    Out->Kernels.push_back(std::move(*K));
  }
  return true;
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
    Out->Addresses[Sym] = Placed.Address;
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
  Address = Out->Addresses[V.Symbol] + V.Bits;
  return true;
}

bool ModuleLoader::initialise() {
  const ptx::Module &M = module();
  for (uint32_t Sym = 0; Sym < M.Symbols.size(); ++Sym) {
    uint64_t At = Out->Addresses[Sym];
    if (!At)
      continue;
    char *Base = reinterpret_cast<char *>(At);
    const ptx::Variable &V = M.variable(Sym);
    auto Bound = Bindings.find(V.Name);
    if (Bound != Bindings.end() && Bound->second == At)
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

void ModuleLoader::findAddressTaken() {
  const ptx::Module &M = module();
  Out->AddressTaken.resize(M.Functions.size());
  auto Take = [&](uint32_t Sym) {
    if (M.Symbols[Sym].Kind == ptx::SymbolKind::Function)
      Out->AddressTaken[M.Symbols[Sym].Index] = true;
  };
  for (const ptx::Function &F : M.Functions)
    forSymbols(F, Take);
  for (const ptx::Variable &V : M.Variables)
    for (const ptx::InitValue &I : V.Init)
      if (I.Symbol != ptx::None)
        Take(I.Symbol);
}

/// Functions that no kernel calls must be correct all the same.
bool ModuleLoader::checkUnreached() {
  const ptx::Module &M = module();
  for (uint32_t F = 0; F < M.Functions.size(); ++F) {
    if (!M.Functions[F].HasBody || Reached.count(F))
      continue;
    DecodeContext X;
    X.M = &M;
    X.Addresses = &Out->Addresses;
    auto Decoded = decodeFunction(M.Functions[F], X);
    if (!Decoded) {
      Error = Decoded.error();
      return false;
    }
  }
  return true;
}

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
