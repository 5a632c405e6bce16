//===- Rules.cpp - The cost of one PTX instruction ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/exec/Trace.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;
using ptx::Instruction;
using ptx::Mod;
using ptx::ModClass;
using ptx::Opcode;
using ptx::OperandKind;

namespace {

#define STEP(UnitName, Count) Step{Unit::UnitName, Count},
#define EXPANSION(Name, Steps) const std::vector<Step> Name = {Steps};
#include "runtime/gpu/timing/Expansions.def"

std::vector<Step> one(Unit U) { return {Step{U, 1}}; }

bool isHalf(Mod T) {
  return T == Mod::F16 || T == Mod::F16X2 || T == Mod::BF16 || T == Mod::BF16X2;
}

/// The pipe of an addition-like instruction of type \p T, if it is one step.
std::vector<Step> simple(Mod T) {
  if (T == Mod::F64)
    return one(Unit::Fp64);
  if (T == Mod::F32)
    return one(Unit::Fp32);
  if (isHalf(T))
    return one(Unit::Half);
  return ptx::typeBits(T) == 64 ? Add64 : one(Unit::Int);
}

/// Shifts, comparisons and bit fields have units of their own on Pascal, half
/// as many as additions.
Unit shiftUnit(const Profile &P) {
  return P.pipe(Unit::Shift).Interval > P.pipe(Unit::Int).Interval ? Unit::Shift
                                                                   : Unit::Int;
}

bool hasImmediate(const ptx::Function &F, const Instruction &I) {
  for (unsigned K = 0; K < I.NumOperands; ++K)
    if (F.operands(I)[K].Kind == OperandKind::Integer)
      return true;
  return false;
}

std::vector<Step> multiply(const Profile &P, const ptx::Function &F,
                           const Instruction &I, Mod T) {
  if (ptx::isFloatType(T))
    return simple(T);
  unsigned N = unsigned(P.MulInstructions);
  if (I.Op == Opcode::Dp4a || I.Op == Opcode::Dp2a)
    return one(Unit::Mul);
  // Of products of 16 bits, as ptxas 12.5 makes them for sm_60.
  if (N > 1 && ptx::typeBits(T) == 32 && F.has(I, Mod::Hi))
    return MulHiOf16;
  if (N > 1 && ptx::typeBits(T) == 32 && F.has(I, Mod::Wide))
    return hasImmediate(F, I) ? std::vector<Step>{Step{shiftUnit(P), 2}}
                              : MulWideOf16;
  if (ptx::typeBits(T) == 64)
    return {Step{Unit::Mul, (F.has(I, Mod::Hi) ? 8 : 4) * N}};
  if (ptx::typeBits(T) == 16)
    return one(Unit::Mul);
  if (F.has(I, Mod::Hi))
    return {Step{Unit::Mul, 2 * N}};
  return {Step{Unit::Mul, N}};
}

std::vector<Step> divide(const ptx::Function &F, const Instruction &I, Mod T) {
  if (T == Mod::F64)
    return DivF64;
  if (T == Mod::F32)
    return F.has(I, Mod::Approx) || F.has(I, Mod::Full) ? DivApproxF32 : DivF32;
  if (ptx::typeBits(T) == 64)
    return hasImmediate(F, I) ? DivConstant64 : Div64;
  return hasImmediate(F, I) ? DivConstant32 : Div32;
}

std::vector<Step> special(const ptx::Function &F, const Instruction &I, Mod T) {
  bool Approx = F.has(I, Mod::Approx), Ftz = F.has(I, Mod::Ftz);
  switch (I.Op) {
  case Opcode::Rcp:
    if (T == Mod::F64)
      return RcpF64;
    if (!Approx)
      return RcpF32;
    return one(Unit::Special);
  case Opcode::Sqrt:
    if (T == Mod::F64)
      return SqrtF64;
    return Approx ? Ftz ? one(Unit::Special) : ScaledSpecial : SqrtF32;
  case Opcode::Rsqrt:
    if (T == Mod::F64)
      return SqrtF64;
    return Ftz ? one(Unit::Special) : ScaledSpecial;
  case Opcode::Sin:
  case Opcode::Cos:
    return Trigonometric;
  case Opcode::Lg2:
  case Opcode::Ex2:
    return Ftz || isHalf(T) ? one(Unit::Special) : ScaledSpecial;
  default:
    return one(Unit::Special);
  }
}

/// F2FP, of floats to halves, and I2FP, of integers to floats, have the fixed
/// latency of an addition where they are there.
bool convertsFast(const Profile &P, const ptx::Function &F,
                  const Instruction &I, Mod To, Mod From) {
  if (isHalf(To) && From == Mod::F32)
    return P.Arch >= 80;
  return P.Arch >= 86 && To == Mod::F32 && !ptx::isFloatType(From) &&
         ptx::typeBits(From) == 32 && F.has(I, Mod::Rn);
}

std::vector<Step> convert(const Profile &P, const ptx::Function &F,
                          const Instruction &I) {
  Mod To = F.nth(I, ModClass::Type, 0), From = F.nth(I, ModClass::Type, 1);
  if (From == Mod::None)
    return {};
  if (!ptx::isFloatType(To) && !ptx::isFloatType(From)) {
    unsigned A = ptx::typeBits(To), B = ptx::typeBits(From);
    if (F.has(I, Mod::Sat))
      return one(Unit::Int);
    // Truncation and zero extension to 64 bits rename registers; the others
    // are a mask or a shift.
    if (A <= B && B >= 32 && A >= 32)
      return {};
    if (A == B || (A == 64 && B == 32 && !ptx::isSignedType(From)))
      return {};
    // Signs are extended by shifts and bit fields, zeros by masks.
    return one(ptx::isSignedType(From) ? shiftUnit(P) : Unit::Int);
  }
  if (ptx::typeBits(To) == 64 || ptx::typeBits(From) == 64)
    return one(wideConversion(P));
  // HADD2.F32, but F2F where halves are for compatibility only (sm_61).
  if (To == Mod::F32 && isHalf(From))
    return one(P.pipe(Unit::Half).Interval > P.pipe(Unit::Convert).Interval
                   ? Unit::Convert
                   : Unit::Half);
  if (convertsFast(P, F, I, To, From))
    return one(Unit::Int);
  if (To == From && F.nth(I, ModClass::Round) == Mod::None)
    return one(Unit::Fp32);
  return one(Unit::Convert);
}

std::vector<Step> logic(const Profile &P, const ptx::Function &F,
                        const Instruction &I, Mod T) {
  bool Wide = ptx::typeBits(T) == 64;
  switch (I.Op) {
  case Opcode::Shl:
  case Opcode::Shr:
    return {Step{shiftUnit(P), !Wide ? 1u : hasImmediate(F, I) ? 2u : 3u}};
  default:
    return Wide ? Logic64 : one(Unit::Int);
  }
}

} // namespace

