//===- Rules.h - The cost of one PTX instruction ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_RULES_H
#define GEVO_RUNTIME_GPU_TIMING_RULES_H

#include "runtime/gpu/timing/Lowering.h"

namespace gevo::gpu::timing {

/// The registers that an instruction reads and writes. A guarded instruction
/// reads its results, too: lanes that do not take part keep them.
struct Operands {
  std::vector<uint16_t> Sources;
  std::vector<uint16_t> Results;
};
Operands operandsOf(const ptx::Function &F, const ptx::Instruction &I);

/// True if nothing happens when the results of \p I are not used.
bool onlyResults(const ptx::Function &F, const ptx::Instruction &I);

/// The pipes of an arithmetic instruction, in order; empty if it is free.
std::vector<Step> arithmeticSteps(const Profile &P, const ptx::Function &F,
                                  const ptx::Instruction &I);

/// The pipe of one that becomes one machine instruction, otherwise Unit::None.
Unit simplePipe(const Profile &P, const ptx::Function &F,
                const ptx::Instruction &I);

/// The pipe of conversions from and to 64 bits: on GPUs with few units for
/// doubles those bound them.
Unit wideConversion(const Profile &P);

/// True for loads that become an operand in the constant bank.
bool isConstantOperand(const ptx::Function &F, const ptx::Instruction &I);

/// Does load \p I go past L1? Ordered ones do, as other SMs do not write to
/// this one's L1.
bool skipsL1(const ptx::Function &F, const ptx::Instruction &I);

/// Does access \p I order memory for threads of other blocks: what came before
/// it is done first, or what comes behind it sees what they wrote?
/// @{
bool releases(const ptx::Function &F, const ptx::Instruction &I);
bool acquires(const ptx::Function &F, const ptx::Instruction &I);
/// @}

/// FlagEmptiesL1 where ptxas puts CCTL.IVALL with fences: from Volta on.
uint16_t emptiesL1(const Profile &P);

/// Waits for the warp's accesses and, unless it is for the block alone, asks L2
/// whether they are done.
Uop fenceUop(const Profile &P, bool OfBlock);

/// What \p I does to memory, as bits of MemoryClass.
uint8_t memoryClassOf(const ptx::Function &F, const ptx::Instruction &I);

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_RULES_H
