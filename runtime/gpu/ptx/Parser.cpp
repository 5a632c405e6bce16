//===- Parser.cpp - Declarations of PTX text ------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens, errors, and everything outside of function bodies.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Parser.h"
#include "runtime/gpu/ptx/ParserImpl.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

Result<std::unique_ptr<Module>>
gevo::gpu::ptx::parseModule(std::string_view Text) {
  return Parser(Text).run();
}

Result<std::unique_ptr<Module>> Parser::run() {
  advance();
  if (!Failed && !Tok.isDot("version"))
    error("a PTX module starts with .version, not with " + quote(Tok));
  while (!Failed && !Tok.is(TokenKind::End))
    parseTopLevel();
  if (!Failed && M->Target == 0)
    error("the module has no .target");
  if (Failed)
    return Error;
  return std::move(M);
}

void Parser::advance() {
  if (HasAhead) {
    Tok = Ahead;
    HasAhead = false;
  } else {
    Tok = Lex.next();
  }
  if (Tok.is(TokenKind::Error))
    error(std::string(Tok.Text));
}

const Token &Parser::peek() {
  if (!HasAhead) {
    Ahead = Lex.next();
    HasAhead = true;
  }
  return Ahead;
}

std::nullptr_t Parser::error(const Token &At, std::string Message) {
  if (!Failed) {
    Failed = true;
    Error = {std::move(Message), At.Line, At.Column};
  }
  // Every loop ends at End, so the rest of the parse falls through quickly.
  Lex.stop();
  HasAhead = false;
  Tok = Token();
  return nullptr;
}

std::string Parser::quote(const Token &T) {
  if (T.is(TokenKind::End))
    return "the end of the text";
  return (T.is(TokenKind::Dot) ? "'." : "'") +
         std::string(T.Text.substr(0, 80)) + "'";
}

bool Parser::accept(char C) {
  if (!Tok.isPunct(C))
    return false;
  advance();
  return true;
}

bool Parser::expect(char C, const char *After) {
  if (accept(C))
    return true;
  error(std::string("expected '") + C + "' " + After + ", found " + quote(Tok));
  return false;
}

bool Parser::acceptDot(std::string_view S) {
  if (!Tok.isDot(S))
    return false;
  advance();
  return true;
}

void Parser::parseTopLevel() {
  if (!Tok.is(TokenKind::Dot)) {
    if (accept(';'))
      return;
    error("expected a directive, found " + quote(Tok));
    return;
  }
  std::string_view D = Tok.Text;
  if (D == "version")
    return parseVersion();
  if (D == "target")
    return parseTarget();
  if (D == "address_size") {
    advance();
    M->AddressSize = parseCount(".address_size", 64);
    if (!Failed && M->AddressSize != 64 && M->AddressSize != 32)
      error("the address size is 32 or 64");
    return;
  }
  if (D == "file")
    return parseFile();
  if (D == "section")
    return skipSection();
  if (D == "alias")
    return parseAlias();
  if (D == "pragma" || D == "loc") {
    while (!Failed && !Tok.is(TokenKind::End) && !Tok.isPunct(';'))
      advance();
    expect(';', "after the directive");
    return;
  }
  parseLinked();
}

void Parser::parseVersion() {
  advance();
  // "8.3" lexes as one decimal number.
  std::string Text(Tok.Text);
  size_t Dot = Text.find('.');
  if (!Tok.is(TokenKind::Float) || Tok.Single || Dot == std::string::npos) {
    error("expected a version such as 8.3, found " + quote(Tok));
    return;
  }
  uint32_t Major = uint32_t(std::strtoul(Text.c_str(), nullptr, 10));
  uint32_t Minor = uint32_t(std::strtoul(Text.c_str() + Dot + 1, nullptr, 10));
  if (Major < 1 || Major > 9 || Minor > 9) {
    error("PTX version " + Text + " is not supported");
    return;
  }
  M->Version = Major * 10 + Minor;
  advance();
}

void Parser::parseTarget() {
  advance();
  do {
    if (!Tok.is(TokenKind::Name)) {
      error("expected a target such as sm_70, found " + quote(Tok));
      return;
    }
    if (Tok.Text.substr(0, 3) == "sm_") {
      uint32_t Arch = 0;
      for (char C : Tok.Text.substr(3)) {
        if (C < '0' || C > '9')
          break;
        Arch = Arch * 10 + uint32_t(C - '0');
        if (Arch > 1000)
          break;
      }
      if (Arch < 10 || Arch > 999) {
        error("unknown target " + quote(Tok));
        return;
      }
      M->Target = Arch;
    }
    advance();
  } while (accept(','));
}

