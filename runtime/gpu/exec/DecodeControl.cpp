//===- DecodeControl.cpp - Control flow, calls and synchronisation --------===//
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

namespace {
CallInfo::Builtin builtinOf(const std::string &Name) {
#define BUILTIN(Id, Text)                                                      \
  if (Name == Text)                                                            \
    return CallInfo::Id;
#include "runtime/gpu/ptx/Builtins.def"
  return CallInfo::NotBuiltin;
}
} // namespace

uint32_t Decoder::reconvergence(uint32_t At) const {
  uint32_t P = Graph.PostDominator[Graph.BlockOf[At]];
  if (P == ptx::None)
    return NoPc;
  return P == ptx::Cfg::Return ? ReturnPc : Graph.Blocks[P].Begin;
}

void Decoder::decodeControl() {
  switch (PI->Op) {
  case Opcode::Bra:
    I.Kind = InstKind::Branch;
    I.Target = Ops[0].Index;
    I.Reconverge = reconvergence(Pc);
    return;
  case Opcode::Brx:
    I.Kind = InstKind::BranchIndexed;
    I.A = src(Ops[0], Mod::U32);
    I.Target = Ops[1].Index;
    I.Reconverge = reconvergence(Pc);
    return;
  case Opcode::Call:
    return decodeCall();
  case Opcode::Ret:
    I.Kind = InstKind::Return;
    return;
  case Opcode::Exit:
    I.Kind = InstKind::Exit;
    return;
  case Opcode::Trap:
    I.Kind = InstKind::Trap;
    I.Imm = PI->NumOperands ? Ops[0].Value : -1;
    return;
  case Opcode::Brkpt:
    I.Kind = InstKind::Breakpoint;
    return;
  case Opcode::Pmevent:
  case Opcode::Setmaxnreg:
    I.Kind = InstKind::Nop;
    return;
  default:
    break;
  }
  // alloca, stacksave, stackrestore
  Mod T = nth(ModClass::Type);
  if (T != Mod::U32 && T != Mod::U64)
    return take(nullptr);
  I.Kind = InstKind::Stack;
  I.Bytes = uint8_t(ptx::typeBits(T) / 8);
  Out->HasIndirectCalls |= PI->Op == Opcode::Alloca; // Stack of unknown size.
  if (PI->Op == Opcode::Stackrestore) {
    I.Sub = 2;
    I.A = src(Ops[0], T);
    return;
  }
  I.D = dst(Ops[0], T);
  if (PI->Op == Opcode::Stacksave) {
    I.Sub = 1;
    return;
  }
  I.A = src(Ops[1], T);
  I.Imm = 8;
  // LLVM writes 0 for an alignment that is nothing special.
  if (PI->NumOperands > 2 &&
      (Ops[2].Kind != OperandKind::Integer || Ops[2].Value)) {
    I.Imm = Ops[2].Value;
    if (Ops[2].Kind != OperandKind::Integer || I.Imm < 1 || I.Imm > 65536 ||
        (I.Imm & (I.Imm - 1)))
      fail("the alignment of alloca is not a power of two");
  }
}

/// An argument or result of a call as the caller sees it.
bool Decoder::callPiece(const ptx::Operand &O, uint32_t Bytes,
                        CallInfo::Piece &P, bool Result) {
  if (O.Kind == OperandKind::Symbol) {
    if (!frameOffset(O.Index, P.Offset)) {
      fail("an argument is not a .param variable of the caller");
      return false;
    }
    P.Bytes = uint32_t(M.variable(O.Index).Bytes);
    return true;
  }
  if (O.Kind == OperandKind::Register) {
    unsigned Bits = ptx::typeBits(F.Registers[O.Index].Type);
    if (Bits == 1 || Bits > 64) {
      fail("a register of this type cannot be passed");
      return false;
    }
    P.Slot = regSlot(O.Index);
    P.Bytes = Bits == 64 ? 8 : 4;
    return true;
  }
  if (!Result &&
      (O.Kind == OperandKind::Integer || O.Kind == OperandKind::Float)) {
    P.Bytes = Bytes > 4 ? 8 : 4;
    P.Slot =
        constSlot(immediate(O, Bytes > 4 ? Mod::B64 : Mod::B32), P.Bytes * 8);
    return true;
  }
  fail("this cannot be an argument of a call");
  return false;
}

