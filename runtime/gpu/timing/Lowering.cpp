//===- Lowering.cpp - From PTX to what a GPU issues -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/FunctionLowering.h"

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

} // namespace

void FunctionLowering::findUses() {
  size_t N = std::min<size_t>(F.Registers.size(), 65000);
  Uses.assign(N, 0);
  Defs.assign(N, 0);
  User.assign(N, ptx::None);
  Guards.assign(N, false);
  FirstTemp = uint16_t(N);
  Out.NumRegisters = uint32_t(N) + 1;
  for (const Instruction &I : F.Code) {
    Ops.push_back(operandsOf(F, I));
    if (I.Guard < N)
      Guards[I.Guard] = true;
  }
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
  for (bool Changed = true; Changed;) {
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
    // A wide product has the 64-bit addition behind it in it.
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
    if (!Plain || Count > MaxPredicated)
      continue;
    Predicated[Last] = true;
    for (uint32_t K = Last + 1; K < Target.Index; ++K)
      if (!Free[K] && I.Guard < Guards.size())
        Ops[K].Sources.push_back(uint16_t(I.Guard));
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

/// A chain: each waits for the one before it, but for the second of two XMADs.
void FunctionLowering::lowerSteps(const std::vector<Step> &Steps,
                                  uint32_t Index, const Operands &O,
                                  unsigned LastLatency) {
  unsigned Total = 0, Done = 0;
  for (const Step &S : Steps)
    Total += S.Count;
  if (!Total)
    return free(Index, O);
  const std::vector<uint16_t> Temp = {FirstTemp};
  bool Xmad = Steps[0].Pipe == Unit::Mul && P.MulInstructions > 1 && Total > 1;
  for (const Step &S : Steps)
    for (unsigned K = 0; K < S.Count; ++K) {
      bool Last = ++Done == Total;
      Uop U;
      U.Pipe = S.Pipe;
      U.Latency =
          uint16_t(Last && LastLatency ? LastLatency : P.pipe(S.Pipe).Latency);
      single(U, Index,
             {Done > 1u + Xmad ? Temp : O.Sources, Last ? O.Results : Temp});
    }
}

void FunctionLowering::lowerMemory(uint32_t Index, const Operands &O) {
  const Instruction &I = F.Code[Index];
  if (isConstantOperand(F, I))
    return free(Index, O);
  if (releases(F, I))
    single(fenceUop(P, false), Index, {});
  Uop U;
  U.Pipe = Unit::Memory;
  if (acquires(F, I))
    U.Flags |= emptiesL1(P);
  ptx::Pipe Where = ptx::opcodeInfo(I.Op).Unit; // Of mbarriers, too.
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
    U.Kind = UopKind::Reduce;
    for (uint16_t R : O.Results)
      if (Sass || Uses[R])
        U.Kind = UopKind::Atomic;
    break;
  case Opcode::Membar:
  case Opcode::Fence:
    U = fenceUop(P, F.nth(I, ModClass::Scope) == Mod::ScopeCta);
    break;
  default: // Prefetches: issued, nothing waits.
    U.Latency = 1;
    break;
  }
  if (F.has(I, Mod::Nc))
    U.Flags |= FlagReadOnly;
  if (skipsL1(F, I))
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
  if (isBarrier(I.Op)) // bar.warp.sync
    return lowerSteps({Step{Unit::Branch, 1}}, Index, O);
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
    if (I.Op != Opcode::Brx)
      return lowerControl(Index, O);
    // Where to jump is read from a table of constants.
    lowerSteps({Step{Unit::Int, 1}, Step{Unit::Memory, 1}}, Index,
               {O.Sources, {FirstTemp}}, unsigned(P.ConstLatency));
    return lowerControl(Index, {{FirstTemp}, {}});
  default:
    break;
  }
  bool Compares = I.Op == Opcode::Setp || I.Op == Opcode::Set ||
                  ptx::opcodeInfo(I.Op).Unit == ptx::Pipe::Vote;
  // From Volta on, only what is guarded waits longer than for other results.
  bool Late = Compares && P.Arch < 70 && F.nth(I, ModClass::Type) != Mod::F64;
  for (uint16_t R : O.Results)
    Late |= Guards[R];
  lowerSteps(arithmeticSteps(P, F, I), Index, O,
             Late ? unsigned(P.CompareLatency) : 0);
}

/// Regions end with blocks, at barriers, fences and calls, and when they get
/// long.
void FunctionLowering::findRegions() {
  Out.RegionAt.assign(F.Code.size(), NoIndex);
  for (const ptx::BasicBlock &B : Graph.Blocks) {
    uint32_t Begin = B.Begin;
    for (uint32_t K = B.Begin; K < B.End; ++K) {
      bool Wall = endsRegion(F.Code[K]);
      bool Long = !Sass && K + 1 - Begin >= MaxRegion;
      if (!Wall && K + 1 < B.End && !Long)
        continue;
      // The wall itself stays behind what it orders.
      uint32_t End = Wall ? K : K + 1;
      if (Sass && End > Begin)
        placeRegion(Begin, End);
      else if (End > Begin + 1)
        scheduleRegion(P, Out, Begin, End, Classes);
      Begin = K + 1;
    }
  }
}

CostFunction FunctionLowering::run() {
  if (Sass) {
    Out.NumRegisters = NumSassRegisters;
    Predicated.assign(F.Code.size(), false);
  } else {
    findUses();
    findUnused();
    findFolded();
    findPredicated();
  }
  uint32_t Accesses = 0;
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    Out.FirstUop.push_back(uint32_t(Out.Uops.size()));
    Out.AccessesBefore.push_back(Accesses);
    Accesses += tracesAccess(F.Code[K]);
    if (Sass) {
      lowerSass(K);
      continue;
    }
    Classes.push_back(Free[K] ? 0 : memoryClassOf(F, F.Code[K]));
    lower(K);
  }
  Out.FirstUop.push_back(uint32_t(Out.Uops.size()));
  Out.AccessesBefore.push_back(Accesses);
  findRegions();
  if (Sass)
    addLoops(*Sass, Out);
  return std::move(Out);
}

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
