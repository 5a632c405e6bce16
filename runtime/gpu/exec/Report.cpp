//===- Report.cpp - What blocks and warps report --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/exec/Block.h"

#include <algorithm>
#include <cstring>

using namespace gevo::gpu;

/// Programs rely on it that threads which ended do not count, but the manual
/// wants every thread to take part.
void Block::reportExited(uint32_t Number) {
  uint64_t Threads = G.Options.Block.count();
  for (auto &W : Warps) {
    uint64_t First = uint64_t(W->Index) * WarpSize;
    uint64_t Count = std::min<uint64_t>(WarpSize, Threads - First);
    uint32_t Started = Count == WarpSize ? FullMask : (1u << Count) - 1;
    uint32_t Gone = Started & ~W->Live;
    if (!Gone)
      continue;
    for (auto &V : Warps)
      for (const Split &S : V->splits()) {
        if (S.State != Split::AtBarrier || S.Barrier != Number)
          continue;
        Finding F;
        F.Kind = FindingKind::BarrierExited;
        Dim3 T = threadAt(W->Index, unsigned(__builtin_ctz(Gone)));
        F.Message = "threads pass a barrier that thread (" +
                    std::to_string(T.X) + "," + std::to_string(T.Y) + "," +
                    std::to_string(T.Z) + ") ended without reaching";
        F.Kernel = G.What.name();
        F.Who.Block = Where;
        F.Who.Thread = threadAt(V->Index, unsigned(__builtin_ctz(S.Mask)));
        F.Who.Place = G.place(S.Where->Function, S.Pc);
        G.addFinding(std::move(F), uint64_t(S.Where->Function) << 32 | S.Pc);
        return;
      }
  }
}

void Block::reportDeadlock() {
  for (auto &W : Warps) {
    if (W->splits().empty())
      continue;
    const Split &S = W->splits().front();
    Finding F;
    F.Kind = FindingKind::Deadlock;
    F.Message = S.State == Split::AtBarrier
                    ? "threads wait at barrier " + std::to_string(S.Barrier) +
                          ", which the others never reach"
                    : "lanes wait for lanes of the member mask that never "
                      "come";
    F.Kernel = G.What.name();
    F.Who.Block = Where;
    F.Who.Thread = threadAt(W->Index, unsigned(__builtin_ctz(S.Mask)));
    F.Who.Place = G.place(S.Where->Function, S.Pc);
    G.stop(LaunchStatus::Deadlock, F.Message);
    G.addFinding(std::move(F), uint64_t(S.Where->Function) << 32 | S.Pc);
    return;
  }
}

void Warp::fault(FindingKind K, unsigned Lane, std::string Message,
                 uint64_t Address, uint32_t Bytes) {
  Faulted = true;
  LaunchStatus S = LaunchStatus::IllegalAddress;
  switch (K) {
  case FindingKind::Misaligned:
    S = LaunchStatus::MisalignedAddress;
    break;
  case FindingKind::IllegalInstruction:
    S = LaunchStatus::IllegalInstruction;
    break;
  case FindingKind::InvalidCall:
    S = LaunchStatus::InvalidPc;
    break;
  case FindingKind::StackOverflow:
    S = LaunchStatus::StackOverflow;
    break;
  case FindingKind::Trap:
    S = LaunchStatus::Trap;
    break;
  case FindingKind::Assertion:
    S = LaunchStatus::Assert;
    break;
  default:
    break;
  }
  Owner.G.stop(S, Message);
  report(K, Lane, std::move(Message), Address, Bytes);
}

std::string Grid::globalName(uint64_t Address) const {
  const Allocation *In = Memory.find(Address);
  if (!In)
    In = Memory.nearest(Address).Where;
  if (!In)
    return "";
  if (!In->Name.empty())
    return In->Name;
  for (size_t I = 0; I < What.params().size(); ++I) {
    const KernelParam &P = What.params()[I];
    for (uint32_t At = P.Offset; At + 8 <= P.Offset + P.Size; At += 8) {
      uint64_t Value;
      std::memcpy(&Value, Params.data() + At, sizeof(Value));
      if (In->contains(Value, 1))
        return "arg" + std::to_string(I);
    }
  }
  return "";
}

std::string Grid::sharedName(uint64_t Offset) const {
  for (const NamedRange &V : Code.SharedVariables)
    if (Offset - V.Begin < V.Bytes)
      return V.Name;
  return "";
}

void Warp::report(FindingKind K, unsigned Lane, std::string Message,
                  uint64_t Address, uint32_t Bytes) {
  Grid &G = Owner.G;
  if (!G.checks(findingFamily(K)))
    return;
  Finding F;
  F.Kind = K;
  F.Message = std::move(Message);
  F.Kernel = G.What.name();
  F.Who.Block = Owner.Where;
  F.Who.Thread = Owner.threadAt(Index, Lane);
  F.Who.Place = G.place(Current->Function, Pc);
  F.Address = Address;
  F.AccessBytes = Bytes;
  if (K == FindingKind::UninitShared || K == FindingKind::OutOfBoundsShared)
    F.Memory = G.sharedName(Address);
  else if (K == FindingKind::OutOfBoundsGlobal ||
           K == FindingKind::UseAfterFree || K == FindingKind::Misaligned ||
           K == FindingKind::WriteToReadOnly)
    F.Memory = G.globalName(Address);
  if (K == FindingKind::OutOfBoundsGlobal ||
      K == FindingKind::OutOfBoundsConst || K == FindingKind::UseAfterFree) {
    Neighbour N = G.Memory.nearest(Address);
    if (N.Where) {
      F.NeighbourBase = N.Where->Base;
      F.NeighbourBytes = N.Where->Bytes;
      F.NeighbourDistance = N.Distance;
      F.NeighbourName = N.Where->Name;
    }
  }
  G.addFinding(std::move(F), uint64_t(Current->Function) << 32 | Pc);
}
