//===- DeadMemory.h - Memory that decides nothing ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the clean-up that LLVM lacks. A local or shared array is dead
// when what is read from it ends in dead memory, too:
//
//   tile[t] = in[i];                          (nothing)
//   for (k = 128; k; k /= 2) {        =>      for (k = 128; k; k /= 2)
//     if (t < k) tile[t] += tile[t + k];        barrier();
//     barrier();
//   }
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_DEADMEMORY_H
#define GEVO_PASSES_IR_DEADMEMORY_H

#include "llvm/IR/Function.h"

namespace gevo {

/// Removes what \p F writes to its local variables, and to internal variables
/// of the module that only \p F uses, if nothing outside of them depends on it.
/// Loads that lead nowhere stay for the passes that remove dead code. Returns
/// whether anything was removed.
bool removeDeadMemory(llvm::Function &F);

} // namespace gevo

#endif // GEVO_PASSES_IR_DEADMEMORY_H
