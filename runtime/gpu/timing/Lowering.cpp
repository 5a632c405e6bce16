//===- Lowering.cpp - From PTX to what a GPU issues -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Lowering.h"
#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using ptx::Instruction;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;
using ptx::OperandKind;

namespace {

/// More instructions than this are branched around, not predicated.
constexpr unsigned MaxPredicated = 6;
/// The assembler moves instructions only so far: registers are few.
constexpr uint32_t MaxRegion = 96;

bool isBarrier(Opcode Op) { return Op == Opcode::Bar || Op == Opcode::Barrier; }

/// Lowers one function.
class FunctionLowering {
public:
  FunctionLowering(const Profile &P, const ptx::Function &F,
                   const SassFunction *Sass)
      : P(P), F(F), Sass(Sass), Graph(ptx::Cfg::build(F)) {}
  CostFunction run();

private:
  void findUses();
  void findUnused();
  void findFolded();
  void findPredicated();
  bool foldsInto(uint32_t Index, const Operands &O) const;
  void lower(uint32_t Index);
  void lowerSteps(const std::vector<Step> &Steps, uint32_t Index,
                  const Operands &O, unsigned LastLatency = 0);
  void lowerMemory(uint32_t Index, const Operands &O);
  Operands withWideLoad(uint32_t Index, const Operands &O) const;
  void lowerControl(uint32_t Index, const Operands &O);
  void free(uint32_t Index, const Operands &O);
  void single(Uop U, uint32_t Index, const Operands &O);
  uint8_t memoryClass(const Instruction &I) const;
  void findRegions();

  const Profile &P;
  const ptx::Function &F;
  const SassFunction *Sass;
  ptx::Cfg Graph;
  CostFunction Out;
  std::vector<Operands> Ops;
  std::vector<uint32_t> Uses;   ///< By register.
  std::vector<uint32_t> Defs;   ///< By register.
  std::vector<uint32_t> User;   ///< By register: the only user, or None.
  std::vector<bool> Free;       ///< By instruction.
  std::vector<bool> Predicated; ///< By instruction: a branch that vanishes.
  std::vector<uint8_t> Classes; ///< By instruction, see MemoryClass.
  uint16_t FirstTemp = 0;
};

void FunctionLowering::findUses() {
  size_t N = std::min<size_t>(F.Registers.size(), 65000);
  Uses.assign(N, 0);
  Defs.assign(N, 0);
  User.assign(N, ptx::None);
  FirstTemp = uint16_t(N);
  Out.NumRegisters = uint32_t(N) + 1;
  for (const Instruction &I : F.Code)
    Ops.push_back(operandsOf(F, I));
  for (uint32_t K = 0; K < Ops.size(); ++K) {
    for (uint16_t R : Ops[K].Sources) {
      ++Uses[R];
      User[R] = K;
    }
    for (uint16_t R : Ops[K].Results)
      ++Defs[R];
  }
  Free.assign(F.Code.size(), false);
  Predicated.assign(F.Code.size(), false);
}

/// The assembler removes what nothing uses, and then what only that used.
void FunctionLowering::findUnused() {
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (uint32_t K = uint32_t(Ops.size()); K-- > 0;) {
      if (Free[K] || Ops[K].Results.empty() || !onlyResults(F, F.Code[K]))
        continue;
      bool Used = false;
      for (uint16_t R : Ops[K].Results)
        Used |= Uses[R] != 0;
      if (Used)
        continue;
      Free[K] = Changed = true;
      for (uint16_t R : Ops[K].Sources)
        --Uses[R];
      Ops[K] = Operands();
    }
  }
}

/// True if instruction \p Index becomes part of the one that uses its result:
/// a product or shift of an addition (fused or in the address unit), a sign
/// extension of a wide product.
bool FunctionLowering::foldsInto(uint32_t Index, const Operands &O) const {
  const Instruction &I = F.Code[Index];
  if (I.Guard != ptx::None || O.Results.size() != 1)
    return false;
  uint16_t R = O.Results[0];
  if (Uses[R] != 1 || Defs[R] != 1 || User[R] == ptx::None)
    return false;
  const Instruction &U = F.Code[User[R]];
  if (Graph.BlockOf[Index] != Graph.BlockOf[User[R]])
    return false;
  Mod T = F.nth(I, ModClass::Type), UT = F.nth(U, ModClass::Type);
  bool Adds =
      U.Op == Opcode::Add || (U.Op == Opcode::Sub && ptx::isFloatType(UT));
  if (I.Op == Opcode::Mul && Adds && ptx::isFloatType(T))
    return T == UT && F.nth(I, ModClass::Round) == Mod::None &&
           F.nth(U, ModClass::Round) == Mod::None;
  if (I.Op == Opcode::Shl && Adds && ptx::typeBits(T) == 32)
    return ptx::typeBits(UT) == 32 && !ptx::isFloatType(UT) &&
           F.operands(I)[2].Kind == OperandKind::Integer;
  return false;
}

