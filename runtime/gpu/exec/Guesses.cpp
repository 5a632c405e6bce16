//===- Guesses.cpp - Loads that a compare-and-swap checks -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Guesses.h"
#include "runtime/gpu/ptx/Liveness.h"

#include <set>

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

namespace {

/// Finds where values come from. Registers are followed through copies only.
class Copies {
public:
  explicit Copies(const Function &F) : F(F), Writers(F.Registers.size()) {
    RegisterUse Use;
    for (const Instruction &I : F.Code) {
      registersOf(F, I, Use);
      for (uint32_t Reg : Use.Writes)
        Writers[Reg].push_back(&I);
    }
  }

  /// All registers that \p Reg can be a copy of, itself included.
  std::set<uint32_t> sources(uint32_t Reg) const {
    std::set<uint32_t> Known = {Reg};
    std::vector<uint32_t> Rest = {Reg};
    while (!Rest.empty()) {
      std::vector<const Instruction *> From = Writers[Rest.back()];
      Rest.pop_back();
      for (const Instruction *I : From)
        if (const Operand *O = copied(*I); O && Known.insert(O->Index).second)
          Rest.push_back(O->Index);
    }
    return Known;
  }

  /// \p Address in terms of the first register or symbol that it is computed
  /// from by copies and constants: two equal ones are the same place, wherever
  /// that register holds the same value.
  Operand origin(Operand Address) const {
    // Every step leads to a register that is written once, before; the bound
    // is for code that no compiler makes.
    for (size_t Step = 0; Step < F.Code.size(); ++Step) {
      if (Address.Base != AddressBase::Register ||
          Writers[Address.Index].size() != 1)
        break;
      const Instruction &I = *Writers[Address.Index].front();
      const Operand *Ops = F.operands(I);
      if (I.Guard != None)
        break;
      if (const Operand *O = copied(I))
        Address.Index = O->Index;
      else if (I.Op == Opcode::Add && Ops[1].Kind == OperandKind::Register &&
               Ops[2].Kind == OperandKind::Integer) {
        Address.Index = Ops[1].Index;
        Address.Value += Ops[2].Value;
      } else if (I.Op == Opcode::Mov && Ops[1].Kind == OperandKind::Symbol) {
        Address.Base = AddressBase::Symbol;
        Address.Index = Ops[1].Index;
        Address.Value += Ops[1].Value;
      } else
        break;
    }
    return Address;
  }

private:
  /// The register that \p I copies, if it is a copy.
  const Operand *copied(const Instruction &I) const {
    const Operand *Ops = F.operands(I);
    bool IsCopy = I.Op == Opcode::Mov || I.Op == Opcode::Cvta;
    return IsCopy && Ops[1].Kind == OperandKind::Register ? &Ops[1] : nullptr;
  }

  const Function &F;
  std::vector<std::vector<const Instruction *>> Writers; ///< By register.
};

bool samePlace(const Operand &A, const Operand &B) {
  return A.Base == B.Base && A.Index == B.Index && A.Value == B.Value;
}

unsigned bitsOf(const Function &F, const Instruction &I) {
  return typeBits(F.nth(I, ModClass::Type));
}

} // namespace

std::vector<uint32_t> gevo::gpu::guessedLoads(const Function &F) {
  std::vector<const Instruction *> Swaps;
  for (const Instruction &I : F.Code)
    if (I.Op == Opcode::Atom && F.has(I, Mod::Cas) && I.NumOperands >= 4)
      Swaps.push_back(&I);
  std::vector<uint32_t> Loads;
  if (Swaps.empty())
    return Loads;
  Copies From(F);
  std::set<uint32_t> Found;
  for (const Instruction *Swap : Swaps) {
    const Operand *Ops = F.operands(*Swap);
    if (Ops[2].Kind != OperandKind::Register)
      continue;
    std::set<uint32_t> Compared = From.sources(Ops[2].Index);
    Operand Place = From.origin(Ops[1]);
    for (uint32_t Pc = 0; Pc < F.Code.size(); ++Pc) {
      const Instruction &I = F.Code[Pc];
      if (I.Op != Opcode::Ld || bitsOf(F, I) != bitsOf(F, *Swap))
        continue;
      const Operand *Of = F.operands(I);
      if (Of[0].Kind == OperandKind::Register && Compared.count(Of[0].Index) &&
          samePlace(From.origin(Of[1]), Place))
        Found.insert(Pc);
    }
  }
  Loads.assign(Found.begin(), Found.end());
  return Loads;
}
