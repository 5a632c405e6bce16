//===- Opcode.cpp - Opcodes, modifiers and special registers --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Opcode.h"

#include <array>
#include <cassert>

using namespace gevo::gpu::ptx;

namespace {
const ModClass Classes[] = {
#define MODIFIER(Name, Text, Class) ModClass::Class,
#include "runtime/gpu/ptx/Modifiers.def"
};
const std::string_view ModTexts[] = {
#define MODIFIER(Name, Text, Class) Text,
#include "runtime/gpu/ptx/Modifiers.def"
};
const struct {
  std::string_view Text;
  unsigned Bits;
} Specials[] = {
#define SPECIAL(Name, Text, Bits) {Text, Bits},
#include "runtime/gpu/ptx/SpecialRegisters.def"
};
const struct {
  std::string_view Text;
  Family Fam;
  Pipe Unit;
  std::string_view Operands;
  std::string_view Forms;
} OpcodeRows[] = {
#define OPCODE(Name, Text, Fam, Unit, Operands, Forms)                         \
  {Text, Family::Fam, Pipe::Unit, Operands, Forms},
#include "runtime/gpu/ptx/Opcodes.def"
};
uint32_t hashText(std::string_view S) {
  uint32_t H = 2166136261u;
  for (char C : S)
    H = (H ^ uint8_t(C)) * 16777619u;
  return H ^ H >> 15;
}

/// Open addressing over the rows of one table.
template <unsigned Slots> struct TextIndex {
  std::array<uint16_t, Slots> Table;

  template <typename TextOf> TextIndex(unsigned Count, TextOf Text) {
    assert(Count * 2 < Slots && "the index would be too full");
    Table.fill(0xffff);
    for (unsigned I = 0; I < Count; ++I) {
      uint32_t H = hashText(Text(I));
      while (Table[H % Slots] != 0xffff)
        ++H;
      Table[H % Slots] = uint16_t(I);
    }
  }
  template <typename TextOf>
  unsigned find(std::string_view S, unsigned Missing, TextOf Text) const {
    for (uint32_t H = hashText(S); Table[H % Slots] != 0xffff; ++H)
      if (Text(Table[H % Slots]) == S)
        return Table[H % Slots];
    return Missing;
  }
};

/// ".xorsign.abs" as two words.
FormPattern::Alternative parseAlternative(std::string_view Text) {
  FormPattern::Alternative A;
  while (!Text.empty()) {
    size_t End = Text.find('.', 1);
    Mod M = modByName(Text.substr(
        1, End == std::string_view::npos ? std::string_view::npos : End - 1));
    assert(M != Mod::None && "Modifiers.def lacks a word of Opcodes.def");
    A.push_back(M);
    Text = End == std::string_view::npos ? "" : Text.substr(End);
  }
  return A;
}

FormPattern parsePattern(std::string_view Text) {
  FormPattern P;
  while (!Text.empty()) {
    bool Choice = Text[0] == '{';
    size_t End = Choice ? Text.find('}') : Text.find('{');
    End = End == std::string_view::npos ? Text.size() : End;
    std::string_view Inside = Text.substr(Choice, End - Choice);
    P.Groups.emplace_back();
    while (true) {
      size_t Comma = Inside.find(',');
      P.Groups.back().push_back(parseAlternative(Inside.substr(0, Comma)));
      for (Mod M : P.Groups.back().back())
        P.Words.set(unsigned(M));
      if (Comma == std::string_view::npos)
        break;
      Inside = Inside.substr(Comma + 1);
    }
    Text = Text.substr(End + Choice);
  }
  return P;
}

/// Tries the groups from \p Group on with the modifiers that are not \p Used.
bool matches(const FormPattern &P, size_t Group, const Mod *Mods,
             unsigned Count, uint32_t Used) {
  if (Group == P.Groups.size())
    return Used == (1u << Count) - 1;
  for (const FormPattern::Alternative &A : P.Groups[Group]) {
    uint32_t Now = Used;
    bool Found = true;
    for (Mod M : A) {
      // Types have roles by their order.
      bool IsType = modClass(M) == ModClass::Type;
      unsigned K = 0;
      while (K < Count && ((Now >> K & 1) ||
                           (Mods[K] != M &&
                            !(IsType && modClass(Mods[K]) == ModClass::Type))))
        ++K;
      Found &= K < Count && Mods[K] == M;
      if (!Found)
        break;
      Now |= 1u << K;
    }
    if (Found && matches(P, Group + 1, Mods, Count, Now))
      return true;
  }
  return false;
}

struct OpcodeTable {
  OpcodeInfo Rows[NumOpcodes];
  OpcodeTable() {
    for (unsigned I = 0; I < NumOpcodes; ++I) {
      OpcodeInfo &Info = Rows[I];
      Info.Text = OpcodeRows[I].Text;
      Info.Fam = OpcodeRows[I].Fam;
      Info.Unit = OpcodeRows[I].Unit;
      Info.Operands = OpcodeRows[I].Operands;
      Info.Accesses = Info.Operands.find('m') != std::string_view::npos;
      Info.FormText = OpcodeRows[I].Forms;
      for (std::string_view Left = Info.FormText;;) {
        size_t End = Left.find(' ');
        Info.Forms.push_back(parsePattern(Left.substr(0, End)));
        Info.Allowed |= Info.Forms.back().Words;
        if (End == std::string_view::npos)
          break;
        Left = Left.substr(End + 1);
      }
    }
  }
};
} // namespace

