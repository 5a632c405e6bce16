//===- Decode.cpp - Operands and arithmetic -------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Decode.h"
#include "runtime/gpu/exec/Decoder.h"

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
constexpr unsigned RowAlign = 64;
constexpr unsigned SpecialStride = 256;

Rounding roundingOf(Mod M) {
  switch (M) {
  case Mod::Rn:
  case Mod::Rni:
    return Rounding::Nearest;
  case Mod::Rz:
  case Mod::Rzi:
    return Rounding::Zero;
  case Mod::Rm:
  case Mod::Rmi:
    return Rounding::Down;
  case Mod::Rp:
  case Mod::Rpi:
    return Rounding::Up;
  case Mod::Rna:
    return Rounding::NearestAway;
  default:
    return Rounding::None;
  }
}

bool isIntegral(Mod M) {
  return M == Mod::Rni || M == Mod::Rzi || M == Mod::Rmi || M == Mod::Rpi;
}
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
    Out->Insts[Pc] = I;
  }
  if (Failed)
    return Error;
  Out->TargetLists = F.TargetLists;
  return std::move(Out);
}

/// Variables of the body and parameters of device functions are in the
/// frame's part of local memory.
void Decoder::layOutFrame() {
  uint32_t Cursor = 0;
  auto Place = [&](uint32_t Sym) {
    const ptx::Variable &V = M.variable(Sym);
    FrameOffsets[Sym] = layOut(Cursor, V.Bytes, std::max(1u, V.Align));
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
  for (uint32_t Sym : F.Locals) {
    Space Where = M.variable(Sym).Where;
    if (Where == Space::Local || Where == Space::Param)
      Place(Sym);
  }
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
  for (uint32_t Size : {4u, 128u, 256u, 512u}) {
    for (uint32_t R = 0; R < Rows.size(); ++R)
      if (Seen[R] && rowBytes(R) == Size) {
        Rows[R] = Cursor;
        Cursor += Size;
      }
    Cursor = (Cursor + RowAlign - 1) / RowAlign * RowAlign;
  }
  Out->FrameBytes = std::max(Cursor, RowAlign);
  for (auto *List : {&Out->Params, &Out->Results})
    for (CallInfo::Piece &P : *List)
      if (P.Slot != NoSlot)
        P.Slot = Rows[P.Slot];
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

OpDesc Decoder::describe() const {
  OpDesc D;
  D.Op = PI->Op;
  D.Type = nth(ModClass::Type);
  D.Type2 = nth(ModClass::Type, 1);
  Mod R = nth(ModClass::Round);
  D.Round = roundingOf(R);
  D.RoundToInteger = isIntegral(R);
  D.Ftz = has(Mod::Ftz);
  D.Sat = has(Mod::Sat);
  D.SatFinite = has(Mod::SatFinite);
  D.Relu = has(Mod::Relu);
  D.Approx = has(Mod::Approx);
  D.Full = has(Mod::Full);
  D.Hi = has(Mod::Hi);
  D.Wide = has(Mod::Wide);
  D.CarryOut = has(Mod::Cc);
  D.Nan = has(Mod::NanWord);
  D.XorSign = has(Mod::XorSign);
  D.Clamp = has(Mod::Clamp);
  D.Left = has(Mod::L);
  D.ShiftAmount = has(Mod::Shiftamt);
  return D;
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

void Decoder::decodeOne() {
  switch (ptx::opcodeInfo(PI->Op).Fam) {
  case ptx::Family::Arith:
    return decodeArith();
  case ptx::Family::Integer:
    return decodeInteger();
  case ptx::Family::Logic:
    return decodeLogic();
  case ptx::Family::Float:
    return decodeFloat();
  case ptx::Family::Compare:
    return decodeCompare();
  case ptx::Family::Move:
    return decodeMove();
  case ptx::Family::Convert:
    return decodeConvert();
  case ptx::Family::Memory:
    return decodeMemory();
  case ptx::Family::Sync:
    return decodeSync();
  case ptx::Family::Warp:
    return decodeWarp();
  case ptx::Family::Control:
    return decodeControl();
  }
}

static int64_t arithFlags(const OpDesc &D) {
  return (D.Ftz ? ArithFtz : 0) | (D.Sat ? ArithSat : 0) |
         (D.Relu ? ArithRelu : 0) | (D.Nan ? ArithNan : 0) |
         (D.XorSign ? ArithXorSign : 0);
}

void Decoder::decodeArith() {
  OpDesc D = describe();
  bool Float = ptx::isFloatType(D.Type);
  bool Wide = D.Wide && !Float;
  Mod To = D.Type;
  if (Wide)
    To = D.Type == Mod::U16   ? Mod::U32
         : D.Type == Mod::S16 ? Mod::S32
         : D.Type == Mod::U32 ? Mod::U64
                              : Mod::S64;
  I.D = dst(Ops[0], To);
  I.A = src(Ops[1], D.Type);
  if (PI->NumOperands > 2)
    I.B = src(Ops[2], D.Type);
  if (PI->NumOperands > 3)
    I.C = src(Ops[3], To);
  if (D.CarryOut && !Float) {
    I.Imm = D.Hi;
    return take(Handlers.Integer(D));
  }
  if (Float) {
    I.Imm = arithFlags(D);
    I.Sub = uint8_t(D.Round);
  }
  take(Handlers.Arith(D));
}

void Decoder::decodeInteger() {
  OpDesc D = describe();
  Mod T = D.Type, Amount = Mod::U32;
  switch (PI->Op) {
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Bfind:
    I.D = dst(Ops[0], Mod::U32);
    I.A = src(Ops[1], T);
    I.Imm = D.ShiftAmount;
    break;
  case Opcode::Bfe:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], Amount);
    I.C = src(Ops[3], Amount);
    break;
  case Opcode::Bfi:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], T);
    I.C = src(Ops[3], Amount);
    I.E = src(Ops[4], Amount);
    break;
  default:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], T);
    if (PI->NumOperands > 3)
      I.C = src(Ops[3], T);
    I.Imm = D.Hi;
    if (PI->Op == Opcode::Mad24)
      I.Imm |= D.Sat ? 2 : 0;
    if (PI->Op == Opcode::Bmsk || PI->Op == Opcode::Szext)
      I.Imm = D.Clamp;
    break;
  }
  take(Handlers.Integer(D));
}

