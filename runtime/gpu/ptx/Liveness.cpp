//===- Liveness.cpp - Registers that hold a value -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Liveness.h"

#include <algorithm>

using namespace gevo::gpu::ptx;

namespace {
/// Beyond this many bits of state the estimate is not worth its memory.
constexpr uint64_t MaxStateBits = uint64_t(1) << 28;

void collect(const Function &F, const Operand &O, std::vector<uint32_t> &List) {
  if (O.Kind == OperandKind::Register)
    List.push_back(O.Index);
  else if (O.Kind == OperandKind::Vector)
    for (unsigned K = 0; K < O.Count; ++K)
      collect(F, F.Operands[O.Index + K], List);
}

uint32_t widthOf(const Function &F, uint32_t Reg) {
  unsigned Bits = typeBits(F.Registers[Reg].Type);
  return Bits == 1 ? 0 : (Bits + 31) / 32;
}

using Bits = std::vector<uint64_t>;
bool test(const Bits &B, uint32_t R) { return B[R / 64] >> (R % 64) & 1; }
void set(Bits &B, uint32_t R) { B[R / 64] |= uint64_t(1) << (R % 64); }
void reset(Bits &B, uint32_t R) { B[R / 64] &= ~(uint64_t(1) << (R % 64)); }
} // namespace

void gevo::gpu::ptx::registersOf(const Function &F, const Instruction &I,
                                 RegisterUse &Out) {
  Out.Reads.clear();
  Out.Writes.clear();
  if (I.Guard != None)
    Out.Reads.push_back(I.Guard);
  if (I.Call != None) {
    const CallSite &C = F.Calls[I.Call];
    if (C.TargetReg != None)
      Out.Reads.push_back(C.TargetReg);
    for (const Operand &O : C.Args)
      collect(F, O, Out.Reads);
    for (const Operand &O : C.Returns)
      collect(F, O, Out.Writes);
    return;
  }
  std::string_view Pattern = opcodeInfo(I.Op).Operands;
  bool Reduces =
      (I.Op == Opcode::Bar || I.Op == Opcode::Barrier) && F.has(I, Mod::Red);
  const Operand *Ops = F.operands(I);
  for (unsigned K = 0; K < I.NumOperands; ++K) {
    const Operand &O = Ops[K];
    bool Dst = K == 0 && (Reduces || Pattern[0] == 'd' || Pattern[0] == 'D' ||
                          Pattern[0] == 'w');
    collect(F, O, Dst ? Out.Writes : Out.Reads);
    if (O.Pair != None)
      Out.Writes.push_back(O.Pair);
    if (O.Kind == OperandKind::Address && O.Base == AddressBase::Register)
      Out.Reads.push_back(O.Index);
  }
}

/// By register: is it an address in the function's own memory?
static std::vector<bool> ownAddresses(const Function &F) {
  std::vector<bool> Own(F.Registers.size());
  RegisterUse Use;
  for (const Instruction &I : F.Code) {
    bool Cast = I.Op == Opcode::Cvta && F.has(I, Mod::Local);
    if (!Cast && I.Op != Opcode::Add)
      continue;
    registersOf(F, I, Use);
    if (Cast || (!Use.Reads.empty() && Own[Use.Reads[0]]))
      for (uint32_t R : Use.Writes)
        Own[R] = true;
  }
  return Own;
}

std::vector<bool> gevo::gpu::ptx::onlyStored(const Function &F,
                                             uint32_t Pointer) {
  std::vector<bool> Only(F.Registers.size()), Own = ownAddresses(F);
  RegisterUse Use;
  if (Pointer != None)
    Own[Pointer] = true;
  // What is not read at all is not stored.
  for (const Instruction &I : F.Code) {
    registersOf(F, I, Use);
    for (uint32_t R : Use.Reads)
      Only[R] = true;
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t Pc = F.Code.size(); Pc-- > 0;) {
      const Instruction &I = F.Code[Pc];
      registersOf(F, I, Use);
      switch (I.Op) {
      case Opcode::St: {
        // All but what is stored.
        const Operand &To = F.operands(I)[0];
        bool Generic = To.Base == AddressBase::Register && Own[To.Index];
        if (!Generic && !F.has(I, Mod::Local) && !F.has(I, Mod::Param))
          break;
        Use.Reads.clear();
        if (I.Guard != None)
          Use.Reads.push_back(I.Guard);
        if (To.Kind == OperandKind::Address && To.Base == AddressBase::Register)
          Use.Reads.push_back(To.Index);
        break;
      }
      case Opcode::Mov:
      case Opcode::Cvt:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Shl:
      case Opcode::Shr:
      case Opcode::Bfi:
      case Opcode::Prmt: {
        bool Further = true;
        for (uint32_t R : Use.Writes)
          Further = Further && Only[R];
        if (Further)
          continue;
        break;
      }
      default:
        break;
      }
      for (uint32_t R : Use.Reads)
        if (Only[R]) {
          Only[R] = false;
          Changed = true;
        }
    }
  }
  return Only;
}

