//===- Reach.h - Code that no input comes to --------------------*- C++ -*-===//
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
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_REACH_H
#define GEVO_SEARCH_IR_REACH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/ValueHandle.h"
#include <vector>

namespace gevo {

/// The variable of a module that watchBlocks() makes has this name.
inline constexpr char ReachVariable[] = "gevo_reached";

/// Adds code to \p Functions of \p M: byte N of the variable is 1 as soon as a
/// thread has come to the N-th of their blocks.
void watchBlocks(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Functions);

/// The instructions of a function that no input comes to, by anchor number.
struct Unreached {
  llvm::BitVector All;
  /// Those of them that others see the effect of, unless the clean-up alone
  /// removes them.
  std::vector<unsigned> Effects;

  bool contains(unsigned Number) const {
    return Number < All.size() && All.test(Number);
  }
};

/// Which of \p F, if the bytes of its blocks were \p Bytes: "0" for those that
/// nothing came to; none at all if it was never run. Effects are all that have
/// one.
Unreached findUnreached(llvm::Function &F, llvm::StringRef Bytes);

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
