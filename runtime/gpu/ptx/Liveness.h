//===- Liveness.h - Registers that hold a value -----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which registers an instruction reads and writes, and how many are live at
// once: an estimate of what a real compiler would allocate.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_PTX_LIVENESS_H
#define GEVO_RUNTIME_GPU_PTX_LIVENESS_H

#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/ptx/Module.h"

#include <map>

namespace gevo::gpu::ptx {

/// The registers of one instruction, guard included among the reads.
struct RegisterUse {
  std::vector<uint32_t> Reads;
  std::vector<uint32_t> Writes;
};
void registersOf(const Function &F, const Instruction &I, RegisterUse &Out);

/// Which registers of a function hold values that are still read.
struct LiveRegisters {
  /// The largest number of 32-bit registers live at any instruction, without
  /// predicates; 0 if the function is too large to tell.
  uint32_t Pressure = 0;
  /// By instruction: those live after each call; all of a function that is too
  /// large.
  std::map<uint32_t, std::vector<uint32_t>> AfterCalls;
};
LiveRegisters liveRegisters(const Function &F, const Cfg &G);

/// By register: true if nothing is done with its values but to store them in
/// the function's own memory or as arguments, as they are or merged with
/// others, as code does that copies structures or sets bit-fields. What
/// register
/// \p Pointer points to is its own, too, if that is not None.
std::vector<bool> onlyStored(const Function &F, uint32_t Pointer);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_LIVENESS_H
