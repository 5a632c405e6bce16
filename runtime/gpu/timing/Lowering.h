//===- Lowering.h - From PTX to what a GPU issues ---------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules about what the assembler makes of PTX: which instructions vanish
// (copies, constants, parameters, address spaces, folded shifts, unused
// results), which become several, which branches become predicates, and in
// which order the rest is issued. Where the machine code itself is at hand, its
// counts replace the rules instruction by instruction.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_LOWERING_H
#define GEVO_RUNTIME_GPU_TIMING_LOWERING_H

#include "runtime/gpu/ptx/Module.h"
#include "runtime/gpu/timing/CostProgram.h"

#include <vector>

namespace gevo::gpu::timing {

/// Some instructions for one pipe.
struct Step {
  Unit Pipe = Unit::Int;
  unsigned Count = 1;
};

/// What became of one PTX instruction in machine code.
struct SassCost {
  std::vector<Step> Steps;  ///< Empty: the assembler removed it.
  bool Memory = false;      ///< It accesses memory.
  uint32_t Place = NoIndex; ///< Where the first of them stands.
};

/// The machine code of one function, by PTX instruction.
using SassFunction = std::vector<SassCost>;

/// The micro-operations of \p Functions of \p M (a kernel first, then what it
/// calls) by the rules, or by \p Sass, which then has one entry per function.
CostProgram lowerPtx(const Profile &P, const ptx::Module &M,
                     const std::vector<const ptx::Function *> &Functions,
                     uint32_t RegistersPerThread,
                     const std::vector<SassFunction> *Sass = nullptr);

/// Puts the micro-operations of the instructions [Begin, End) of \p F into the
/// order in which the assembler would, as one more region. \p Place, if not
/// empty, has the place of each instruction in machine code.
void scheduleRegion(const Profile &P, CostFunction &F, uint32_t Begin,
                    uint32_t End, const std::vector<uint8_t> &MemoryClass,
                    const std::vector<uint32_t> &Place);

/// Bits of the memory class of an instruction, for ordering.
enum MemoryClass : uint8_t {
  ReadsGlobal = 1,
  WritesGlobal = 2,
  ReadsShared = 4,
  WritesShared = 8,
  ReadsLocal = 16,
  WritesLocal = 32
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_LOWERING_H
