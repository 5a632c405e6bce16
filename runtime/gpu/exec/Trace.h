//===- Trace.h - What executed, for the timing model --------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution is functional first: blocks run in index order, whatever the time
// model says, and time is computed from a trace. A trace is one stream per
// warp: straight-line runs of instructions with their active lanes, in the
// order in which the warp issued them, and beside it one record for each
// memory instruction of those runs, in the same order. A reader walks a run's
// instructions in the kernel's code and takes the next access record at each
// instruction whose opcode accesses memory (see tracesAccess).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_TRACE_H
#define GEVO_RUNTIME_GPU_EXEC_TRACE_H

#include <cstdint>
#include <vector>

namespace gevo::gpu {

namespace ptx {
struct Instruction;
}

/// \p Count instructions from \p Begin on, in function \p Function of the
/// kernel's code, issued with the lanes of \p Mask (before guard predicates).
struct TraceRun {
  uint32_t Function = 0;
  uint32_t Begin = 0;
  uint32_t Count = 0;
  uint32_t Mask = 0;
  /// Index of the first access record that belongs to this run.
  uint32_t FirstAccess = 0;
};

/// The memory an access touched after generic addresses were resolved.
enum class TraceSpace : uint8_t { None, Global, Shared, Local, Const, Param };

/// One memory instruction of one warp.
struct TraceAccess {
  TraceSpace Space = TraceSpace::None; ///< None: no lane was active.
  uint8_t BytesPerLane = 0;            ///< All elements of a vector access.
  /// Shared: how many times the access must be replayed for bank conflicts
  /// (1 means free of conflicts). Atomics: the most lanes on one address.
  uint16_t Degree = 0;
  uint32_t Mask = 0; ///< Lanes that accessed memory.
  /// Global and local: the distinct 32-byte sectors (address / 32), ascending,
  /// at Sectors[FirstSector] and on. Const: the distinct 4-byte words.
  uint32_t FirstSector = 0;
  uint32_t NumSectors = 0;
};

/// The stream of one warp.
struct WarpTrace {
  std::vector<TraceRun> Runs;
  std::vector<TraceAccess> Accesses;
  std::vector<uint64_t> Sectors;

  void clear() {
    Runs.clear();
    Accesses.clear();
    Sectors.clear();
  }
};

/// The streams of one block's warps, in order of warp index.
struct BlockTrace {
  uint64_t BlockIndex = 0;
  std::vector<WarpTrace> Warps;
};

/// True for the instructions that have an access record in the trace: ld, st,
/// ldu, atom and red.
bool tracesAccess(const ptx::Instruction &I);

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_TRACE_H