bool OpcodeInfo::hasForm(const Mod *Modifiers, unsigned Count) const {
  std::bitset<NumModifiers> Words;
  for (unsigned K = 0; K < Count; ++K)
    Words.set(unsigned(Modifiers[K]));
  for (const FormPattern &P : Forms)
    if ((Words & ~P.Words).none() && matches(P, 0, Modifiers, Count, 0))
      return true;
  return false;
}

const OpcodeInfo &gevo::gpu::ptx::opcodeInfo(Opcode Op) {
  static const OpcodeTable Table;
  return Table.Rows[unsigned(Op)];
}

Opcode gevo::gpu::ptx::opcodeByName(std::string_view Text) {
  auto TextOf = [](unsigned I) { return OpcodeRows[I].Text; };
  static const TextIndex<512> Index(NumOpcodes, TextOf);
  return Opcode(Index.find(Text, NumOpcodes, TextOf));
}

std::string_view gevo::gpu::ptx::unsupportedKind(std::string_view Text) {
  static const struct {
    std::string_view Text, Kind;
  } Rows[] = {
#define UNSUPPORTED(Text, Kind) {Text, Kind},
#include "runtime/gpu/ptx/Unsupported.def"
  };
  for (const auto &R : Rows)
    if (Text.substr(0, R.Text.size()) == R.Text &&
        (Text.size() == R.Text.size() || Text[R.Text.size()] == '.' ||
         Text[R.Text.size()] == ':'))
      return R.Kind;
  return {};
}

std::string_view gevo::gpu::ptx::modText(Mod M) {
  return M == Mod::None ? "" : ModTexts[unsigned(M)];
}
ModClass gevo::gpu::ptx::modClass(Mod M) {
  return M == Mod::None ? ModClass::Word : Classes[unsigned(M)];
}
Mod gevo::gpu::ptx::modByName(std::string_view Text) {
  auto TextOf = [](unsigned I) { return ModTexts[I]; };
  static const TextIndex<1024> Index(NumModifiers, TextOf);
  return Mod(Index.find(Text, NumModifiers, TextOf));
}

SpecialRegister gevo::gpu::ptx::specialByName(std::string_view Text) {
  auto TextOf = [](unsigned I) { return Specials[I].Text; };
  static const TextIndex<256> Index(NumSpecialRegisters, TextOf);
  return SpecialRegister(Index.find(Text, NumSpecialRegisters, TextOf));
}
unsigned gevo::gpu::ptx::specialBits(SpecialRegister S) {
  return Specials[unsigned(S)].Bits;
}

unsigned gevo::gpu::ptx::typeBits(Mod Type) {
  switch (Type) {
  case Mod::U2:
  case Mod::S2:
    return 2;
  case Mod::U4:
  case Mod::S4:
    return 4;
  case Mod::U8:
  case Mod::S8:
  case Mod::B8:
    return 8;
  case Mod::U16:
  case Mod::S16:
  case Mod::B16:
  case Mod::F16:
  case Mod::BF16:
  case Mod::E4M3X2:
  case Mod::E5M2X2:
    return 16;
  case Mod::U64:
  case Mod::S64:
  case Mod::B64:
  case Mod::F64:
    return 64;
  case Mod::B128:
    return 128;
  case Mod::Pred:
    return 1;
  default:
    return 32;
  }
}

bool gevo::gpu::ptx::isFloatType(Mod Type) {
  switch (Type) {
  case Mod::F16:
  case Mod::F16X2:
  case Mod::BF16:
  case Mod::BF16X2:
  case Mod::TF32:
  case Mod::F32:
  case Mod::F64:
    return true;
  default:
    return false;
  }
}

bool gevo::gpu::ptx::isSignedType(Mod Type) {
  return Type == Mod::S2 || Type == Mod::S4 || Type == Mod::S8 ||
         Type == Mod::S16 || Type == Mod::S32 || Type == Mod::S64 ||
         Type == Mod::S16X2;
}