void Decoder::decodeLogic() {
  OpDesc D = describe();
  Mod T = D.Type;
  switch (PI->Op) {
  case Opcode::Shl:
  case Opcode::Shr:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], Mod::U32);
    break;
  case Opcode::Lop3: {
    D.Combine = nth(ModClass::Operation);
    bool Pair = D.Combine != Mod::None;
    I.D = Ops[0].Kind == OperandKind::Sink && Pair ? NoSlot : dst(Ops[0], T);
    I.D2 = pairDst(Ops[0].Pair);
    I.A = src(Ops[1], T);
    I.B = src(Ops[2], T);
    I.C = src(Ops[3], T);
    if (Ops[4].Kind != OperandKind::Integer)
      fail("the table of lop3 is not a constant");
    I.Imm = Ops[4].Value & 0xff;
    if (Pair != (PI->NumOperands == 6))
      fail("lop3 with an operation takes a predicate, and only then");
    if (Pair && !Failed) {
      bool Negated;
      I.E = predSrc(Ops[5], Negated);
      I.Flags |= Negated ? FlagNegateC : 0;
    }
    break;
  }
  case Opcode::Prmt:
    for (Mod W : {Mod::F4e, Mod::B4e, Mod::Rc8, Mod::Ecl, Mod::Ecr, Mod::Rc16})
      if (has(W)) {
        D.Word = W;
        I.Sub = uint8_t(unsigned(W) - unsigned(Mod::F4e));
      }
    [[fallthrough]];
  default:
    I.D = dst(Ops[0], T);
    I.A = src(Ops[1], T);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], T);
    if (PI->NumOperands > 3)
      I.C = src(Ops[3], T);
    break;
  }
  take(Handlers.Logic(D));
}

void Decoder::decodeFloat() {
  OpDesc D = describe();
  I.Imm = arithFlags(D);
  I.Sub = uint8_t(D.Round);
  if (PI->Op == Opcode::Testp) {
    for (Mod W : {Mod::Finite, Mod::Infinite, Mod::Number, Mod::NotANumber,
                  Mod::Normal, Mod::Subnormal})
      if (has(W))
        D.Word = W;
    I.Sub = uint8_t(D.Word);
    I.D = dst(Ops[0], Mod::Pred);
    I.A = src(Ops[1], D.Type);
  } else {
    I.D = dst(Ops[0], D.Type);
    I.A = src(Ops[1], D.Type);
    if (PI->NumOperands > 2)
      I.B = src(Ops[2], D.Type);
  }
  take(Handlers.Float(D));
}

