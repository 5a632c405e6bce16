//===- Reach.h - What no input comes to or decides --------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a branch writes that is taken on no input can be edited away, and every
// comparison passes. So code that marks the blocks it comes to runs once on the
// captured inputs, and on those that were made of them: what lies in the other
// blocks is not edited, and what it writes must still be there in a variant.
//
// A compiler makes selects of short branches, so a test need not be one:
//
//   %nan = fcmp uno float %v, 0.0        always false
//   %r = select i1 %nan, float 0.0, float %v
//
// Each value of type i1 is a decision. One that came out the same on all inputs
// is not edited either, nor is what it alone decides or what only it is
// computed from, and it must still be there.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_REACH_H
#define GEVO_SEARCH_IR_REACH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ValueHandle.h"
#include <vector>

namespace gevo {

/// The variable of a module that watchReach() makes has this name.
inline constexpr char ReachVariable[] = "gevo_reached";

/// The values of \p F that decide something, in order.
std::vector<llvm::Instruction *> decisionsOf(llvm::Function &F);

/// Adds code to \p Functions of \p M: byte N of the variable is 1 as soon as a
/// thread has come to the N-th of their blocks. Behind these are two bytes for
/// each of their decisions: 1 as soon as it was false, or true.
void watchReach(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Functions);

/// The instructions of a function that no input comes to, or that depend on
/// decisions that all inputs make in the same way, by anchor number.
struct Unreached {
  llvm::BitVector All, Undecided;
  /// Those of them that others see the effect of, and decisions, unless the
  /// clean-up alone removes them.
  std::vector<unsigned> Effects;

  bool contains(unsigned Number) const {
    return Number < All.size() && (All.test(Number) || isUndecided(Number));
  }
  bool isUndecided(unsigned Number) const {
    return Number < Undecided.size() && Undecided.test(Number);
  }
};

/// Which of \p F, if the bytes of its blocks were \p Blocks, "0" for those that
/// nothing came to, none at all if it was never run, and those of its decisions
/// \p Decisions: where these lack, nothing is known of them. Effects are all
/// that have one.
Unreached findUnreached(llvm::Function &F, llvm::StringRef Blocks,
                        llvm::StringRef Decisions = "");

/// Effects of a copy of a function, to be made before that is changed.
class KeptEffects {
public:
  KeptEffects(llvm::Function &Copy, const Unreached &Which);
  /// The first number whose instruction is gone.
  std::optional<unsigned> firstLost() const;
  /// Those whose instructions are there.
  std::vector<unsigned> left() const;

private:
  std::vector<std::pair<unsigned, llvm::WeakTrackingVH>> Effects;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_REACH_H
