//===- Diverge.cpp - Splits and where they meet again ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"
#include "runtime/gpu/exec/Warp.h"

#include <algorithm>
#include <cassert>

using namespace gevo::gpu;

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
  J->SawPoll = false;
  J->Outer = S.Meet;
  Joins.push_back(J);
  return J;
}

void Warp::diverge(uint32_t S, uint32_t Taken, uint32_t Target,
                   uint32_t Fallthrough, uint32_t Reconverge) {
  uint32_t Rest = Splits[S].Mask & ~Taken;
  Join *J = joinAt(Splits[S], Reconverge);
  Splits[S].Meet = J;
  if (J)
    J->SawPoll |= Splits[S].SawPoll;
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
  J->SawPoll |= Splits[S].SawPoll;
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
  Splits[Next].SawPoll = J->SawPoll;
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
  if (!Live)
    setWaiting(false);
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