void Decoder::decodeCall() {
  const ptx::CallSite &C = F.Calls[PI->Call];
  CallInfo Info;
  I.Kind = InstKind::Call;
  I.Target = uint32_t(Out->Calls.size());
  std::vector<uint32_t> Sizes(C.Args.size(), 8);
  if (C.Target != ptx::None) {
    uint32_t Index = M.Symbols[C.Target].Index;
    const ptx::Function &Callee = M.Functions[Index];
    if (!Callee.HasBody) {
      Info.Special = builtinOf(Callee.Name);
      if (Info.Special == CallInfo::NotBuiltin) {
        fail("call of '" + Callee.Name + "', which is not defined");
        return;
      }
    } else {
      if (Callee.IsKernel) {
        fail("call of the kernel '" + Callee.Name + "'");
        return;
      }
      auto It = X.Functions.find(Index);
      Info.Callee = It == X.Functions.end() ? 0 : It->second;
    }
    for (size_t K = 0; K < Callee.Params.size() && K < Sizes.size(); ++K)
      if (Callee.Params[K].Symbol != ptx::None)
        Sizes[K] = uint32_t(M.variable(Callee.Params[K].Symbol).Bytes);
  } else {
    Out->HasIndirectCalls = true;
    if (!checkRegister(C.TargetReg, Mod::B64, Fit::Exact))
      return;
    I.A = regSlot(C.TargetReg);
  }
  for (size_t K = 0; K < C.Args.size(); ++K) {
    CallInfo::Piece P;
    if (!callPiece(C.Args[K], Sizes[K], P, false))
      return;
    Info.Args.push_back(P);
  }
  for (const ptx::Operand &O : C.Returns) {
    CallInfo::Piece P;
    if (!callPiece(O, 8, P, true))
      return;
    Info.Results.push_back(P);
  }
  Out->Calls.push_back(std::move(Info));
}

void Decoder::decodeSync() {
  if (has(Mod::ScopeCluster)) {
    // A cluster has one block: waiting is a barrier of its own, which has no
    // number.
    if (PI->NumOperands || has(Mod::Arrive) == has(Mod::Wait))
      return take(nullptr);
    I.Kind = has(Mod::Wait) ? InstKind::Barrier : InstKind::Nop;
    return;
  }
  if (has(Mod::Warp)) {
    I.Kind = InstKind::WarpSync;
    if (PI->NumOperands != 1) {
      fail("bar.warp.sync takes a member mask");
      return;
    }
    I.E = src(Ops[0], Mod::B32);
    return;
  }
  bool Aligned = PI->Op == Opcode::Bar || has(Mod::Aligned);
  I.Kind = InstKind::Barrier;
  I.Flags |= Aligned ? FlagAligned : 0;
  if (!has(Mod::Red)) {
    bool Arrive = has(Mod::Arrive);
    if ((!Arrive && !has(Mod::Sync)) || PI->NumOperands < 1 ||
        PI->NumOperands > 2)
      return take(nullptr);
    if (Arrive && PI->NumOperands != 2) {
      fail("bar.arrive takes a barrier and a thread count");
      return;
    }
    I.Sub = Arrive ? 1 : 0;
    I.A = src(Ops[0], Mod::U32);
    if (PI->NumOperands > 1)
      I.B = src(Ops[1], Mod::U32);
    return;
  }
  Mod Op = nth(ModClass::Operation);
  I.Sub = Op == Mod::Popc ? 2 : Op == Mod::And ? 3 : Op == Mod::Or ? 4 : 0;
  if (!I.Sub || PI->NumOperands < 3)
    return take(nullptr);
  I.D = dst(Ops[0], I.Sub == 2 ? Mod::U32 : Mod::Pred);
  I.A = src(Ops[1], Mod::U32);
  if (PI->NumOperands > 3)
    I.B = src(Ops[2], Mod::U32);
  bool Negated;
  I.C = predSrc(Ops[PI->NumOperands - 1], Negated);
  I.Flags |= Negated ? FlagNegateC : 0;
}

