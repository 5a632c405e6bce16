//===- Decode.cpp - Operands and arithmetic -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Decoder.h"
#include "runtime/gpu/exec/Guesses.h"
#include "runtime/gpu/ptx/Liveness.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace gevo::gpu;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;

namespace {
/// Memory of one frame; beyond it nothing fits on a real stack either.
constexpr uint32_t MaxFrameMemory = 512 * 1024;
constexpr uint32_t MaxFrameRows = 8u << 20;
constexpr unsigned RowAlign = 64;
constexpr unsigned SpecialStride = 256;
} // namespace

uint32_t gevo::gpu::layOut(uint32_t &Cursor, uint64_t Bytes, uint32_t Align) {
  uint64_t At = (uint64_t(Cursor) + Align - 1) / Align * Align;
  uint64_t End = At + Bytes;
  Cursor = End > 0x7fffffffu ? 0x7fffffffu : uint32_t(End);
  return At > 0x7fffffffu ? 0x7fffffffu : uint32_t(At);
}

Result<std::unique_ptr<Code>>
gevo::gpu::decodeFunction(const ptx::Function &F, DecodeContext &Context) {
  return Decoder(F, Context).run();
}

Decoder::Decoder(const ptx::Function &F, DecodeContext &Context)
    : F(F), X(Context), M(*Context.M), Handlers(selectIsa()),
      Out(std::make_unique<Code>()) {}

void Decoder::fail(std::string Message) {
  if (Failed)
    return;
  Failed = true;
  Error = {std::move(Message), PI ? PI->Line : F.Line, PI ? PI->Column : 1};
}

/// What \p I is if it is no more than a call of a handler.
static InstKind kindByUnit(const ptx::Function &F, const ptx::Instruction &I) {
  ptx::Pipe Unit = ptx::opcodeInfo(I.Op).Unit;
  auto First = F.Modifiers.begin() + I.FirstModifier;
  bool Doubles = std::count(First, First + I.NumModifiers, Mod::F64);
  if (Doubles && Unit != ptx::Pipe::Move)
    return InstKind::Double;
  return Unit == ptx::Pipe::Special || Unit == ptx::Pipe::Div
             ? InstKind::Special
             : InstKind::Plain;
}

Result<std::unique_ptr<Code>> Decoder::run() {
  Out->Source = &F;
  Graph = ptx::Cfg::build(F);
  layOutFrame();
  assignRows();
  Out->Insts.resize(F.Code.size());
  for (Pc = 0; Pc < F.Code.size() && !Failed; ++Pc) {
    PI = &F.Code[Pc];
    Ops = F.operands(*PI);
    I = Inst();
    if (PI->Guard != ptx::None) {
      I.Guard = regSlot(PI->Guard);
      I.GuardNegated = PI->GuardNegated;
    }
    decodeOne();
    if (I.Kind == InstKind::Plain)
      I.Kind = kindByUnit(F, *PI);
    Out->Insts[Pc] = I;
  }
  if (Failed)
    return Error;
  for (uint32_t Load : guessedLoads(F))
    Out->Insts[Load].Flags |= FlagStrong;
  markPollLoops(*Out, Graph);
  Out->TargetLists = F.TargetLists;
  ptx::LiveRegisters Live = ptx::liveRegisters(F, Graph);
  Out->Pressure = Live.Pressure;
  for (const auto &[Pc, Registers] : Live.AfterCalls)
    Out->Calls[Out->Insts[Pc].Target].Kept = rowsOf(Registers);
  return std::move(Out);
}

