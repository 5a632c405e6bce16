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
// A decision (Decisions.h) that came out the same on all inputs is not edited
// either, nor is what it alone decides or what only it is computed from, and it
// must still be there: so are a remainder that never did anything, and what
// keeps threads in order (Synchronisation.h).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_REACH_H
#define GEVO_SEARCH_IR_REACH_H

#include "search/ir/Decisions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ValueHandle.h"
#include <set>
#include <vector>

namespace gevo {

/// The variable of a module that watchReach() makes has this name.
inline constexpr char ReachVariable[] = "gevo_reached";

/// Adds code to \p Functions of \p M: byte N of the variable is 1 as soon as a
/// thread has come to the N-th of their blocks. Behind these are two bytes for
/// each of their decisions: 1 as soon as it did not come out so, or did.
void watchReach(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Functions);

/// The instructions of a function that no input comes to, or that depend on
/// decisions that all inputs make in the same way, or that keep threads in
/// order, by anchor number.
struct Unreached {
  llvm::BitVector All, Undecided, Synchronising;
  /// Those of them that others see the effect of, and decisions, unless the
  /// clean-up alone removes them.
  std::vector<unsigned> Effects;
  /// Where decisions that are made in the same way are used: an instruction and
  /// its operand.
  std::set<std::pair<unsigned, unsigned>> Uses;

  bool contains(unsigned Number) const {
    return has(All, Number) || has(Undecided, Number) ||
           has(Synchronising, Number);
  }
  bool isUndecided(unsigned Number) const { return has(Undecided, Number); }

private:
  static bool has(const llvm::BitVector &In, unsigned Number) {
    return Number < In.size() && In.test(Number);
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
  struct Effect {
    unsigned Number;
    llvm::WeakTrackingVH Now;
    /// Another decision may have taken its place, a constant may not.
    bool Decides;

    bool isThere() const;
  };
  std::vector<Effect> Effects;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_REACH_H
