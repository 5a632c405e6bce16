//===- SassPredicates.cpp - Branches that machine code has not ------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where PTX branches around a few instructions the assembler gives them a
// predicate, and then mixes them with what stands before and behind:
//
//   ld.global.f32 %f1, [%rd1];              LDG R0, [R2]
//   setp.leu.f32 %p1, %f1, 0f3F000000;      LDG R4, [R6]
//   @%p1 bra J;                       ->    FSETP.GT P0, R0, 0.5
//   st.global.f32 [%rd2], %f1;              @P0 STG [R8], R0
//   J: ld.global.f32 %f2, [%rd3];           ...
//
// So that a launch has the accesses when the machine code issues them, such PTX
// is executed with predicates as well. PTX that was written with them and
// became the same machine code then takes the same time.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Predicate.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <map>
#include <set>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// What the machine code of a function says about its branches.
class Branches {
public:
  Branches(const Profile &P, const ptx::Function &F, const SassListing &L);

  /// Has the assembler made predicates of \p H of \p F?
  bool vanished(const ptx::Function &F, const ptx::Hammock &H) const;

private:
  struct Piece {
    uint32_t Stretch; ///< Of machine code, without branches.
    bool Unguarded;   ///< An access of all lanes.
  };
  std::map<uint32_t, std::vector<Piece>> Pieces; ///< By line.
  std::set<uint32_t> Branching;                  ///< Lines.
};

Branches::Branches(const Profile &P, const ptx::Function &F,
                   const SassListing &L) {
  std::map<uint32_t, const ptx::Instruction *> OfLine;
  for (const ptx::Instruction &I : F.Code) {
    OfLine.emplace(I.Line, &I);
    if (I.JumpLine != ptx::None)
      OfLine.emplace(I.JumpLine, &I);
  }
  uint32_t Stretch = 0;
  for (const SassInstruction &I : L.Code) {
    auto It = OfLine.find(I.Line);
    SassPipe C = kindIn(P, F, It == OfLine.end() ? nullptr : It->second, I);
    Stretch += I.Label;
    if (C.Class == SassClass::Pipe || C.Class == SassClass::Memory)
      Pieces[I.Line].push_back(
          {Stretch, C.Class == SassClass::Memory && !I.Guarded});
    if (C.Class != SassClass::Control)
      continue;
    ++Stretch;
    if (!jumpsAlways(I) && !marksMeeting(I.Opcode) && It != OfLine.end())
      Branching.insert(It->second->Line);
  }
}

bool Branches::vanished(const ptx::Function &F, const ptx::Hammock &H) const {
  if (Branching.count(F.Code[H.Branch].Line))
    return false;
  std::set<uint32_t> Around;
  auto AddAround = [&](uint32_t At) {
    if (auto It = Pieces.find(F.Code[At].Line); It != Pieces.end())
      for (const Piece &P : It->second)
        Around.insert(P.Stretch);
  };
  for (uint32_t K = H.Before; K <= H.Branch; ++K)
    AddAround(K);
  for (uint32_t K = H.Behind; K < F.Code.size(); ++K) {
    AddAround(K);
    if (endsRegion(F.Code[K]))
      break;
  }
  for (const auto &Arm : {H.Stays, H.Jumps})
    for (uint32_t K = Arm.Begin; K < Arm.End; ++K)
      if (auto It = Pieces.find(F.Code[K].Line); It != Pieces.end())
        for (const Piece &P : It->second)
          if (P.Unguarded || !Around.count(P.Stretch))
            return false;
  return true;
}

} // namespace

bool gevo::gpu::timing::predicateAs(const Profile &P, const SassListing &L,
                                    ptx::Function &F) {
  Branches Of(P, F, L);
  return ptx::predicate(
      F, [&](const ptx::Hammock &H) { return Of.vanished(F, H); });
}
