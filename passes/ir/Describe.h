//===- Describe.h - What an edit set says beside its edits ---- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fingerprints and traces for replay, locations and notes for people.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_DESCRIBE_H
#define GEVO_PASSES_IR_DESCRIBE_H

#include "passes/edit/EditSet.h"
#include "passes/ir/EditedFunction.h"

namespace gevo {

/// Gives \p E the source location and the shape of the instruction that it is
/// about, which must not have been changed yet.
void describe(const EditedFunction &F, Edit &E);

/// The entry for \p Edits, which were made for \p F as it is now.
FunctionEdits describeEdits(llvm::Function &F, std::vector<Edit> Edits);

} // namespace gevo

#endif // GEVO_PASSES_IR_DESCRIBE_H
