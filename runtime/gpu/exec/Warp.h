//===- Warp.h - 32 lanes in step --------------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp executes decoded instructions for 32 lanes at once. Lanes that took
// different ways are splits: disjoint lane masks with a place each. Splits of a
// divergent branch meet again at its immediate post-dominator (a Join). From
// sm_70 on a split that waits at a join is let go when another one spins or
// blocks, so threads of a warp may wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_WARP_H
#define GEVO_RUNTIME_GPU_EXEC_WARP_H

#include "runtime/gpu/exec/Code.h"
#include "runtime/gpu/exec/Finding.h"
#include "runtime/gpu/exec/Trace.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace gevo::gpu {

class Block;

constexpr uint32_t FullMask = ~uint32_t(0);
constexpr unsigned WarpSize = 32;

/// The activation of a function for some lanes.
struct Frame {
  const Code *Fn = nullptr;
  Frame *Caller = nullptr;
  uint32_t ReturnTo = 0; ///< Instruction after the call.
  uint32_t CallSite = 0; ///< Index of the caller's Calls.
  uint32_t Function = 0; ///< Index in KernelCode.
  uint32_t LocalBase = 0;
  uint32_t LocalTop = 0; ///< Of lanes that have not called alloca.
  uint32_t Grown = 0;    ///< Those that have; their tops are their own.
  uint32_t Tops[WarpSize];
  uint32_t Lanes = 0; ///< Still inside.
  uint32_t Depth = 0;

  /// Where the stack of \p Lane ends while it is in this frame.
  uint32_t top(unsigned Lane) const {
    return Grown >> Lane & 1 ? Tops[Lane] : LocalTop;
  }
  /// The highest such place of \p Mask.
  uint32_t highestTop(uint32_t Mask) const {
    uint32_t Top = LocalTop;
    for (uint32_t M = Grown & Mask; M; M &= M - 1)
      Top = Tops[__builtin_ctz(M)] > Top ? Tops[__builtin_ctz(M)] : Top;
    return Top;
  }
  struct RegisterRows {
    std::unique_ptr<char[]> Memory;
    uint32_t Capacity = 0;
  } Rows;
  /// In Rows, aligned to 64 bytes; null while they are packed.
  char *Registers = nullptr;
  std::vector<char> Packed; ///< Those that are read after the call under way.
  uint32_t Away = 0;        ///< Lanes in the call for which it was packed,
  uint32_t AwayAt = 0;      ///< which is this one of the function's.
};

/// Where splits of a divergent branch meet.
struct Join {
  Frame *Where = nullptr;
  uint32_t Pc = NoPc;
  uint32_t Expected = 0; ///< Lanes that may still come, and those waiting.
  uint32_t Arrived = 0;
  bool SawPoll = false; ///< Of those that arrived, see Split.
  Join *Outer = nullptr;
};

/// Lanes at one place.
struct Split {
  enum Status : uint8_t { Ready, AtBarrier, AtWarpSync };
  Status State = Ready;
  uint32_t Mask = 0;
  uint32_t Pc = 0;
  Frame *Where = nullptr;
  Join *Meet = nullptr;
  uint32_t Barrier = 0; ///< Number of the barrier it waits at.
  uint32_t Members = 0; ///< Lanes it waits for at a warp-wide operation.
  uint32_t Spun = 0;    ///< Instructions since it last changed hands.
  bool MaySpin = false; ///< Executed something a spin loop would.
  bool SawPoll = false; ///< Polled since it last let others go first.
};

/// Why Warp::run returned.
enum class WarpStop : uint8_t { Done, Blocked, Yielded, Fault };

/// See the file comment. Owned and reused by a Block.
class Warp {
public:
  Warp(Block &B, uint32_t Index);

  /// Starts the kernel for \p Lanes.
  void start(uint32_t Lanes);
  /// Runs until all lanes exited, all are blocked, or about \p Quantum
  /// instructions were executed in loops.
  WarpStop run(uint64_t Quantum);
  /// Writes its trace to \p Piece from now on. Not while it runs.
  void startPiece(WarpTrace *Piece);
  /// Its trace has begun in the middle of the block.
  void joinTrace();
  /// What comes after what it has traced so far.
  TraceEnd traceEnd() const;
  /// Lets the lanes that wait at barrier \p Number go; \p Popc, \p All and
  /// \p Any are the results of its reduction.
  void releaseBarrier(uint32_t Number, uint32_t Popc, bool All, bool Any);
  /// Where each group of lanes is, for reports about a deadlock.
  const std::vector<Split> &splits() const { return Splits; }
  bool done() const { return Live == 0; }

