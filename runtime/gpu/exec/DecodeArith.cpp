//===- DecodeArith.cpp - Arithmetic, comparisons, conversions -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decoder.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

namespace {
Rounding roundingOf(Mod M) {
  switch (M) {
  case Mod::Rn:
  case Mod::Rni:
    return Rounding::Nearest;
  case Mod::Rz:
  case Mod::Rzi:
    return Rounding::Zero;
  case Mod::Rm:
  case Mod::Rmi:
    return Rounding::Down;
  case Mod::Rp:
  case Mod::Rpi:
    return Rounding::Up;
  case Mod::Rna:
    return Rounding::NearestAway;
  default:
    return Rounding::None;
  }
}

bool isIntegral(Mod M) {
  return M == Mod::Rni || M == Mod::Rzi || M == Mod::Rmi || M == Mod::Rpi;
}

int64_t arithFlags(const OpDesc &D) {
  return (D.Ftz ? ArithFtz : 0) | (D.Sat ? ArithSat : 0) |
         (D.Relu ? ArithRelu : 0) | (D.Nan ? ArithNan : 0) |
         (D.XorSign ? ArithXorSign : 0);
}
} // namespace

OpDesc Decoder::describe() const {
  OpDesc D;
  D.Op = PI->Op;
  D.Type = nth(ModClass::Type);
  D.Type2 = nth(ModClass::Type, 1);
  Mod R = nth(ModClass::Round);
  D.Round = roundingOf(R);
  D.RoundToInteger = isIntegral(R);
  D.Ftz = has(Mod::Ftz);
  D.Sat = has(Mod::Sat);
  D.SatFinite = has(Mod::SatFinite);
  D.Relu = has(Mod::Relu);
  D.Approx = has(Mod::Approx);
  D.Full = has(Mod::Full);
  D.Hi = has(Mod::Hi);
  D.Wide = has(Mod::Wide);
  D.CarryOut = has(Mod::Cc);
  D.Nan = has(Mod::NanWord);
  D.XorSign = has(Mod::XorSign);
  D.Clamp = has(Mod::Clamp);
  D.Left = has(Mod::L);
  D.ShiftAmount = has(Mod::Shiftamt);
  return D;
}

void Decoder::decodeOne() {
  switch (ptx::opcodeInfo(PI->Op).Fam) {
  case ptx::Family::Arith:
    return decodeArith();
  case ptx::Family::Integer:
    return decodeInteger();
  case ptx::Family::Video:
    return decodeVideo();
  case ptx::Family::Logic:
    return decodeLogic();
  case ptx::Family::Float:
    return decodeFloat();
  case ptx::Family::Compare:
    return decodeCompare();
  case ptx::Family::Move:
    return decodeMove();
  case ptx::Family::Convert:
    return decodeConvert();
  case ptx::Family::Memory:
    return decodeMemory();
  case ptx::Family::Sync:
    return decodeSync();
  case ptx::Family::Warp:
    return decodeWarp();
  case ptx::Family::Control:
    return decodeControl();
  }
}

void Decoder::decodeArith() {
  OpDesc D = describe();
  bool Float = ptx::isFloatType(D.Type);
  bool Wide = D.Wide && !Float;
  Mod To = D.Type;
  if (Wide)
    To = D.Type == Mod::U16   ? Mod::U32
         : D.Type == Mod::S16 ? Mod::S32
         : D.Type == Mod::U32 ? Mod::U64
                              : Mod::S64;
  I.D = dst(Ops[0], To);
  I.A = src(Ops[1], D.Type);
  if (PI->NumOperands > 2)
    I.B = src(Ops[2], D.Type);
  if (PI->NumOperands > 3)
    I.C = src(Ops[3], To);
  if (D.CarryOut && !Float) {
    I.Imm = D.Hi;
    return take(Handlers.Integer(D));
  }
  if (Float) {
    I.Imm = arithFlags(D);
    I.Sub = uint8_t(D.Round);
  }
  take(Handlers.Arith(D));
}

