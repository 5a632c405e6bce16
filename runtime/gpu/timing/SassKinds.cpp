//===- SassKinds.cpp - What machine instructions are ----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/timing/SassKinds.h"
#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Rules.h"

#include <algorithm>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

struct SassRow {
  std::string_view Name;
  SassPipe Pipe;
};

const SassRow Rows[] = {
#define SASS(Name, Class, UnitName) {Name, {SassClass::Class, Unit::UnitName}},
#include "runtime/gpu/timing/SassOpcodes.def"
};

bool startsWithOne(std::string_view Opcode,
                   std::initializer_list<std::string_view> Prefixes) {
  return std::any_of(Prefixes.begin(), Prefixes.end(),
                     [&](auto P) { return Opcode.substr(0, P.size()) == P; });
}

/// Is \p Opcode \p Name, with or without modifiers?
bool isOrModifies(std::string_view Opcode, std::string_view Name) {
  return Opcode.substr(0, Name.size()) == Name &&
         (Opcode.size() == Name.size() || Opcode[Name.size()] == '.');
}

/// The instruction that \p Register of \p Index comes from, as far as the order
/// of the listing tells, or NoIndex.
uint32_t originOf(const SassListing &L, uint32_t Index, uint16_t Register) {
  while (Index--) {
    const std::vector<uint16_t> &Results = L.Code[Index].Results;
    if (std::find(Results.begin(), Results.end(), Register) != Results.end())
      return Index;
  }
  return NoIndex;
}

/// Does the guard of \p Index compare with the number of the lane?
bool choosesLane(const SassListing &L, uint32_t Index) {
  const SassInstruction &I = L.Code[Index];
  if (!I.Guarded || I.Sources.empty())
    return false;
  uint32_t Guard = originOf(L, Index, I.Sources.back());
  if (Guard == NoIndex)
    return false;
  for (uint16_t R : L.Code[Guard].Sources) {
    uint32_t From = originOf(L, Guard, R);
    if (From != NoIndex && L.Code[From].ReadsLane)
      return true;
  }
  return false;
}

} // namespace

SassPipe gevo::gpu::timing::classify(std::string_view Opcode) {
  for (const SassRow &R : Rows)
    if (isOrModifies(Opcode, R.Name))
      return R.Pipe;
  return {SassClass::Pipe, Unit::Special, false};
}

std::set<std::string> gevo::gpu::timing::unknownOpcodes(const SassListing &L) {
  std::set<std::string> Unknown;
  for (const SassInstruction &I : L.Code)
    if (!classify(I.Opcode).Known)
      Unknown.insert(I.Opcode);
  return Unknown;
}

bool gevo::gpu::timing::convertsWide(std::string_view Opcode) {
  for (const char *Type : {".F64", ".S64", ".U64"})
    if (Opcode.find(Type) != std::string_view::npos)
      return true;
  return false;
}

bool gevo::gpu::timing::onlyMoves(const SassInstruction &I) {
  // From sm_80 on, constants are made by HFMA2 -RZ, RZ, ..., too.
  bool MakesConstant = I.Sources.empty() && !I.Results.empty();
  return isOrModifies(I.Opcode, "MOV") || isOrModifies(I.Opcode, "UMOV") ||
         isOrModifies(I.Opcode, "MOV32I") ||
         isOrModifies(I.Opcode, "IMAD.MOV") ||
         (MakesConstant && classify(I.Opcode).Pipe == Unit::Half);
}

bool gevo::gpu::timing::readsTable(const SassInstruction &I) {
  return isOrModifies(I.Opcode, "LDC") && I.Sources.size() > I.Guarded;
}

bool gevo::gpu::timing::accessesLocal(std::string_view Opcode) {
  return isOrModifies(Opcode, "LDL") || isOrModifies(Opcode, "STL");
}

unsigned gevo::gpu::timing::accessBytes(std::string_view Opcode) {
  return Opcode.find(".128") != std::string_view::npos  ? 16
         : Opcode.find(".64") != std::string_view::npos ? 8
                                                        : 4;
}

bool gevo::gpu::timing::marksMeeting(std::string_view Opcode) {
  return startsWithOne(Opcode, {"BSSY", "BSYNC", "BMOV", "BREAK"});
}

bool gevo::gpu::timing::preparesDivergence(std::string_view Opcode) {
  return marksMeeting(Opcode) || startsWithOne(Opcode, {"WARPSYNC", "CALL"});
}

bool gevo::gpu::timing::jumpsAlways(const SassInstruction &I) {
  return !I.Guarded && I.Opcode.compare(0, 3, "BRA") == 0;
}

void gevo::gpu::timing::findSpills(const ptx::Function &F, SassListing &L) {
  std::set<uint32_t> OfPtx; // Lines.
  for (const ptx::Instruction &I : F.Code) {
    ptx::Mod Space = F.nth(I, ptx::ModClass::Space);
    if (tracesAccess(I) &&
        (Space == ptx::Mod::None || Space == ptx::Mod::Local))
      OfPtx.insert(I.Line);
  }
  for (SassInstruction &I : L.Code)
    I.Spill = accessesLocal(I.Opcode) && !OfPtx.count(I.Line);
}

uint32_t gevo::gpu::timing::lineKey(const SassInstruction &I) {
  if (onlyMoves(I))
    return NoIndex - 2;
  return !I.Spill ? I.Line : I.Results.empty() ? NoIndex : NoIndex - 1;
}

bool gevo::gpu::timing::combinesLanes(const SassListing &L, uint32_t Index) {
  // For a warp that is not full there may be another way on the same line.
  for (uint32_t K = Index; K < L.Code.size(); ++K) {
    const SassInstruction &I = L.Code[K];
    if (I.Line != L.Code[Index].Line ||
        classify(I.Opcode).Class != SassClass::Memory)
      continue;
    if (I.Opcode.find(".POPC") != std::string::npos || choosesLane(L, K))
      return true;
  }
  return false;
}

SassPipe gevo::gpu::timing::kindIn(const Profile &P, const ptx::Function &F,
                                   const ptx::Instruction *Own,
                                   const SassInstruction &I) {
  if (I.Slow)
    return {SassClass::Nothing, Unit::None};
  if (I.Spill)
    return {SassClass::Pipe, Unit::Memory};
  SassPipe C = classify(I.Opcode);
  // Parameters and constants at known places are operands, or as good as.
  if (I.Opcode.compare(0, 3, "LDC") == 0 &&
      (!Own || !tracesAccess(*Own) || isConstantOperand(F, *Own)))
    return readsTable(I) ? SassPipe{SassClass::Pipe, Unit::Memory}
                         : SassPipe{SassClass::Nothing, Unit::None};
  if (C.Class == SassClass::Control && preparesDivergence(I.Opcode))
    return {SassClass::Pipe, Unit::Branch};
  if (C.Pipe == Unit::Convert && convertsWide(I.Opcode))
    C.Pipe = wideConversion(P);
  return C;
}
