//===- Link.cpp - Linking parsed modules ----------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Parser.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {

bool isDeclared(const Module &M, uint32_t Sym) {
  const Symbol &S = M.Symbols[Sym];
  return S.Kind == SymbolKind::Function
             ? !M.Functions[S.Index].HasBody
             : M.Variables[S.Index].Link == Linkage::Extern;
}
Linkage linkageOf(const Module &M, uint32_t Sym) {
  const Symbol &S = M.Symbols[Sym];
  return S.Kind == SymbolKind::Function ? M.Functions[S.Index].Link
                                        : M.Variables[S.Index].Link;
}
bool isDynamicShared(const Module &M, uint32_t Sym) {
  const Symbol &S = M.Symbols[Sym];
  return S.Kind == SymbolKind::Variable && M.Variables[S.Index].Unsized;
}

/// Rewrites the indices of one module for their place in another.
struct Renumbering {
  std::vector<uint32_t> Symbols;
  uint32_t Locs = 0, Files = 0;

  void apply(uint32_t &Sym) const {
    if (Sym != None)
      Sym = Symbols[Sym];
  }
  void apply(Operand &O) const {
    if (O.Kind == OperandKind::Symbol ||
        (O.Kind == OperandKind::Address && O.Base == AddressBase::Symbol))
      apply(O.Index);
  }
  void apply(Function &F) const {
    apply(F.Symbol);
    for (auto *List : {&F.Params, &F.Returns})
      for (Formal &P : *List)
        apply(P.Symbol);
    for (uint32_t &Sym : F.Locals)
      apply(Sym);
    for (Operand &O : F.Operands)
      apply(O);
    for (CallSite &C : F.Calls) {
      apply(C.Target);
      for (auto *List : {&C.Args, &C.Returns})
        for (Operand &O : *List)
          apply(O);
    }
    if (F.FirstLoc != None)
      F.FirstLoc += Locs;
    for (Instruction &I : F.Code)
      if (I.Loc != None)
        I.Loc += Locs;
  }
};

/// The symbol of \p Into that \p Sym of \p From is, or None if it is new.
/// Fails if both define it.
bool bind(const Module &Into, const Module &From, const std::string &Name,
          uint32_t Sym, uint32_t &Found, Diagnostic &Error) {
  Found = None;
  auto It = Into.Names.find(Name);
  if (It == Into.Names.end())
    return true;
  uint32_t Other = It->second;
  bool Both = isDynamicShared(From, Sym) && isDynamicShared(Into, Other);
  if (linkageOf(From, Sym) == Linkage::Internal ||
      linkageOf(Into, Other) == Linkage::Internal)
    return true; // Not visible to each other.
  if (Into.Symbols[Other].Kind != From.Symbols[Sym].Kind) {
    Error = {"'" + Name +
             "' is a function in one module and a variable in "
             "another"};
    return false;
  }
  bool Defined = !isDeclared(From, Sym) && !isDeclared(Into, Other);
  bool Weak = linkageOf(From, Sym) == Linkage::Weak ||
              linkageOf(Into, Other) == Linkage::Weak ||
              linkageOf(From, Sym) == Linkage::Common;
  if (Defined && !Weak && !Both) {
    Error = {"'" + Name + "' is defined in more than one module"};
    return false;
  }
  Found = Other;
  return true;
}
} // namespace