void Decoder::decodeInteger() {
  OpDesc D = describe();
  Mod T = D.Type, Amount = Mod::U32;
  switch (PI->Op) {
  case Opcode::MbarrierPending:
    I.D = dst(Ops[0], Mod::U32);
    I.A = src(Ops[1], Mod::B64);
    return take(Handlers.Async(D));
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Bfind:
    I.D = dst(Ops[0], Mod::U32);
    I.A = src(Ops[1], T);
    I.Imm = D.ShiftAmount;
    break;
  case Opcode::Bfe:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], Amount);
    I.C = src(Ops[3], Amount);
    break;
  case Opcode::Bfi:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], T);
    I.C = src(Ops[3], Amount);
    I.E = src(Ops[4], Amount);
    break;
  default:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], T);
    if (PI->NumOperands > 3)
      I.C = src(Ops[3], T);
    I.Imm = D.Hi;
    if (PI->Op == Opcode::Mad24)
      I.Imm |= D.Sat ? 2 : 0;
    if (PI->Op == Opcode::Bmsk || PI->Op == Opcode::Szext)
      I.Imm = D.Clamp;
    break;
  }
  take(Handlers.Integer(D));
}

void Decoder::decodeLogic() {
  OpDesc D = describe();
  Mod T = D.Type;
  switch (PI->Op) {
  case Opcode::Shl:
  case Opcode::Shr:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], Mod::U32);
    break;
  case Opcode::Lop3: {
    D.Combine = nth(ModClass::Operation);
    bool Pair = D.Combine != Mod::None;
    I.D = Ops[0].Kind == OperandKind::Sink && Pair ? NoSlot : dst(Ops[0], T);
    I.D2 = pairDst(Ops[0].Pair);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], T);
    I.C = src(Ops[3], T);
    if (Ops[4].Kind != OperandKind::Integer)
      fail("the table of lop3 is not a constant");
    I.Imm = Ops[4].Value & 0xff;
    if (Pair != (PI->NumOperands == 6))
      fail("lop3 with an operation takes a predicate, and only then");
    if (Pair && !Failed) {
      bool Negated;
      I.E = predSrc(Ops[5], Negated);
      I.Flags |= Negated ? FlagNegateC : 0;
    }
    break;
  }
  case Opcode::Prmt:
    for (Mod W : {Mod::F4e, Mod::B4e, Mod::Rc8, Mod::Ecl, Mod::Ecr, Mod::Rc16})
      if (has(W)) {
        D.Word = W;
        I.Sub = uint8_t(unsigned(W) - unsigned(Mod::F4e));
      }
    [[fallthrough]];
  default:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], T);
    if (PI->NumOperands > 3)
      I.C = src(Ops[3], T);
    break;
  }
  take(Handlers.Logic(D));
}

void Decoder::decodeFloat() {
  OpDesc D = describe();
  I.Imm = arithFlags(D);
  I.Sub = uint8_t(D.Round);
  if (PI->Op == Opcode::Testp) {
    for (Mod W : {Mod::Finite, Mod::Infinite, Mod::Number, Mod::NotANumber,
                  Mod::Normal, Mod::Subnormal})
      if (has(W))
        D.Word = W;
    I.Sub = uint8_t(D.Word);
    I.D = dst(Ops[0], Mod::Pred);
    I.A = src(Ops[1], D.Type);
  } else {
    I.D = dst(Ops[0], D.Type);
    I.A = src(Ops[1], D.Type);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], D.Type);
  }
  take(Handlers.Float(D));
}

