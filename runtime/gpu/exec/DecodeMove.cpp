//===- DecodeMove.cpp - Moves, addresses of spaces ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mov in its many forms, cvta and isspacep.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decoder.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

void Decoder::decodeMove() {
  switch (PI->Op) {
  case Opcode::Mov:
    return decodeMov();
  case Opcode::Cvta:
    return decodeCvta();
  default:
    return decodeIsspacep();
  }
}

void Decoder::decodeIsspacep() {
  OpDesc D = describe();
  // A register of 32 bits is the low half of a generic address.
  bool Narrow = Ops[1].Kind == OperandKind::Register &&
                ptx::typeBits(F.Registers[Ops[1].Index].Type) == 32;
  D.Type = Narrow ? Mod::U32 : Mod::U64;
  I.D = dst(Ops[0], Mod::Pred);
  I.A = src(Ops[1], D.Type);
  Space Where = spaceOf();
  switch (Where) {
  case Space::Shared:
    I.Imm = int64_t(SharedWindow);
    break;
  case Space::Local:
    I.Imm = int64_t(LocalWindow);
    break;
  case Space::Param:
    I.Imm = int64_t(ParamWindow);
    break;
  default:
    D.Word = Mod::Const;
    I.Sub = Where == Space::Const;
    break;
  }
  take(Handlers.Move(D));
}

void Decoder::decodeCvta() {
  OpDesc D = describe();
  Space Where = spaceOf();
  uint64_t Window = Where == Space::Shared  ? SharedWindow
                    : Where == Space::Local ? LocalWindow
                    : Where == Space::Param ? ParamWindow
                                            : 0;
  if (Where == Space::Generic)
    return take(nullptr);
  // Parameters of device functions are in local memory.
  if (Where == Space::Param && !F.IsKernel)
    Window = LocalWindow;
  I.D = dst(Ops[0], D.Type);
  uint32_t Offset;
  if (Ops[1].Kind == OperandKind::Symbol && frameOffset(Ops[1].Index, Offset)) {
    D.Op = Opcode::Mov;
    D.Word = Mod::Local;
    I.Imm = int64_t(Window + Offset + uint64_t(Ops[1].Value));
    return take(Handlers.Move(D));
  }
  I.A = src(Ops[1], D.Type);
  I.Imm = int64_t(has(Mod::To) ? 0 - Window : Window);
  take(Handlers.Move(D));
}

void Decoder::decodeMov() {
  OpDesc D = describe();
  if (D.Type == Mod::None)
    return take(nullptr);
  const ptx::Operand &To = Ops[0], &From = Ops[1];
  unsigned Bits = ptx::typeBits(D.Type);
  if (To.Kind == OperandKind::Vector || From.Kind == OperandKind::Vector) {
    bool Pack = From.Kind == OperandKind::Vector;
    const ptx::Operand &V = Pack ? From : To;
    if ((Pack && To.Kind == OperandKind::Vector) || V.Count < 2 ||
        Bits % V.Count || Bits / V.Count < 8 || Bits == 1)
      return take(nullptr);
    unsigned Part = Bits / V.Count;
    Mod Element = Part == 8    ? Mod::B8
                  : Part == 16 ? Mod::B16
                  : Part == 32 ? Mod::B32
                               : Mod::B64;
    unsigned Row = 4;
    D.Word = Pack ? Mod::Pack : Mod::Unpack;
    I.Count = V.Count;
    I.Bytes = uint8_t(Part / 8);
    uint32_t Slots = vectorSlots(V, Element, !Pack, Row);
    if (Row != (Part == 64 ? 8 : 4))
      return fail("the registers of a vector do not fit its type");
    (Pack ? I.B : I.D) = Slots;
    if (Pack)
      I.D = dst(To, D.Type);
    else
      I.A = src(From, D.Type);
    return take(Handlers.Move(D));
  }
  if (To.Kind == OperandKind::Sink) {
    I.Kind = InstKind::Nop;
    return;
  }
  I.D = dst(To, D.Type);
  uint32_t Offset;
  if (From.Kind == OperandKind::Special &&
      From.Index >= unsigned(ptx::SpecialRegister::Clock) &&
      From.Index <= unsigned(ptx::SpecialRegister::GlobalTimerHi)) {
    D.Word = Mod::Volatile;
    I.Sub = uint8_t(From.Index);
    I.Kind = InstKind::Clock;
    return take(Handlers.Move(D));
  }
  if (From.Kind == OperandKind::Symbol && frameOffset(From.Index, Offset)) {
    if (Bits != 32 && Bits != 64)
      return take(nullptr);
    D.Word = Mod::Local;
    I.Imm = int64_t(Offset + uint64_t(From.Value));
    return take(Handlers.Move(D));
  }
  if (From.Kind == OperandKind::Special && Bits != 1 && Bits < 64 &&
      ptx::specialBits(ptx::SpecialRegister(From.Index)) == 64) {
    // The low part of %gridid, which had 32 bits once.
    D.Op = Opcode::Cvt;
    D.Type = Bits == 32 ? Mod::U32 : Mod::U16;
    D.Type2 = Mod::U64;
    D.DstRow = 4;
    D.SrcRow = 8;
    I.A = src(From, Mod::U64);
    I.Imm = int64_t(D.Type) | int64_t(D.Type2) << 8;
    return take(Handlers.Convert(D));
  }
  if (From.Kind == OperandKind::Register)
    I.Flags |= From.Negated ? FlagNegateC : 0;
  I.A = src(From, D.Type);
  take(Handlers.Move(D));
}
