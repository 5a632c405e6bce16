//===- ParseExpr.cpp - Constants and initialisers of PTX text -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant expressions follow C: 64-bit integers, signed unless a literal says
// otherwise or needs all 64 bits, and 64-bit floats.
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

Constant Constant::ofReal(double D) {
  Constant C;
  C.IsReal = true;
  std::memcpy(&C.Bits, &D, 8);
  return C;
}

double Constant::real() const {
  if (!IsReal)
    return double(int64_t(Bits));
  if (Single) {
    uint32_t Low = uint32_t(Bits);
    float F;
    std::memcpy(&F, &Low, 4);
    return F;
  }
  double D;
  std::memcpy(&D, &Bits, 8);
  return D;
}

int64_t Parser::parseConstant() {
  Token At = Tok;
  Constant C = parseValue();
  if (!Failed && C.IsReal)
    error(At, "expected an integer, found a float");
  return int64_t(C.Bits);
}

Constant Parser::parseValue() {
  ExprUnsigned = false;
  return parseTernary(0);
}

Constant Parser::parseTernary(unsigned Depth) {
  Constant C = parseBinary(1, Depth);
  if (!Tok.isPunct('?'))
    return C;
  advance();
  Constant A = parseTernary(Depth + 1);
  expect(':', "in a conditional constant");
  Constant B = parseTernary(Depth + 1);
  return C.isTrue() ? A : B;
}

/// Of two values of which one is a float.
bool Parser::applyReal(std::string_view Op, Constant &Left,
                       const Constant &Right, const Token &At) {
  double A = Left.real(), B = Right.real();
  auto Truth = [&](bool Holds) {
    Left = Constant();
    Left.Bits = Holds;
  };
  if (Op == "*")
    Left = Constant::ofReal(A * B);
  else if (Op == "/")
    Left = Constant::ofReal(A / B);
  else if (Op == "+")
    Left = Constant::ofReal(A + B);
  else if (Op == "-")
    Left = Constant::ofReal(A - B);
  else if (Op == "<" || Op == ">")
    Truth(Op == "<" ? A < B : A > B);
  else if (Op == "<=" || Op == ">=")
    Truth(Op == "<=" ? A <= B : A >= B);
  else if (Op == "==" || Op == "!=")
    Truth((A == B) == (Op == "=="));
  else if (Op == "&&" || Op == "||")
    Truth(Op == "&&" ? A && B : A || B);
  else
    error(At, quote(At) + " takes integers, not floats");
  return !Failed;
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

Constant Parser::parseBinary(unsigned MinPrec, unsigned Depth) {
  Constant Left = parseUnary(Depth);
  while (!Failed && Tok.is(TokenKind::Punct)) {
    std::string_view Op = Tok.Text;
    unsigned Prec = precedence(Op);
    if (!Prec || Prec < MinPrec)
      break;
    Token At = Tok;
    advance();
    if (Depth >= MaxExpressionDepth) {
      error(At, "the constant is nested too deeply");
      return {};
    }
    Constant Right = parseBinary(Prec + 1, Depth + 1);
    if (Failed)
      break;
    if (Left.IsReal || Right.IsReal) {
      applyReal(Op, Left, Right, At);
      continue;
    }
    int64_t Out = 0;
    if (!applyBinary(Op, int64_t(Left.Bits), int64_t(Right.Bits), ExprUnsigned,
                     Out))
      error(At, "division by zero in a constant");
    Left.Bits = uint64_t(Out);
  }
  return Left;
}

/// What follows an open parenthesis: a cast and its operand, or a constant and
/// the end of the parenthesis.
Constant Parser::parseCast(unsigned Depth) {
  bool ToReal = Tok.isDot("f64"), Unsigned = Tok.isDot("u64");
  if (!ToReal && !Unsigned && !Tok.isDot("s64")) {
    Constant V = parseTernary(Depth + 1);
    expect(')', "in a constant");
    return V;
  }
  advance();
  expect(')', "after a cast");
  Constant V = parseUnary(Depth + 1);
  if (ToReal)
    return Constant::ofReal(V.real());
  ExprUnsigned = Unsigned;
  if (!V.IsReal)
    return V;
  double D = V.real(), Limit = Unsigned ? 0x1p64 : 0x1p63;
  if (!(D > (Unsigned ? -1.0 : -0x1p63 - 1) && D < Limit)) {
    error("the float does not fit in 64 bits");
    return {};
  }
  Constant C;
  C.Bits = Unsigned ? uint64_t(D) : uint64_t(int64_t(D));
  return C;
}

Constant Parser::parseUnary(unsigned Depth) {
  Constant C;
  if (Depth >= MaxExpressionDepth) {
    error("the constant is nested too deeply");
    return C;
  }
  Token At = Tok;
  if (accept('-')) {
    C = parseUnary(Depth + 1);
    if (C.IsReal) // Of a NaN, too.
      C.Bits ^= C.Single ? uint64_t(1) << 31 : uint64_t(1) << 63;
    else
      C.Bits = 0 - C.Bits;
    return C;
  }
  if (accept('+'))
    return parseUnary(Depth + 1);
  if (accept('~')) {
    C = parseUnary(Depth + 1);
    if (C.IsReal)
      error(At, quote(At) + " takes integers, not floats");
    C.Bits = ~C.Bits;
    return C;
  }
  if (accept('!')) {
    C.Bits = !parseUnary(Depth + 1).isTrue();
    return C;
  }
  if (accept('('))
    return parseCast(Depth);
  if (Tok.is(TokenKind::Name) && Tok.Text == "WARP_SZ") {
    advance();
    C.Bits = 32;
    return C;
  }
  if (!Tok.is(TokenKind::Int) && !Tok.is(TokenKind::Float)) {
    error("expected a constant, found " + quote(Tok));
    return C;
  }
  C.Bits = Tok.Value;
  C.IsReal = Tok.is(TokenKind::Float);
  C.Single = C.IsReal && Tok.Single;
  if (!C.IsReal)
    ExprUnsigned |= Tok.Unsigned || int64_t(C.Bits) < 0;
  advance();
  return C;
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
    Constant C = parseValue();
    I.Bits = C.Bits;
    if (C.IsReal && V.Type == Mod::F32 && !C.Single) {
      float S = float(C.real());
      I.Bits = 0;
      std::memcpy(&I.Bits, &S, 4);
    } else if (C.IsReal && V.Type != Mod::F32 && C.Single) {
      I.Bits = Constant::ofReal(C.real()).Bits;
    }
  }
  if (Parens)
    expect(')', "after the symbol");
  V.Init.push_back(I);
}