void Decoder::decodeWarp() {
  OpDesc D = describe();
  bool Sync = has(Mod::Sync);
  // The old forms work on the lanes that happen to be active.
  auto Members = [&](unsigned Operand) {
    I.Kind = InstKind::WarpSync;
    if (Sync && Operand < PI->NumOperands) {
      I.E = src(Ops[Operand], Mod::B32);
    } else if (Sync || Operand < PI->NumOperands) {
      fail("wrong number of operands: only .sync takes a member mask");
    } else {
      I.E = constSlot(0xffffffffu, 32);
      I.Flags |= FlagUniform;
    }
  };
  switch (PI->Op) {
  case Opcode::Nanosleep:
    I.Kind = InstKind::Nop;
    I.Flags |= FlagSpin;
    src(Ops[0], Mod::U32);
    return;
  case Opcode::Griddepcontrol:
    I.Kind = InstKind::Nop;
    return;
  case Opcode::Activemask:
    I.D = dst(Ops[0], Mod::B32);
    return take(Handlers.Warp(D));
  case Opcode::Shfl: {
    static const Mod Modes[] = {Mod::Up, Mod::Down, Mod::Bfly, Mod::Idx};
    bool Known = false;
    for (unsigned K = 0; K < 4; ++K)
      if (has(Modes[K])) {
        I.Sub = uint8_t(K);
        Known = true;
      }
    if (!Known || ptx::typeBits(D.Type) != 32)
      return take(nullptr);
    I.D = Ops[0].Kind == OperandKind::Sink ? NoSlot : dst(Ops[0], D.Type);
    I.D2 = pairDst(Ops[0].Pair);
    I.A = src(Ops[1], D.Type);
    I.B = src(Ops[2], Mod::B32);
    I.C = src(Ops[3], Mod::B32);
    Members(4);
    break;
  }
  case Opcode::Vote: {
    I.Sub = has(Mod::All) ? 0 : has(Mod::Any) ? 1 : has(Mod::Uni) ? 2 : 3;
    if (I.Sub == 3 && !has(Mod::Ballot))
      return take(nullptr);
    I.D = dst(Ops[0], I.Sub == 3 ? Mod::B32 : Mod::Pred);
    bool Negated;
    I.A = predSrc(Ops[1], Negated);
    I.Flags |= Negated ? FlagNegateC : 0;
    Members(2);
    break;
  }
  case Opcode::Match:
    if (ptx::typeBits(D.Type) < 32 || ptx::typeBits(D.Type) > 64 || !Sync)
      return take(nullptr);
    D.Word = has(Mod::All) ? Mod::All : Mod::Any;
    I.D = Ops[0].Kind == OperandKind::Sink ? NoSlot : dst(Ops[0], Mod::B32);
    I.D2 = pairDst(Ops[0].Pair);
    I.A = src(Ops[1], D.Type);
    Members(2);
    break;
  case Opcode::Redux:
    D.Combine = nth(ModClass::Operation);
    I.Sub = uint8_t(D.Combine);
    if (D.Combine == Mod::None || D.Combine == Mod::Cas ||
        D.Combine == Mod::Exch || D.Combine == Mod::Inc ||
        D.Combine == Mod::Dec || D.Combine == Mod::Popc || !Sync)
      return take(nullptr);
    I.D = dst(Ops[0], D.Type);
    I.A = src(Ops[1], D.Type);
    Members(2);
    break;
  default: // elect
    if (!Sync)
      return take(nullptr);
    I.D = Ops[0].Kind == OperandKind::Sink ? NoSlot : dst(Ops[0], Mod::B32);
    I.D2 = pairDst(Ops[0].Pair);
    Members(1);
    break;
  }
  take(Handlers.Warp(D));
}
