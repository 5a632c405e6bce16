//===- Warp.cpp - The loop of a warp, divergence and reconvergence --------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Warp.h"
#include "runtime/gpu/exec/Block.h"

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
  FreeFrames.clear();
  for (auto &F : FramePool)
    FreeFrames.push_back(F.get());
  Live = Lanes;
  Exited = ~Lanes;
  Faulted = false;
  LastLo = LastHi = LastGeneration = 0;
  Watched = Trace || Owner.G.CheckUninit;
  CarryFlag = 0;
  Executed = 0;
  Next = 0;
  const Code &Kernel = *Owner.G.Code.Functions[0];
  Frame *F = newFrame(Kernel);
  F->Caller = nullptr;
  F->Function = 0;
  F->LocalBase = 0;
  F->LocalTop = Kernel.LocalBytes;
  F->Lanes = Lanes;
  F->Depth = 0;
  addSplit(Lanes, 0, F, nullptr);
}

uint32_t Warp::addSplit(uint32_t Mask, uint32_t Pc, Frame *Where, Join *Meet) {
  assert(Mask && "a split has lanes");
  assert(Splits.size() < Splits.capacity() && "more splits than lanes");
  Split S;
  S.Mask = Mask;
  S.Pc = Pc;
  S.Where = Where;
  S.Meet = Meet;
  Splits.push_back(S);
  return uint32_t(Splits.size() - 1);
}

void Warp::removeSplit(uint32_t S) {
  Splits.erase(Splits.begin() + S);
  if (Next > S)
    --Next;
}

/// Lanes of split \p S outside of \p Stay go on at the next instruction on
/// their own.
void Warp::splitOff(uint32_t S, uint32_t Stay) {
  Split &X = Splits[S];
  uint32_t Rest = X.Mask & ~Stay;
  if (!Rest)
    return;
  X.Mask &= Stay;
  addSplit(Rest, X.Pc + 1, X.Where, X.Meet);
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
  R.FirstAccess = uint32_t(Trace->Accesses.size());
  // Records of this run were appended while it ran.
  uint32_t Own = 0;
  for (uint32_t Pc = Begin; Pc < End; ++Pc)
    Own += Current->Fn->Insts[Pc].Kind == InstKind::Memory;
  R.FirstAccess -= Own;
  Trace->Runs.push_back(R);
}

