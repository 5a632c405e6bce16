//===- Opcode.h - Opcodes, modifiers and special registers ------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The enumerations behind the .def tables of this folder and the lookups from
// text. A lookup is a probe in a small hash table built once.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_OPCODE_H
#define GEVO_RUNTIME_GPU_PTX_OPCODE_H

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gevo::gpu::ptx {

enum class Opcode : uint8_t {
#define OPCODE(Name, Text, Family, Pipe, Operands, Modifiers) Name,
#include "runtime/gpu/ptx/Opcodes.def"
  None
};
constexpr unsigned NumOpcodes = unsigned(Opcode::None);

/// Which file of exec/ implements an opcode.
enum class Family : uint8_t {
  Arith,
  Integer,
  Video,
  Logic,
  Float,
  Compare,
  Move,
  Convert,
  Memory,
  Sync,
  Warp,
  Control
};

/// The hardware unit an opcode goes to.
enum class Pipe : uint8_t {
  Alu,
  Mul,
  Div,
  Special,
  Move,
  Convert,
  Load,
  Store,
  Atomic,
  Fence,
  Barrier,
  Shuffle,
  Vote,
  Branch,
  Control
};

enum class ModClass : uint8_t {
  Type,
  Round,
  Space,
  Compare,
  Operation,
  Order,
  Scope,
  Cache,
  Vector,
  Word
};

enum class Mod : uint8_t {
#define MODIFIER(Name, Text, Class) Name,
#include "runtime/gpu/ptx/Modifiers.def"
  None
};
constexpr unsigned NumModifiers = unsigned(Mod::None);

enum class SpecialRegister : uint8_t {
#define SPECIAL(Name, Text, Bits) Name,
#include "runtime/gpu/ptx/SpecialRegisters.def"
  None
};
constexpr unsigned NumSpecialRegisters = unsigned(SpecialRegister::None);

/// A pattern of modifiers: one alternative of each group, which may be empty.
struct FormPattern {
  using Alternative = std::vector<Mod>;
  std::vector<std::vector<Alternative>> Groups;
  std::bitset<NumModifiers> Words; ///< All that occur.
};

/// One row of Opcodes.def.
struct OpcodeInfo {
  std::string_view Text;
  Family Fam;
  Pipe Unit;
  std::string_view Operands;
  std::string_view FormText;
  std::vector<FormPattern> Forms;
  std::bitset<NumModifiers> Allowed; ///< By any of the forms.
  bool Accesses = false;             ///< Has an operand in memory.

  /// Is there an instruction with exactly these modifiers?
  bool hasForm(const Mod *Modifiers, unsigned Count) const;
};

const OpcodeInfo &opcodeInfo(Opcode Op);
/// Opcode::None if there is no such instruction.
Opcode opcodeByName(std::string_view Text);
/// What an instruction that we do not run belongs to ("a texture
/// instruction"), by its text with modifiers; empty if we do not know it.
std::string_view unsupportedKind(std::string_view Text);

std::string_view modText(Mod M);
ModClass modClass(Mod M);
/// Mod::None if no instruction has such a word.
Mod modByName(std::string_view Text);

/// By full name with component ("%tid.x"); None if there is none.
SpecialRegister specialByName(std::string_view Text);
unsigned specialBits(SpecialRegister S);

/// Size of a type in bits; 1 for pred.
unsigned typeBits(Mod Type);
bool isFloatType(Mod Type);
bool isSignedType(Mod Type);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_OPCODE_H