void Decoder::decodeCompare() {
  OpDesc D = describe();
  D.Compare = nth(ModClass::Compare);
  D.Combine = nth(ModClass::Operation);
  I.Imm = arithFlags(D);
  if (PI->Op == Opcode::Selp || PI->Op == Opcode::Slct) {
    I.D = dst(Ops[0], D.Type);
    I.A = src(Ops[1], D.Type);
    I.B = src(Ops[2], D.Type);
    bool Negated = false;
    I.C = PI->Op == Opcode::Selp ? predSrc(Ops[3], Negated)
                                 : src(Ops[3], D.Type2);
    I.Flags |= Negated ? FlagNegateC : 0;
    return take(Handlers.Compare(D));
  }
  Mod From = PI->Op == Opcode::Set ? D.Type2 : D.Type;
  if (From == Mod::None)
    return take(nullptr);
  if (PI->Op == Opcode::Setp) {
    I.D = predDst(Ops[0]);
    I.D2 = pairDst(Ops[0].Pair);
  } else {
    I.D = dst(Ops[0], D.Type);
    I.Target = D.Type == Mod::F32                             ? 0x3f800000u
               : D.Type == Mod::F16 || D.Type == Mod::F16X2   ? 0x3c00u
               : D.Type == Mod::BF16 || D.Type == Mod::BF16X2 ? 0x3f80u
               : ptx::typeBits(D.Type) == 16                  ? 0xffffu
                                                              : 0xffffffffu;
  }
  I.A = src(Ops[1], From);
  I.B = src(Ops[2], From);
  bool Combines = D.Combine != Mod::None;
  if (Combines != (PI->NumOperands == 4)) {
    fail("a comparison that combines takes a predicate, and only then");
    return;
  }
  if (Combines) {
    bool Negated;
    I.C = predSrc(Ops[3], Negated);
    I.Flags |= Negated ? FlagNegateC : 0;
    I.Sub = D.Combine == Mod::And ? 1 : D.Combine == Mod::Or ? 2 : 3;
    if (D.Combine != Mod::And && D.Combine != Mod::Or && D.Combine != Mod::Xor)
      return take(nullptr);
  }
  take(Handlers.Compare(D));
}

void Decoder::decodeConvert() {
  OpDesc D = describe();
  if (has(Mod::Pack))
    D.Word = Mod::Pack;
  bool Two = PI->NumOperands > 2;
  bool Halves = D.Type == Mod::F16X2 || D.Type == Mod::BF16X2;
  bool Eight = D.Type == Mod::E4M3X2 || D.Type == Mod::E5M2X2;
  bool WantTwo = D.Word == Mod::Pack || (Halves && D.Type2 == Mod::F32) ||
                 (Eight && D.Type2 == Mod::F32);
  if (D.Type2 == Mod::None || Two != WantTwo)
    return take(nullptr);
  // Conversions of floats to integers always round to an integer.
  bool ToInt = ptx::isFloatType(D.Type2) && !ptx::isFloatType(D.Type);
  if (ToInt && !Eight)
    D.RoundToInteger = true;
  Mod To = D.Word == Mod::Pack ? Mod::B32 : D.Type;
  I.D = dst(Ops[0], To == Mod::TF32 ? Mod::B32 : To, Fit::AtLeast);
  I.A = src(Ops[1], D.Type2, Fit::AtLeast);
  if (Two)
    I.B = src(Ops[2], D.Type2, Fit::AtLeast);
  if (PI->NumOperands > 3)
    I.C = src(Ops[3], Mod::B32);
  if (Failed)
    return;
  auto RowOf = [&](const ptx::Operand &O, Mod T) {
    return O.Kind == OperandKind::Register
               ? (ptx::typeBits(F.Registers[O.Index].Type) == 64 ? 8u : 4u)
               : (ptx::typeBits(T) == 64 ? 8u : 4u);
  };
  D.DstRow = RowOf(Ops[0], D.Type);
  D.SrcRow = RowOf(Ops[1], D.Type2);
  I.Imm = int64_t(D.Type) | int64_t(D.Type2) << 8 | int64_t(D.Round) << 16 |
          int64_t(D.RoundToInteger) << 24 | int64_t(D.Ftz) << 25 |
          int64_t(D.Sat) << 26 | int64_t(D.SatFinite) << 27 |
          int64_t(D.Relu) << 28;
  take(Handlers.Convert(D));
}

