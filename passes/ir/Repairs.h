//===- Repairs.h - Values for operands that lost theirs ------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moving, cloning and deleting leave operands without a definition that
// dominates them. Each of these functions works in two ways, through the same
// checks: with a Draw it chooses a substitute at random and records it in the
// edit; without one it takes what the edit says. So the edit that a search
// measured is, by construction, the edit that replay applies.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_REPAIRS_H
#define GEVO_PASSES_IR_REPAIRS_H

#include "passes/edit/Edit.h"
#include "passes/edit/Random.h"
#include "passes/ir/EditedFunction.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace gevo {

/// The dice of one proposal, and where the program is hot.
struct Draw {
  Random &Dice;
  /// How much an instruction matters, such as its share of the run time; all
  /// equal if not set.
  std::function<uint64_t(const llvm::Instruction &)> Weight = nullptr;
  /// If set, nothing else matters.
  llvm::Instruction *Only = nullptr;
  /// Operand edits keep to what isTarget() accepts.
  bool OnlyTargets = false;

  /// One of the live, reachable instructions that \p Eligible accepts, or null
  /// if there is none.
  llvm::Instruction *
  pick(const EditedFunction &F,
       llvm::function_ref<bool(llvm::Instruction &)> Eligible);
};

/// Sets operand \p Index of \p I to \p To after checking type, legality and
/// dominance.
llvm::Error setOperand(EditedFunction &F, llvm::Instruction &I, unsigned Index,
                       llvm::Value *To);

/// Some value of type \p T that may be used before \p Place: an argument, an
/// earlier instruction or a constant, but not \p Except.
llvm::Value *drawValue(const EditedFunction &F, Draw &D, llvm::Type *T,
                       const llvm::Instruction &Place,
                       const llvm::Value *Except);

/// Repairs the operands of \p I at the place where it stands now. Operands
/// that are \p Leaving, which is about to be removed, count as lost.
llvm::Error repairOperands(EditedFunction &F, llvm::Instruction &I,
                           std::vector<OperandRepair> &Repairs, Draw *D,
                           const llvm::Value *Leaving = nullptr);

/// Gives those uses of \p I that it does not dominate another value; if
/// \p All, every use.
llvm::Error repairUses(EditedFunction &F, llvm::Instruction &I,
                       std::string &Repair, Draw *D, bool All = false);

/// Makes some operand use the value of \p Clone. A clone without a value, or
/// one that already has a use, stays as it is.
llvm::Error wireClone(EditedFunction &F, llvm::Instruction &Clone,
                      std::optional<UseSite> &Into, Draw *D);

} // namespace gevo

#endif // GEVO_PASSES_IR_REPAIRS_H