/// Variables of the body and parameters of device functions are in the
/// frame's part of local memory.
void Decoder::layOutFrame() {
  uint32_t Cursor = 0;
  auto Place = [&](uint32_t Sym) {
    const ptx::Variable &V = M.variable(Sym);
    FrameOffsets[Sym] = layOut(Cursor, V.Bytes, std::max(1u, V.Align));
    if (V.Where == Space::Local)
      Out->Variables.push_back({V.Name, FrameOffsets[Sym], V.Bytes});
  };
  auto Formals = [&](const std::vector<ptx::Formal> &List,
                     std::vector<CallInfo::Piece> &Pieces) {
    for (const ptx::Formal &P : List) {
      CallInfo::Piece Piece;
      if (P.Symbol != ptx::None) {
        Place(P.Symbol);
        Piece.Offset = FrameOffsets[P.Symbol];
        Piece.Bytes = uint32_t(M.variable(P.Symbol).Bytes);
      } else {
        // The slot is filled in when rows are known.
        Piece.Slot = P.Register;
        Piece.Bytes = ptx::typeBits(F.Registers[P.Register].Type) == 64 ? 8 : 4;
      }
      Pieces.push_back(Piece);
    }
  };
  if (!F.IsKernel) {
    Formals(F.Params, Out->Params);
    Formals(F.Returns, Out->Results);
  }
  auto Body = [&](Space Which) {
    for (uint32_t Sym : F.Locals)
      if (M.variable(Sym).Where == Which)
        Place(Sym);
  };
  Body(Space::Param);
  Out->ParamBytes = Cursor;
  // Variables come last: one that is overrun is near the end of memory.
  auto IsLocal = [&](uint32_t S) {
    return M.variable(S).Where == Space::Local;
  };
  if (Cursor && !F.Calls.empty() &&
      std::any_of(F.Locals.begin(), F.Locals.end(), IsLocal))
    Cursor += FrameGap;
  Body(Space::Local);
  if (Cursor > MaxFrameMemory)
    fail("function '" + F.Name + "' needs " + std::to_string(Cursor) +
         " bytes of local memory, more than " + std::to_string(MaxFrameMemory));
  Out->LocalBytes = (Cursor + 15) & ~15u;
}

uint32_t Decoder::rowBytes(uint32_t Reg) const {
  unsigned Bits = ptx::typeBits(F.Registers[Reg].Type);
  return Bits == 1 ? 4 : Bits <= 32 ? 128 : Bits == 64 ? 256 : 512;
}

/// Gives every register that is mentioned a row: predicates first, then by
/// size.
void Decoder::assignRows() {
  Rows.assign(F.Registers.size(), NoSlot);
  std::vector<bool> Seen(F.Registers.size(), false);
  auto See = [&](uint32_t Reg) {
    if (Reg != ptx::None)
      Seen[Reg] = true;
  };
  for (const ptx::Operand &O : F.Operands) {
    if (O.Kind == OperandKind::Register ||
        (O.Kind == OperandKind::Address &&
         O.Base == ptx::AddressBase::Register))
      See(O.Index);
    See(O.Pair);
  }
  for (const ptx::Instruction &C : F.Code)
    See(C.Guard);
  for (const ptx::CallSite &C : F.Calls) {
    See(C.TargetReg);
    for (const auto *List : {&C.Args, &C.Returns})
      for (const ptx::Operand &O : *List)
        if (O.Kind == OperandKind::Register)
          See(O.Index);
  }
  for (const auto *List : {&F.Params, &F.Returns})
    for (const ptx::Formal &P : *List)
      See(P.Register);
  uint32_t Cursor = 0;
  static_assert(ptx::NumSpecialRegisters <= 64, "KernelCode::Specials");
  for (uint32_t Size : {4u, 128u, 256u, 512u}) {
    for (uint32_t R = 0; R < Rows.size(); ++R)
      if (Seen[R] && rowBytes(R) == Size) {
        Rows[R] = Cursor;
        Cursor += Size;
      }
    Cursor = (Cursor + RowAlign - 1) / RowAlign * RowAlign;
  }
  if (Cursor > MaxFrameRows)
    fail("function '" + F.Name + "' uses too many registers");
  Out->FrameBytes = std::max(Cursor, RowAlign);
  for (auto *List : {&Out->Params, &Out->Results})
    for (CallInfo::Piece &P : *List)
      if (P.Slot != NoSlot)
        P.Slot = Rows[P.Slot];
}