void Decoder::decodeMove() {
  switch (PI->Op) {
  case Opcode::Mov:
    return decodeMov();
  case Opcode::Cvta:
    return decodeCvta();
  default:
    break;
  }
  // isspacep
  OpDesc D = describe();
  I.D = dst(Ops[0], Mod::Pred);
  I.A = src(Ops[1], Mod::U64);
  Space Where = spaceOf();
  switch (Where) {
  case Space::Shared:
    I.Imm = int64_t(SharedWindow);
    break;
  case Space::Local:
    I.Imm = int64_t(LocalWindow);
    break;
  case Space::Param:
    I.Imm = int64_t(ParamWindow);
    break;
  default:
    D.Word = Mod::Const;
    I.Sub = Where == Space::Const;
    break;
  }
  take(Handlers.Move(D));
}

void Decoder::decodeCvta() {
  OpDesc D = describe();
  Space Where = spaceOf();
  uint64_t Window = Where == Space::Shared  ? SharedWindow
                    : Where == Space::Local ? LocalWindow
                    : Where == Space::Param ? ParamWindow
                                            : 0;
  if (Where == Space::Generic)
    return take(nullptr);
  // Parameters of device functions are in local memory.
  if (Where == Space::Param && !F.IsKernel)
    Window = LocalWindow;
  I.D = dst(Ops[0], D.Type);
  uint32_t Offset;
  if (Ops[1].Kind == OperandKind::Symbol && frameOffset(Ops[1].Index, Offset)) {
    D.Op = Opcode::Mov;
    D.Word = Mod::Local;
    I.Imm = int64_t(Window + Offset + uint64_t(Ops[1].Value));
    return take(Handlers.Move(D));
  }
  I.A = src(Ops[1], D.Type);
  I.Imm = int64_t(has(Mod::To) ? 0 - Window : Window);
  take(Handlers.Move(D));
}

void Decoder::decodeMov() {
  OpDesc D = describe();
  if (D.Type == Mod::None)
    return take(nullptr);
  const ptx::Operand &To = Ops[0], &From = Ops[1];
  unsigned Bits = ptx::typeBits(D.Type);
  if (To.Kind == OperandKind::Vector || From.Kind == OperandKind::Vector) {
    bool Pack = From.Kind == OperandKind::Vector;
    const ptx::Operand &V = Pack ? From : To;
    if ((Pack && To.Kind == OperandKind::Vector) || V.Count < 2 ||
        Bits % V.Count || Bits / V.Count < 8 || Bits == 1)
      return take(nullptr);
    unsigned Part = Bits / V.Count;
    Mod Element = Part == 8    ? Mod::B8
                  : Part == 16 ? Mod::B16
                  : Part == 32 ? Mod::B32
                               : Mod::B64;
    unsigned Row = 4;
    D.Word = Pack ? Mod::Pack : Mod::Unpack;
    I.Count = V.Count;
    I.Bytes = uint8_t(Part / 8);
    uint32_t Slots = vectorSlots(V, Element, !Pack, Row);
    (Pack ? I.B : I.D) = Slots;
    if (Pack)
      I.D = dst(To, D.Type);
    else
      I.A = src(From, D.Type);
    return take(Handlers.Move(D));
  }
  if (To.Kind == OperandKind::Sink) {
    I.Kind = InstKind::Nop;
    return;
  }
  I.D = dst(To, D.Type);
  uint32_t Offset;
  if (From.Kind == OperandKind::Special &&
      From.Index >= unsigned(ptx::SpecialRegister::Clock) &&
      From.Index <= unsigned(ptx::SpecialRegister::GlobalTimerHi)) {
    D.Word = Mod::Volatile;
    I.Sub = uint8_t(From.Index);
    return take(Handlers.Move(D));
  }
  if (From.Kind == OperandKind::Symbol && frameOffset(From.Index, Offset)) {
    if (Bits != 32 && Bits != 64)
      return take(nullptr);
    D.Word = Mod::Local;
    I.Imm = int64_t(Offset + uint64_t(From.Value));
    return take(Handlers.Move(D));
  }
  if (From.Kind == OperandKind::Register)
    I.Flags |= From.Negated ? FlagNegateC : 0;
  I.A = src(From, D.Type);
  take(Handlers.Move(D));
}
