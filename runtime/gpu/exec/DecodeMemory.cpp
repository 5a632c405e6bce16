//===- DecodeMemory.cpp - Memory instructions -----------------------------===//
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

Space Decoder::spaceOf() const {
  switch (nth(ModClass::Space)) {
  case Mod::Global:
    return Space::Global;
  case Mod::Shared:
  case Mod::SharedCta:
  case Mod::SharedCluster:
    return Space::Shared;
  case Mod::Local:
    return Space::Local;
  case Mod::Const:
    return Space::Const;
  case Mod::Param:
  case Mod::ParamEntry:
  case Mod::ParamFunc:
    return Space::Param;
  default:
    return Space::Generic;
  }
}

void Decoder::decodeAddress(const ptx::Operand &O, Space Where) {
  if (O.Kind != OperandKind::Address) {
    fail("expected an address in brackets");
    return;
  }
  I.Where = Where;
  I.Imm = O.Value;
  switch (O.Base) {
  case ptx::AddressBase::Absolute:
    I.Base = BaseKind::Uniform;
    return;
  case ptx::AddressBase::Register: {
    unsigned Bits = ptx::typeBits(F.Registers[O.Index].Type);
    if (Bits != 32 && Bits != 64) {
      fail("an address register has 32 or 64 bits");
      return;
    }
    I.Base = Bits == 64 ? BaseKind::Row64 : BaseKind::Row32;
    I.A = regSlot(O.Index);
    // Addresses of a device function's parameters are local addresses.
    if (Where == Space::Param && !F.IsKernel)
      I.Where = Space::Local;
    return;
  }
  case ptx::AddressBase::Symbol:
    break;
  }
  uint32_t Offset;
  if (frameOffset(O.Index, Offset)) {
    I.Where = Where == Space::Generic ? Space::Generic : Space::Local;
    I.Base = BaseKind::Frame;
    I.Imm += Offset;
    if (Where == Space::Generic)
      I.Imm += int64_t(LocalWindow);
    return;
  }
  uint64_t Value;
  if (M.Symbols[O.Index].Kind == ptx::SymbolKind::Function ||
      !symbolValue(O.Index, O.Value, Value)) {
    fail("this symbol has no address here");
    return;
  }
  const ptx::Variable &V = M.variable(O.Index);
  if (Where != Space::Generic && V.Where != Where) {
    fail("variable '" + V.Name + "' is not in the instruction's space");
    return;
  }
  I.Base = BaseKind::Uniform;
  I.Imm = int64_t(Value);
}

/// Appends the elements' slots to Code::VectorSlots; \p Row is the lane size
/// of the registers, which must agree.
uint32_t Decoder::vectorSlots(const ptx::Operand &O, Mod Type, bool Dst,
                              unsigned &Row) {
  uint32_t First = uint32_t(Out->VectorSlots.size());
  Row = 0;
  for (unsigned K = 0; K < O.Count; ++K) {
    const ptx::Operand &E = F.Operands[O.Index + K];
    if (E.Kind == OperandKind::Sink && Dst) {
      Out->VectorSlots.push_back(NoSlot);
      continue;
    }
    unsigned This = ptx::typeBits(Type) == 64 ? 8 : 4;
    if (E.Kind == OperandKind::Register)
      This = ptx::typeBits(F.Registers[E.Index].Type) == 64 ? 8 : 4;
    if (Row && This != Row)
      fail("the registers of a vector differ in size");
    Row = This;
    Out->VectorSlots.push_back(Dst ? dst(E, Type, Fit::AtLeast)
                                   : src(E, Type, Fit::AtLeast));
  }
  if (!Row)
    Row = ptx::typeBits(Type) == 64 ? 8 : 4;
  return First;
}