WarpStop Warp::run(uint64_t Quantum) {
  Used = 0;
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
    SliceEnd End =
        Trace ? runSplit<true>(Found, Slice) : runSplit<false>(Found, Slice);
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
      if (S.MaySpin && Splits.size() == 1)
        return WarpStop::Yielded;
    }
  }
}

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
  auto Leave = [&](uint32_t Pc) {
    Splits[S].Pc = Pc;
    if (Traced)
      flushRun(Begin, At, Mask);
  };
  auto Finish = [&](SliceEnd E) {
    Count.WarpInstructions += Steps;
    Count.ThreadInstructions += Threads;
    Executed += Steps;
    Used += Steps;
    Owner.G.Steps += Steps;
    return E;
  };
  Reload();
  while (true) {
    if (At == JoinPc) {
      Leave(At);
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
    case InstKind::Plain:
      if (M)
        I.Fn(*this, I, M);
      ++At;
      continue;
    case InstKind::Nop:
      if (I.Flags & FlagSpin)
        Splits[S].MaySpin = true;
      ++At;
      continue;
    case InstKind::Memory:
      Pc = At;
      if (I.Flags & FlagSpin)
        Splits[S].MaySpin = true;
      ++At;
      if (M) {
        I.Fn(*this, I, M);
        if (Faulted) {
          Leave(At);
          return Finish(SliceEnd::Switched);
        }
      } else if (Traced) {
        Trace->Accesses.emplace_back();
      }
      continue;
    case InstKind::Branch: {
      ++Count.Branches;
      uint32_t From = At++;
      if (M == Mask) {
        if (Traced)
          flushRun(Begin, At, Mask);
        At = Begin = I.Target;
        if (I.Target <= From && Steps >= Slice) {
          Splits[S].Pc = At;
          Splits[S].Spun += uint32_t(Steps);
          return Finish(SliceEnd::Yielded);
        }
        continue;
      }
      if (M == 0)
        continue;
      ++Count.DivergentBranches;
      Leave(At);
      diverge(S, M, I.Target, At, I.Reconverge);
      if (I.Target <= From && Steps >= Slice) {
        Splits[S].Spun += uint32_t(Steps);
        return Finish(SliceEnd::Yielded);
      }
      Reload();
      continue;
    }
    case InstKind::BranchIndexed:
      ++Count.Branches;
      Pc = At;
      if (!M) {
        ++At;
        continue;
      }
      ++At;
      Leave(At);
      branchIndexed(S, I, M);
      return Finish(SliceEnd::Switched);
    case InstKind::Call:
      Pc = At;
      ++At;
      if (!M)
        continue;
      Leave(At - 1);
      call(S, I, M);
      if (Faulted)
        return Finish(SliceEnd::Switched);
      if (Steps >= Slice) {
        Splits[S].Spun += uint32_t(Steps);
        return Finish(SliceEnd::Yielded);
      }
      Reload();
      continue;
    case InstKind::Return:
    case InstKind::Exit: {
      Pc = At;
      ++At;
      if (!M)
        continue;
      bool Ends = I.Kind == InstKind::Exit || !Current->Caller;
      Leave(At);
      if (Ends) {
        exitLanes(S, M);
        return Finish(SliceEnd::Switched);
      }
      if (M != Mask) {
        uint32_t Last = uint32_t(Current->Fn->Insts.size() - 1);
        diverge(S, M, Last, At, ReturnPc);
        Reload();
        continue;
      }
      if (!doReturn(S))
        return Finish(SliceEnd::Switched);
      Reload();
      continue;
    }
    case InstKind::Barrier:
    case InstKind::WarpSync: {
      Pc = At;
      ++At;
      if (!M)
        continue;
      // Alone at a warp-wide operation with all its members: the usual case.
      if (I.Kind == InstKind::WarpSync && M == Live) {
        const uint32_t *Members = row<uint32_t>(I.E);
        bool Same = true;
        for (uint32_t R = M; R; R &= R - 1)
          Same &= (Members[__builtin_ctz(R)] & M) == M;
        if (Same) {
          finishWarpSync(I, M, M);
          continue;
        }
      }
      Leave(At - 1);
      if (I.Kind == InstKind::Barrier)
        barrier(S, I, M);
      else
        warpSync(S, I, M);
      return Finish(SliceEnd::Switched);
    }
    case InstKind::Stack:
      Pc = At;
      ++At;
      if (M)
        stack(I, M);
      if (Faulted) {
        Leave(At);
        return Finish(SliceEnd::Switched);
      }
      continue;
    case InstKind::Trap:
    case InstKind::Breakpoint:
      Pc = At;
      ++At;
      if (!M)
        continue;
      Leave(At);
      fault(FindingKind::Trap, unsigned(__builtin_ctz(M)),
            I.Kind == InstKind::Trap ? "the kernel executed trap"
                                     : "the kernel executed brkpt");
      return Finish(SliceEnd::Switched);
    }
  }
}

/// The join at \p Pc of the split's frame: the one it already heads for, or a
/// new one inside of that.
Join *Warp::joinAt(Split &S, uint32_t Pc) {
  if (Pc == NoPc)
    return S.Meet;
  if (S.Meet && S.Meet->Where == S.Where && S.Meet->Pc == Pc)
    return S.Meet;
  Join *J;
  if (FreeJoins.empty()) {
    JoinPool.push_back(std::make_unique<Join>());
    J = JoinPool.back().get();
  } else {
    J = FreeJoins.back();
    FreeJoins.pop_back();
  }
  J->Where = S.Where;
  J->Pc = Pc;
  J->Expected = S.Mask;
  J->Arrived = 0;
  J->Outer = S.Meet;
  Joins.push_back(J);
  return J;
}

void Warp::diverge(uint32_t S, uint32_t Taken, uint32_t Target,
                   uint32_t Fallthrough, uint32_t Reconverge) {
  uint32_t Rest = Splits[S].Mask & ~Taken;
  Join *J = joinAt(Splits[S], Reconverge);
  Splits[S].Meet = J;
  bool Meets = Reconverge != NoPc;
  if (Meets && Target == Reconverge) {
    J->Arrived |= Taken;
    Splits[S].Mask = Rest;
    Splits[S].Pc = Fallthrough;
  } else if (Meets && Fallthrough == Reconverge) {
    J->Arrived |= Rest;
    Splits[S].Mask = Taken;
    Splits[S].Pc = Target;
  } else {
    Splits[S].Mask = Rest;
    Splits[S].Pc = Fallthrough;
    addSplit(Taken, Target, Splits[S].Where, J);
  }
}

