//===- ParseBody.cpp - Function bodies of PTX text ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scopes, labels, registers and the statements of a function.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ParserImpl.h"
#include "runtime/gpu/ptx/Straighten.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

void Parser::openScope() {
  if (Scopes.size() >= MaxScopeDepth) {
    error("the blocks are nested too deeply");
    return;
  }
  Scopes.emplace_back();
}

/// Binds the labels of the innermost scope; what it does not define may be a
/// label of an outer one.
void Parser::closeScope() {
  Scope Inner = std::move(Scopes.back());
  Scopes.pop_back();
  for (const Fixup &X : Inner.Fixups) {
    auto It = Inner.Labels.find(X.Name);
    if (It != Inner.Labels.end()) {
      if (X.List != None)
        F->TargetLists[X.List][X.Element] = It->second;
      else
        F->Operands[X.Operand].Index = It->second;
    } else if (Scopes.size() > 1) {
      Scopes.back().Fixups.push_back(X);
    } else {
      error(X.At, "undefined label '" + std::string(X.Name) + "'");
      return;
    }
  }
}

void Parser::parseBody() {
  advance(); // '{'
  openScope();
  unsigned Depth = 1;
  while (!Failed && Depth) {
    if (accept('{')) {
      openScope();
      ++Depth;
    } else if (Tok.isPunct('}')) {
      closeScope();
      --Depth;
      advance();
    } else if (Tok.is(TokenKind::End)) {
      error("the body of '" + F->Name + "' has no end");
    } else {
      parseStatement();
    }
  }
  if (Failed)
    return;
  // Falling off the end of a function returns.
  Instruction Last;
  Last.Op = Opcode::Ret;
  Last.FirstOperand = uint32_t(F->Operands.size());
  Last.FirstModifier = uint32_t(F->Modifiers.size());
  Last.Line = F->Code.empty() ? F->Line : F->Code.back().Line;
  F->Code.push_back(Last);
  straighten(*F);
}

void Parser::parseStatement() {
  if (accept(';'))
    return;
  if (Tok.is(TokenKind::Dot)) {
    if (Tok.isDot("reg"))
      return parseRegisters();
    if (Tok.isDot("loc"))
      return parseLoc();
    if (Tok.isDot("pragma")) {
      while (!Failed && !Tok.isPunct(';') && !Tok.is(TokenKind::End))
        advance();
      expect(';', "after .pragma");
      return;
    }
    if (Tok.isDot("file"))
      return parseFile();
    if (Tok.isDot("section"))
      return skipSection();
    Declarator D;
    if (acceptDot("extern"))
      D.Link = Linkage::Extern;
    return parseVariables(D, true);
  }
  if (Tok.is(TokenKind::Name) && peek().isPunct(':')) {
    Token Name = Tok;
    advance();
    advance();
    if (Tok.isDot("branchtargets") || Tok.isDot("calltargets"))
      return parseTargetList(Name);
    if (Tok.isDot("callprototype"))
      return parsePrototype(Name);
    return parseLabel(Name);
  }
  if (Tok.is(TokenKind::Name) || Tok.isPunct('@'))
    return parseInstruction();
  error("expected an instruction, found " + quote(Tok));
}

void Parser::parseLabel(const Token &Name) {
  if (!Scopes.back().Labels.emplace(Name.Text, uint32_t(F->Code.size())).second)
    error(Name, "label " + quote(Name) + " is defined twice");
}

void Parser::parseTargetList(const Token &Name) {
  bool Branch = Tok.isDot("branchtargets");
  advance();
  uint32_t List = uint32_t(F->TargetLists.size());
  F->TargetLists.emplace_back();
  do {
    if (!Tok.is(TokenKind::Name)) {
      error("expected a target's name, found " + quote(Tok));
      return;
    }
    if (Branch) {
      uint32_t Element = uint32_t(F->TargetLists[List].size());
      F->TargetLists[List].push_back(None);
      Scopes.back().Fixups.push_back({Tok.Text, None, List, Element, Tok});
    }
    advance();
  } while (!Failed && accept(','));
  Scopes.back().TargetLists[Name.Text] = List;
  expect(';', "after the targets");
}

void Parser::parsePrototype(const Token &Name) {
  advance();
  Prototype P;
  auto ParseList = [&](std::vector<Variable> &Out) {
    while (!Failed && !Tok.isPunct(')')) {
      Declarator D;
      D.Where = Space::Param;
      if (!Tok.isDot("param")) {
        error("expected .param, found " + quote(Tok));
        return;
      }
      if (!parseDeclarator(D))
        return;
      Variable V;
      V.Where = Space::Param;
      V.Type = D.Type;
      uint64_t Bytes = std::max(1u, typeBits(D.Type) / 8);
      V.Align = D.Align ? D.Align : uint32_t(Bytes);
      if (Tok.is(TokenKind::Name))
        advance();
      while (accept('[')) {
        if (accept(']')) {
          V.Unsized = true;
          continue;
        }
        int64_t N = parseConstant();
        if (N < 0 || N > int64_t(MaxParamBytes) ||
            Bytes * uint64_t(N) > MaxParamBytes)
          error("the parameter is too big");
        Bytes *= uint64_t(N);
        expect(']', "after the array's size");
      }
      V.Bytes = Bytes;
      Out.push_back(std::move(V));
      if (!accept(','))
        break;
    }
    expect(')', "in the prototype");
  };
  if (accept('('))
    ParseList(P.Returns);
  if (!Failed && Tok.is(TokenKind::Name))
    advance();
  if (accept('('))
    ParseList(P.Params);
  while (!Failed && Tok.is(TokenKind::Dot)) // .noreturn, .abi_preserve
    advance();
  expect(';', "after .callprototype");
  Scopes.back().Prototypes[Name.Text] = uint32_t(F->Prototypes.size());
  F->Prototypes.push_back(std::move(P));
}

