//===- Merge.h - Several edit sets as one -----------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets are searched one architecture or one program at a time; a build for
// several takes one file.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_MERGE_H
#define GEVO_PASSES_EDIT_MERGE_H

#include "passes/edit/EditSet.h"

namespace gevo {

/// Adds what \p From has to \p To. Two different lists of edits for the same
/// function are an error, which names both files; equal ones count once. A
/// section that both have loses what was measured: nobody measured the sum.
llvm::Error merge(const EditSet &From, EditSet &To);

} // namespace gevo

#endif // GEVO_PASSES_EDIT_MERGE_H
