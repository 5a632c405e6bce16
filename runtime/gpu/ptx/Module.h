//===- Module.h - Parsed PTX ------------------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of PTX text: variables, functions and instructions with
// their names resolved (registers to numbers, labels to instruction indices,
// symbols to table entries). Names are copied, so the text may go away. The
// decoder turns it into something executable; the timing model reads it too.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_MODULE_H
#define GEVO_RUNTIME_GPU_PTX_MODULE_H

#include "runtime/gpu/ptx/Opcode.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gevo::gpu::ptx {

constexpr uint32_t None = ~uint32_t(0);

/// The state space of a variable or an address.
enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

enum class OperandKind : uint8_t {
  Register, ///< Index: register of the function
  Integer,  ///< Value
  Float,    ///< Value: bits of a double, or of a float if Single
  Special,  ///< Index: a SpecialRegister
  Symbol,   ///< Index: symbol, Value: byte offset
  Address,  ///< [base + Value]; Base says what Index is
  Vector,   ///< Index: first element in Function::Operands, Count elements
  Label,    ///< Index: instruction
  Targets,  ///< Index: entry of Function::TargetLists (brx.idx)
  Sink      ///< _
};

/// What the base of an Address operand is.
enum class AddressBase : uint8_t { Absolute, Register, Symbol };

/// The part of a register that a video instruction works on: .b0, .h1, .b3210.
struct PartSelect {
  uint8_t Count = 0;      ///< Of digits; 0: the whole register.
  bool Half = false;      ///< .h and not .b
  uint8_t Digits[4] = {}; ///< The rightmost one first.
};

struct Operand {
  OperandKind Kind = OperandKind::Sink;
  AddressBase Base = AddressBase::Absolute;
  bool Negated = false; ///< !p, or -a of vmad
  bool Single = false;
  uint8_t Count = 0; ///< Of a Vector.
  uint32_t Index = None;
  /// The second half of a destination pair d|p: a register, or None.
  uint32_t Pair = None;
  PartSelect Part;
  int64_t Value = 0;
};

/// One instruction. Operands are Function::Operands[FirstOperand ...].
struct Instruction {
  Opcode Op = Opcode::Exit;
  uint8_t NumOperands = 0;
  uint8_t NumModifiers = 0;
  bool GuardNegated = false;
  uint32_t Guard = None; ///< Predicate register.
  uint32_t FirstOperand = 0;
  uint32_t FirstModifier = 0; ///< In Function::Modifiers.
  uint32_t Call = None;       ///< In Function::Calls.
  uint32_t Line = 0;
  uint32_t Column = 0;
  uint32_t Loc = None; ///< In Module::Locs.
  /// Of a branch: the line of the jump behind it that straighten() dropped.
  uint32_t JumpLine = None;
  /// Which one it was before predicate() (see Predicate.h) moved it.
  uint32_t Number = None;
};

/// The target and the arguments of a call, all in the .param space or, in
/// hand-written PTX, registers.
struct CallSite {
  uint32_t Target = None;    ///< Symbol of a function, if direct.
  uint32_t TargetReg = None; ///< Register, if indirect.
  uint32_t Prototype = None; ///< In Function::Prototypes, if indirect.
  std::vector<Operand> Returns;
  std::vector<Operand> Args;
};

enum class Linkage : uint8_t { Internal, Visible, Extern, Weak, Common };

/// One piece of an initialiser.
struct InitValue {
  uint32_t Offset = 0; ///< In the variable.
  uint32_t Bytes = 0;
  uint64_t Bits = 0;
  uint32_t Symbol = None; ///< Address of that symbol plus Bits ...
  bool Generic = false;   ///< ... as a generic address
  unsigned Shift = 0;     ///< ... shifted right (byte masks).
};

/// A variable or a parameter.
struct Variable {
  std::string Name;
  Space Where = Space::Global;
  Linkage Link = Linkage::Internal;
  Mod Type = Mod::B8;
  uint32_t Align = 1;
  uint64_t Bytes = 0;
  bool Unsized = false; ///< extern array: dynamic shared memory
  bool Managed = false;
  uint32_t Owner = None; ///< Function it is local to.
  std::vector<InitValue> Init;
};

struct SourceLoc {
  uint32_t File = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  uint32_t InlinedAt = None; ///< In Module::Locs.
};

/// A register of a function.
struct Register {
  Mod Type = Mod::B32;
};

/// Parameters of an indirect call.
struct Prototype {
  std::vector<Variable> Returns;
  std::vector<Variable> Params;
};

/// A parameter or result as its function sees it: a .param variable or, in
/// hand-written PTX, a register.
struct Formal {
  uint32_t Symbol = None;
  uint32_t Register = None;
};

struct Function {
  std::string Name;
  bool IsKernel = false;
  bool HasBody = false;
  Linkage Link = Linkage::Internal;
  uint32_t Line = 0;
  uint32_t FirstLoc = None; ///< Where it begins, in Module::Locs.
  uint32_t Symbol = None;
  std::vector<Formal> Params;
  std::vector<Formal> Returns;
  std::vector<Register> Registers;
  std::vector<Instruction> Code;
  std::vector<Operand> Operands;
  std::vector<Mod> Modifiers;
  std::vector<CallSite> Calls;
  std::vector<Prototype> Prototypes;
  std::vector<std::vector<uint32_t>> TargetLists;
  std::vector<uint32_t> Locals; ///< Symbols declared in the body.
  /// What executing an instruction of Unsupported.def says. It is a trap in
  /// Code, whose one operand is the index here.
  std::vector<std::string> Refusals;
  uint32_t MaxNtid[3] = {0, 0, 0};
  uint32_t ReqNtid[3] = {0, 0, 0};
  uint32_t MinBlocksPerSM = 0;
  uint32_t MaxRegisters = 0;

  const Operand *operands(const Instruction &I) const {
    return Operands.data() + I.FirstOperand;
  }
  bool has(const Instruction &I, Mod M) const {
    for (unsigned K = 0; K < I.NumModifiers; ++K)
      if (Modifiers[I.FirstModifier + K] == M)
        return true;
    return false;
  }
  /// The \p N-th modifier of a class, or Mod::None.
  Mod nth(const Instruction &I, ModClass C, unsigned N = 0) const {
    for (unsigned K = 0; K < I.NumModifiers; ++K) {
      Mod M = Modifiers[I.FirstModifier + K];
      if (modClass(M) == C && N-- == 0)
        return M;
    }
    return Mod::None;
  }
};

enum class SymbolKind : uint8_t { Variable, Function };

struct Symbol {
  SymbolKind Kind = SymbolKind::Variable;
  uint32_t Index = None; ///< In Module::Variables or Functions.
};

struct Module {
  uint32_t Version = 0; ///< 83 for 8.3
  uint32_t Target = 0;  ///< 70 for sm_70
  uint32_t AddressSize = 64;
  std::vector<std::string> Files; ///< By .file number.
  std::vector<SourceLoc> Locs;
  std::vector<Variable> Variables;
  std::vector<Function> Functions;
  std::vector<Symbol> Symbols;
  std::unordered_map<std::string, uint32_t> Names; ///< To symbols.

  const Variable &variable(uint32_t Sym) const {
    return Variables[Symbols[Sym].Index];
  }
  Variable &variable(uint32_t Sym) { return Variables[Symbols[Sym].Index]; }
};

/// The place in \p F where the code was called that its instruction \p Pc was
/// inlined from, null if it is the function's own or nothing is known. As the
/// text has it; else the nearest place in the file that the function itself is
/// in.
const SourceLoc *callerOf(const Module &M, const Function &F, uint32_t Pc);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_MODULE_H