void FunctionLowering::findFolded() {
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    const Instruction &I = F.Code[K];
    if (Free[K])
      continue;
    if (foldsInto(K, Ops[K])) {
      Free[K] = true;
      continue;
    }
    // A wide product and the 64-bit addition behind it are one instruction, so
    // the addition is free.
    bool WideProduct = I.Op == Opcode::Mul && F.has(I, Mod::Wide) &&
                       ptx::typeBits(F.nth(I, ModClass::Type)) == 32;
    if (WideProduct && Ops[K].Results.size() == 1) {
      uint16_t R = Ops[K].Results[0];
      uint32_t U = User[R];
      if (Uses[R] == 1 && Defs[R] == 1 && U != ptx::None &&
          F.Code[U].Op == Opcode::Add && !Free[U] &&
          Graph.BlockOf[U] == Graph.BlockOf[K] && P.MulInstructions == 1)
        Free[U] = true;
    }
  }
}

/// A branch over a few plain instructions becomes a predicate on them.
void FunctionLowering::findPredicated() {
  for (const ptx::BasicBlock &B : Graph.Blocks) {
    if (B.Begin == B.End)
      continue;
    uint32_t Last = B.End - 1;
    const Instruction &I = F.Code[Last];
    if (I.Op != Opcode::Bra || I.Guard == ptx::None)
      continue;
    const ptx::Operand &Target = F.operands(I)[0];
    if (Target.Kind != OperandKind::Label || Target.Index <= Last)
      continue;
    unsigned Count = 0;
    bool Plain = true;
    for (uint32_t K = Last + 1; K < Target.Index && Plain; ++K) {
      ptx::Family Fam = ptx::opcodeInfo(F.Code[K].Op).Fam;
      Plain = Fam != ptx::Family::Control && Fam != ptx::Family::Sync &&
              Fam != ptx::Family::Warp && Count <= MaxPredicated;
      Count += !Free[K];
    }
    if (Plain && Count <= MaxPredicated)
      Predicated[Last] = true;
  }
}

void FunctionLowering::single(Uop U, uint32_t Index, const Operands &O) {
  U.Instruction = Index;
  Out.add(U, O.Sources, O.Results);
}

void FunctionLowering::free(uint32_t Index, const Operands &O) {
  bool Rewritten = false;
  for (uint16_t R : O.Results)
    Rewritten |= Defs[R] > 1;
  // A constant is ready from the start.
  if (O.Results.empty() || (O.Sources.empty() && !Rewritten))
    return;
  Uop U;
  U.Kind = UopKind::Free;
  single(U, Index, O);
}

/// A chain: each instruction waits for the one before it.
void FunctionLowering::lowerSteps(const std::vector<Step> &Steps,
                                  uint32_t Index, const Operands &O,
                                  unsigned LastLatency) {
  unsigned Total = 0, Done = 0;
  for (const Step &S : Steps)
    Total += S.Count;
  if (!Total)
    return free(Index, O);
  for (const Step &S : Steps)
    for (unsigned K = 0; K < S.Count; ++K) {
      Uop U;
      U.Pipe = S.Pipe;
      U.Latency = uint16_t(P.pipe(S.Pipe).Latency);
      bool Last = ++Done == Total;
      if (Last && LastLatency)
        U.Latency = uint16_t(LastLatency);
      Operands Own;
      Own.Sources = Done == 1 ? O.Sources : std::vector<uint16_t>{FirstTemp};
      Own.Results = Last ? O.Results : std::vector<uint16_t>{FirstTemp};
      single(U, Index, Own);
    }
}

