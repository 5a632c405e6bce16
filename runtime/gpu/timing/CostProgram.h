//===- CostProgram.h - A kernel as the clock sees it ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator knows nothing of PTX or SASS: it walks the trace of a warp and
// looks up, for each instruction, the micro-operations that a GPU would issue
// for it. A cost program holds them: one list per instruction, and one list per
// region (a stretch of straight-line code) in the order in which the assembler
// would put them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_TIMING_COSTPROGRAM_H
#define GEVO_RUNTIME_GPU_TIMING_COSTPROGRAM_H

#include "runtime/gpu/timing/Profile.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gevo::gpu {
class Kernel;
} // namespace gevo::gpu

namespace gevo::gpu::timing {

constexpr uint32_t NoIndex = ~uint32_t(0);

/// What a micro-operation does beside occupying its pipe.
enum class UopKind : uint8_t {
  Alu,     ///< Results after the latency.
  Free,    ///< Issues nothing: a result is ready when its sources are.
  Load,    ///< Reads the memory that the access record says.
  Store,   ///< Writes it.
  Atomic,  ///< Reads and writes it where it is, and returns the old value.
  Reduce,  ///< The same, returning nothing.
  Spill,   ///< Local memory that the trace does not have, in L1.
  Barrier, ///< Waits for the block.
  Arrive,  ///< Arrives at a barrier without waiting.
  Branch,  ///< Costs a refetch when taken.
  Fence    ///< Waits for the warp's own memory accesses.
};

/// One instruction that a GPU issues.
struct Uop {
  Unit Pipe = Unit::None;
  UopKind Kind = UopKind::Alu;
  uint8_t NumSources = 0;
  uint8_t NumResults = 0;
  uint16_t Latency = 0;       ///< Of Alu, Barrier and Fence; bytes of a Spill.
  uint16_t Flags = 0;         ///< Bits of UopFlags.
  uint8_t Stall = 0;          ///< Cycles until the warp may issue again.
  uint8_t Copy = 0;           ///< Of an UnrolledLoop: whose access it is.
  uint32_t FirstRegister = 0; ///< Sources, then results, in the pool.
  uint32_t Instruction = 0;   ///< Of the function.
  /// What CostProgram::finish() adds, so that issue looks at nothing else: how
  /// many access records come before it, its first sources, with the register
  /// that is always ready in the places that are left, and its first result or
  /// the register that nobody reads.
  static constexpr unsigned NumFirst = 4;
  uint32_t Access = 0;
  uint16_t First[NumFirst] = {};
  uint16_t Result = 0;
};

/// Bits of Uop::Flags.
enum UopFlags : uint16_t {
  FlagReadOnly = 1, ///< Load that may use L1 although stores might not be seen.
  FlagSkipL1 = 2,   ///< .cg, .cv, volatile
  FlagBarrierId = 4, ///< Bits 8 to 11 have the number of the barrier.
  /// Branch that goes on where PTX jumps, and jumps where PTX goes on: the
  /// assembler laid the code out the other way round.
  FlagInverted = 8,
  /// Atomic operation for which the assembler combines the lanes of a warp, so
  /// that one of them does it for all.
  FlagOneLane = 16,
  /// Fence or access behind which L1 holds nothing any more, so that what other
  /// SMs wrote is seen.
  FlagEmptiesL1 = 32
};

/// Straight-line instructions [Begin, End) whose micro-operations are ordered
/// together.
struct Region {
  uint32_t Begin = 0, End = 0;
  uint32_t FirstUop = 0, NumUops = 0;
  uint32_t FirstLoop = 0, NumLoops = 0; ///< Those that begin here.
};

/// The micro-operations of several iterations of a loop, whose body is the
/// instructions [Begin, End), the branch included.
struct UnrolledLoop {
  uint32_t Begin = 0, End = 0;
  uint32_t Copies = 0;
  uint32_t FirstUop = 0, NumUops = 0;
};

/// The costs of one function.
struct CostFunction {
  std::vector<Uop> Uops;
  std::vector<uint16_t> Registers; ///< The pool.
  uint32_t NumRegisters = 0;
  std::vector<uint32_t> FirstUop; ///< By instruction; one more at the end.
  std::vector<Region> Regions;
  std::vector<uint32_t> RegionAt;  ///< By first instruction, or NoIndex.
  std::vector<UnrolledLoop> Loops; ///< By region, with the most copies first.
  /// How many instructions before this one have an access record; one more at
  /// the end.
  std::vector<uint32_t> AccessesBefore;

  const uint16_t *sources(const Uop &U) const {
    return Registers.data() + U.FirstRegister;
  }
  const uint16_t *results(const Uop &U) const {
    return sources(U) + U.NumSources;
  }
  /// Appends \p U with its registers to Uops.
  void add(Uop U, const std::vector<uint16_t> &Sources,
           const std::vector<uint16_t> &Results);
};

/// Where the costs came from.
enum class CostSource : uint8_t {
  PtxRules, ///< Rules about what the assembler makes of PTX.
  PtxText,  ///< The same, but in the order in which the PTX stands.
  Sass      ///< The machine code that the assembler made.
};

/// The costs of a kernel: function 0 and what it calls.
struct CostProgram {
  std::vector<CostFunction> Functions;
  /// What is executed in the place of the kernel, whose instructions are those
  /// of Functions: the same with predicates where machine code has them. Null:
  /// the kernel itself. It lives no longer than the kernel's module.
  std::shared_ptr<const Kernel> Executed;
  std::vector<uint32_t> RegisterBase; ///< Of each function in a warp's file.
  uint32_t NumRegisters = 0;          ///< Of all functions together.
  uint32_t RegistersPerThread = 0;    ///< For occupancy.
  bool RegistersEstimated = true;     ///< Otherwise the assembler counted them.
  CostSource Source = CostSource::PtxRules;
  std::string WhyRules; ///< Why not Sass, if that was wanted.
  FailureCause RulesCause = FailureCause::Input; ///< Of what that is.
  /// Opcodes of the machine code that the model does not know, sorted.
  std::vector<std::string> UnknownOpcodes;
  /// By function and instruction: what a lane accesses where the assembler made
  /// one access of several, see LaunchOptions.
  std::vector<std::vector<uint8_t>> AccessBytes;

  /// Forgets in which order the assembler would put instructions: they are
  /// issued as they stand in the PTX.
  void keepTextOrder();

  /// Lays out RegisterBase and completes the micro-operations; call when all
  /// functions are there.
  void finish();
};

} // namespace gevo::gpu::timing

#endif // GEVO_RUNTIME_GPU_TIMING_COSTPROGRAM_H
