//===- Warp.cpp - The loop of a warp, divergence and reconvergence --------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Warp.h"
#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Race.h"
#include "runtime/gpu/exec/Recorder.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;

namespace {
/// A split that may be spinning gives way after so many instructions, any
/// other after many more: waiting lanes are let go only for good reason, as
/// they lose the company of the lanes they would have met.
constexpr uint64_t SpinSlice = 512;
constexpr uint64_t LongSlice = uint64_t(1) << 16;
constexpr uint32_t SpinPatience = 1024;
constexpr uint32_t LongPatience = uint32_t(1) << 18;
} // namespace

Warp::Warp(Block &B, uint32_t Index) : Owner(B), Index(Index) {
  // At most one split per lane, and one more while lanes change hands.
  Splits.reserve(2 * WarpSize);
}

void Warp::start(uint32_t Lanes) {
  Splits.clear();
  for (Join *J : Joins)
    FreeJoins.push_back(J);
  Joins.clear();
  Live = Lanes;
  Exited = ~Lanes;
  Waiting = false;
  Faulted = false;
  LastLo = LastHi = LastGeneration = 0;
  Checked = Owner.G.CheckUninit || Owner.G.Races || Owner.G.Options.Touches;
  Counted = Trace;
  Watched = Trace || Checked;
  Stopped = WarpStop::Yielded;
  startPiece(Trace);
  CarryFlag = 0;
  Executed = 0;
  Next = 0;
  const Code &Kernel = *Owner.G.Code.Functions[0];
  Frame *F = firstFrame(Kernel);
  F->Caller = nullptr;
  F->Function = 0;
  F->LocalBase = 0;
  F->LocalTop =
      uint32_t(std::min<uint64_t>(Kernel.LocalBytes + FrameGap, LocalStride));
  F->Grown = 0;
  F->Lanes = Lanes;
  F->Depth = 0;
  markFrame(*F);
  addSplit(Lanes, 0, F, nullptr);
}

void Warp::startPiece(WarpTrace *Piece) {
  Trace = Piece;
  Recorded.clear();
  RunLines = 0;
  LastWrite = {};
}

void Warp::joinTrace() {
  Watched = Counted = true;
  // Those that it waits for arrive in their traces, so it does in its own.
  for (const Split &S : Splits) {
    if (S.State != Split::AtBarrier)
      continue;
    TraceRun R;
    R.Function = S.Where->Function;
    R.Begin = S.Pc;
    R.Count = 1;
    R.Mask = S.Mask;
    Trace->Runs.push_back(Owner.Runs->intern(R, nullptr, 0));
  }
}

TraceEnd Warp::traceEnd() const {
  if (done())
    return TraceEnd::Final;
  bool Ready = std::any_of(Splits.begin(), Splits.end(), [](const Split &S) {
    return S.State == Split::Ready;
  });
  return Stopped == WarpStop::Blocked && !Ready ? TraceEnd::AtBarrier
                                                : TraceEnd::Open;
}

void Warp::enter(const Split &S) {
  Current = S.Where;
  ActiveMask = S.Mask;
  Bases[RegBase] = Current->Registers;
  Bases[ConstBase] = reinterpret_cast<char *>(
      const_cast<uint64_t *>(Current->Fn->Consts.data()));
}

void Warp::flushRun(uint32_t Begin, uint32_t End, uint32_t Mask) {
  if (End <= Begin)
    return;
  TraceRun R;
  R.Function = Current->Function;
  R.Begin = Begin;
  R.Count = End - Begin;
  R.Mask = Mask;
  Trace->Runs.push_back(
      Owner.Runs->intern(R, Recorded.data(), Recorded.size()));
  Recorded.clear();
  RunLines = uint32_t(Trace->Lines.size());
}

WarpStop Warp::run(uint64_t Quantum) { return Stopped = runSplits(Quantum); }