void Decoder::decodeMemory() {
  switch (PI->Op) {
  case Opcode::Ld:
  case Opcode::Ldu:
  case Opcode::St:
    return decodeLoadStore();
  case Opcode::Atom:
  case Opcode::Red:
    return decodeAtomic();
  case Opcode::Membar:
  case Opcode::Fence:
    I.Kind = InstKind::Nop;
    I.Flags = FlagReleaseOrder;
    I.Flags |= has(Mod::ScopeCta) ? FlagCtaScope : 0;
    return;
  case Opcode::CpAsync:
    return decodeCopy();
  case Opcode::CpAsyncArrive:
  case Opcode::MbarrierInit:
  case Opcode::MbarrierInval:
  case Opcode::MbarrierExpectTx:
  case Opcode::MbarrierCompleteTx:
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveDrop:
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return decodeMbarrier();
  case Opcode::Createpolicy:
  case Opcode::Mapa:
  case Opcode::Getctarank: {
    // A cluster has one block, whose shared memory is where it is; policies
    // are hints.
    OpDesc D;
    D.Op = Opcode::Mov;
    D.Type = PI->Op == Opcode::Getctarank ? Mod::U32 : nth(ModClass::Type);
    if (D.Type == Mod::None)
      return take(nullptr);
    I.D = dst(Ops[0], D.Type);
    I.A = PI->Op == Opcode::Mapa ? src(Ops[1], D.Type)
                                 : constSlot(0, ptx::typeBits(D.Type));
    return take(Handlers.Move(D));
  }
  default:
    // Hints have no effect on results.
    I.Kind = InstKind::Nop;
    return;
  }
}

void Decoder::decodeLoadStore() {
  OpDesc D = describe();
  bool Store = PI->Op == Opcode::St;
  const ptx::Operand &Data = Ops[Store ? 1 : 0];
  const ptx::Operand &Where = Ops[Store ? 0 : 1];
  if (D.Op == Opcode::Ldu)
    D.Op = Opcode::Ld;
  if (D.Type == Mod::None || D.Type == Mod::Pred)
    return take(nullptr);
  Mod Vector = nth(ModClass::Vector);
  unsigned Count = Vector == Mod::V2   ? 2
                   : Vector == Mod::V4 ? 4
                   : Vector == Mod::V8 ? 8
                                       : 1;
  if (Count * ptx::typeBits(D.Type) > 128) {
    fail("a vector access of more than 128 bits");
    return;
  }
  if ((Data.Kind == OperandKind::Vector ? Data.Count : 1) != Count) {
    fail("the number of elements differs from the instruction's vector size");
    return;
  }
  I.Kind = InstKind::Memory;
  I.Bytes = uint8_t(ptx::typeBits(D.Type) / 8);
  I.Count = uint8_t(Count);
  decodeAddress(Where, spaceOf());
  unsigned Row = 4;
  if (Data.Kind == OperandKind::Vector) {
    D.Vector = true;
    uint32_t Slots = vectorSlots(Data, D.Type, !Store, Row);
    (Store ? I.B : I.D) = Slots;
  } else if (Store) {
    I.B = src(Data, D.Type, Fit::AtLeast);
    if (Data.Kind == OperandKind::Register)
      Row = ptx::typeBits(F.Registers[Data.Index].Type) == 64 ? 8 : 4;
    else
      Row = ptx::typeBits(D.Type) == 64 ? 8 : 4;
  } else if (Data.Kind == OperandKind::Sink) {
    // The value is dropped but the access still happens.
    Out->VectorSlots.push_back(NoSlot);
    I.D = uint32_t(Out->VectorSlots.size() - 1);
    D.Vector = true;
    Row = ptx::typeBits(D.Type) == 64 ? 8 : 4;
  } else {
    I.D = dst(Data, D.Type, Fit::AtLeast);
    if (!Failed)
      Row = ptx::typeBits(F.Registers[Data.Index].Type) == 64 ? 8 : 4;
  }
  if (Failed)
    return;
  D.DstRow = D.SrcRow = Row;
  I.Target = Row;
  if (I.Where == Space::Param && I.Base == BaseKind::Uniform && !D.Vector &&
      !Store && D.Type != Mod::B128)
    D.Word = Mod::Param;
  Mod Order = nth(ModClass::Order);
  if (Order != Mod::None && Order != Mod::Weak) {
    I.Flags |= FlagStrong;
    I.Sub = Order == Mod::Volatile;
    if (!Store)
      I.Flags |= FlagSpin;
    if (Order == Mod::Acquire || Order == Mod::AcqRel || Order == Mod::Sc)
      I.Flags |= FlagAcquire;
    if (Order == Mod::Release || Order == Mod::AcqRel || Order == Mod::Sc)
      I.Flags |= FlagReleaseOrder;
    if (has(Mod::ScopeCta))
      I.Flags |= FlagCtaScope;
  }
  if (has(Mod::Nc))
    I.Flags |= FlagReadOnly;
  take(Handlers.Memory(D));
}

