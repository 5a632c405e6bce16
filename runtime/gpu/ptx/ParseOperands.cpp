//===- ParseOperands.cpp - Operands of PTX instructions -------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ParserImpl.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {
int componentOf(std::string_view S) {
  if (S == "x" || S == "r")
    return 0;
  if (S == "y" || S == "g")
    return 1;
  if (S == "z" || S == "b")
    return 2;
  if (S == "w" || S == "a")
    return 3;
  return -1;
}
} // namespace

void Parser::parseOperands(Instruction &I, const OpcodeInfo &Info) {
  if (I.Op == Opcode::Call)
    return parseCall(I);
  if (I.Op == Opcode::Bra)
    return parseLabelOperand(I, false);
  if (Tok.isPunct(';'))
    return;
  Parts = Info.Fam == Family::Video;
  // Elements of vectors come before the operands themselves, so that those of
  // one instruction are contiguous.
  Operand List[8];
  unsigned Count = 0;
  do {
    if (Count == 8) {
      error("too many operands");
      return;
    }
    if (I.Op == Opcode::Brx && Count == 1) {
      Operand O;
      O.Kind = OperandKind::Targets;
      for (auto S = Scopes.rbegin(); S != Scopes.rend(); ++S) {
        auto It = S->TargetLists.find(Tok.Text);
        if (It != S->TargetLists.end()) {
          O.Index = It->second;
          break;
        }
      }
      if (O.Index == None) {
        error("expected the name of a .branchtargets list, found " +
              quote(Tok));
        return;
      }
      advance();
      List[Count++] = O;
      continue;
    }
    List[Count] = parseOperand(Count == 0);
    // An element of an array, t[3], is memory where that is wanted.
    char Letter = Count < Info.Operands.size() ? Info.Operands[Count] : 0;
    bool Memory = Letter == 'm' || Letter == 'h';
    if (List[Count].Kind == OperandKind::Symbol && Memory) {
      List[Count].Kind = OperandKind::Address;
      List[Count].Base = AddressBase::Symbol;
    }
    ++Count;
  } while (!Failed && accept(','));
  I.FirstOperand = uint32_t(F->Operands.size());
  I.NumOperands = uint8_t(Count);
  F->Operands.insert(F->Operands.end(), List, List + Count);
}

void Parser::parseLabelOperand(Instruction &I, bool TargetList) {
  if (!Tok.is(TokenKind::Name)) {
    error("expected a label, found " + quote(Tok));
    return;
  }
  Operand O;
  O.Kind = OperandKind::Label;
  I.FirstOperand = uint32_t(F->Operands.size());
  I.NumOperands = 1;
  Scopes.back().Fixups.push_back({Tok.Text, I.FirstOperand, None, 0, Tok});
  F->Operands.push_back(O);
  advance();
}

Operand Parser::parseOperand(bool WantPair) {
  if (Tok.isPunct('{'))
    return parseVectorOperand();
  if (Tok.isPunct('['))
    return parseAddress();
  if ((Tok.isPunct('!') || (Parts && Tok.isPunct('-'))) &&
      peek().is(TokenKind::Name)) {
    advance();
    Operand O = parseNameOperand();
    O.Negated = true;
    return O;
  }
  if (Tok.is(TokenKind::Name) && Tok.Text != "WARP_SZ") {
    Operand O = parseNameOperand();
    if (WantPair && accept('|')) {
      Operand P = parseNameOperand();
      if (!Failed && P.Kind == OperandKind::Register)
        O.Pair = P.Index;
      else if (!Failed && P.Kind != OperandKind::Sink)
        error("expected a register after '|'");
    }
    return O;
  }
  Operand O;
  Constant C = parseValue();
  O.Kind = C.IsReal ? OperandKind::Float : OperandKind::Integer;
  O.Single = C.Single;
  O.Value = int64_t(C.Bits);
  return O;
}