uint8_t FunctionLowering::memoryClass(const Instruction &I) const {
  bool Reads =
      I.Op == Opcode::Ld || I.Op == Opcode::Ldu || I.Op == Opcode::Atom;
  bool Writes = I.Op == Opcode::St || I.Op == Opcode::Atom ||
                I.Op == Opcode::Red || F.has(I, Mod::Volatile);
  if (!Reads && !Writes)
    return 0;
  // Read-only data is never written.
  if (F.has(I, Mod::Nc) || isConstantOperand(F, I))
    return 0;
  uint8_t Reading = ReadsGlobal | ReadsShared | ReadsLocal;
  uint8_t Writing = WritesGlobal | WritesShared | WritesLocal;
  switch (F.nth(I, ModClass::Space)) {
  case Mod::Global:
    Reading = ReadsGlobal, Writing = WritesGlobal;
    break;
  case Mod::Shared:
  case Mod::SharedCta:
  case Mod::SharedCluster:
    Reading = ReadsShared, Writing = WritesShared;
    break;
  case Mod::Local:
    Reading = ReadsLocal, Writing = WritesLocal;
    break;
  case Mod::Const:
    return 0;
  default:
    break;
  }
  return uint8_t((Reads ? Reading : 0) | (Writes ? Writing : 0));
}

/// \p O, and what the nearest earlier load from the same base waits for.
Operands FunctionLowering::withWideLoad(uint32_t Index,
                                        const Operands &O) const {
  Operands Wide = O;
  const ptx::Operand &A = F.operands(F.Code[Index])[1];
  uint32_t Begin = Graph.Blocks[Graph.BlockOf[Index]].Begin;
  for (uint32_t K = Index; K-- > Begin;) {
    const Instruction &I = F.Code[K];
    if (I.Op != Opcode::Ld || !(*Sass)[K].Memory)
      continue;
    const ptx::Operand &B = F.operands(I)[1];
    if (B.Kind != A.Kind || B.Base != A.Base || B.Index != A.Index)
      continue;
    Wide.Sources.insert(Wide.Sources.end(), Ops[K].Results.begin(),
                        Ops[K].Results.end());
    break;
  }
  return Wide;
}

void FunctionLowering::lowerMemory(uint32_t Index, const Operands &O) {
  const Instruction &I = F.Code[Index];
  if (isConstantOperand(F, I))
    return free(Index, O);
  // The assembler made one wide load of several, or none at all.
  if (Sass && I.Op == Opcode::Ld && !(*Sass)[Index].Memory)
    return free(Index, withWideLoad(Index, O));
  Uop U;
  U.Pipe = Unit::Memory;
  // Operations on barriers in memory are atomics and stores.
  ptx::Pipe Where = ptx::opcodeInfo(I.Op).Unit;
  switch (Where == ptx::Pipe::Atomic  ? Opcode::Atom
          : Where == ptx::Pipe::Store ? Opcode::St
                                      : I.Op) {
  case Opcode::Ld:
  case Opcode::Ldu:
  case Opcode::CpAsync:
    U.Kind = UopKind::Load;
    break;
  case Opcode::St:
    U.Kind = UopKind::Store;
    break;
  case Opcode::Atom:
    U.Kind = Uses.empty() ? UopKind::Atomic : UopKind::Reduce;
    for (uint16_t R : O.Results)
      if (Uses[R])
        U.Kind = UopKind::Atomic;
    break;
  case Opcode::Membar:
  case Opcode::Fence: {
    U.Pipe = Unit::Branch;
    U.Kind = UopKind::Fence;
    bool Block = F.nth(I, ModClass::Scope) == Mod::ScopeCta;
    U.Latency = uint16_t(Block ? P.pipe(Unit::Barrier).Latency : P.L2Latency);
    break;
  }
  default: // Prefetches: issued, nothing waits.
    U.Kind = UopKind::Alu;
    U.Latency = 1;
    break;
  }
  if (F.has(I, Mod::Nc))
    U.Flags |= FlagReadOnly;
  if (F.has(I, Mod::Cg) || F.has(I, Mod::Cv) || F.has(I, Mod::Volatile) ||
      F.has(I, Mod::L1NoAllocate))
    U.Flags |= FlagSkipL1;
  single(U, Index, O);
}

