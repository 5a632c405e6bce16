//===- Predicate.h - Predicates instead of short branches -------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler does not branch around a few instructions: it gives them a
// predicate and lets every lane go through. Whoever wants to see what the
// machine code does executes the PTX in that form, too:
//
//   @%p1 bra J;                             mov.pred %p9, %p1;
//   st.global.f32 [%rd1], %f1;   becomes    @!%p9 st.global.f32 [%rd1], %f1;
//   J: ld.global.f32 %f2, [%rd2];           ld.global.f32 %f2, [%rd2];
//
// Results are the same. How many instructions are executed is not: lanes that
// branched around them now go through with a predicate that is false.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_PREDICATE_H
#define GEVO_RUNTIME_GPU_PTX_PREDICATE_H

#include "runtime/gpu/ptx/Module.h"

#include <functional>

namespace gevo::gpu::ptx {

/// A branch that predicates can take the place of. Places are those of the code
/// as it is when the question is asked.
struct Hammock {
  uint32_t Branch = None; ///< The last instruction of what comes before.
  uint32_t Before = None; ///< The first one of that block,
  uint32_t Behind = None; ///< and where both ways meet.
  /// What one way has and the other has not, [Begin, End) without jumps: that
  /// of lanes that do not branch, and that of lanes that do.
  struct {
    uint32_t Begin = 0, End = 0;
    bool empty() const { return Begin == End; }
  } Stays, Jumps;
};

/// Makes predicates of the branches of \p F that \p Wanted is true for, inner
/// ones first, and lays the code out anew (see Straighten.h). Branches around
/// other branches that stay, barriers, calls and what depends on which lanes
/// are active are left. Returns whether anything changed; then
/// Instruction::Number says which one each was.
bool predicate(Function &F, const std::function<bool(const Hammock &)> &Wanted);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_PREDICATE_H
