//===- ParseOpcode.cpp - Opcodes and their modifiers ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction up to its operands. What Opcodes.def does not have is refused
// by its full name. What Unsupported.def has is PTX all the same: the module
// loads, and who executes the instruction is told what it is.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/ParserImpl.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

void Parser::parseInstruction() {
  Instruction I;
  I.Loc = CurrentLoc;
  I.FirstOperand = uint32_t(F->Operands.size());
  I.FirstModifier = uint32_t(F->Modifiers.size());
  if (accept('@')) {
    I.GuardNegated = accept('!');
    if (!parsePredicate(I.Guard))
      return;
  }
  Token Name = Tok;
  I.Line = Tok.Line;
  I.Column = Tok.Column;
  if (!parseOpcode(I))
    return;
  const OpcodeInfo &Info = opcodeInfo(I.Op);
  if (!parseModifiers(I, Info, Name) || !checkForm(I, Info, Name))
    return;
  parseOperands(I, Info);
  if (Failed)
    return;
  if (!expect(';', "after the instruction"))
    return;
  checkOperandCount(I, Info, Name);
  if (I.Op == Opcode::Mov && I.NumModifiers == 2)
    return splitMove(I, Name);
  F->Code.push_back(I);
}

/// A move of a vector is one of each element, all at once.
void Parser::splitMove(const Instruction &I, const Token &At) {
  if (Failed)
    return;
  const Mod *Mods = F->Modifiers.data() + I.FirstModifier;
  unsigned TypeAt = modClass(Mods[0]) == ModClass::Type ? 0 : 1;
  unsigned Count = Mods[1 - TypeAt] == Mod::V2 ? 2 : 4;
  Mod Type = Mods[TypeAt];
  Operand To = F->Operands[I.FirstOperand];
  Operand From = F->Operands[I.FirstOperand + 1];
  if (To.Kind != OperandKind::Vector || From.Kind != OperandKind::Vector ||
      To.Count != Count || From.Count != Count) {
    error(At, "'" + textOf(I, opcodeInfo(I.Op)) + "' takes vectors of " +
                  std::to_string(Count) + " elements");
    return;
  }
  auto Move = [&](const Operand &D, const Operand &S) {
    Instruction One = I;
    One.FirstModifier += TypeAt;
    One.NumModifiers = 1;
    One.FirstOperand = uint32_t(F->Operands.size());
    F->Operands.insert(F->Operands.end(), {D, S});
    F->Code.push_back(One);
  };
  Operand Source[4];
  for (unsigned K = 0; K < Count; ++K) {
    Source[K] = F->Operands[From.Index + K];
    bool Overwritten = false;
    for (unsigned J = 0; J < K; ++J) {
      const Operand &D = F->Operands[To.Index + J];
      Overwritten |= D.Kind == OperandKind::Register &&
                     Source[K].Kind == OperandKind::Register &&
                     D.Index == Source[K].Index;
    }
    if (!Overwritten)
      continue;
    Operand Kept = Source[K];
    Kept.Index = uint32_t(F->Registers.size());
    F->Registers.push_back({Type});
    Move(Kept, Source[K]);
    Source[K] = Kept;
  }
  for (unsigned K = 0; K < Count; ++K) {
    Operand D = F->Operands[To.Index + K];
    if (D.Kind != OperandKind::Sink)
      Move(D, Source[K]);
  }
}

/// False if there is nothing more to parse: after an error, and after an
/// instruction that is not run.
bool Parser::parseOpcode(Instruction &I) {
  Token Name = Tok;
  I.Op = Tok.is(TokenKind::Name) ? opcodeByName(Tok.Text) : Opcode::None;
  advance();
  if (I.Op != Opcode::None)
    return true;
  std::string Words(Name.Text.substr(0, 80));
  // Some opcodes have several words: cp.async, mbarrier.init. The longest one
  // that exists counts.
  if (Words == "cp" || Words == "mbarrier")
    while (!Failed && Tok.is(TokenKind::Dot)) {
      std::string Longer = Words + "." + std::string(Tok.Text.substr(0, 80));
      Opcode Op = opcodeByName(Longer);
      bool Between = Longer == "cp.async.mbarrier";
      if (Op == Opcode::None && I.Op != Opcode::None && !Between)
        return true;
      I.Op = Op == Opcode::None ? I.Op : Op;
      Words = std::move(Longer);
      advance();
    }
  if (I.Op != Opcode::None)
    return !Failed;
  refuse(I, Name, std::move(Words));
  return false;
}