Result<bool> gevo::gpu::ptx::linkModule(Module &Into, Module From) {
  Renumbering R;
  R.Locs = uint32_t(Into.Locs.size());
  R.Files = uint32_t(Into.Files.size());
  R.Symbols.assign(From.Symbols.size(), None);
  // Names in order, so that the result does not depend on hashing.
  std::vector<std::pair<std::string, uint32_t>> Named(From.Names.begin(),
                                                      From.Names.end());
  std::sort(Named.begin(), Named.end());
  std::vector<bool> Replaces(From.Symbols.size());
  for (auto &[Name, Sym] : Named) {
    Diagnostic Error;
    uint32_t Found;
    if (!bind(Into, From, Name, Sym, Found, Error))
      return Error;
    if (Found == None)
      continue;
    R.Symbols[Sym] = Found;
    bool Stronger = linkageOf(Into, Found) == Linkage::Weak &&
                    linkageOf(From, Sym) == Linkage::Visible;
    Replaces[Sym] =
        (isDeclared(Into, Found) || Stronger) && !isDeclared(From, Sym);
  }
  for (uint32_t Sym = 0; Sym < From.Symbols.size(); ++Sym) {
    if (R.Symbols[Sym] != None)
      continue;
    R.Symbols[Sym] = uint32_t(Into.Symbols.size());
    Symbol S = From.Symbols[Sym];
    S.Index = S.Kind == SymbolKind::Function ? uint32_t(Into.Functions.size())
                                             : uint32_t(Into.Variables.size());
    Into.Symbols.push_back(S);
    if (S.Kind == SymbolKind::Function)
      Into.Functions.emplace_back();
    else
      Into.Variables.emplace_back();
    Replaces[Sym] = true;
  }
  for (uint32_t Sym = 0; Sym < From.Symbols.size(); ++Sym) {
    if (!Replaces[Sym])
      continue;
    uint32_t To = Into.Symbols[R.Symbols[Sym]].Index;
    uint32_t Index = From.Symbols[Sym].Index;
    if (From.Symbols[Sym].Kind == SymbolKind::Function) {
      R.apply(From.Functions[Index]);
      Into.Functions[To] = std::move(From.Functions[Index]);
    } else {
      for (InitValue &I : From.Variables[Index].Init)
        R.apply(I.Symbol);
      Into.Variables[To] = std::move(From.Variables[Index]);
    }
  }
  // Asked for by name is what is visible, not what hides in a module.
  for (auto &[Name, Sym] : Named)
    if (auto [It, New] = Into.Names.emplace(Name, R.Symbols[Sym]);
        !New && linkageOf(Into, It->second) == Linkage::Internal)
      It->second = R.Symbols[Sym];
  for (SourceLoc L : From.Locs) {
    L.File += R.Files;
    if (L.InlinedAt != None)
      L.InlinedAt += R.Locs;
    Into.Locs.push_back(L);
  }
  Into.Files.insert(Into.Files.end(), From.Files.begin(), From.Files.end());
  Into.Target = std::max(Into.Target, From.Target);
  Into.Version = std::max(Into.Version, From.Version);
  return true;
}

Result<std::unique_ptr<Module>>
gevo::gpu::ptx::linkTexts(const std::vector<std::string> &Texts) {
  std::unique_ptr<Module> Whole;
  for (const std::string &Text : Texts) {
    auto Parsed = parseModule(Text);
    if (!Parsed)
      return Parsed.error();
    if (!Whole) {
      Whole = std::move(*Parsed);
      continue;
    }
    auto Linked = linkModule(*Whole, std::move(**Parsed));
    if (!Linked)
      return Linked.error();
  }
  if (!Whole)
    return Diagnostic{"nothing to link"};
  return Whole;
}

bool gevo::gpu::ptx::isBuiltin(std::string_view Name) {
#define BUILTIN(Id, Text)                                                      \
  if (Name == Text)                                                            \
    return true;
#include "runtime/gpu/ptx/Builtins.def"
  return false;
}

std::vector<std::string> gevo::gpu::ptx::undefinedNames(const Module &M) {
  std::vector<bool> Used(M.Symbols.size());
  auto Use = [&](uint32_t Sym) {
    if (Sym != None)
      Used[Sym] = true;
  };
  for (const Function &F : M.Functions) {
    for (const Operand &O : F.Operands)
      if (O.Kind == OperandKind::Symbol ||
          (O.Kind == OperandKind::Address && O.Base == AddressBase::Symbol))
        Use(O.Index);
    for (const CallSite &C : F.Calls)
      Use(C.Target);
  }
  for (const Variable &V : M.Variables)
    for (const InitValue &I : V.Init)
      Use(I.Symbol);
  std::vector<std::string> Names;
  for (uint32_t Sym = 0; Sym < M.Symbols.size(); ++Sym) {
    const Symbol &S = M.Symbols[Sym];
    bool IsFunction = S.Kind == SymbolKind::Function;
    const std::string &Name =
        IsFunction ? M.Functions[S.Index].Name : M.Variables[S.Index].Name;
    bool IsDynamic =
        isDynamicShared(M, Sym) && M.Variables[S.Index].Where == Space::Shared;
    if (Used[Sym] && isDeclared(M, Sym) && !IsDynamic &&
        !(IsFunction && isBuiltin(Name)))
      Names.push_back(Name);
  }
  return Names;
}
