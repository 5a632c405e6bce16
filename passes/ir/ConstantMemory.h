//===- ConstantMemory.h - Writes where nothing can be written ---*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's verifier accepts a store to constant memory, and NVPTX ends the
// compiler when it meets one. Which memory a pointer leads to is known only
// after the clean-up, so this looks at its result.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_CONSTANTMEMORY_H
#define GEVO_PASSES_IR_CONSTANTMEMORY_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace gevo {

/// The first instruction of \p F that can write only to constant memory, or
/// null.
const llvm::Instruction *findConstantWrite(const llvm::Function &F);

} // namespace gevo

#endif // GEVO_PASSES_IR_CONSTANTMEMORY_H