void FunctionLowering::lowerControl(uint32_t Index, const Operands &O) {
  const Instruction &I = F.Code[Index];
  Uop U;
  if (isBarrier(I.Op) && !F.has(I, Mod::Warp)) {
    U.Pipe = Unit::Barrier;
    U.Kind = F.has(I, Mod::Arrive) ? UopKind::Arrive : UopKind::Barrier;
    const ptx::Operand *A = F.operands(I);
    bool Result = F.has(I, Mod::Red);
    unsigned First = Result ? 1 : 0;
    if (I.NumOperands > First && A[First].Kind == OperandKind::Integer)
      U.Flags = uint16_t(FlagBarrierId | (A[First].Value & 15) << 8);
    if (!Result && I.NumOperands > 1 && A[1].Kind == OperandKind::Integer)
      U.Latency = uint16_t((A[1].Value + 31) / 32);
    return single(U, Index, O);
  }
  if (isBarrier(I.Op)) { // bar.warp.sync
    return lowerSteps({Step{Unit::Branch, 1}}, Index, O);
  }
  if (Predicated[Index])
    return;
  U.Pipe = Unit::Branch;
  U.Kind = UopKind::Branch;
  single(U, Index, O);
}

void FunctionLowering::lower(uint32_t Index) {
  const Instruction &I = F.Code[Index];
  const Operands &O = Ops[Index];
  if (Free[Index])
    return free(Index, O);
  switch (ptx::opcodeInfo(I.Op).Fam) {
  case ptx::Family::Memory:
    return lowerMemory(Index, O);
  case ptx::Family::Sync:
    return lowerControl(Index, O);
  case ptx::Family::Control:
    if (I.Op == Opcode::Brx)
      lowerSteps({Step{Unit::Int, 2}}, Index, {O.Sources, {FirstTemp}});
    return lowerControl(Index, O);
  default:
    break;
  }
  bool Compares = I.Op == Opcode::Setp || I.Op == Opcode::Set ||
                  ptx::opcodeInfo(I.Op).Unit == ptx::Pipe::Vote;
  Mod T = F.nth(I, ModClass::Type);
  Compares &= T != Mod::F64;
  std::vector<Step> Steps = arithmeticSteps(P, F, I);
  if (Sass) {
    const SassCost &Cost = (*Sass)[Index];
    Steps = Cost.Steps;
  }
  lowerSteps(Steps, Index, O, Compares ? unsigned(P.CompareLatency) : 0);
}

/// Regions end with blocks, at barriers, fences and calls, and when they get
/// long.
void FunctionLowering::findRegions() {
  Out.RegionAt.assign(F.Code.size(), NoIndex);
  std::vector<uint32_t> Place;
  if (Sass)
    for (const SassCost &C : *Sass)
      Place.push_back(C.Place);
  for (const ptx::BasicBlock &B : Graph.Blocks) {
    uint32_t Begin = B.Begin;
    for (uint32_t K = B.Begin; K < B.End; ++K) {
      ptx::Family Fam = ptx::opcodeInfo(F.Code[K].Op).Fam;
      bool Wall = Fam == ptx::Family::Control || Fam == ptx::Family::Sync ||
                  ptx::opcodeInfo(F.Code[K].Op).Unit == ptx::Pipe::Fence;
      if (!Wall && K + 1 < B.End && K + 1 - Begin < MaxRegion)
        continue;
      // The wall itself stays behind what it orders.
      uint32_t End = Wall ? K : K + 1;
      if (End > Begin + 1)
        scheduleRegion(P, Out, Begin, End, Classes, Place);
      Begin = K + 1;
    }
  }
}

CostFunction FunctionLowering::run() {
  findUses();
  findUnused();
  if (!Sass)
    findFolded();
  findPredicated();
  uint32_t Accesses = 0;
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    Out.FirstUop.push_back(uint32_t(Out.Uops.size()));
    Out.AccessesBefore.push_back(Accesses);
    Accesses += tracesAccess(F.Code[K]);
    Classes.push_back(Free[K] ? 0 : memoryClass(F.Code[K]));
    lower(K);
  }
  Out.FirstUop.push_back(uint32_t(Out.Uops.size()));
  Out.AccessesBefore.push_back(Accesses);
  findRegions();
  return std::move(Out);
}

} // namespace

CostProgram
gevo::gpu::timing::lowerPtx(const Profile &P, const ptx::Module &,
                            const std::vector<const ptx::Function *> &Functions,
                            uint32_t RegistersPerThread,
                            const std::vector<SassFunction> *Sass) {
  CostProgram C;
  for (size_t K = 0; K < Functions.size(); ++K)
    C.Functions.push_back(
        FunctionLowering(P, *Functions[K], Sass ? &(*Sass)[K] : nullptr).run());
  C.RegistersPerThread = RegistersPerThread;
  C.Source = Sass ? CostSource::Sass : CostSource::PtxRules;
  C.finish();
  return C;
}