void Decoder::decodeCompare() {
  OpDesc D = describe();
  D.Compare = nth(ModClass::Compare);
  D.Combine = nth(ModClass::Operation);
  I.Imm = arithFlags(D);
  if (PI->Op == Opcode::Selp || PI->Op == Opcode::Slct) {
    I.D = dst(Ops[0], D.Type);
    I.A = src(Ops[1], D.Type);
    I.B = src(Ops[2], D.Type);
    bool Negated = false;
    I.C = PI->Op == Opcode::Selp ? predSrc(Ops[3], Negated)
                                 : src(Ops[3], D.Type2);
    I.Flags |= Negated ? FlagNegateC : 0;
    return take(Handlers.Compare(D));
  }
  Mod From = PI->Op == Opcode::Set ? D.Type2 : D.Type;
  if (From == Mod::None)
    return take(nullptr);
  if (PI->Op == Opcode::Setp) {
    I.D = predDst(Ops[0]);
    I.D2 = pairDst(Ops[0].Pair);
  } else {
    I.D = dst(Ops[0], D.Type);
    I.Target = D.Type == Mod::F32                             ? 0x3f800000u
               : D.Type == Mod::F16 || D.Type == Mod::F16X2   ? 0x3c00u
               : D.Type == Mod::BF16 || D.Type == Mod::BF16X2 ? 0x3f80u
               : ptx::typeBits(D.Type) == 16                  ? 0xffffu
                                                              : 0xffffffffu;
  }
  I.A = src(Ops[1], From);
  I.B = src(Ops[2], From);
  bool Combines = D.Combine != Mod::None;
  if (Combines != (PI->NumOperands == 4)) {
    fail("a comparison that combines takes a predicate, and only then");
    return;
  }
  if (Combines) {
    bool Negated;
    I.C = predSrc(Ops[3], Negated);
    I.Flags |= Negated ? FlagNegateC : 0;
    I.Sub = D.Combine == Mod::And ? 1 : D.Combine == Mod::Or ? 2 : 3;
    if (D.Combine != Mod::And && D.Combine != Mod::Or && D.Combine != Mod::Xor)
      return take(nullptr);
  }
  take(Handlers.Compare(D));
}

void Decoder::decodeConvert() {
  OpDesc D = describe();
  if (has(Mod::Pack))
    D.Word = Mod::Pack;
  bool Two = PI->NumOperands > 2;
  bool Halves = D.Type == Mod::F16X2 || D.Type == Mod::BF16X2;
  bool Eight = D.Type == Mod::E4M3X2 || D.Type == Mod::E5M2X2;
  bool WantTwo = D.Word == Mod::Pack || (Halves && D.Type2 == Mod::F32) ||
                 (Eight && D.Type2 == Mod::F32);
  if (D.Type2 == Mod::None || Two != WantTwo)
    return take(nullptr);
  // Conversions of floats to integers always round to an integer.
  bool ToInt = ptx::isFloatType(D.Type2) && !ptx::isFloatType(D.Type);
  if (ToInt && !Eight)
    D.RoundToInteger = true;
  Mod To = D.Word == Mod::Pack ? Mod::B32 : D.Type;
  I.D = dst(Ops[0], To == Mod::TF32 ? Mod::B32 : To, Fit::AtLeast);
  I.A = src(Ops[1], D.Type2, Fit::AtLeast);
  if (Two)
    I.B = src(Ops[2], D.Type2, Fit::AtLeast);
  if (PI->NumOperands > 3)
    I.C = src(Ops[3], Mod::B32);
  if (Failed)
    return;
  auto RowOf = [&](const ptx::Operand &O, Mod T) {
    return O.Kind == OperandKind::Register
               ? (ptx::typeBits(F.Registers[O.Index].Type) == 64 ? 8u : 4u)
               : (ptx::typeBits(T) == 64 ? 8u : 4u);
  };
  D.DstRow = RowOf(Ops[0], D.Type);
  D.SrcRow = RowOf(Ops[1], D.Type2);
  I.Imm = int64_t(D.Type) | int64_t(D.Type2) << 8 | int64_t(D.Round) << 16 |
          int64_t(D.RoundToInteger) << 24 | int64_t(D.Ftz) << 25 |
          int64_t(D.Sat) << 26 | int64_t(D.SatFinite) << 27 |
          int64_t(D.Relu) << 28;
  take(Handlers.Convert(D));
}