void Parser::parsePart(PartSelect &P) {
  std::string_view Text = Tok.Text;
  bool Ok = Text.size() >= 2 && Text.size() <= 5 &&
            (Text[0] == 'b' || Text[0] == 'h');
  for (size_t K = 1; Ok && K < Text.size(); ++K) {
    Ok = Text[K] >= '0' && Text[K] <= '7';
    P.Digits[Text.size() - 1 - K] = uint8_t(Text[K] - '0');
  }
  if (!Ok) {
    error("expected a part of the register such as .b0 or .h1, found " +
          quote(Tok));
    return;
  }
  P.Half = Text[0] == 'h';
  P.Count = uint8_t(Text.size() - 1);
  advance();
}

Operand Parser::parseNameOperand() {
  Operand O;
  Token Name = Tok;
  if (!Tok.is(TokenKind::Name)) {
    error("expected an operand, found " + quote(Tok));
    return O;
  }
  RegisterDecl D;
  uint32_t Index;
  if (findRegister(Name.Text, D, Index)) {
    advance();
    O.Kind = OperandKind::Register;
    O.Index = Index;
    if (Parts && Tok.is(TokenKind::Dot) && !Tok.SpaceBefore)
      parsePart(O.Part);
    if (D.VectorLength > 1) {
      int C = Tok.is(TokenKind::Dot) && !Tok.SpaceBefore ? componentOf(Tok.Text)
                                                         : -1;
      if (C >= 0 && C < D.VectorLength) {
        O.Index += uint32_t(C);
        advance();
        return O;
      }
      O.Kind = OperandKind::Vector;
      O.Count = D.VectorLength;
      O.Index = uint32_t(F->Operands.size());
      for (unsigned K = 0; K < D.VectorLength; ++K) {
        Operand E;
        E.Kind = OperandKind::Register;
        E.Index = Index + K;
        F->Operands.push_back(E);
      }
    }
    return O;
  }
  if (Name.Text == "_") {
    advance();
    return O;
  }
  if (Name.Text[0] == '%') {
    advance();
    std::string Full(Name.Text);
    if (Tok.is(TokenKind::Dot) && !Tok.SpaceBefore &&
        componentOf(Tok.Text) >= 0) {
      Full += "." + std::string(Tok.Text);
      advance();
    }
    SpecialRegister S = specialByName(Full);
    SpecialRegister Last = specialByName(Full + ".w");
    if (S == SpecialRegister::None && Last != SpecialRegister::None) {
      // All of %tid, %ntid, %ctaid or %nctaid, whose rows are neighbours.
      O.Kind = OperandKind::Vector;
      O.Count = 4;
      O.Index = uint32_t(F->Operands.size());
      for (unsigned K = 0; K < 4; ++K) {
        Operand E;
        E.Kind = OperandKind::Special;
        E.Index = uint32_t(Last) - 3 + K;
        F->Operands.push_back(E);
      }
      return O;
    }
    if (S == SpecialRegister::None && Full.substr(0, 7) == "%envreg")
      S = SpecialRegister::Envreg;
    if (Full == "%reserved_smem_offset_0" || Full == "%reserved_smem_offset_1")
      S = SpecialRegister::ReservedSmemBegin;
    if (S == SpecialRegister::None && Full.substr(0, 3) == "%pm")
      S = Full.size() > 3 && Full.substr(Full.size() - 3) == "_64"
              ? SpecialRegister::Pm64
              : SpecialRegister::Pm;
    if (S == SpecialRegister::None) {
      error(Name, "unknown register '" + Full + "'");
      return O;
    }
    O.Kind = OperandKind::Special;
    O.Index = uint32_t(S);
    return O;
  }
  O.Kind = OperandKind::Symbol;
  O.Index = findSymbol(Name.Text);
  if (O.Index == None) {
    error(Name, "unknown symbol " + quote(Name));
    return O;
  }
  advance();
  if (Tok.isPunct('['))
    parseSubscript(O);
  else if (Tok.isPunct('+') || Tok.isPunct('-'))
    O.Value = parseConstant();
  return O;
}

