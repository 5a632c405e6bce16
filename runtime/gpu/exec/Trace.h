//===- Trace.h - What executed, for the timing model ------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Execution is functional first: blocks run in index order, whatever the time
// model says, and time is computed from a trace. A trace is one stream per
// warp: straight-line runs of instructions in the order in which the warp
// issued them, and beside it the cache lines that they touched.
//
// Most runs of a launch are alike but for where their memory lies: the same
// instructions, lanes, bank conflicts and sectors per access. Each kind of run
// is therefore stored once, in a table that all warps share, and a warp's
// stream is a list of pointers into it. An iteration of a loop costs a trace
// eight bytes, and eight more for each line that it touches.
//
// The trace of a block that runs for long comes in pieces: who reads it drops
// what it has read and appends the next one.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_TRACE_H
#define GEVO_RUNTIME_GPU_EXEC_TRACE_H

#include "runtime/gpu/ptx/Module.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gevo::gpu {

namespace ptx {
struct Instruction;
}

/// The memory an access touched after generic addresses were resolved.
enum class TraceSpace : uint8_t { None, Global, Shared, Local, Const, Param };

/// One memory instruction of a run.
struct TraceAccess {
  TraceSpace Space = TraceSpace::None; ///< None: no lane was active.
  uint8_t BytesPerLane = 0;            ///< All elements of a vector access.
  /// Shared, and loads of global and local memory: turns of the banks that the
  /// words lie in (1 means free of conflicts). Atomics: the most lanes on one
  /// address.
  uint16_t Degree = 0;
  uint32_t Mask = 0; ///< Lanes that accessed memory.
  /// Global and local: distinct 32-byte sectors. Const and param: distinct
  /// 4-byte words.
  uint16_t NumSectors = 0;
  uint16_t NumLines = 0;  ///< Global and local: distinct 128-byte lines.
  uint32_t FirstLine = 0; ///< Among the lines of the run.

  bool operator==(const TraceAccess &O) const {
    return Space == O.Space && BytesPerLane == O.BytesPerLane &&
           Degree == O.Degree && Mask == O.Mask && NumSectors == O.NumSectors &&
           NumLines == O.NumLines && FirstLine == O.FirstLine;
  }
};

/// \name Lines of a trace
/// The number of a line of 128 bytes (from the start of device memory, not of
/// the host's address space), which of its four sectors were touched, and, of
/// stores to global memory, which of these were written from end to end.
/// @{
constexpr unsigned TraceLineShift = 8;
inline uint64_t traceLine(uint64_t Line, unsigned Sectors, unsigned Whole = 0) {
  return Line << TraceLineShift | Whole << 4 | Sectors;
}
inline uint64_t lineOf(uint64_t Traced) { return Traced >> TraceLineShift; }
inline uint8_t sectorsOf(uint64_t Traced) { return uint8_t(Traced & 15); }
inline uint8_t wholeOf(uint64_t Traced) { return uint8_t(Traced >> 4 & 15); }
/// @}

/// \p Count instructions from \p Begin on, in function \p Function of the
/// kernel's code, issued with the lanes of \p Mask (before guard predicates).
/// Accesses has one entry for each of them that tracesAccess() holds for.
struct TraceRun {
  uint32_t Function = 0;
  uint32_t Begin = 0;
  uint32_t Count = 0;
  uint32_t Mask = 0;
  uint32_t NumLines = 0; ///< Of all accesses.
  std::vector<TraceAccess> Accesses;
};

/// The kinds of runs of a launch, each stored once. What it hands out stays
/// where it is.
class TraceTable {
public:
  /// The stored run that is like the given one. NumLines and Accesses of
  /// \p Run are not looked at.
  const TraceRun *intern(const TraceRun &Run, const TraceAccess *Accesses,
                         size_t NumAccesses);
  /// About how much memory the table takes.
  size_t bytes() const { return Bytes; }

private:
  std::deque<TraceRun> Runs;
  std::unordered_multimap<uint64_t, const TraceRun *> ByHash;
  /// By function and first instruction: what was asked for last.
  std::vector<std::vector<const TraceRun *>> Last;
  size_t Bytes = 0;
};

