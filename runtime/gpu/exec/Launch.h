//===- Launch.h - Running a kernel --------------------------------*- C++
//-*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs a kernel over a grid. Launch describes it, LaunchSession runs
// it whole or block by block, LaunchResult says how it went. Execution order is
// fixed (blocks in index order on the calling thread), so the same launch gives
// the same bits, findings and counters on every run.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_LAUNCH_H
#define GEVO_RUNTIME_GPU_EXEC_LAUNCH_H

#include "runtime/gpu/exec/Finding.h"
#include "runtime/gpu/exec/Trace.h"
#include "runtime/gpu/ptx/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::gpu {

class Device;
class HeapRecord;
class Kernel;
class TouchRecord;

/// How a launch ended; the driver API turns each into its CUresult.
enum class LaunchStatus : uint8_t {
  Ok,
  InvalidConfiguration, ///< Grid, block or shared memory out of the limits.
  IllegalAddress,
  MisalignedAddress,
  IllegalInstruction,
  InvalidPc, ///< Indirect call to something that is no function.
  StackOverflow,
  Assert,
  Trap,
  Timeout, ///< Step limit.
  Deadlock ///< No thread can go on (a barrier some threads never reach).
};

/// "ok", "illegal-address", ...
const char *launchStatusName(LaunchStatus S);

/// Everything about one launch except the kernel.
struct LaunchOptions {
  Dim3 Grid;
  Dim3 Block;
  uint32_t DynamicSharedBytes = 0;
  /// The parameter buffer, laid out as Kernel::params() says. It is copied.
  const void *Params = nullptr;
  uint64_t ParamBytes = 0;
  CheckSet Checks = CheckSet::bounds();
  /// End with Timeout after so many warp instructions; 0 means no limit.
  uint64_t StepLimit = 0;
  /// Memory that the race check may take; see docs/howto/embedded-gpu.md.
  uint64_t RaceBytes = uint64_t(4) << 30;
  /// Memory that traces of blocks that run at once may take.
  uint64_t TraceBytes = uint64_t(2) << 30;
  /// When they take this much, they are handed out in pieces.
  uint64_t PieceBytes = uint64_t(64) << 20;
  /// Blocks that run at once on the whole GPU; 0: as the device's limits say.
  uint64_t Resident = 0;
  /// By function of the kernel and instruction: how many bytes a lane's access
  /// counts for in traces, with the others that lie in as many aligned ones; 0:
  /// as PTX has it. May be null.
  const std::vector<std::vector<uint8_t>> *AccessBytes = nullptr;
  /// All blocks are co-resident and may wait for each other.
  bool Cooperative = false;
  /// Findings with Error severity of the families race, uninit, barrier,
  /// shuffle do not stop a launch. With this set the first one does.
  bool StopAtFirstFinding = false;
  /// Accesses just outside of an allocation are reported, and the launch goes
  /// on: a GPU notices only what leaves the mapped pages. Reads give zeros;
  /// writes are lost, where a GPU has memory of nobody, or another's.
  bool GoOnAfterStrays = false;
  /// Distinct findings kept; further ones are only counted.
  uint32_t MaxFindings = 64;
  /// Takes what device printf prints, one call per printf, in order. Null: the
  /// text goes to standard output.
  std::function<void(std::string_view)> Printf;
  /// Gets the same as well; may be null.
  std::string *Printed = nullptr;
  /// Gets to know the global memory that the launch touches; may be null.
  TouchRecord *Touches = nullptr;
  /// Gets to know its calls of malloc and free, and may tell them what to
  /// return; may be null.
  HeapRecord *Heap = nullptr;
};

/// What was executed.
struct LaunchCounters {
  uint64_t WarpInstructions = 0;   ///< Issued with at least one lane.
  uint64_t ThreadInstructions = 0; ///< Sum over lanes after guard predicates.
  uint64_t Branches = 0;
  uint64_t DivergentBranches = 0;
  uint64_t Barriers = 0; ///< Warp arrivals at block barriers.
  uint64_t GlobalLoads = 0;
  uint64_t GlobalStores = 0;
  uint64_t SharedLoads = 0;
  uint64_t SharedStores = 0;
  uint64_t Atomics = 0;  ///< Warp instructions, all spaces.
  uint64_t Blocks = 0;   ///< Completed.
  uint64_t RaceWork = 0; ///< See RaceDetector::work.
};

/// How a launch went.
struct LaunchResult {
  LaunchStatus Status = LaunchStatus::Ok;
  std::string Message; ///< Empty if Ok; else one sentence.
  std::vector<Finding> Findings;
  uint64_t FindingsDropped = 0; ///< Distinct ones past MaxFindings.
  LaunchCounters Counters;
  uint64_t GridNumber = 0; ///< %gridid; 0: it did not start.

  /// No finding of Error severity and status Ok.
  bool clean() const;
};

/// One launch in progress. From create() on it holds the device's lock and has
/// put the thread's floating-point state aside (see HostFloat.h), so it must be
/// destroyed by the thread that created it and before that thread calls other
/// functions of the device.
class LaunchSession {
public:
  ~LaunchSession();
  LaunchSession(const LaunchSession &) = delete;
  LaunchSession &operator=(const LaunchSession &) = delete;

  /// Fails if the configuration breaks a limit of the device or the kernel.
  static Result<std::unique_ptr<LaunchSession>>
  create(Device &D, const Kernel &K, const LaunchOptions &O);

  uint64_t numBlocks() const;
  /// Runs block \p Index, which must be the next one in order. Blocks that it
  /// waits for run in part or in whole; their traces are kept until they are
  /// asked for. With \p Trace, the block's trace is written there; if it got
  /// long it is the first piece, and the block goes on with more(). With
  /// \p After, it is only that of what comes behind so many instructions, and
  /// has no warps if the block ends before; its accesses are counted in any
  /// case. Returns false when the launch has
  /// ended early; result() says why.
  bool runBlock(uint64_t Index, BlockTrace *Trace = nullptr,
                uint64_t After = 0);
  /// Appends the next piece to a trace of runBlock that is not final. It may be
  /// empty. The others that are not final must not have moved.
  void more(BlockTrace &Trace);
  /// Runs all blocks that are left.
  void runAll();
  /// Valid at any time; final when all blocks ran, with final traces, or
  /// runBlock returned false.
  const LaunchResult &result() const;

private:
  struct Impl;
  explicit LaunchSession(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> P;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_LAUNCH_H