/// The element of an array as an offset from its start.
void Parser::parseSubscript(Operand &O) {
  Token At = Tok;
  advance(); // '['
  int64_t Index = parseConstant();
  expect(']', "after the index");
  if (Failed)
    return;
  if (M->Symbols[O.Index].Kind != SymbolKind::Variable) {
    error(At, "only a variable has elements");
    return;
  }
  unsigned Bytes = std::max(1u, typeBits(M->variable(O.Index).Type) / 8);
  O.Value = int64_t(uint64_t(Index) * Bytes);
}

Operand Parser::parseVectorOperand() {
  advance(); // '{'
  Operand Elements[8];
  unsigned Count = 0;
  do {
    if (Count == 8) {
      error("a vector has at most 8 elements");
      return {};
    }
    Operand E = parseOperand(false);
    if (!Failed &&
        (E.Kind == OperandKind::Vector || E.Kind == OperandKind::Address))
      error("a vector's elements are registers or constants");
    Elements[Count++] = E;
  } while (!Failed && accept(','));
  expect('}', "after the vector");
  Operand O;
  O.Kind = OperandKind::Vector;
  O.Count = uint8_t(Count);
  O.Index = uint32_t(F->Operands.size());
  F->Operands.insert(F->Operands.end(), Elements, Elements + Count);
  return O;
}

Operand Parser::parseAddress() {
  advance(); // '['
  Operand O;
  O.Kind = OperandKind::Address;
  if (Tok.is(TokenKind::Name) && Tok.Text != "WARP_SZ") {
    Token Name = Tok;
    Operand Base = parseNameOperand();
    if (Failed)
      return O;
    if (Base.Kind == OperandKind::Register)
      O.Base = AddressBase::Register;
    else if (Base.Kind == OperandKind::Symbol)
      O.Base = AddressBase::Symbol;
    else {
      error(Name, "an address starts with a register, a variable or a "
                  "constant");
      return O;
    }
    O.Index = Base.Index;
    O.Value = Base.Value;
    if (Base.Kind == OperandKind::Register &&
        (Tok.isPunct('+') || Tok.isPunct('-')))
      O.Value = parseConstant();
  } else {
    O.Value = parseConstant();
  }
  expect(']', "after the address");
  acceptDot("unified");
  return O;
}

std::vector<Operand> Parser::parseCallList() {
  std::vector<Operand> List;
  while (!Failed && !Tok.isPunct(')')) {
    List.push_back(parseOperand(false));
    if (!accept(','))
      break;
  }
  expect(')', "after the arguments");
  return List;
}

void Parser::parseCall(Instruction &I) {
  CallSite C;
  if (accept('(')) {
    C.Returns = parseCallList();
    expect(',', "after the results of a call");
  }
  Token Name = Tok;
  Operand Target = parseNameOperand();
  if (Failed)
    return;
  if (Target.Kind == OperandKind::Register) {
    C.TargetReg = Target.Index;
  } else if (Target.Kind == OperandKind::Symbol &&
             M->Symbols[Target.Index].Kind == SymbolKind::Function) {
    C.Target = Target.Index;
  } else {
    error(Name, quote(Name) + " is not a function");
    return;
  }
  if (accept(',')) {
    if (accept('(')) {
      C.Args = parseCallList();
      if (!accept(','))
        goto done;
    }
    // The prototype or the list of possible targets of an indirect call.
    Token P = Tok;
    for (auto S = Scopes.rbegin(); S != Scopes.rend(); ++S) {
      auto It = S->Prototypes.find(P.Text);
      if (It != S->Prototypes.end()) {
        C.Prototype = It->second;
        break;
      }
      if (S->TargetLists.count(P.Text))
        break;
    }
    advance();
  }
done:
  if (!Failed && C.Target != None) {
    const Function &Callee = M->Functions[M->Symbols[C.Target].Index];
    const Function &Shape =
        M->Symbols[C.Target].Index == FunctionIndex ? *F : Callee;
    if (Shape.Params.size() != C.Args.size() ||
        Shape.Returns.size() != C.Returns.size()) {
      error(Name, "the call does not match the declaration of " + quote(Name));
      return;
    }
  }
  I.Call = uint32_t(F->Calls.size());
  F->Calls.push_back(std::move(C));
}
