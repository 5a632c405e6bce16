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
// which order the rest is issued. Where the machine code itself is at hand, it
// takes the place of the rules: its instructions, its registers and its order
// are what is issued, and PTX only says when and with which memory.
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

/// One instruction of machine code, as the clock issues it.
struct SassOp {
  enum Role : uint8_t {
    Plain,  ///< Arithmetic, and memory that the trace knows nothing of.
    Spill,  ///< The assembler's own local memory; Latency is bytes per lane.
    Access, ///< What Instruction does to memory.
    Control ///< The branch, barrier or fence that Instruction is.
  };
  Role What = Plain;
  Unit Pipe = Unit::Int;
  uint16_t Latency = 1;
  uint8_t Stall = 0;        ///< Cycles until the warp may issue again.
  uint8_t Bytes = 0;        ///< Of a lane's access; 0: as in PTX.
  uint8_t Copy = 0;         ///< Of a loop's body, see SassLoop.
  uint16_t Flags = 0;       ///< Of UopFlags, more than those of the PTX.
  uint32_t Place = 0;       ///< In the machine code.
  uint32_t Instruction = 0; ///< Of PTX, that it was made of.
  /// Registers of the machine: general ones, predicates, uniform ones.
  std::vector<uint16_t> Sources, Results;
};
constexpr uint16_t NumSassRegisters = 352;
/// Behind those, counters of what is on its way; see giveCounters.
constexpr unsigned NumSassCounters = 6;
constexpr uint16_t FirstSassCounter = 344;

/// Several copies of the body of a loop, mixed in one stretch of machine code:
/// what is issued for that many iterations at once.
struct SassLoop {
  uint32_t Begin = 0, End = 0; ///< Of PTX, with the branch at its end.
  unsigned Copies = 0;
  std::vector<SassOp> Ops; ///< In their order.
};

/// The machine code of one function, by the PTX instruction with which it is
/// issued. That is not always the one it was made of: what was moved out of a
/// loop is issued outside.
struct SassFunction : std::vector<std::vector<SassOp>> {
  using std::vector<std::vector<SassOp>>::vector;
  /// Beside that, what is issued where iterations follow each other.
  std::vector<SassLoop> Loops;
};

/// The micro-operations of \p Functions of \p M (a kernel first, then what it
/// calls) by the rules, or by \p Sass, which then has one entry per function.
CostProgram lowerPtx(const Profile &P, const ptx::Module &M,
                     const std::vector<const ptx::Function *> &Functions,
                     uint32_t RegistersPerThread,
                     const std::vector<SassFunction> *Sass = nullptr);

/// Puts the micro-operations of the instructions [Begin, End) of \p F into the
/// order in which the assembler would, as one more region.
void scheduleRegion(const Profile &P, CostFunction &F, uint32_t Begin,
                    uint32_t End, const std::vector<uint8_t> &MemoryClass);

/// Adds the loops of \p Code to its costs, which are complete otherwise.
void addLoops(const SassFunction &Code, CostFunction &Out);

/// True for instructions at which straight-line code ends: control, barriers,
/// fences.
bool endsRegion(const ptx::Instruction &I);

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