/// Where the registers of \p List are, and those of the function's results,
/// which its return reads.
std::vector<CallInfo::RowRange>
Decoder::rowsOf(std::vector<uint32_t> List) const {
  for (const ptx::Formal &P : F.Returns)
    if (P.Register != ptx::None)
      List.push_back(P.Register);
  std::vector<CallInfo::RowRange> Ranges;
  std::map<uint32_t, uint32_t> Ordered;
  for (uint32_t R : List)
    Ordered[Rows[R]] = rowBytes(R);
  for (const auto &[Begin, Bytes] : Ordered)
    if (!Ranges.empty() && Ranges.back().Begin + Ranges.back().Bytes == Begin)
      Ranges.back().Bytes += Bytes;
    else
      Ranges.push_back({Begin, Bytes});
  return Ranges;
}

uint32_t Decoder::regSlot(uint32_t Reg) const {
  assert(Rows[Reg] != NoSlot && "every register that is mentioned has a row");
  return Rows[Reg] | RegBase;
}

uint32_t Decoder::constSlot(uint64_t Bits, unsigned TypeBits) {
  unsigned Lane = TypeBits == 64 ? 8 : 4;
  if (TypeBits < 64)
    Bits &= (uint64_t(1) << TypeBits) - 1;
  auto [It, New] = ConstRows.emplace(std::make_pair(Bits, Lane), 0);
  if (New) {
    size_t Words = Out->Consts.size();
    It->second = uint32_t(Words * 8) | ConstBase;
    uint64_t Word = Lane == 8 ? Bits : Bits << 32 | Bits;
    Out->Consts.resize(Words + 4 * Lane, Word);
  }
  return It->second;
}

uint32_t Decoder::predConst(bool Value) {
  return constSlot(Value ? 0xffffffffu : 0, 32);
}

/// The bits of a literal as an operand of \p Type.
uint64_t Decoder::immediate(const ptx::Operand &O, Mod Type) {
  if (O.Kind == OperandKind::Integer) {
    if (ptx::isFloatType(Type) && ptx::typeBits(Type) >= 32 &&
        Type != Mod::F16X2 && Type != Mod::BF16X2)
      fail("an integer constant where ." + std::string(ptx::modText(Type)) +
           " is expected");
    return uint64_t(O.Value);
  }
  uint64_t Bits = uint64_t(O.Value);
  if (O.Single) {
    if (ptx::typeBits(Type) != 64)
      return Bits;
    float S;
    uint32_t B = uint32_t(Bits);
    std::memcpy(&S, &B, 4);
    double D = S;
    std::memcpy(&Bits, &D, 8);
    return Bits;
  }
  if (ptx::typeBits(Type) == 64)
    return Bits;
  double D;
  std::memcpy(&D, &Bits, 8);
  float S = float(D);
  uint32_t B;
  std::memcpy(&B, &S, 4);
  return B;
}

bool Decoder::checkRegister(uint32_t Reg, Mod Type, Fit How) {
  unsigned Have = ptx::typeBits(F.Registers[Reg].Type);
  unsigned Want = ptx::typeBits(Type);
  bool Ok = Have == 1 || Want == 1 ? Have == Want
            : How == Fit::Exact    ? Have == Want
                                   : Have >= Want;
  if (!Ok)
    fail("a register of " + std::to_string(Have) + " bits where ." +
         std::string(ptx::modText(Type)) + " is expected");
  return Ok;
}

uint32_t Decoder::dst(const ptx::Operand &O, Mod Type, Fit How) {
  if (O.Kind != OperandKind::Register) {
    fail("the destination is not a register");
    return NoSlot;
  }
  return checkRegister(O.Index, Type, How) ? regSlot(O.Index) : NoSlot;
}

