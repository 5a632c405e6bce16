//===- MemorySpaces.h - Pointers to the wrong kind of memory ----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's verifier accepts a store to constant memory, and a pointer to shared
// memory cast to one to global memory; NVPTX ends the compiler when it meets
// one. Which memory a pointer leads to is known only after the clean-up, so
// this looks at its result.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_MEMORYSPACES_H
#define GEVO_PASSES_IR_MEMORYSPACES_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace gevo {

/// The first instruction of \p F that can write only to constant memory, or
/// null.
const llvm::Instruction *findConstantWrite(const llvm::Function &F);

/// A cast in \p F to one address space of a pointer that comes from another,
/// which the code generator cannot make, or null. The pointer may have been
/// generic in between: the code generator follows it back.
const llvm::Instruction *findSpaceClash(const llvm::Function &F);

} // namespace gevo

#endif // GEVO_PASSES_IR_MEMORYSPACES_H
