//===- Operators.h - The kinds of edit on LLVM IR ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two functions per row of EditKinds.def, in a file of its own under
// operators/:
//
//   choose<Kind>  picks what a random edit of this kind is about: its anchors
//                 and choices, but no repairs
//   apply<Kind>   changes the function. With a Draw it fills in the repairs
//                 and the clone's name as it goes; without, it follows them
//
// An apply that fails may leave the function half changed: it runs on a copy.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_OPERATORS_H
#define GEVO_PASSES_IR_OPERATORS_H

#include "passes/ir/Repairs.h"

namespace gevo {

#define GEVO_EDIT_KIND(Id, Name, Weight, Required, Optional, Summary)          \
  bool choose##Id(const EditedFunction &F, Edit &E, Draw &D);                  \
  llvm::Error apply##Id(EditedFunction &F, Edit &E, Draw *D);
#include "passes/edit/EditKinds.def"

/// Applies one edit of any kind.
llvm::Error applyEdit(EditedFunction &F, const Edit &E);

/// What a random edit, of this kind or of any by the table's weights, is about.
/// Nothing means that this draw came to nothing.
std::optional<Edit> chooseEdit(const EditedFunction &F, Draw &D,
                               std::optional<EditKind> Kind = std::nullopt);
/// \p E, which was chosen for \p F as it is, names no value and needs no
/// repair: it is complete, and it applies. Others are drawn to their end while
/// they are applied.
bool isComplete(const EditedFunction &F, const Edit &E);
/// Applies \p E, which was chosen, and draws what it takes to do so. If it is
/// not to be, the function is to be used no more.
bool drawRest(EditedFunction &F, Edit &E, Draw &D);

/// Draws an edit, of this kind or of any by the table's weights, and applies
/// it. Nothing means that this draw came to nothing; \p Dirty says whether it
/// changed the function before it failed.
std::optional<Edit> drawEdit(EditedFunction &F, Draw &D, bool &Dirty,
                             std::optional<EditKind> Kind = std::nullopt);

/// The names that \p I can be relaxed by, each once; see MathRelaxations.def.
llvm::SmallVector<llvm::StringRef, 4> relaxationsOf(const llvm::Instruction &I);

/// Inserts a copy of \p I before \p Place.
llvm::Instruction *cloneBefore(const llvm::Instruction &I,
                               llvm::Instruction &Place);

} // namespace gevo

#endif // GEVO_PASSES_IR_OPERATORS_H