void Parser::parseFile() {
  advance();
  uint32_t Number = parseCount(".file", 1u << 20);
  if (Failed)
    return;
  if (!Tok.is(TokenKind::String)) {
    error("expected a file name in quotes, found " + quote(Tok));
    return;
  }
  if (M->Files.size() <= Number)
    M->Files.resize(Number + 1);
  M->Files[Number] = std::string(Tok.Text);
  advance();
  while (accept(','))
    parseCount(".file", ~uint64_t(0));
}

void Parser::skipSection() {
  advance();
  if (Tok.is(TokenKind::Dot) || Tok.is(TokenKind::Name))
    advance();
  if (!Tok.isPunct('{')) {
    error("expected '{' after .section, found " + quote(Tok));
    return;
  }
  HasAhead = false;
  Lex.skipBraces();
  advance();
}

void Parser::parseAlias() {
  advance();
  Token Name = Tok;
  advance();
  expect(',', "between the names of .alias");
  auto It = M->Names.find(std::string(Tok.Text));
  if (!Failed && (It == M->Names.end() ||
                  M->Symbols[It->second].Kind != SymbolKind::Function)) {
    error(".alias of " + quote(Tok) + ", which is no function");
    return;
  }
  advance();
  if (expect(';', "after .alias"))
    M->Names[std::string(Name.Text)] = It->second;
}

/// A variable or function with its linkage words in front.
void Parser::parseLinked() {
  Declarator D;
  while (!Failed) {
    if (acceptDot("visible"))
      D.Link = Linkage::Visible;
    else if (acceptDot("extern"))
      D.Link = Linkage::Extern;
    else if (acceptDot("weak"))
      D.Link = Linkage::Weak;
    else if (acceptDot("common"))
      D.Link = Linkage::Common;
    else
      break;
  }
  if (Tok.isDot("entry") || Tok.isDot("func"))
    return parseFunction(D.Link);
  parseVariables(D, false);
}

bool Parser::parseDeclarator(Declarator &D) {
  static const struct {
    std::string_view Text;
    Space Where;
  } Spaces[] = {{"global", Space::Global},
                {"const", Space::Const},
                {"shared", Space::Shared},
                {"local", Space::Local},
                {"param", Space::Param}};
  bool Known = false;
  for (const auto &S : Spaces)
    if (Tok.isDot(S.Text)) {
      D.Where = S.Where;
      Known = true;
    }
  if (!Known) {
    error("unknown directive " + quote(Tok));
    return false;
  }
  advance();
  while (!Failed && Tok.is(TokenKind::Dot)) {
    Mod T = modByName(Tok.Text);
    if (Tok.isDot("align")) {
      advance();
      D.Align = parseCount(".align", MaxAlign);
      if (!Failed && (D.Align == 0 || (D.Align & (D.Align - 1))))
        error("an alignment is a power of two");
    } else if (Tok.isDot("attribute")) {
      parseAttribute(D);
    } else if (Tok.isDot("ptr")) {
      // .ptr .global .align N describes what a pointer parameter points to.
      advance();
      while (Tok.is(TokenKind::Dot)) {
        if (acceptDot("align"))
          parseCount(".align", MaxAlign);
        else
          advance();
      }
    } else if (Tok.isDot("texref") || Tok.isDot("samplerref") ||
               Tok.isDot("surfref")) {
      // Opaque; only instructions that are not run look inside.
      D.Type = Mod::B64;
      advance();
    } else if (T == Mod::V2 || T == Mod::V4) {
      D.Vector = T == Mod::V2 ? 2 : 4;
      advance();
    } else if (T != Mod::None && modClass(T) == ModClass::Type &&
               T != Mod::Pred) {
      D.Type = T;
      advance();
    } else {
      error("unknown word " + quote(Tok) + " in a declaration");
    }
  }
  if (!Failed && D.Type == Mod::None)
    error("a declaration without a type");
  return !Failed;
}