  /// \name For handlers
  /// @{
  template <typename T> T *row(uint32_t Slot) const {
    return reinterpret_cast<T *>(Bases[Slot & 3] + (Slot & ~3u));
  }
  uint32_t &pred(uint32_t Slot) const {
    return *reinterpret_cast<uint32_t *>(Bases[Slot & 3] + (Slot & ~3u));
  }
  const Code &code() const { return *Current->Fn; }
  /// Reports a fault of \p Lane at the current instruction; the launch ends.
  void fault(FindingKind K, unsigned Lane, std::string Message,
             uint64_t Address = 0, uint32_t Bytes = 0);
  /// Reports a finding that does not end the launch.
  void report(FindingKind K, unsigned Lane, std::string Message,
              uint64_t Address = 0, uint32_t Bytes = 0);
  /// Memory of \p Lane in the local space; null if the range is outside.
  char *local(unsigned Lane, uint64_t Offset, uint64_t Bytes) {
    if (Offset > LocalLimit || Bytes > LocalLimit - Offset)
      return nullptr;
    return LocalMemory + uint64_t(Lane) * LocalStride + Offset;
  }
  /// @}

  Block &Owner;
  const uint32_t Index;
  char *Bases[4] = {};
  Frame *Current = nullptr; ///< Frame of the running split.
  uint32_t Pc = 0;          ///< Of the running instruction.
  uint32_t ActiveMask = 0;  ///< Lanes of the running split.
  uint32_t SyncMask = 0;    ///< Lanes taking part in a warp-wide operation.
  /// Warp-wide operations of lanes at different places run in two phases.
  enum class Phase : uint8_t {
    Whole,
    Publish,
    Complete
  } SyncPhase = Phase::Whole;
  uint64_t Exchange[WarpSize] = {}; ///< Values published to other lanes.
  uint32_t Live = 0;                ///< Lanes that have not exited.
  uint32_t Exited = 0;
  bool Faulted = false;
  bool GivesWay = false; ///< The instruction waits for other threads.
  /// Of the last run(): it polled for what was not there yet; it stopped so as
  /// not to overtake those that wait for what it saw.
  bool Polled = false, Overtakes = false;
  uint64_t LastLo = 0, LastHi = 0; ///< The allocation that was hit last,
  uint64_t LastGeneration = 0;     ///< as of this state of the table.
  bool LastWritable = false;
  /// Allocations that were hit before: kernels go from one array to another.
  struct Hit {
    uint64_t Lo = 0, Hi = 0;
    bool Writable = false;
  } Hits[4];
  uint32_t NextHit = 0;
  /// In the place of memory just outside of an allocation: zeros before each
  /// instruction, as wide as the widest access.
  alignas(32) char Stray[32] = {};
  bool Watched = false;       ///< Traces or checks want to know of each access.
  bool Checked = false;       ///< Checks, or a record of what is touched, do.
  bool Counted = false;       ///< Its accesses are, in those of the block.
  WarpTrace *Trace = nullptr; ///< Null: not traced. If not, it is counted.
  std::vector<TraceAccess> Recorded; ///< Of the run that is not flushed yet.
  uint32_t RunLines = 0;             ///< Lines of the trace before that run.
  char *LocalMemory = nullptr;
  uint64_t LocalStride = 0;
  uint64_t LocalLimit = 0;
  uint32_t CarryFlag = 0; ///< CC.CF of add.cc and friends, a bit per lane.
  uint64_t Executed = 0;  ///< Warp instructions, up to the last slice.
  /// While a clock is read: warp instructions of this warp and of the grid.
  uint64_t NowExecuted = 0, NowInGrid = 0;
  /// A mark for each byte of local memory; 0 where no frame has or had a
  /// variable. Null: not checked.
  uint8_t *LocalShadow = nullptr;

private:
  enum class SliceEnd : uint8_t { Switched, Yielded };

  /// What the loop does after an instruction of control.
  enum class Step : uint8_t { Next, Reload, Switched };

  // Warp.cpp: the loop, divergence and joins.
  WarpStop runSplits(uint64_t Quantum);
  template <bool Traced> SliceEnd runSplit(uint32_t S, uint64_t Slice);
  SliceEnd runToTrace(uint32_t S, uint64_t Slice);
  template <bool Traced>
  Step control(uint32_t S, const Inst &I, uint32_t Mask, uint32_t At,
               uint32_t Begin);
  void flushRun(uint32_t Begin, uint32_t End, uint32_t Mask);
  void enter(const Split &S);
  uint32_t addSplit(uint32_t Mask, uint32_t Pc, Frame *Where, Join *Meet);
  void removeSplit(uint32_t S);
  void diverge(uint32_t S, uint32_t Taken, uint32_t Target,
               uint32_t Fallthrough, uint32_t Reconverge);
  void branchIndexed(uint32_t S, const Inst &I, uint32_t Mask);
  Join *joinAt(Split &S, uint32_t Pc);
  void arrive(uint32_t S);
  void settle(Join *J);
  bool releaseJoins();
  void exitLanes(uint32_t S, uint32_t Lanes);
  void splitOff(uint32_t S, uint32_t Stay);

