//===- Caller.cpp - Where inlined code was called -------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .loc names the line that an instruction was written on, often one of a
// header. nvcc adds the call that was inlined, clang 19 does not.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Module.h"

using namespace gevo::gpu;
using namespace gevo::gpu::ptx;

/// The call of the function that all others were inlined into.
static const SourceLoc *outermost(const Module &M, uint32_t At) {
  // The place of a call that was inlined itself has a .loc further up.
  for (uint32_t K = At; K-- > 0;) {
    const SourceLoc &L = M.Locs[K], &Call = M.Locs[At];
    if (L.InlinedAt == None || L.File != Call.File || L.Line != Call.Line ||
        L.Column != Call.Column)
      continue;
    At = L.InlinedAt;
    K = At;
  }
  return &M.Locs[At];
}

/// The place in the file of \p Own that is most likely the call's: one before
/// instruction \p Pc, but not that of a branch to it, which is a condition's.
static const SourceLoc *nearest(const Module &M, const Function &F, uint32_t Pc,
                                const SourceLoc &Own) {
  auto placeOf = [&](uint32_t K) -> const SourceLoc * {
    const SourceLoc *L =
        F.Code[K].Loc == None ? nullptr : &M.Locs[F.Code[K].Loc];
    return L && L->File == Own.File && L->Line ? L : nullptr;
  };
  auto branches = [&](uint32_t K) {
    Opcode Op = F.Code[K].Op;
    return Op == Opcode::Bra || Op == Opcode::Brx || Op == Opcode::Ret;
  };
  const SourceLoc *Before = &Own;
  for (uint32_t K = Pc; K-- > 0;)
    if (const SourceLoc *L = placeOf(K)) {
      if (!branches(K))
        return L;
      Before = L;
      break;
    }
  for (uint32_t K = Pc + 1; K < F.Code.size() && !branches(K); ++K)
    if (const SourceLoc *L = placeOf(K))
      return L;
  return Before;
}

const SourceLoc *gevo::gpu::ptx::callerOf(const Module &M, const Function &F,
                                          uint32_t Pc) {
  if (Pc >= F.Code.size() || F.Code[Pc].Loc == None || F.FirstLoc == None)
    return nullptr;
  const SourceLoc &L = M.Locs[F.Code[Pc].Loc], &Own = M.Locs[F.FirstLoc];
  if (L.InlinedAt != None)
    return outermost(M, L.InlinedAt);
  if (L.File == Own.File)
    return nullptr;
  return nearest(M, F, Pc, Own);
}
