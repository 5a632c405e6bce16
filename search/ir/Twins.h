//===- Twins.h - Values that are always equal -------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler must prove that an instruction computes what is already there, as
// a remainder of what is less than the divisor does. A search may ask: code in
// which each instruction is compared with earlier values runs once on the
// captured inputs, and on those that were made of them. What never differed is
// worth a try, all of it at once.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_TWINS_H
#define GEVO_SEARCH_IR_TWINS_H

#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <string>
#include <vector>

namespace gevo {

/// Does the instruction always have the value of an earlier one?
struct TwinQuestion {
  llvm::Instruction *Of;
  llvm::Value *Earlier;
  /// Of the instruction, and what edits call the value.
  unsigned Function;
  unsigned Number;
  std::string Name;
  /// How many instructions, one after the other, the value takes.
  unsigned Height;
  /// In which module the function is asked.
  unsigned Module = 0;
};

/// What to ask about \p F, the function \p Function: each instruction against
/// what it is computed from, a few steps back, and against the last ones of its
/// kind.
std::vector<TwinQuestion> findTwins(llvm::Function &F, unsigned Function);

/// The variable of a module that watchTwins() makes has this name.
inline constexpr char TwinVariable[] = "gevo_twins";

/// Adds to \p Copy, which \p Map leads to, code that answers \p Questions: of
/// the variable byte 2 * I is 1 as soon as the values of question I were equal
/// once, the next one as soon as they differed once. Both are 0 for what never
/// ran.
void watchTwins(llvm::Module &Copy, const std::vector<TwinQuestion> &Questions,
                const llvm::ValueToValueMapTy &Map);

} // namespace gevo

#endif // GEVO_SEARCH_IR_TWINS_H