  // Polling.cpp: what waits for other warps, in traces.
  void setWaiting(bool Now);
  bool overtakes(Split &S, const Inst &I);
  void polledAccess(const Inst &I, uint32_t Mask);
  bool isIdle(uint32_t Begin, uint32_t End) const;
  void endPoll(uint32_t Begin, uint32_t Target, uint32_t End, uint32_t Mask);

  // Calls.cpp: calls, built-in functions, alloca.
  void call(uint32_t S, const Inst &I, uint32_t Mask);
  /// Sets the marks of local memory for a frame that is entered.
  void markFrame(const Frame &F);
  /// The stacks of \p Lanes from \p Begin to the end of \p F, which they are
  /// in, are no frame's any more.
  void markGone(const Frame &F, uint64_t Begin, uint32_t Lanes);
  bool callFunction(uint32_t S, uint32_t Site, uint32_t Function,
                    uint32_t Mask);
  void callIndirect(uint32_t S, const Inst &I, uint32_t Mask);
  void callBuiltin(const CallInfo &Info, uint32_t Mask);
  void assertFail(unsigned Lane, const std::string &Text,
                  const std::string &File, uint32_t Line,
                  const std::string &Function);
  bool doReturn(uint32_t S);
  void copyPiece(Frame &From, const CallInfo::Piece &A, Frame &To,
                 const CallInfo::Piece &B, uint32_t Mask);
  uint64_t readPiece(Frame &F, const CallInfo::Piece &P, unsigned Lane);
  void writePiece(Frame &F, const CallInfo::Piece &P, unsigned Lane,
                  uint64_t Value);
  void stack(const Inst &I, uint32_t Mask);
  std::optional<uint64_t> growStack(Frame &F, unsigned Lane, uint64_t Bytes,
                                    uint64_t Align);

  // Frames.cpp: frames and their registers.
  Frame *firstFrame(const Code &Kernel);
  Frame *calleeFrame(const Code &Fn, Frame &Caller, uint32_t Site,
                     uint32_t Mask);
  Frame &takeFrame(const Code &Fn);
  void leaveFrame(Frame *F, uint32_t Lanes);
  bool takeRows(Frame &F, uint64_t Most);
  void dropRows(Frame &F);
  void pack(Frame &F, uint32_t Site);
  void comeBack(Frame &F, uint32_t Lanes);
  void dropPacked(Frame &F);

  // Sync.cpp: barriers and warp-wide operations.
  uint32_t sameBarrier(const Inst &I, uint32_t Mask) const;
  void barrier(uint32_t S, const Inst &I, uint32_t Mask);
  bool isWholeSync(const Inst &I, uint32_t Mask) const;
  void warpSync(uint32_t S, const Inst &I, uint32_t Mask);
  void tryWarpSync(uint32_t Members);
  void finishWarpSync(const Inst &I, uint32_t Mask, uint32_t Members);
  void finishMixedSync(const Inst &I, uint32_t Group, uint32_t Need);
  void mergeSplits();

  std::vector<Split> Splits;
  std::vector<Join *> Joins; ///< In use, in order of creation.
  std::vector<std::unique_ptr<Join>> JoinPool;
  std::vector<Join *> FreeJoins;
  std::vector<std::unique_ptr<Frame>> FramePool;
  std::vector<Frame *> FreeFrames;
  std::vector<Frame::RegisterRows> FreeRows;
  uint64_t FrameBytes = 0;              ///< Rows of all, and what is packed.
  uint32_t Next = 0;                    ///< Split to run next.
  WarpStop Stopped = WarpStop::Yielded; ///< Why the last run() did.
  uint64_t Used = 0;                    ///< Instructions of this run().
  bool Waiting = false;                 ///< It polled last, and in vain.
  uint32_t FailedAt = 0; ///< Then, in traces: how many events there were.
  /// In traces of kernels that poll: where the warp wrote last; the number of
  /// the run, from 1 on.
  struct {
    uint32_t Run = 0, Pc = 0;
  } LastWrite;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_WARP_H
