//===- Guesses.h - Loads that a compare-and-swap checks ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The usual loop around atom.cas starts with a plain load:
//
//   ld.global.b64  %rd2, [%rd1];            a guess
//   loop: ...                               the new value, from the guess
//   atom.global.cas.b64 %rd4, [%rd1], %rd2, %rd3;
//   mov.b64 %rd2, %rd4; ...                 a better guess, if it was wrong
//
// What the load sees does not matter: the swap compares it with what is there.
// So it is no race with the swaps of other threads, and the decoder makes it a
// strong access. A load whose value is compared at another address, or not
// compared, stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_GUESSES_H
#define GEVO_RUNTIME_GPU_EXEC_GUESSES_H

#include "runtime/gpu/ptx/Module.h"

namespace gevo::gpu {

/// The instructions of \p F that load what an atom.cas on the same address and
/// of the same size compares with, ascending.
std::vector<uint32_t> guessedLoads(const ptx::Function &F);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_GUESSES_H
