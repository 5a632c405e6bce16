//===- Savings.h - What goes with an instruction ----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of an instruction is not what its edit saves: a store goes together
// with all that was computed for it alone, and a guard that is decided goes
// together with what it guards.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_SAVINGS_H
#define GEVO_SEARCH_IR_SAVINGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace gevo {

/// Of one function, which must outlive it and stay as it is.
class Savings {
public:
  /// \p Heat is by the number of the instruction; what it lacks is cold.
  Savings(llvm::Function &F, llvm::ArrayRef<uint64_t> Heat,
          const llvm::DominatorTree &Dominators);

  /// The heat of all that is computed for \p I alone.
  uint64_t ofDeletion(const llvm::Instruction &I) const;
  /// The heat of all that only the costlier way of \p Branch leads to, and of
  /// what is computed for its condition alone.
  uint64_t ofDecision(const llvm::BranchInst &Branch) const;

private:
  /// Of the blocks that \p BB dominates.
  uint64_t below(const llvm::BasicBlock *BB) const;

  const llvm::DominatorTree &Dominators;
  llvm::DenseMap<const llvm::Instruction *, uint64_t> HeatOf;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_SAVINGS_H