Operands gevo::gpu::timing::operandsOf(const ptx::Function &F,
                                       const Instruction &I) {
  Operands O;
  auto Register = [](uint32_t R) { return uint16_t(R % 65000); };
  auto Add = [&](const ptx::Operand &X, bool Result) {
    auto &List = Result ? O.Results : O.Sources;
    if (X.Kind == OperandKind::Register)
      List.push_back(Register(X.Index));
    if (X.Kind == OperandKind::Address && X.Base == ptx::AddressBase::Register)
      O.Sources.push_back(Register(X.Index));
    if (X.Pair != ptx::None)
      List.push_back(Register(X.Pair));
    if (X.Kind == OperandKind::Vector)
      for (unsigned K = 0; K < X.Count; ++K)
        if (F.Operands[X.Index + K].Kind == OperandKind::Register)
          List.push_back(Register(F.Operands[X.Index + K].Index));
  };
  std::string_view Shape = ptx::opcodeInfo(I.Op).Operands;
  unsigned K = 0;
  for (char C : Shape) {
    if (C == '?')
      continue;
    if (K >= I.NumOperands)
      break;
    Add(F.operands(I)[K++], C == 'd' || C == 'D' || C == 'w');
  }
  if (I.Call != ptx::None) {
    const ptx::CallSite &Call = F.Calls[I.Call];
    for (const ptx::Operand &A : Call.Args)
      Add(A, false);
    for (const ptx::Operand &R : Call.Returns)
      Add(R, true);
  }
  if (I.Guard != ptx::None) {
    O.Sources.push_back(Register(I.Guard));
    O.Sources.insert(O.Sources.end(), O.Results.begin(), O.Results.end());
  }
  return O;
}