void Decoder::decodeAtomic() {
  OpDesc D = describe();
  bool Red = PI->Op == Opcode::Red;
  D.Combine = nth(ModClass::Operation);
  if (D.Type == Mod::None || D.Combine == Mod::None || has(Mod::Async))
    return take(nullptr);
  Mod Vector = nth(ModClass::Vector);
  if (Vector != Mod::None)
    D.Vector = true;
  unsigned First = Red ? 0 : 1;
  I.Kind = InstKind::Memory;
  I.Flags |= FlagStrong;
  if (has(Mod::ScopeCta))
    I.Flags |= FlagCtaScope;
  Mod Order = nth(ModClass::Order);
  if (Order == Mod::Acquire || Order == Mod::AcqRel)
    I.Flags |= FlagAcquire;
  if (Order == Mod::Release || Order == Mod::AcqRel)
    I.Flags |= FlagReleaseOrder;
  if (D.Combine == Mod::Cas || D.Combine == Mod::Exch || !Red)
    I.Flags |= FlagSpin;
  I.Bytes = uint8_t(ptx::typeBits(D.Type) / 8);
  I.Sub = uint8_t(D.Combine);
  I.Target = unsigned(D.Type);
  Space Where = spaceOf();
  if (Where == Space::Local || Where == Space::Const || Where == Space::Param)
    return take(nullptr);
  decodeAddress(Ops[First], Where);
  if (D.Vector) {
    unsigned Row, Count = Vector == Mod::V2 ? 2 : Vector == Mod::V4 ? 4 : 8;
    if (Where == Space::Shared || Ops[First + 1].Kind != OperandKind::Vector ||
        Ops[First + 1].Count != Count || I.Bytes * Count > 16 ||
        (!Red && (Ops[0].Kind != OperandKind::Vector || Ops[0].Count != Count)))
      return take(nullptr);
    I.Count = uint8_t(Count);
    unsigned Wanted = ptx::typeBits(D.Type) == 64 ? 8 : 4, To = Wanted;
    I.B = vectorSlots(Ops[First + 1], D.Type, false, Row);
    if (!Red)
      I.D = vectorSlots(Ops[0], D.Type, true, To);
    if (Row != Wanted || To != Wanted)
      return fail("the registers of a vector do not fit its type");
    return take(Handlers.Atomic(D));
  }
  if (!Red && Ops[0].Kind != OperandKind::Sink)
    I.D = dst(Ops[0], D.Type);
  I.B = src(Ops[First + 1], D.Type);
  bool Cas = D.Combine == Mod::Cas;
  unsigned Want = First + (Cas ? 3 : 2) + has(Mod::L2CacheHint);
  if (PI->NumOperands != Want || (Cas && Red)) {
    fail("wrong number of operands for this atomic operation");
    return;
  }
  if (Cas)
    I.C = src(Ops[First + 2], D.Type);
  take(Handlers.Atomic(D));
}
