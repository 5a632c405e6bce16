//===- Trace.h - How to know an instruction again ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an edit set keeps of the anchors it names, so that they can be found
// again after the source changed: the instruction's shape, hashes of what it
// works on and who uses it, of its neighbours, and its place in the source.
// Hashes are written in parts joined by '-', so that a partial match counts.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_TRACE_H
#define GEVO_PASSES_IR_TRACE_H

#include "passes/edit/EditSet.h"
#include "llvm/IR/Function.h"

namespace gevo {

/// The traces of all arguments and instructions of \p F, in order.
std::vector<AnchorTrace> traceAll(llvm::Function &F);

/// Those of \p All that \p Edits name, each once, in the order of \p All.
std::vector<AnchorTrace> tracesOf(llvm::ArrayRef<Edit> Edits,
                                  llvm::ArrayRef<AnchorTrace> All);

/// Digits that an instruction has in an outline.
constexpr unsigned OutlineDigits = 8;

/// The function in short, from the traces of its instructions: for each four
/// digits of its shape's hash and four of its operands'.
std::string outlineOf(llvm::ArrayRef<AnchorTrace> Instructions);

} // namespace gevo

#endif // GEVO_PASSES_IR_TRACE_H