void Parser::parseAttribute(Declarator &D) {
  advance();
  expect('(', "after .attribute");
  // .unified(a, b) names a variable for all modules of a program.
  for (unsigned Depth = 0; !Failed && !Tok.is(TokenKind::End); advance()) {
    if (Tok.isPunct(')') && Depth-- == 0)
      break;
    Depth += Tok.isPunct('(');
    D.Managed |= Tok.isDot("managed");
  }
  expect(')', "after the attributes");
}

void Parser::parseVariables(Declarator D, bool Local) {
  if (!parseDeclarator(D))
    return;
  do {
    parseOneVariable(D, false);
  } while (!Failed && accept(','));
  expect(';', "after the declaration");
}

/// Parses name, extents and initialiser; returns the symbol.
uint32_t Parser::parseOneVariable(const Declarator &D, bool IsParam) {
  Token Name = Tok;
  if (!Tok.is(TokenKind::Name)) {
    error("expected a variable's name, found " + quote(Tok));
    return None;
  }
  advance();
  Variable V;
  V.Name = std::string(Name.Text);
  V.Where = D.Where;
  V.Link = D.Link;
  V.Type = D.Type;
  V.Managed = D.Managed;
  uint64_t ElementBytes = std::max(1u, typeBits(D.Type) / 8);
  V.Align = D.Align ? D.Align : uint32_t(ElementBytes * D.Vector);
  uint64_t Elements = D.Vector;
  // name<N> declares N variables name0 ...; only registers use it in practice.
  while (!Failed && accept('[')) {
    if (accept(']')) {
      V.Unsized = true;
      continue;
    }
    Token At = Tok;
    int64_t N = parseConstant();
    uint64_t Most =
        MaxVariableBytes / (std::max<uint64_t>(Elements, 1) * ElementBytes);
    if (!Failed && (N < 0 || uint64_t(N) > Most))
      error(At, "an array of this size is not supported");
    Elements *= uint64_t(N);
    expect(']', "after the array's size");
  }
  V.Bytes = V.Unsized ? 0 : Elements * ElementBytes;
  if (!Failed && Tok.isPunct('=')) {
    advance();
    if (D.Where != Space::Global && D.Where != Space::Const) {
      error("only .global and .const variables have initialisers");
      return None;
    }
    uint64_t Given = 0;
    parseInitialiser(V, Given, unsigned(ElementBytes));
    if (V.Unsized) {
      V.Bytes = Given * ElementBytes;
      V.Unsized = false;
    }
    if (!Failed && Given * ElementBytes > V.Bytes)
      error(Name, "more initial values than elements in '" + V.Name + "'");
  }
  if (Failed)
    return None;
  return declare(std::move(V), Name, F != nullptr || IsParam);
}

uint32_t Parser::declare(Variable V, const Token &At, bool Local) {
  uint32_t Sym = uint32_t(M->Symbols.size());
  if (Local) {
    V.Owner = FunctionIndex;
    auto &Names = Scopes.back().Variables;
    if (!Names.emplace(At.Text, Sym).second) {
      error(At, "'" + V.Name + "' is declared twice");
      return None;
    }
    if (F)
      F->Locals.push_back(Sym);
  } else {
    auto [It, New] = M->Names.emplace(V.Name, Sym);
    if (!New) {
      // An extern declaration and its definition are one variable.
      const Symbol &Old = M->Symbols[It->second];
      if (Old.Kind == SymbolKind::Variable &&
          M->Variables[Old.Index].Where == V.Where) {
        Variable &Known = M->Variables[Old.Index];
        if (Known.Link == Linkage::Extern || V.Link == Linkage::Extern ||
            (Known.Link == Linkage::Weak && V.Link == Linkage::Weak) ||
            Known.Link == Linkage::Common) {
          if (V.Link != Linkage::Extern)
            Known = std::move(V);
          return It->second;
        }
      }
      error(At, "'" + V.Name + "' is declared twice");
      return None;
    }
  }
  M->Symbols.push_back({SymbolKind::Variable, uint32_t(M->Variables.size())});
  M->Variables.push_back(std::move(V));
  return Sym;
}

uint32_t Parser::parseCount(const char *What, uint64_t Max) {
  if (!Tok.is(TokenKind::Int) || Tok.Value > Max) {
    error(std::string("expected a number for ") + What + ", found " +
          quote(Tok));
    return 0;
  }
  uint32_t V = uint32_t(Tok.Value);
  advance();
  return V;
}
