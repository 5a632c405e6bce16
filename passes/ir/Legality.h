//===- Legality.h - What an edit may touch in LLVM IR --------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules that keep an edited function acceptable to LLVM's verifier and to
// instruction selection. They look at one instruction or operand; dominance is
// EditedFunction's affair.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_LEGALITY_H
#define GEVO_PASSES_IR_LEGALITY_H

#include "llvm/IR/Instructions.h"

namespace gevo {

/// May be deleted, and replaced by another: everything but phis, terminators
/// and what carries a token.
bool isTarget(const llvm::Instruction &I);

/// May also stand at another place, or twice.
bool isMovable(const llvm::Instruction &I);

/// Instructions can be put before \p I.
bool isPlace(const llvm::Instruction &I);

/// A value of this type can be made up: repairs never lack a constant.
bool isRepairable(const llvm::Type *T);

/// Operand \p Index of \p I may get another value; \p Variable: one that is
/// not a constant.
bool isReplaceable(const llvm::Instruction &I, unsigned Index, bool Variable);

/// The pointer argument that a load or store goes through; null if it goes
/// through none, or through one that points to a copy of the callee's own.
llvm::Argument *argumentOf(llvm::Instruction &I);

/// A type in short: "float", "%struct.point".
std::string typeText(const llvm::Type *T);

/// What a person calls the instruction: "load float", "call void @f".
std::string shapeOf(const llvm::Instruction &I);

} // namespace gevo

#endif // GEVO_PASSES_IR_LEGALITY_H
