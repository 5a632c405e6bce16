//===- DecodeVideo.cpp - Video instructions -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar ones work on a byte, a half or the whole of their operands; the
// packed ones on two halves or four bytes, picked from both operands.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decoder.h"

using namespace gevo::gpu;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;

/// The part that \p O names, as VideoFlags describes it. A packed source has a
/// digit for each lane; a packed destination's \p Mask has a bit for each.
int64_t Decoder::partSelect(const ptx::Operand &O, unsigned Lanes, bool Mask) {
  const ptx::PartSelect &P = O.Part;
  bool Ok = P.Count == 0 || P.Half == (Lanes == 2) || Lanes == 1;
  int64_t Bits = 0;
  if (Lanes == 1) {
    Ok &= P.Count <= 1 && P.Digits[0] < (P.Half ? 2 : 4);
    Bits = P.Count ? P.Digits[0] | (P.Half ? VideoHalf : 0) : VideoWhole;
  } else if (Mask) {
    for (unsigned K = 0; K < P.Count; ++K) {
      Ok &= P.Digits[K] < Lanes && (!K || P.Digits[K] > P.Digits[K - 1]);
      Bits |= int64_t(1) << P.Digits[K];
    }
    Bits = P.Count ? Bits : (1 << Lanes) - 1;
  } else {
    Ok &= P.Count == 0 || P.Count == Lanes;
    for (unsigned K = 0; K < Lanes; ++K) {
      // Without a part the operand's own lanes are meant, in order.
      bool Second = &O == &Ops[2];
      unsigned Digit = P.Count ? P.Digits[K] : K + (Second ? Lanes : 0);
      Ok &= Digit < 2 * Lanes;
      Bits |= int64_t(Digit) << (4 * K);
    }
  }
  if (!Ok)
    fail("the instruction does not work on this part of a register");
  return Bits;
}

void Decoder::decodeVideo() {
  OpDesc D = describe();
  bool Packed = PI->Op >= Opcode::Vadd2;
  unsigned Lanes = 1;
  if (Packed)
    Lanes = ptx::opcodeInfo(PI->Op).Text.back() == '2' ? 2 : 4;
  bool Set = PI->Op == Opcode::Vset || PI->Op >= Opcode::Vset2;
  bool Mad = PI->Op == Opcode::Vmad;
  // vset has no type for its result, which is not signed.
  Mod TypeA = nth(ModClass::Type, Set ? 0 : 1);
  Mod TypeB = nth(ModClass::Type, Set ? 1 : 2);
  auto Flag = [](bool Given, int64_t F) { return Given ? F : 0; };
  I.Imm = Flag(!Set && ptx::isSignedType(D.Type), VideoSignedD) |
          Flag(ptx::isSignedType(TypeA), VideoSignedA) |
          Flag(ptx::isSignedType(TypeB), VideoSignedB) | Flag(D.Sat, VideoSat) |
          Flag(has(Mod::Wrap), VideoWrap) | Flag(has(Mod::Add), VideoAdd) |
          Flag(has(Mod::Min), VideoMin) | Flag(has(Mod::Max), VideoMax) |
          Flag(has(Mod::Po), VideoPlusOne) | Flag(has(Mod::Shr7), VideoShr7) |
          Flag(has(Mod::Shr15), VideoShr15);
  I.Sub = uint8_t(nth(ModClass::Compare));
  I.D = dst(Ops[0], Mod::B32);
  I.A = src(Ops[1], Mod::B32);
  I.B = src(Ops[2], Mod::B32);
  bool Negated = Ops[1].Negated || Ops[2].Negated;
  I.Imm |= Flag(Ops[1].Negated != Ops[2].Negated, VideoNegAB);
  bool Three = PI->NumOperands == 4;
  if (Three) {
    I.C = src(Ops[3], Mod::B32);
    Negated |= Ops[3].Negated;
    I.Imm |= Flag(Ops[3].Negated, VideoNegC);
    if (Ops[3].Part.Count)
      fail("the third operand of a video instruction has no parts");
  }
  if (Negated && (!Mad || has(Mod::Po)))
    fail("only vmad without .po takes operands with a minus");
  // A third operand is what the result is merged into or combined with.
  bool Combines = has(Mod::Add) || has(Mod::Min) || has(Mod::Max);
  bool Merges = Ops[0].Part.Count != 0;
  // With neither it is read and nothing else.
  if (!Packed && !Mad &&
      ((!Three && (Combines || Merges)) || (Combines && Merges)))
    fail("a third operand is either merged or combined with the result");
  if (Mad && Merges)
    fail("the result of vmad is a whole register");
  I.Imm |= partSelect(Ops[0], Lanes, true) << VideoPartD |
           partSelect(Ops[1], Lanes, false) << VideoPartA |
           partSelect(Ops[2], Lanes, false) << VideoPartB;
  take(Handlers.Video(D));
}