bool gevo::gpu::timing::onlyResults(const ptx::Function &F,
                                    const Instruction &I) {
  switch (ptx::opcodeInfo(I.Op).Fam) {
  case ptx::Family::Arith:
  case ptx::Family::Integer:
  case ptx::Family::Video:
  case ptx::Family::Logic:
  case ptx::Family::Float:
  case ptx::Family::Compare:
  case ptx::Family::Move:
  case ptx::Family::Convert:
    return true;
  case ptx::Family::Memory:
    return I.Op == Opcode::Ld && !F.has(I, Mod::Volatile) &&
           F.nth(I, ModClass::Order) == Mod::None;
  default:
    return false;
  }
}

Unit gevo::gpu::timing::wideConversion(const Profile &P) {
  return P.pipe(Unit::Fp64).Interval > P.pipe(Unit::Convert).Interval
             ? Unit::Fp64
             : Unit::Convert;
}

bool gevo::gpu::timing::isConstantOperand(const ptx::Function &F,
                                          const Instruction &I) {
  if (I.Op == Opcode::St)
    return F.nth(I, ModClass::Space) == Mod::Param ||
           F.nth(I, ModClass::Space) == Mod::ParamFunc;
  if (I.Op != Opcode::Ld)
    return false;
  Mod Space = F.nth(I, ModClass::Space);
  const ptx::Operand &A = F.operands(I)[1];
  bool Fixed =
      A.Kind != OperandKind::Address || A.Base != ptx::AddressBase::Register;
  bool Param = Space == Mod::Param || Space == Mod::ParamEntry ||
               Space == Mod::ParamFunc;
  return Fixed && (Param || Space == Mod::Const);
}

bool gevo::gpu::timing::skipsL1(const ptx::Function &F, const Instruction &I) {
  Mod Order = F.nth(I, ModClass::Order);
  bool Ordered = Order != Mod::None && Order != Mod::Weak &&
                 F.nth(I, ModClass::Scope) != Mod::ScopeCta;
  return Ordered || F.has(I, Mod::Cg) || F.has(I, Mod::Cv) ||
         F.has(I, Mod::L1NoAllocate);
}

namespace {
bool ordersOtherBlocks(const ptx::Function &F, const Instruction &I) {
  Mod Space = F.nth(I, ModClass::Space);
  return F.nth(I, ModClass::Scope) != Mod::ScopeCta &&
         (Space == Mod::None || Space == Mod::Global) && tracesAccess(I);
}
} // namespace

bool gevo::gpu::timing::releases(const ptx::Function &F, const Instruction &I) {
  return (F.has(I, Mod::Release) || F.has(I, Mod::AcqRel)) &&
         ordersOtherBlocks(F, I);
}

bool gevo::gpu::timing::acquires(const ptx::Function &F, const Instruction &I) {
  return (F.has(I, Mod::Acquire) || F.has(I, Mod::AcqRel)) &&
         ordersOtherBlocks(F, I);
}

uint16_t gevo::gpu::timing::emptiesL1(const Profile &P) {
  constexpr uint64_t Volta = 70;
  return P.Arch >= Volta ? FlagEmptiesL1 : 0;
}

Uop gevo::gpu::timing::fenceUop(const Profile &P, bool OfBlock) {
  Uop U;
  U.Pipe = Unit::Branch;
  U.Kind = UopKind::Fence;
  U.Latency = uint16_t(OfBlock ? P.pipe(Unit::Barrier).Latency : P.L2Latency);
  U.Flags = OfBlock ? 0 : emptiesL1(P);
  return U;
}

