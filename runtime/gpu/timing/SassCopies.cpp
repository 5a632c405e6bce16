//===- SassCopies.cpp - One copy of what the assembler unrolled -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trace has each iteration of a loop, and the machine code of an unrolled
// one has several copies of its body. Where branches divide them, as in a loop
// that is left in the middle or one with a remainder behind it, one whole copy
// stands for all:
//
//   L: fma.rn.f32 %f1, %f2, %f2, %f3;      FFMA R1, R2, R2, R3;  @P0 BRA Out
//      @%p1 bra Out;                 ->    FFMA R2, R1, R1, R3;  @P0 BRA Out
//      @%p2 bra L;                         FFMA R1, R2, R2, R3;  @P0 BRA Out
//                                          ...
//
// Which one that is depends on the machine code alone: to choose by lines, some
// from one copy and some from another, would let the way in which PTX is
// written decide how much is issued. For the same reason copies of registers in
// PTX count as what they are copies of: the assembler gives an instruction the
// line of either.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

using Indices = std::vector<uint32_t>; ///< Of machine instructions.

/// Is it something that a copy has once, because PTX has it once? Of an atomic
/// operation there are two ways, for warps with and without all of their lanes.
bool isOwn(const SassInstruction &I) {
  SassPipe C = classify(I.Opcode);
  if (I.Spill)
    return false;
  if (C.Class == SassClass::Memory)
    return I.Opcode.compare(0, 4, "ATOM") != 0 &&
           I.Opcode.compare(0, 3, "RED") != 0;
  return C.Class == SassClass::Control && !preparesDivergence(I.Opcode);
}

/// What is the same in all copies of an instruction.
std::pair<uint32_t, std::string_view> keyOf(const SassInstruction &I) {
  std::string_view Opcode = I.Opcode;
  return {lineKey(I), Opcode.substr(0, Opcode.find('.'))};
}

/// The copies of a stretch of PTX whose stretches of machine code are \p Parts.
/// A copy ends where an access or a branch comes again; if there is none, where
/// most of what comes next is in it already.
std::vector<Indices> divide(const SassListing &L,
                            const std::vector<Indices> &Parts) {
  bool AnyOwn = false;
  for (const Indices &Part : Parts)
    for (uint32_t K : Part)
      AnyOwn |= isOwn(L.Code[K]);
  std::vector<Indices> Copies;
  std::set<std::pair<uint32_t, std::string_view>> Seen;
  for (const Indices &Part : Parts) {
    size_t Again = 0;
    for (uint32_t K : Part)
      Again += (!AnyOwn || isOwn(L.Code[K])) && Seen.count(keyOf(L.Code[K]));
    if (Copies.empty() || (AnyOwn ? Again != 0 : 2 * Again > Part.size())) {
      Copies.emplace_back();
      Seen.clear();
    }
    for (uint32_t K : Part) {
      Seen.insert(keyOf(L.Code[K]));
      Copies.back().push_back(K);
    }
  }
  return Copies;
}

/// The one of \p Copies that is issued for all. They differ: the first may have
/// lost what was known before the loop, another has what was moved in from
/// elsewhere, and a remainder has one iteration where the loop has four. It is
/// the one that the middle instruction is in if they stand in order of length.
const Indices &typical(const std::vector<Indices> &Copies) {
  std::vector<std::pair<size_t, size_t>> Lengths; // And which it is of.
  size_t All = 0, Before = 0, Which = 0;
  for (const Indices &C : Copies) {
    All += C.size();
    Lengths.push_back({C.size(), Lengths.size()});
  }
  std::sort(Lengths.begin(), Lengths.end());
  for (; 2 * (Before + Lengths[Which].first) < All; ++Which)
    Before += Lengths[Which].first;
  return Copies[Lengths[Which].second];
}

} // namespace

std::vector<bool>
gevo::gpu::timing::chooseCopies(const SassListing &L,
                                const std::vector<uint32_t> &SassStretch,
                                const std::vector<uint32_t> &Target) {
  std::vector<bool> Chosen(L.Code.size(), true);
  // By stretch of PTX, in the order of the machine code.
  std::map<uint32_t, std::vector<Indices>> Parts;
  for (uint32_t K = 0; K < L.Code.size(); ++K) {
    if (Target[K] == NoIndex)
      continue;
    std::vector<Indices> &Of = Parts[Target[K]];
    if (Of.empty() || SassStretch[Of.back().back()] != SassStretch[K])
      Of.emplace_back();
    Of.back().push_back(K);
  }
  for (const auto &[Stretch, Of] : Parts) {
    for (const Indices &Part : Of)
      for (uint32_t K : Part)
        Chosen[K] = false;
    std::vector<Indices> Copies = divide(L, Of);
    for (uint32_t K : typical(Copies))
      Chosen[K] = true;
  }
  return Chosen;
}

void gevo::gpu::timing::followCopies(const ptx::Function &F, SassListing &L) {
  ptx::Cfg Graph = ptx::Cfg::build(F);
  std::map<uint32_t, uint32_t> OriginOf;     // Of a line: another one.
  std::map<uint16_t, uint32_t> DefinedAt;    // By register, in this block.
  std::map<uint32_t, unsigned> Instructions; // By line.
  for (const ptx::Instruction &I : F.Code)
    ++Instructions[I.Line];
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    const ptx::Instruction &I = F.Code[K];
    if (K && Graph.BlockOf[K] != Graph.BlockOf[K - 1])
      DefinedAt.clear();
    Operands O = operandsOf(F, I);
    uint32_t Line = I.Line;
    bool Copies = I.Op == ptx::Opcode::Mov && I.Guard == ptx::None &&
                  O.Sources.size() == 1 && O.Results.size() == 1;
    if (Copies && Instructions[Line] == 1)
      if (auto It = DefinedAt.find(O.Sources[0]); It != DefinedAt.end())
        Line = OriginOf[I.Line] = It->second;
    for (uint16_t R : O.Results)
      DefinedAt[R] = Line;
  }
  for (SassInstruction &I : L.Code)
    if (auto It = OriginOf.find(I.Line); It != OriginOf.end())
      I.Line = It->second;
}
