//===- ParseExpr.cpp - Constants and initialisers of PTX text -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant expressions follow C: 64-bit integers, signed unless a literal says
// otherwise or needs all 64 bits.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ParserImpl.h"

#include <cmath>
#include <cstring>

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {
unsigned precedence(std::string_view Op) {
  static const struct {
    std::string_view Op;
    unsigned Prec;
  } Table[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9}, {"-", 9},
               {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7}, {"<=", 7},
               {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4},
               {"|", 3},  {"&&", 2}, {"||", 1}};
  for (const auto &Row : Table)
    if (Row.Op == Op)
      return Row.Prec;
  return 0;
}
} // namespace

int64_t Parser::parseConstant() {
  ExprUnsigned = false;
  return parseTernary(0);
}

int64_t Parser::parseTernary(unsigned Depth) {
  int64_t C = parseBinary(1, Depth);
  if (!Tok.isPunct('?'))
    return C;
  advance();
  int64_t A = parseTernary(Depth + 1);
  expect(':', "in a conditional constant");
  int64_t B = parseTernary(Depth + 1);
  return C ? A : B;
}

bool Parser::applyBinary(std::string_view Op, int64_t A, int64_t B,
                         bool Unsigned, int64_t &Out) {
  uint64_t UA = uint64_t(A), UB = uint64_t(B);
  if (Op == "*")
    Out = int64_t(UA * UB);
  else if (Op == "+")
    Out = int64_t(UA + UB);
  else if (Op == "-")
    Out = int64_t(UA - UB);
  else if (Op == "/" || Op == "%") {
    if (B == 0)
      return false;
    bool Div = Op == "/";
    if (Unsigned)
      Out = int64_t(Div ? UA / UB : UA % UB);
    else if (B == -1)
      Out = Div ? int64_t(0 - UA) : 0;
    else
      Out = Div ? A / B : A % B;
  } else if (Op == "<<")
    Out = UB > 63 ? 0 : int64_t(UA << UB);
  else if (Op == ">>")
    Out =
        Unsigned ? (UB > 63 ? 0 : int64_t(UA >> UB)) : A >> (UB > 63 ? 63 : UB);
  else if (Op == "<")
    Out = Unsigned ? UA < UB : A < B;
  else if (Op == ">")
    Out = Unsigned ? UA > UB : A > B;
  else if (Op == "<=")
    Out = Unsigned ? UA <= UB : A <= B;
  else if (Op == ">=")
    Out = Unsigned ? UA >= UB : A >= B;
  else if (Op == "==")
    Out = A == B;
  else if (Op == "!=")
    Out = A != B;
  else if (Op == "&")
    Out = A & B;
  else if (Op == "^")
    Out = A ^ B;
  else if (Op == "|")
    Out = A | B;
  else if (Op == "&&")
    Out = A && B;
  else
    Out = A || B;
  return true;
}

int64_t Parser::parseBinary(unsigned MinPrec, unsigned Depth) {
  int64_t Left = parseUnary(Depth);
  while (!Failed && Tok.is(TokenKind::Punct)) {
    std::string_view Op = Tok.Text;
    unsigned Prec = precedence(Op);
    if (!Prec || Prec < MinPrec)
      break;
    Token At = Tok;
    advance();
    if (Depth >= MaxExpressionDepth) {
      error(At, "the constant is nested too deeply");
      return 0;
    }
    int64_t Right = parseBinary(Prec + 1, Depth + 1);
    if (!Failed && !applyBinary(Op, Left, Right, ExprUnsigned, Left))
      error(At, "division by zero in a constant");
  }
  return Left;
}

int64_t Parser::parseUnary(unsigned Depth) {
  if (Depth >= MaxExpressionDepth) {
    error("the constant is nested too deeply");
    return 0;
  }
  if (accept('-'))
    return int64_t(0 - uint64_t(parseUnary(Depth + 1)));
  if (accept('+'))
    return parseUnary(Depth + 1);
  if (accept('~'))
    return ~parseUnary(Depth + 1);
  if (accept('!'))
    return !parseUnary(Depth + 1);
  if (accept('(')) {
    if (Tok.isDot("s64") || Tok.isDot("u64")) {
      ExprUnsigned = Tok.isDot("u64");
      advance();
      expect(')', "after a cast");
      return parseUnary(Depth + 1);
    }
    int64_t V = parseTernary(Depth + 1);
    expect(')', "in a constant");
    return V;
  }
  if (Tok.is(TokenKind::Name) && Tok.Text == "WARP_SZ") {
    advance();
    return 32;
  }
  if (!Tok.is(TokenKind::Int)) {
    error("expected a constant, found " + quote(Tok));
    return 0;
  }
  int64_t V = int64_t(Tok.Value);
  ExprUnsigned |= Tok.Unsigned || V < 0;
  advance();
  return V;
}

