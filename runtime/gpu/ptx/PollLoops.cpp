//===- PollLoops.cpp - Loops that wait for another thread -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/PollLoops.h"
#include "runtime/gpu/ptx/Liveness.h"

#include <algorithm>
#include <map>
#include <set>

using namespace gevo::gpu::ptx;

namespace {

/// Reads memory that other threads write. A plain load does so only if a fence
/// keeps it in the loop.
bool polls(const Function &F, const Instruction &I, bool Fenced) {
  switch (I.Op) {
  case Opcode::Ld: {
    Mod Where = F.nth(I, ModClass::Space), Order = F.nth(I, ModClass::Order);
    bool Weak = Order == Mod::None || Order == Mod::Weak;
    return (Fenced || !Weak) && Where != Mod::Const && Where != Mod::Param &&
           Where != Mod::Local && !F.has(I, Mod::Nc);
  }
  case Opcode::Atom:
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return true;
  default:
    return false;
  }
}

/// Tells of the time, which goes on by itself.
bool readsClock(const Function &F, const Instruction &I) {
  const Operand *Ops = F.operands(I);
  for (unsigned K = 0; K < I.NumOperands; ++K)
    if (Ops[K].Kind == OperandKind::Special &&
        Ops[K].Index >= uint32_t(SpecialRegister::Clock))
      return true;
  return false;
}

/// One loop, and whether values in it are new in every iteration.
class Candidate {
public:
  Candidate(const Function &F, const Cfg &G, uint32_t Back)
      : F(F), G(G), Back(Back) {}
  /// True if the loop polls; then polled() says what it reads.
  bool run();
  std::vector<uint32_t> polled() const { return {Polls.begin(), Polls.end()}; }

private:
  bool findBody();
  bool isExitPolled(const BasicBlock &B);
  bool isFresh(uint32_t Register, uint32_t At);
  bool isFreshResult(uint32_t At);

  const Function &F;
  const Cfg &G;
  uint32_t Back;
  std::set<uint32_t> Body;                        ///< Blocks.
  std::map<uint32_t, std::vector<uint32_t>> Defs; ///< By register, in Body.
  std::map<uint32_t, bool> Known; ///< By instruction, of isFreshResult.
  std::set<uint32_t> Polls;
  bool Fenced = false;
};

/// The blocks between the target of the branch and the branch; false if it can
/// be reached otherwise, or if threads wait for each other at a barrier in it.
bool Candidate::findBody() {
  uint32_t Header = G.BlockOf[F.operands(F.Code[Back])[0].Index];
  Body = {Header};
  std::vector<uint32_t> Work = {G.BlockOf[Back]};
  while (!Work.empty()) {
    uint32_t B = Work.back();
    Work.pop_back();
    if (!Body.insert(B).second)
      continue;
    if (B == 0)
      return false;
    Work.insert(Work.end(), G.Blocks[B].Predecessors.begin(),
                G.Blocks[B].Predecessors.end());
  }
  RegisterUse Use;
  for (uint32_t B : Body)
    for (uint32_t K = G.Blocks[B].Begin; K < G.Blocks[B].End; ++K) {
      const Instruction &I = F.Code[K];
      bool Barrier = I.Op == Opcode::Bar || I.Op == Opcode::Barrier;
      if (Barrier && !F.has(I, Mod::Warp))
        return false;
      Fenced |= I.Op == Opcode::Membar || I.Op == Opcode::Fence;
      registersOf(F, I, Use);
      for (uint32_t R : Use.Writes)
        Defs[R].push_back(K);
    }
  return true;
}

/// Does \p Register have, at instruction \p At, a value that this iteration
/// computed, or one from before the loop?
bool Candidate::isFresh(uint32_t Register, uint32_t At) {
  auto It = Defs.find(Register);
  if (It == Defs.end())
    return true;
  for (uint32_t Def : It->second)
    if (Def >= At || !isFreshResult(Def))
      return false;
  return true;
}

bool Candidate::isFreshResult(uint32_t At) {
  // What is asked for again while it is open depends on itself.
  auto [It, New] = Known.try_emplace(At, false);
  if (!New)
    return It->second;
  const Instruction &I = F.Code[At];
  if (I.Call != None || readsClock(F, I))
    return false;
  RegisterUse Use;
  registersOf(F, I, Use);
  for (uint32_t R : Use.Reads)
    if (!isFresh(R, At))
      return false;
  if (polls(F, I, Fenced))
    Polls.insert(At);
  return Known[At] = true;
}

/// Is it memory that decides whether \p B leaves the loop?
bool Candidate::isExitPolled(const BasicBlock &B) {
  bool Leaves = B.Returns || B.Exits;
  for (uint32_t S : B.Successors)
    Leaves |= !Body.count(S);
  if (!Leaves)
    return true;
  uint32_t Last = B.End - 1;
  RegisterUse Use;
  registersOf(F, F.Code[Last], Use);
  for (uint32_t R : Use.Reads)
    if (!isFresh(R, Last))
      return false;
  return true;
}

bool Candidate::run() {
  if (!findBody())
    return false;
  for (uint32_t B : Body)
    if (!isExitPolled(G.Blocks[B]))
      return false;
  return !Polls.empty();
}

} // namespace

std::vector<PollLoop> gevo::gpu::ptx::findPollLoops(const Function &F,
                                                    const Cfg &G) {
  std::vector<PollLoop> Loops;
  for (uint32_t K = 0; K < F.Code.size(); ++K) {
    const Instruction &I = F.Code[K];
    if (I.Op != Opcode::Bra || F.operands(I)[0].Index > K)
      continue;
    Candidate C(F, G, K);
    if (C.run())
      Loops.push_back({K, C.polled()});
  }
  return Loops;
}
