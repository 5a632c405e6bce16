//===- ParseFunction.cpp - Headers of PTX functions -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ParserImpl.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

void Parser::parseTriple(uint32_t (&Out)[3]) {
  Out[0] = Out[1] = Out[2] = 1;
  Out[0] = parseCount("a block size", 1u << 16);
  if (accept(','))
    Out[1] = parseCount("a block size", 1u << 16);
  if (accept(','))
    Out[2] = parseCount("a block size", 1u << 16);
}

void Parser::parseFunctionDirectives() {
  while (!Failed && Tok.is(TokenKind::Dot)) {
    if (acceptDot("maxntid"))
      parseTriple(F->MaxNtid);
    else if (acceptDot("reqntid"))
      parseTriple(F->ReqNtid);
    else if (acceptDot("minnctapersm"))
      F->MinBlocksPerSM = parseCount(".minnctapersm", 1u << 16);
    else if (acceptDot("maxnctapersm"))
      F->MinBlocksPerSM = parseCount(".maxnctapersm", 1u << 16);
    else if (acceptDot("maxnreg"))
      F->MaxRegisters = parseCount(".maxnreg", 1u << 16);
    else if (acceptDot("maxclusterrank"))
      parseCount(".maxclusterrank", 1u << 16);
    else if (acceptDot("reqnctapercluster")) {
      uint32_t Ignored[3];
      parseTriple(Ignored);
    } else if (acceptDot("pragma")) {
      while (!Failed && !Tok.isPunct(';') && !Tok.is(TokenKind::End))
        advance();
      expect(';', "after .pragma");
    } else if (!acceptDot("noreturn") && !acceptDot("explicitcluster") &&
               !acceptDot("blocksareclusters")) {
      error("unknown directive " + quote(Tok) + " after a function's name");
    }
  }
}

/// Parses "(.param .b32 x, .reg .u32 y)" after its opening parenthesis.
void Parser::parseFormals(std::vector<Formal> &Out, bool IsKernel) {
  uint64_t Total = 0;
  while (!Failed && !Tok.isPunct(')')) {
    Formal P;
    if (Tok.isDot("reg")) {
      advance();
      Mod T = Tok.is(TokenKind::Dot) ? modByName(Tok.Text) : Mod::None;
      if (T == Mod::None || modClass(T) != ModClass::Type) {
        error("expected a register type, found " + quote(Tok));
        return;
      }
      if (T == Mod::Pred || typeBits(T) > 64) {
        error("a register that is passed has up to 64 bits and is no "
              "predicate");
        return;
      }
      advance();
      if (!Tok.is(TokenKind::Name)) {
        error("expected a register's name, found " + quote(Tok));
        return;
      }
      P.Register = uint32_t(F->Registers.size());
      F->Registers.push_back({T});
      Scopes.back().Registers[Tok.Text] = {P.Register, 1, 1};
      advance();
    } else {
      Declarator D;
      D.Where = Space::Param;
      if (!parseDeclarator(D))
        return;
      P.Symbol = parseOneVariable(D, true);
      if (Failed)
        return;
      Total += M->variable(P.Symbol).Bytes;
      if (Total > MaxParamBytes)
        error("the parameters take more than " + std::to_string(MaxParamBytes) +
              " bytes");
    }
    Out.push_back(P);
    if (!accept(','))
      break;
  }
  expect(')', "after the parameters");
}

void Parser::parseFunction(Linkage Link) {
  bool IsKernel = Tok.isDot("entry");
  advance();
  Function Fn;
  Fn.IsKernel = IsKernel;
  Fn.Link = Link;
  // The body is parsed into a local object, as declaring other symbols may
  // move the module's vectors.
  F = nullptr;
  FunctionIndex = uint32_t(M->Functions.size());
  Scopes.clear();
  Scopes.emplace_back();
  F = &Fn;
  CurrentLoc = None;
  while (Tok.isDot("attribute")) {
    Declarator Ignored;
    parseAttribute(Ignored);
  }
  if (!IsKernel && accept('('))
    parseFormals(Fn.Returns, false);
  Token Name = Tok;
  if (!Failed && !Tok.is(TokenKind::Name))
    error("expected a function's name, found " + quote(Tok));
  Fn.Name = std::string(Name.Text);
  Fn.Line = Name.Line;
  advance();
  if (accept('('))
    parseFormals(Fn.Params, IsKernel);
  Fn.Locals.clear(); // Parameters are not variables of the body.
  parseFunctionDirectives();
  bool Body = Tok.isPunct('{');
  Fn.HasBody = Body;
  // A function may call itself, so its name must be known inside.
  Function Declaration;
  Declaration.Name = Fn.Name;
  Declaration.IsKernel = IsKernel;
  Declaration.Link = Link;
  Declaration.HasBody = Body;
  Declaration.Line = Fn.Line;
  Declaration.Params = Fn.Params;
  Declaration.Returns = Fn.Returns;
  if (Failed)
    return;
  uint32_t Sym = declareFunction(std::move(Declaration), Name);
  if (Failed)
    return;
  FunctionIndex = M->Symbols[Sym].Index;
  for (const auto *List : {&Fn.Params, &Fn.Returns})
    for (const Formal &P : *List)
      if (P.Symbol != None)
        M->variable(P.Symbol).Owner = FunctionIndex;
  Fn.Symbol = Sym;
  if (Body) {
    parseBody();
    if (!Failed)
      M->Functions[FunctionIndex] = std::move(Fn);
  } else {
    M->Functions[FunctionIndex].Symbol = Sym;
    expect(';', "after the function's declaration");
  }
  F = nullptr;
}

uint32_t Parser::declareFunction(Function Fn, const Token &At) {
  auto It = M->Names.find(Fn.Name);
  if (It == M->Names.end()) {
    uint32_t Sym = uint32_t(M->Symbols.size());
    M->Names.emplace(Fn.Name, Sym);
    M->Symbols.push_back({SymbolKind::Function, uint32_t(M->Functions.size())});
    M->Functions.push_back(std::move(Fn));
    return Sym;
  }
  Symbol &Old = M->Symbols[It->second];
  if (Old.Kind != SymbolKind::Function) {
    error(At, "'" + Fn.Name + "' is already a variable");
    return None;
  }
  Function &Known = M->Functions[Old.Index];
  if (Known.HasBody && Fn.HasBody && Known.Link != Linkage::Weak) {
    error(At, "function '" + Fn.Name + "' is defined twice");
    return None;
  }
  if (Known.Params.size() != Fn.Params.size() ||
      Known.Returns.size() != Fn.Returns.size()) {
    error(At, "function '" + Fn.Name +
                  "' is declared with different parameters before");
    return None;
  }
  if (Fn.HasBody)
    Known = std::move(Fn);
  return It->second;
}