WarpStop Warp::runSplits(uint64_t Quantum) {
  Used = 0;
  Polled = Overtakes = false;
  while (true) {
    if (Faulted || Owner.G.stopped())
      return WarpStop::Fault;
    uint32_t Found = NoSlot;
    for (uint32_t K = 0; K < Splits.size(); ++K) {
      uint32_t S = (Next + K) % uint32_t(Splits.size());
      if (Splits[S].State == Split::Ready) {
        Found = S;
        break;
      }
    }
    if (Found == NoSlot) {
      if (releaseJoins())
        continue;
      return Splits.empty() ? WarpStop::Done : WarpStop::Blocked;
    }
    if (Used >= Quantum)
      return WarpStop::Yielded;
    Next = Found;
    uint64_t Slice = Splits[Found].MaySpin ? SpinSlice : LongSlice;
    SliceEnd End = Trace ? runSplit<true>(Found, Slice)
                   : Owner.TraceIn != Block::NoTrace
                       ? runToTrace(Found, Slice)
                       : runSplit<false>(Found, Slice);
    if (End == SliceEnd::Yielded) {
      Split &S = Splits[Found];
      uint32_t Patience = S.MaySpin ? SpinPatience : LongPatience;
      Next = Found + 1;
      bool Waiting = false;
      for (const Join *J : Joins)
        Waiting |= J->Arrived != 0;
      if (!Waiting)
        S.Spun = 0;
      if (Owner.G.Independent && S.Spun >= Patience) {
        S.Spun = 0;
        releaseJoins();
      }
      // Other warps may be what it waits for.
      unsigned Ready = 0;
      for (const Split &X : Splits)
        Ready += X.State == Split::Ready;
      if (Overtakes || (S.MaySpin && Ready == 1))
        return WarpStop::Yielded;
    }
  }
}

/// Executes an instruction, at \p At, by which lanes may part, wait or leave.
/// The split's run of instructions in a row started at \p Begin.
template <bool Traced>
Warp::Step Warp::control(uint32_t S, const Inst &I, uint32_t Mask, uint32_t At,
                         uint32_t Begin) {
  if (!Mask)
    return Step::Next;
  Pc = At;
  auto Leave = [&](uint32_t To) {
    if (Traced)
      flushRun(Begin, At + 1, Splits[S].Mask);
    Splits[S].Pc = To;
  };
  switch (I.Kind) {
  case InstKind::BranchIndexed:
    Leave(At + 1);
    branchIndexed(S, I, Mask);
    return Step::Switched;
  case InstKind::Call:
    Leave(At);
    call(S, I, Mask);
    return Faulted ? Step::Switched : Step::Reload;
  case InstKind::Return:
  case InstKind::Exit:
    Leave(At + 1);
    if (I.Kind == InstKind::Exit || !Current->Caller) {
      exitLanes(S, Mask);
      return Step::Switched;
    }
    if (Mask != Splits[S].Mask) {
      uint32_t Last = uint32_t(Current->Fn->Insts.size() - 1);
      diverge(S, Mask, Last, At + 1, ReturnPc);
      return Step::Reload;
    }
    return doReturn(S) ? Step::Reload : Step::Switched;
  case InstKind::Barrier:
    Leave(At);
    barrier(S, I, Mask);
    return Step::Switched;
  case InstKind::WarpSync:
    if (isWholeSync(I, Mask)) {
      finishWarpSync(I, Mask, Mask);
      return Step::Next;
    }
    Leave(At);
    warpSync(S, I, Mask);
    return Step::Switched;
  case InstKind::Stack:
    stack(I, Mask);
    if (!Faulted)
      return Step::Next;
    Leave(At + 1);
    return Step::Switched;
  case InstKind::Trap:
    Leave(At + 1);
    if (I.Imm < 0)
      fault(FindingKind::Trap, unsigned(__builtin_ctz(Mask)),
            "the kernel executed trap");
    else
      fault(FindingKind::IllegalInstruction, unsigned(__builtin_ctz(Mask)),
            Current->Fn->Source->Refusals[size_t(I.Imm)]);
    return Step::Switched;
  case InstKind::Breakpoint:
    Leave(At + 1);
    fault(FindingKind::Trap, unsigned(__builtin_ctz(Mask)),
          "the kernel executed brkpt");
    return Step::Switched;
  default:
    assert(false && "not an instruction of control");
    return Step::Next;
  }
}