void Parser::parseRegisters() {
  advance();
  Mod Type = Mod::None;
  uint8_t Vector = 1;
  while (!Failed && Tok.is(TokenKind::Dot)) {
    Mod T = modByName(Tok.Text);
    if (T == Mod::V2 || T == Mod::V4)
      Vector = T == Mod::V2 ? 2 : 4;
    else if (T != Mod::None && modClass(T) == ModClass::Type)
      Type = T;
    else {
      error("unknown register type " + quote(Tok));
      return;
    }
    advance();
  }
  if (Type == Mod::None) {
    error("expected a register type, found " + quote(Tok));
    return;
  }
  do {
    Token Name = Tok;
    if (!Tok.is(TokenKind::Name)) {
      error("expected a register's name, found " + quote(Tok));
      return;
    }
    advance();
    RegisterDecl D;
    D.First = uint32_t(F->Registers.size());
    D.VectorLength = Vector;
    bool IsRange = accept('<');
    if (IsRange) {
      D.Count = parseCount("a register range", MaxRegistersPerFunction);
      expect('>', "after the number of registers");
    }
    if (Failed)
      return;
    if (F->Registers.size() + uint64_t(D.Count) * Vector >
        MaxRegistersPerFunction) {
      error(Name, "more than " + std::to_string(MaxRegistersPerFunction) +
                      " registers in '" + F->Name + "'");
      return;
    }
    F->Registers.resize(F->Registers.size() + D.Count * Vector, {Type});
    if (IsRange)
      Scopes.back().Ranges.push_back({Name.Text, D});
    else if (!Scopes.back().Registers.emplace(Name.Text, D).second)
      error(Name, "register " + quote(Name) + " is declared twice");
  } while (!Failed && accept(','));
  expect(';', "after the registers");
}

void Parser::parseLoc() {
  advance();
  SourceLoc L;
  L.File = parseCount(".loc", 1u << 20);
  L.Line = parseCount(".loc", ~0u);
  L.Column = parseCount(".loc", ~0u);
  if (accept(',')) {
    // function_name label, inlined_at file line column
    if (Tok.is(TokenKind::Name) && Tok.Text == "function_name") {
      advance();
      advance();
      if (accept('+'))
        advance();
      expect(',', "after function_name");
    }
    if (Tok.is(TokenKind::Name) && Tok.Text == "inlined_at") {
      advance();
      SourceLoc At;
      At.File = parseCount("inlined_at", 1u << 20);
      At.Line = parseCount("inlined_at", ~0u);
      At.Column = parseCount("inlined_at", ~0u);
      L.InlinedAt = uint32_t(M->Locs.size());
      M->Locs.push_back(At);
    }
  }
  CurrentLoc = uint32_t(M->Locs.size());
  M->Locs.push_back(L);
  if (F->FirstLoc == None)
    F->FirstLoc = CurrentLoc;
}

bool Parser::parsePredicate(uint32_t &Reg) {
  RegisterDecl D;
  uint32_t Index;
  if (!Tok.is(TokenKind::Name) || !findRegister(Tok.Text, D, Index)) {
    error("expected a predicate register, found " + quote(Tok));
    return false;
  }
  if (F->Registers[Index].Type != Mod::Pred) {
    error(quote(Tok) + " is not a predicate");
    return false;
  }
  Reg = Index;
  advance();
  return true;
}

bool Parser::findRegister(std::string_view Name, RegisterDecl &Out,
                          uint32_t &Index) {
  size_t Digits = Name.size();
  while (Digits > 1 && Name[Digits - 1] >= '0' && Name[Digits - 1] <= '9')
    --Digits;
  uint64_t Number = 0;
  // %r007 is not register 7 of a range.
  bool Numbered = Digits < Name.size() && Name.size() - Digits <= 7 &&
                  (Name[Digits] != '0' || Name.size() - Digits == 1);
  if (Numbered)
    for (char C : Name.substr(Digits))
      Number = Number * 10 + uint64_t(C - '0');
  for (auto S = Scopes.rbegin(); S != Scopes.rend(); ++S) {
    if (!S->Registers.empty()) {
      auto It = S->Registers.find(Name);
      if (It != S->Registers.end()) {
        Out = It->second;
        Index = Out.First;
        return true;
      }
    }
    if (Numbered)
      for (const Range &R : S->Ranges)
        if (Number < R.Decl.Count && R.Prefix == Name.substr(0, Digits)) {
          Out = R.Decl;
          Index = Out.First + uint32_t(Number) * Out.VectorLength;
          return true;
        }
  }
  // A range prefix may itself end in digits (%rd1<3>); try longer prefixes.
  for (size_t Cut = Digits + 1; Cut < Name.size(); ++Cut)
    for (auto S = Scopes.rbegin(); S != Scopes.rend(); ++S)
      for (const Range &R : S->Ranges) {
        if (R.Prefix != Name.substr(0, Cut) || Name.size() - Cut > 7)
          continue;
        uint64_t N = 0;
        for (char C : Name.substr(Cut))
          N = N * 10 + uint64_t(C - '0');
        if (N < R.Decl.Count) {
          Out = R.Decl;
          Index = Out.First + uint32_t(N) * Out.VectorLength;
          return true;
        }
      }
  return false;
}

uint32_t Parser::findSymbol(std::string_view Name) const {
  for (auto S = Scopes.rbegin(); S != Scopes.rend(); ++S) {
    if (S->Variables.empty())
      continue;
    auto It = S->Variables.find(Name);
    if (It != S->Variables.end())
      return It->second;
  }
  auto It = M->Names.find(std::string(Name));
  return It == M->Names.end() ? None : It->second;
}