void Parser::parseInitialiser(Variable &V, uint64_t &Elements,
                              unsigned ElementBytes) {
  if (Tok.is(TokenKind::String)) {
    for (char C : Tok.Text)
      V.Init.push_back({uint32_t(Elements++), 1, uint8_t(C), None, false, 0});
    ++Elements;
    advance();
    return;
  }
  std::vector<uint64_t> NoDims;
  if (Tok.isPunct('{'))
    return parseInitList(V, Elements, ElementBytes, NoDims, 0);
  parseInitValue(V, Elements, ElementBytes);
  ++Elements;
}

/// Nested braces only group: PTX fills rows completely.
void Parser::parseInitList(Variable &V, uint64_t &Element,
                           unsigned ElementBytes,
                           const std::vector<uint64_t> &Dims, unsigned Level) {
  if (Level >= MaxExpressionDepth) {
    error("the initialiser is nested too deeply");
    return;
  }
  expect('{', "in an initialiser");
  while (!Failed && !Tok.isPunct('}')) {
    if (Tok.isPunct('{'))
      parseInitList(V, Element, ElementBytes, Dims, Level + 1);
    else
      parseInitValue(V, Element++, ElementBytes);
    if (!accept(','))
      break;
  }
  expect('}', "after the initial values");
}

void Parser::parseInitValue(Variable &V, uint64_t Element,
                            unsigned ElementBytes) {
  uint64_t Offset = Element * ElementBytes;
  if (Offset > UINT32_MAX) {
    error("the initialiser is too long");
    return;
  }
  InitValue I;
  I.Offset = uint32_t(Offset);
  I.Bytes = ElementBytes;
  bool Minus = false;
  if (Tok.isPunct('-') && peek().is(TokenKind::Float)) {
    Minus = true;
    advance();
  }
  if (Tok.is(TokenKind::Float)) {
    double D;
    if (Tok.Single) {
      float S;
      uint32_t Bits = uint32_t(Tok.Value);
      std::memcpy(&S, &Bits, 4);
      D = S;
    } else {
      std::memcpy(&D, &Tok.Value, 8);
    }
    D = Minus ? -D : D;
    if (V.Type == Mod::F32 && Tok.Single) {
      I.Bits = Tok.Value ^ (Minus ? 0x80000000u : 0);
    } else if (V.Type == Mod::F32) {
      float S = float(D);
      std::memcpy(&I.Bits, &S, 4);
    } else {
      std::memcpy(&I.Bits, &D, 8);
    }
    advance();
    V.Init.push_back(I);
    return;
  }
  // 0xFF00(symbol) takes some bytes of an address.
  if (Tok.is(TokenKind::Int) && peek().isPunct('(')) {
    uint64_t Mask = Tok.Value;
    while (Mask && !(Mask & 0xff)) {
      Mask >>= 8;
      I.Shift += 8;
    }
    advance();
    advance();
    I.Symbol = 0;
  }
  bool Parens = I.Symbol == 0;
  if (Tok.is(TokenKind::Name) && Tok.Text == "generic" && peek().isPunct('(')) {
    I.Generic = true;
    advance();
    advance();
  }
  if (Tok.is(TokenKind::Name) && Tok.Text != "WARP_SZ") {
    I.Symbol = findSymbol(Tok.Text);
    if (I.Symbol == None) {
      error("unknown symbol " + quote(Tok) + " in an initialiser");
      return;
    }
    advance();
    if (I.Generic)
      expect(')', "after generic(...)");
    if (Tok.isPunct('+') || Tok.isPunct('-'))
      I.Bits = uint64_t(parseConstant());
  } else if (Parens || I.Generic) {
    error("expected a symbol, found " + quote(Tok));
    return;
  } else {
    I.Bits = uint64_t(parseConstant());
  }
  if (Parens)
    expect(')', "after the symbol");
  V.Init.push_back(I);
}