/// Names the instruction with the modifiers that are left, as people know it.
/// A known one is a trap that says so.
void Parser::refuse(Instruction I, const Token &At, std::string Text) {
  while (!Failed && Tok.is(TokenKind::Dot) && Text.size() < 200) {
    Text += "." + std::string(Tok.Text.substr(0, 80));
    advance();
  }
  std::string_view Kind = unsupportedKind(Text);
  if (Kind.empty()) {
    error(At, "unknown or unsupported instruction '" + Text + "'");
    return;
  }
  while (!Failed && !Tok.isPunct(';') && !Tok.is(TokenKind::End))
    advance();
  // Words such as .2d are no tokens; the name ends at a space.
  if (Tok.isPunct(';')) {
    std::string_view All(At.Text.data(),
                         size_t(Tok.Text.data() - At.Text.data()));
    Text = All.substr(0, std::min(All.find_first_of(" \t\r\n{["), size_t(200)));
  }
  if (!expect(';', "after the instruction"))
    return;
  Operand Which;
  Which.Kind = OperandKind::Integer;
  Which.Value = int64_t(F->Refusals.size());
  F->Refusals.push_back("unsupported instruction '" + Text + "': it is " +
                        std::string(Kind));
  I.Op = Opcode::Trap;
  I.NumModifiers = 0;
  I.NumOperands = 1;
  F->Operands.push_back(Which);
  F->Code.push_back(I);
}

/// With the modifiers so far.
std::string Parser::textOf(const Instruction &I, const OpcodeInfo &Info) const {
  std::string Text(Info.Text);
  for (unsigned K = 0; K < I.NumModifiers; ++K)
    Text += "." + std::string(modText(F->Modifiers[I.FirstModifier + K]));
  return Text;
}

bool Parser::parseModifiers(Instruction &I, const OpcodeInfo &Info,
                            const Token &At) {
  while (!Failed && Tok.is(TokenKind::Dot)) {
    Mod X = modByName(Tok.Text);
    if (X == Mod::None || !Info.Allowed.test(unsigned(X))) {
      Token Bad = Tok;
      std::string Text = textOf(I, Info);
      std::string Known = Text + "." + std::string(Tok.Text.substr(0, 80));
      if (!unsupportedKind(Known).empty())
        refuse(I, At, Text);
      else
        error(Bad, "modifier " + quote(Bad) + " is not valid for '" +
                       std::string(Info.Text) + "'");
      return false;
    }
    if (I.NumModifiers == 16) {
      error("too many modifiers");
      return false;
    }
    F->Modifiers.push_back(X);
    ++I.NumModifiers;
    advance();
  }
  return !Failed;
}

/// Forms are few, so most instructions have one that was seen before.
bool Parser::checkForm(const Instruction &I, const OpcodeInfo &Info,
                       const Token &At) {
  const Mod *Mods = F->Modifiers.data() + I.FirstModifier;
  std::string Key(1, char(I.Op));
  Key.append(reinterpret_cast<const char *>(Mods), I.NumModifiers);
  if (KnownForms.count(Key))
    return true;
  if (Info.hasForm(Mods, I.NumModifiers)) {
    KnownForms.insert(std::move(Key));
    return true;
  }
  error(At, "instruction '" + textOf(I, Info) +
                "' does not exist or is not supported");
  return false;
}

void Parser::checkOperandCount(const Instruction &I, const OpcodeInfo &Info,
                               const Token &At) {
  size_t Optional = Info.Operands.find('?');
  size_t Max = Info.Operands.size() - (Optional != std::string_view::npos);
  size_t Min = Optional == std::string_view::npos ? Max : Optional;
  if (Info.Operands == "c")
    return;
  if (I.NumOperands < Min || I.NumOperands > Max)
    error(At, "'" + std::string(Info.Text) + "' takes " + std::to_string(Min) +
                  (Max > Min ? " to " + std::to_string(Max) : "") +
                  " operands, not " + std::to_string(I.NumOperands));
}
