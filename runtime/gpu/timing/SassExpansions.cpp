//===- SassExpansions.cpp - Divisions and roots in machine code -----------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a division or a root the assembler makes a few instructions that give the
// result for most operands, a test, and a call of a function of its own for the
// others (denormals, infinities):
//
//   div.rn.f32 %f1, %f2, %f3;  ->    MUFU.RCP R4, R9
//                                    FCHK P0, R7, R9
//                                    FFMA R5, R4, -R9, 1
//                                    ...
//                                    @!P0 BRA Fast
//                                    MOV R10, 0x180
//                                    CALL slowpath
//                                    MOV R5, R4
//                              Fast:
//
// What the call stands in seldom runs and is not issued; the rest is, as it
// stands. It would not do to keep the copies around the call: the quotient
// would be there as soon as the call is. Other instructions, as 64-bit
// divisions of integers, are a call and nothing else: that takes as long as the
// rules have for them, from the registers that the function reads to those
// that it writes.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/timing/Rules.h"
#include "runtime/gpu/timing/SassKinds.h"

#include <map>

using namespace gevo::gpu;
using namespace gevo::gpu::timing;

namespace {

/// What a line has outside of the stretches in which it calls.
struct Outside {
  std::set<uint32_t> Calling; ///< Stretches.
  bool Computes = false;
  bool Chooses = false; ///< By a branch.
};

/// By line, those that call.
std::map<uint32_t, Outside>
linesThatCall(const SassListing &L, const std::vector<uint32_t> &SassStretch) {
  std::map<uint32_t, Outside> Lines;
  for (uint32_t K = 0; K < L.Code.size(); ++K)
    if (L.Code[K].Helper && L.Code[K].Line)
      Lines[L.Code[K].Line].Calling.insert(SassStretch[K]);
  for (uint32_t K = 0; K < L.Code.size(); ++K) {
    const SassInstruction &I = L.Code[K];
    auto It = Lines.find(I.Line);
    if (It == Lines.end() || It->second.Calling.count(SassStretch[K]))
      continue;
    SassClass C = classify(I.Opcode).Class;
    It->second.Computes |= C == SassClass::Pipe;
    It->second.Chooses |= C == SassClass::Control && I.Guarded;
  }
  return Lines;
}

} // namespace

void gevo::gpu::timing::findSlowPaths(
    SassListing &L, const std::vector<uint32_t> &SassStretch) {
  std::set<uint32_t> Slow; // Stretches.
  std::set<uint32_t> Lines;
  for (const auto &[Line, O] : linesThatCall(L, SassStretch))
    if (O.Computes && O.Chooses) {
      Lines.insert(Line);
      Slow.insert(O.Calling.begin(), O.Calling.end());
    }
  for (uint32_t K = 0; K < L.Code.size(); ++K) {
    SassInstruction &I = L.Code[K];
    SassClass C = classify(I.Opcode).Class;
    bool Branches = C == SassClass::Control && !jumpsAlways(I) &&
                    !preparesDivergence(I.Opcode);
    I.Chooses = Branches && Lines.count(I.Line);
    // What PTX has, an access or a branch, is issued in any case.
    if (!Slow.count(SassStretch[K]) || C == SassClass::Memory || Branches)
      continue;
    I.Slow = true;
    I.Helper = false;
    I.Sources.clear();
    I.Results.clear();
  }
}

std::vector<SassOp> gevo::gpu::timing::chainByRules(const Profile &P,
                                                    const ptx::Function &F,
                                                    const SassOp &Call) {
  const ptx::Instruction &I = F.Code[Call.Instruction];
  std::vector<SassOp> Chain;
  if (endsRegion(I) || tracesAccess(I))
    return Chain;
  constexpr uint16_t Temporary = NumSassRegisters - 1;
  SassOp Op = Call;
  Op.Stall = 0;
  Op.Results = {Temporary};
  for (const Step &S : arithmeticSteps(P, F, I))
    for (unsigned K = 0; K < S.Count; ++K) {
      Op.Pipe = S.Pipe;
      Op.Latency = uint16_t(P.pipe(S.Pipe).Latency);
      Chain.push_back(Op);
      Op.Sources = {Temporary};
    }
  if (!Chain.empty())
    Chain.back().Results = Call.Results;
  return Chain;
}
