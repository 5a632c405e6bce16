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

namespace gevo::gpu::ptx {

/// The registers of one instruction, guard included among the reads.
struct RegisterUse {
  std::vector<uint32_t> Reads;
  std::vector<uint32_t> Writes;
};
void registersOf(const Function &F, const Instruction &I, RegisterUse &Out);

/// The largest number of 32-bit registers live at any instruction. Predicates
/// do not count.
uint32_t registerPressure(const Function &F, const Cfg &G);

/// By register: true if nothing is done with its values but to store them in
/// the function's own memory or as arguments, as they are or merged with
/// others, as code does that copies structures or sets bit-fields. What
/// register
/// \p Pointer points to is its own, too, if that is not None.
std::vector<bool> onlyStored(const Function &F, uint32_t Pointer);

} // namespace gevo::gpu::ptx

#endif // GEVO_RUNTIME_GPU_PTX_LIVENESS_H
