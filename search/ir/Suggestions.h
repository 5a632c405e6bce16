//===- Suggestions.h - Edits that often help --------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler would do if it knew that two pointers never meet, or that
// nobody waits at a barrier, it leaves; a search may try it, as wrong results
// do not pass. To draw such an edit by chance takes long, as both ends of it
// must be right.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_SUGGESTIONS_H
#define GEVO_SEARCH_IR_SUGGESTIONS_H

#include "passes/edit/Edit.h"
#include "llvm/IR/Function.h"
#include <vector>

namespace gevo {

/// For each anchored instruction of \p F, by its number, the edits of it to
/// try: a load gives way to the value that was last stored or loaded at its
/// address, is moved to before the loops that do not change its address, or to
/// before the barrier it follows; a store is moved to after such loops, or to
/// before the next access of its address; a division or a root is approximated.
std::vector<std::vector<Edit>> suggestEdits(llvm::Function &F);

} // namespace gevo

#endif // GEVO_SEARCH_IR_SUGGESTIONS_H
