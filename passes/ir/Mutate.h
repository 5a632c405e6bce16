//===- Mutate.h - Random edits of a module -------------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws valid edits, one after the other, each on the function as the earlier
// ones left it. The draw happens on a copy; the result is then replayed like
// any other edit set, so there is one way in which a module is changed.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_MUTATE_H
#define GEVO_PASSES_IR_MUTATE_H

#include "passes/edit/EditSet.h"
#include "passes/ir/Repairs.h"
#include "llvm/IR/Module.h"

namespace gevo {

struct MutateOptions {
  uint64_t Seed = 1;
  unsigned Count = 1;
};

/// Draws up to \p Options.Count edits of \p M and leaves \p M as it is. Fewer
/// come back if the module has little to edit.
EditSet drawEdits(llvm::Module &M, const MutateOptions &Options);

} // namespace gevo

#endif // GEVO_PASSES_IR_MUTATE_H