namespace {
/// The dataflow behind liveRegisters.
class LivenessSolver {
public:
  LivenessSolver(const Function &F, const Cfg &G)
      : F(F), G(G), Words((F.Registers.size() + 63) / 64),
        In(G.Blocks.size(), Bits(Words)) {}

  LiveRegisters solve();

private:
  Bits after(uint32_t B) const;
  void walk(uint32_t B, Bits &Live);
  void measure(uint32_t B, LiveRegisters &Out);

  const Function &F;
  const Cfg &G;
  size_t Words;
  std::vector<Bits> In; ///< By block.
  RegisterUse Use;
};
} // namespace

Bits LivenessSolver::after(uint32_t B) const {
  Bits Live(Words);
  for (uint32_t S : G.Blocks[B].Successors)
    for (size_t W = 0; W < Words; ++W)
      Live[W] |= In[S][W];
  return Live;
}

/// Goes through a block backwards from what is live after it.
void LivenessSolver::walk(uint32_t B, Bits &Live) {
  for (uint32_t Pc = G.Blocks[B].End; Pc-- > G.Blocks[B].Begin;) {
    registersOf(F, F.Code[Pc], Use);
    // A guarded write may leave the old value.
    if (F.Code[Pc].Guard == None)
      for (uint32_t R : Use.Writes)
        reset(Live, R);
    for (uint32_t R : Use.Reads)
      set(Live, R);
  }
}

/// The same, and counts what it meets.
void LivenessSolver::measure(uint32_t B, LiveRegisters &Out) {
  Bits Live = after(B);
  uint32_t Now = 0;
  auto List = [&] {
    std::vector<uint32_t> Registers;
    for (uint32_t R = 0; R < F.Registers.size(); ++R)
      if (test(Live, R))
        Registers.push_back(R);
    return Registers;
  };
  for (uint32_t R : List())
    Now += widthOf(F, R);
  Out.Pressure = std::max(Out.Pressure, Now);
  for (uint32_t Pc = G.Blocks[B].End; Pc-- > G.Blocks[B].Begin;) {
    const Instruction &I = F.Code[Pc];
    if (I.Call != None)
      Out.AfterCalls[Pc] = List();
    registersOf(F, I, Use);
    for (uint32_t R : Use.Writes)
      if (I.Guard == None && test(Live, R)) {
        reset(Live, R);
        Now -= widthOf(F, R);
      }
    for (uint32_t R : Use.Reads)
      if (!test(Live, R)) {
        set(Live, R);
        Now += widthOf(F, R);
      }
    Out.Pressure = std::max(Out.Pressure, Now);
  }
}

LiveRegisters LivenessSolver::solve() {
  uint32_t NumBlocks = uint32_t(G.Blocks.size());
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t B = NumBlocks; B-- > 0;) {
      Bits Live = after(B);
      walk(B, Live);
      if (Live != In[B]) {
        In[B] = std::move(Live);
        Changed = true;
      }
    }
  }
  LiveRegisters Out;
  for (uint32_t B = 0; B < NumBlocks; ++B)
    measure(B, Out);
  return Out;
}

LiveRegisters gevo::gpu::ptx::liveRegisters(const Function &F, const Cfg &G) {
  uint64_t NumRegs = F.Registers.size(), NumBlocks = G.Blocks.size();
  if (NumRegs * NumBlocks <= MaxStateBits)
    return LivenessSolver(F, G).solve();
  LiveRegisters Out;
  RegisterUse Use;
  std::vector<bool> Seen(NumRegs);
  for (const Instruction &I : F.Code) {
    registersOf(F, I, Use);
    for (const auto *Of : {&Use.Reads, &Use.Writes})
      for (uint32_t R : *Of)
        Seen[R] = true;
  }
  std::vector<uint32_t> Mentioned;
  for (uint32_t R = 0; R < NumRegs; ++R)
    if (Seen[R])
      Mentioned.push_back(R);
  for (uint32_t Pc = 0; Pc < F.Code.size(); ++Pc)
    if (F.Code[Pc].Call != None)
      Out.AfterCalls[Pc] = Mentioned;
  return Out;
}