/// How an access stands to those of other warps, in kernels that poll.
/// Iterations that polled in vain are not in a trace: the one that is there
/// reads what one write, an event, has written, and cannot be done before that
/// is.
struct TraceOrder {
  uint32_t Run = 0, Access = 0; ///< The access: index of its run, and in it.
  uint32_t Event = 0;           ///< What its being done is; 0: nothing.
  /// Events, in WarpTrace::After, that come before it: what it reads, if it
  /// polls; what its event stands for, too, if it has one.
  uint32_t FirstAfter = 0, NumAfter = 0;
  uint32_t Lock = 0;     ///< That it takes or gives back; 0: none.
  bool Polls = false;    ///< Its result waits for the events, or for the lock.
  bool Releases = false; ///< Gives the lock back.
};

/// What comes after the runs of a warp's trace.
enum class TraceEnd : uint8_t {
  Final,     ///< Nothing.
  Open,      ///< More, in a later piece.
  AtBarrier, ///< More, when other warps have come to the barrier that it is at.
};

/// The stream of one warp.
struct WarpTrace {
  std::vector<const TraceRun *> Runs;
  std::vector<uint64_t> Lines;    ///< Of all runs, see traceLine.
  std::vector<TraceOrder> Orders; ///< In order of execution.
  std::vector<uint32_t> After;    ///< Of them.
  TraceEnd End = TraceEnd::Final;

  uint64_t bytes() const {
    return Runs.size() * sizeof(Runs[0]) + Lines.size() * sizeof(Lines[0]);
  }
  /// Forgets the first \p NumRuns runs, which have \p NumLines lines and
  /// \p NumOrders orders.
  void drop(size_t NumRuns, size_t NumLines, size_t NumOrders);
  /// Takes what \p Piece has behind what is there.
  void append(WarpTrace &Piece);
  void clear() {
    Runs.clear();
    Lines.clear();
    Orders.clear();
    After.clear();
    End = TraceEnd::Final;
  }
};

/// What the accesses of a block took, see TraceAccess, and what else of a block
/// may take more time than its instructions tell.
struct AccessCounts {
  uint64_t Sectors = 0; ///< NumSectors of all.
  /// Degree of all: bank conflicts and atomics. Where there are sectors they
  /// stand for the first turn, so that turns in L1 do not hide those in shared
  /// memory.
  uint64_t Turns = 0;
  uint64_t Doubles = 0;  ///< Instructions for the units of doubles,
  uint64_t Specials = 0; ///< and for those of divisions and functions.

  void add(const TraceAccess &A) {
    Sectors += A.NumSectors;
    Turns += A.Degree - (A.Degree && A.NumSectors);
  }
  void add(const AccessCounts &O) {
    Sectors += O.Sectors;
    Turns += O.Turns;
    Doubles += O.Doubles;
    Specials += O.Specials;
  }
  AccessCounts since(const AccessCounts &O) const {
    return {Sectors - O.Sectors, Turns - O.Turns, Doubles - O.Doubles,
            Specials - O.Specials};
  }
};

/// The streams of one block's warps, in order of warp index.
struct BlockTrace {
  uint64_t BlockIndex = 0;
  AccessCounts Accesses; ///< Of the whole block so far, whatever is in Warps.
  uint64_t Dropped = 0;  ///< Instructions that are not in it now.
  std::shared_ptr<TraceTable> Table; ///< Holds what Warps point to.
  std::vector<WarpTrace> Warps;

  uint64_t bytes() const;
  bool empty() const;            ///< No warp has a run.
  uint64_t instructions() const; ///< Of all warps.
  /// Takes the next piece of the same block, which is left empty.
  void append(BlockTrace &Piece);
};

/// True for the instructions that have an access record in the trace.
inline bool tracesAccess(const ptx::Instruction &I) {
  return ptx::opcodeInfo(I.Op).Accesses;
}

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_TRACE_H
