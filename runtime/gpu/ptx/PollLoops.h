//===- PollLoops.h - Loops that wait for another thread ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop polls if whether it goes on depends on memory alone: every way out
// is decided by values that one iteration reads at addresses that stay the
// same, and by nothing that iterations hand on to each other.
//
//   wait:                              // polls [flag]
//     ld.volatile.global.u32 %r1, [%rd1];
//     setp.eq.s32 %p1, %r1, 0;
//     @%p1 bra wait;
//
// How often such a loop goes round says how long another thread took, not what
// this one did; the clock must not charge what the interpreter happened to
// execute.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_POLLLOOPS_H
#define GEVO_RUNTIME_GPU_PTX_POLLLOOPS_H

#include "runtime/gpu/ptx/Cfg.h"

#include <vector>

namespace gevo::gpu::ptx {

struct PollLoop {
  uint32_t Back = 0;           ///< The branch that goes round again.
  std::vector<uint32_t> Polls; ///< What reads the memory, in order.
};

/// The loops of \p F that poll, in order of their branches.
std::vector<PollLoop> findPollLoops(const Function &F, const Cfg &G);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_POLLLOOPS_H