void Warp::branchIndexed(uint32_t S, const Inst &I, uint32_t Mask) {
  const auto &List = Current->Fn->TargetLists[I.Target];
  const uint32_t *Index = row<uint32_t>(I.A);
  for (uint32_t M = Mask; M; M &= M - 1) {
    unsigned L = unsigned(__builtin_ctz(M));
    if (Index[L] >= List.size()) {
      fault(FindingKind::IllegalInstruction, L,
            "brx.idx with index " + std::to_string(Index[L]) + " but only " +
                std::to_string(List.size()) + " targets");
      return;
    }
  }
  Join *J = joinAt(Splits[S], I.Reconverge);
  Split Whole = Splits[S];
  removeSplit(S);
  auto Send = [&](uint32_t Lanes, uint32_t Target) {
    if (Target == I.Reconverge)
      J->Arrived |= Lanes;
    else
      addSplit(Lanes, Target, Whole.Where, J);
  };
  if (uint32_t Rest = Whole.Mask & ~Mask)
    Send(Rest, Whole.Pc);
  for (uint32_t Left = Mask; Left;) {
    uint32_t Target = List[Index[__builtin_ctz(Left)]];
    uint32_t Group = 0;
    for (uint32_t M = Left; M; M &= M - 1) {
      unsigned L = unsigned(__builtin_ctz(M));
      if (List[Index[L]] == Target)
        Group |= 1u << L;
    }
    Left &= ~Group;
    Send(Group, Target);
  }
  if (I.Reconverge != NoPc)
    settle(J);
}

void Warp::arrive(uint32_t S) {
  Join *J = Splits[S].Meet;
  J->Arrived |= Splits[S].Mask;
  removeSplit(S);
  settle(J);
}

/// Lets the lanes of a join go on if no other is expected.
void Warp::settle(Join *J) {
  if (J->Arrived != J->Expected)
    return;
  Joins.erase(std::find(Joins.begin(), Joins.end(), J));
  FreeJoins.push_back(J);
  if (!J->Arrived)
    return;
  uint32_t Pc =
      J->Pc == ReturnPc ? uint32_t(J->Where->Fn->Insts.size() - 1) : J->Pc;
  Next = addSplit(J->Arrived, Pc, J->Where, J->Outer);
}

/// Lanes that wait for others go on without them. True if there were any.
bool Warp::releaseJoins() {
  bool Any = false;
  // Settling changes the list; each join is looked at once, inner ones last
  // in the list first.
  for (size_t K = Joins.size(); K-- > 0;) {
    Join *J = Joins[K];
    if (!J->Arrived)
      continue;
    Any = true;
    uint32_t Lanes = J->Arrived;
    J->Expected &= ~Lanes;
    J->Arrived = 0;
    uint32_t Pc =
        J->Pc == ReturnPc ? uint32_t(J->Where->Fn->Insts.size() - 1) : J->Pc;
    addSplit(Lanes, Pc, J->Where, J->Outer);
    if (!J->Expected) {
      Joins.erase(Joins.begin() + std::ptrdiff_t(K));
      FreeJoins.push_back(J);
    }
  }
  return Any;
}

void Warp::exitLanes(uint32_t S, uint32_t Lanes) {
  Live &= ~Lanes;
  Exited |= Lanes;
  for (Frame *F = Splits[S].Where; F; F = F->Caller)
    leaveFrame(F, Lanes);
  Splits[S].Mask &= ~Lanes;
  if (!Splits[S].Mask)
    removeSplit(S);
  std::vector<Join *> Affected;
  for (Join *J : Joins)
    if (J->Expected & Lanes)
      Affected.push_back(J);
  for (Join *J : Affected) {
    J->Expected &= ~Lanes;
    settle(J);
  }
  // Fewer lanes to wait for.
  std::vector<uint32_t> Waiting;
  for (const Split &X : Splits)
    if (X.State == Split::AtWarpSync)
      Waiting.push_back(X.Members);
  for (uint32_t Members : Waiting)
    tryWarpSync(Members);
  Owner.recheckBarriers();
}