/// The value of an address constant.
bool Decoder::symbolValue(uint32_t Sym, int64_t Offset, uint64_t &Value) {
  const ptx::Symbol &S = M.Symbols[Sym];
  if (S.Kind == ptx::SymbolKind::Function) {
    Value = functionAddress(S.Index);
    return true;
  }
  const ptx::Variable &V = M.Variables[S.Index];
  if (V.Where == Space::Shared) {
    auto It = X.Shared.find(Sym);
    Value = (It == X.Shared.end() ? 0 : It->second) + uint64_t(Offset);
    return true;
  }
  if (V.Where == Space::Global || V.Where == Space::Const) {
    Value = (*X.Addresses)[Sym] + uint64_t(Offset);
    return true;
  }
  auto It = X.KernelParams.find(Sym);
  if (It == X.KernelParams.end())
    return false;
  Value = It->second + uint64_t(Offset);
  return true;
}

bool Decoder::frameOffset(uint32_t Sym, uint32_t &Offset) const {
  auto It = FrameOffsets.find(Sym);
  if (It == FrameOffsets.end())
    return false;
  Offset = It->second;
  return true;
}

uint32_t Decoder::src(const ptx::Operand &O, Mod Type, Fit How) {
  unsigned Bits = ptx::typeBits(Type);
  switch (O.Kind) {
  case OperandKind::Register:
    return checkRegister(O.Index, Type, How) ? regSlot(O.Index) : NoSlot;
  case OperandKind::Integer:
  case OperandKind::Float: {
    uint64_t Value = immediate(O, Type);
    return Bits == 1 ? predConst(Value != 0) : constSlot(Value, Bits);
  }
  case OperandKind::Special: {
    auto R = ptx::SpecialRegister(O.Index);
    unsigned Have = ptx::specialBits(R);
    if (Have < Bits && !(How == Fit::AtLeast && Bits <= 32)) {
      fail("a special register of " + std::to_string(Have) + " bits where ." +
           std::string(ptx::modText(Type)) + " is expected");
      return NoSlot;
    }
    if (Have == 64 && Bits != 64) {
      fail("a special register of 64 bits where ." +
           std::string(ptx::modText(Type)) + " is expected");
      return NoSlot;
    }
    if (X.Kernel)
      X.Kernel->Specials |= uint64_t(1) << O.Index;
    return (O.Index * SpecialStride) | SpecialBase;
  }
  case OperandKind::Symbol: {
    uint64_t Value;
    if (Bits < 32 || !symbolValue(O.Index, O.Value, Value)) {
      fail("the address of this variable is not a constant");
      return NoSlot;
    }
    return constSlot(Value, Bits);
  }
  default:
    fail("this kind of operand is not allowed here");
    return NoSlot;
  }
}

uint32_t Decoder::predSrc(const ptx::Operand &O, bool &Negated) {
  Negated = O.Negated;
  return src(O, Mod::Pred);
}

uint32_t Decoder::predDst(const ptx::Operand &O) {
  return O.Kind == OperandKind::Sink ? NoSlot : dst(O, Mod::Pred);
}

uint32_t Decoder::pairDst(uint32_t Reg) {
  if (Reg == ptx::None)
    return NoSlot;
  return checkRegister(Reg, Mod::Pred, Fit::Exact) ? regSlot(Reg) : NoSlot;
}

/// Sets the handler; without one the instruction does not exist.
void Decoder::take(Handler H) {
  I.Fn = H;
  if (H || Failed)
    return;
  std::string Text(ptx::opcodeInfo(PI->Op).Text);
  for (unsigned K = 0; K < PI->NumModifiers; ++K)
    Text += "." + std::string(ptx::modText(F.Modifiers[PI->FirstModifier + K]));
  fail("instruction '" + Text + "' does not exist or is not supported");
}
