//===- SourceLocation.h - Where in the user's source ---------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What was inlined is reported where it was called from: a line of the user's
// own function rather than one of a CUDA header.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_SOURCELOCATION_H
#define GEVO_PASSES_IR_SOURCELOCATION_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace gevo {

/// The location of \p I in its own function, or null.
inline const llvm::DILocation *sourceLocation(const llvm::Instruction &I) {
  const llvm::DILocation *Loc = I.getDebugLoc();
  while (Loc && Loc->getInlinedAt())
    Loc = Loc->getInlinedAt();
  return Loc;
}

} // namespace gevo

#endif // GEVO_PASSES_IR_SOURCELOCATION_H
