//===- Straighten.h - Code without needless jumps ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where blocks stand in the text, and how many jumps it takes to get from one
// to the next, decides nothing on a GPU: the assembler lays code out anew. So
// that it decides nothing here either, a function is laid out before anything
// looks at its instructions:
//
//   bra A;                                          a
//   B: c; ret;              becomes                 B: c; ret;
//   A: a; bra B;
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_STRAIGHTEN_H
#define GEVO_RUNTIME_GPU_PTX_STRAIGHTEN_H

#include "runtime/gpu/ptx/Module.h"

namespace gevo::gpu::ptx {

/// Removes jumps to what comes next anyway and jumps to jumps, and puts code
/// that is reached from one jump alone in the place of that jump. \p F is
/// complete: its labels are resolved and its last instruction is a return,
/// which stays so.
void straighten(Function &F);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_STRAIGHTEN_H