/// The loop that everything else is there for: what it keeps in registers
/// stays out of the reach of the functions it calls.
template <bool Traced>
Warp::SliceEnd Warp::runSplit(uint32_t S, uint64_t Slice) {
  LaunchCounters &Count = Owner.G.Result.Counters;
  uint64_t Steps = 0, Threads = 0;
  uint32_t At, Mask, JoinPc, Begin;
  const Inst *Insts;
  auto Reload = [&] {
    const Split &X = Splits[S];
    enter(X);
    At = Begin = X.Pc;
    Mask = X.Mask;
    JoinPc = X.Meet && X.Meet->Where == X.Where ? X.Meet->Pc : NoPc;
    Insts = X.Where->Fn->Insts.data();
  };
  auto Leave = [&] {
    Splits[S].Pc = At;
    if (Traced)
      flushRun(Begin, At, Mask);
  };
  auto NoteSpin = [&] {
    if (Splits[S].MaySpin)
      return;
    Splits[S].MaySpin = true;
    Slice = std::min(Slice, Steps + SpinSlice);
  };
  auto Finish = [&](SliceEnd E) {
    Count.WarpInstructions += Steps;
    Count.ThreadInstructions += Threads;
    Executed += Steps;
    Used += Steps;
    Owner.G.Steps += Steps;
    if (E == SliceEnd::Yielded)
      Splits[S].Spun += uint32_t(Steps);
    return E;
  };
  Reload();
  while (true) {
    if (At == JoinPc) {
      Leave();
      arrive(S);
      return Finish(SliceEnd::Switched);
    }
    const Inst &I = Insts[At];
    uint32_t M = Mask;
    if (I.Guard != NoSlot) {
      uint32_t P =
          *reinterpret_cast<const uint32_t *>(Bases[RegBase] + I.Guard);
      M &= I.GuardNegated ? ~P : P;
    }
    ++Steps;
    Threads += unsigned(__builtin_popcount(M));
    switch (I.Kind) {
    case InstKind::Double:
      ++Owner.Accesses.Doubles;
      if (M)
        I.Fn(*this, I, M);
      ++At;
      continue;
    case InstKind::Special:
      ++Owner.Accesses.Specials;
      [[fallthrough]];
    case InstKind::Plain:
      if (M)
        I.Fn(*this, I, M);
      ++At;
      continue;
    case InstKind::Clock:
      // Time goes on within a slice.
      NowExecuted = Executed + Steps;
      NowInGrid = Owner.G.Steps + Steps;
      if (M)
        I.Fn(*this, I, M);
      ++At;
      continue;
    case InstKind::Nop:
      if (I.Flags & FlagSpin) {
        NoteSpin();
        Slice = std::min(Slice, Steps); // Others first.
      }
      if ((I.Flags & FlagReleaseOrder) && M && Owner.G.Races)
        Owner.G.Races->fence(*this, I, M);
      ++At;
      continue;
    case InstKind::Memory:
      if (I.Polling && overtakes(Splits[S], I)) {
        --Steps;
        Threads -= unsigned(__builtin_popcount(M));
        Leave();
        return Finish(SliceEnd::Yielded);
      }
      Pc = At;
      if (I.Flags & FlagSpin)
        NoteSpin();
      ++At;
      if (M) {
        if (Traced && I.Polling)
          polledAccess(I, M);
        else
          I.Fn(*this, I, M);
        if (Faulted) {
          Leave();
          return Finish(SliceEnd::Switched);
        }
        if (GivesWay) {
          GivesWay = false;
          Slice = std::min(Slice, Steps);
        }
      } else if (Traced) {
        recordNothing(*this);
      }
      continue;
    case InstKind::Branch: {
      ++Count.Branches;
      uint32_t From = At++;
      bool Spent = I.Target <= From && Steps >= Slice;
      if (M == 0)
        continue;
      if (M != Mask) {
        ++Count.DivergentBranches;
        Leave();
        diverge(S, M, I.Target, At, I.Reconverge);
        if (Spent)
          return Finish(SliceEnd::Yielded);
        Reload();
        continue;
      }
      if (Traced && I.Polling)
        endPoll(Begin, I.Target, At, Mask);
      else if (Traced)
        flushRun(Begin, At, Mask);
      At = Begin = I.Target;
      // What it polls, others write.
      if (I.Polling) {
        Splits[S].MaySpin = Polled = true;
        setWaiting(true);
        Spent = true;
      }
      if (!Spent)
        continue;
      Splits[S].Pc = At;
      return Finish(SliceEnd::Yielded);
    }
    default:
      switch (control<Traced>(S, I, M, At, Begin)) {
      case Step::Next:
        ++At;
        continue;
      case Step::Reload:
        if (I.Kind == InstKind::Call && Steps >= Slice)
          return Finish(SliceEnd::Yielded);
        Reload();
        continue;
      case Step::Switched:
        return Finish(SliceEnd::Switched);
      }
    }
  }
}

/// A slice in which the block's trace may begin. Split \p S then goes on with
/// what is left of its slice, so that a trace does not change who comes next.
Warp::SliceEnd Warp::runToTrace(uint32_t S, uint64_t Slice) {
  uint64_t Before = Executed;
  bool Spins = Splits[S].MaySpin;
  SliceEnd End = runSplit<false>(S, std::min(Slice, Owner.TraceIn));
  uint64_t Ran = Executed - Before;
  if (Ran < Owner.TraceIn ||
      (Ran == Owner.TraceIn && End == SliceEnd::Switched)) {
    Owner.TraceIn -= Ran;
    return End;
  }
  Owner.startLate();
  if (End == SliceEnd::Switched || Ran >= Slice || Polled || Overtakes ||
      Splits[S].MaySpin != Spins)
    return End;
  return runSplit<true>(S, Slice - Ran);
}