uint8_t gevo::gpu::timing::memoryClassOf(const ptx::Function &F,
                                         const Instruction &I) {
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

bool gevo::gpu::timing::endsRegion(const Instruction &I) {
  ptx::Family Fam = ptx::opcodeInfo(I.Op).Fam;
  return Fam == ptx::Family::Control || Fam == ptx::Family::Sync ||
         ptx::opcodeInfo(I.Op).Unit == ptx::Pipe::Fence;
}

std::vector<Step> gevo::gpu::timing::arithmeticSteps(const Profile &P,
                                                     const ptx::Function &F,
                                                     const Instruction &I) {
  Mod T = F.nth(I, ModClass::Type);
  bool Wide = T != Mod::None && ptx::typeBits(T) == 64;
  switch (I.Op) {
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::Neg:
  case Opcode::Abs:
  case Opcode::Addc:
  case Opcode::Subc:
    // Negation and absolute value of floats are modifiers of operands.
    if ((I.Op == Opcode::Neg || I.Op == Opcode::Abs) && ptx::isFloatType(T))
      return {};
    return simple(T);
  case Opcode::Min:
  case Opcode::Max:
    return T == Mod::F64 ? MinMaxF64
           : isHalf(T)   ? one(Unit::Half)
           : Wide        ? MinMax64
                         : one(shiftUnit(P));
  case Opcode::Mul:
  case Opcode::Mad:
  case Opcode::Fma:
  case Opcode::Madc:
  case Opcode::Mul24:
  case Opcode::Mad24:
  case Opcode::Dp4a:
  case Opcode::Dp2a:
    return multiply(P, F, I, T);
  case Opcode::Div:
  case Opcode::Rem:
    return divide(F, I, T);
  case Opcode::Popc:
  case Opcode::Clz:
  case Opcode::Bfind:
  case Opcode::Brev:
  case Opcode::Fns:
    // Before Volta a bit field may be read in reverse.
    if (I.Op == Opcode::Brev && shiftUnit(P) == Unit::Shift)
      return {Step{Unit::Shift, Wide ? 2u : 1u}};
    return Wide ? Bits64 : one(Unit::Bits);
  case Opcode::Bfe:
  case Opcode::Bfi:
    if (shiftUnit(P) == Unit::Shift)
      return {Step{Unit::Shift, Wide ? 4u : 1u}};
    return BitField;
  case Opcode::Isspacep:
  case Opcode::Testp:
    return BitField;
  case Opcode::Mov:
  case Opcode::Cvta:
    return {};
  case Opcode::Cvt:
    return convert(P, F, I);
  case Opcode::Set:
  case Opcode::Setp:
    return T == Mod::F64 ? one(Unit::Fp64)
           : isHalf(T)   ? one(Unit::Half)
           : Wide        ? std::vector<Step>{Step{shiftUnit(P), 2}}
                         : one(shiftUnit(P));
  case Opcode::Sad:
    return {Step{shiftUnit(P), Wide ? 4u : 1u}};
  case Opcode::Selp:
  case Opcode::Slct:
    return Wide ? Logic64 : one(Unit::Int);
  case Opcode::Shfl:
    return one(Unit::Shuffle);
  case Opcode::Match:
    return Match;
  case Opcode::Redux:
    return one(Unit::Special);
  case Opcode::Brx:
    return Indexed;
  default:
    break;
  }
  switch (ptx::opcodeInfo(I.Op).Fam) {
  case ptx::Family::Float:
    return ptx::opcodeInfo(I.Op).Unit == ptx::Pipe::Special ? special(F, I, T)
                                                            : one(Unit::Int);
  case ptx::Family::Logic:
    return logic(P, F, I, T);
  case ptx::Family::Control:
    return one(Unit::Branch);
  default:
    return one(Unit::Int);
  }
}

Unit gevo::gpu::timing::simplePipe(const Profile &P, const ptx::Function &F,
                                   const Instruction &I) {
  std::vector<Step> Rule = arithmeticSteps(P, F, I);
  return Rule.size() == 1 && Rule[0].Count == 1 ? Rule[0].Pipe : Unit::None;
}
