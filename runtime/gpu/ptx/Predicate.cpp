//===- Predicate.cpp - Predicates instead of short branches ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is inserted: the branch becomes the copy of its predicate, or a jump
// to what it branched to, and jumps at the ends of the two ways lead from one
// to the other. Laying the code out makes one block of all that.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Predicate.h"
#include "runtime/gpu/ptx/Cfg.h"
#include "runtime/gpu/ptx/Straighten.h"

#include <map>
#include <optional>
#include <set>

using namespace gevo::gpu::ptx;

namespace {

class Predication {
public:
  Predication(Function &F, const std::function<bool(const Hammock &)> &Wanted)
      : F(F), Wanted(Wanted) {}
  bool run();

private:
  bool jumps(uint32_t At) const {
    return F.Code[At].Op == Opcode::Bra && F.Code[At].Guard == None;
  }
  std::optional<Hammock> hammockAt(const Cfg &Graph, uint32_t Block) const;
  bool isArm(const BasicBlock &B, uint32_t Block) const;
  bool takesGuard(uint32_t At) const;
  bool writes(uint32_t At, uint32_t Register) const;
  bool canNest(const Hammock &H) const;
  void convert(const Hammock &H);
  void guard(uint32_t Begin, uint32_t End, uint32_t Register, bool Negated);
  void nest(uint32_t At, uint32_t Outer);
  uint32_t copyAt(uint32_t At, uint32_t Register, bool Negated);
  Instruction combine(const Instruction &Old, Opcode Op,
                      const std::vector<Operand> &Operands);

  Function &F;
  const std::function<bool(const Hammock &)> &Wanted;
  /// Predicates that copyAt() made, true in lanes that leave out what they
  /// guard, and whether another one can be added to them.
  std::map<uint32_t, bool> Copies;
};

/// True for arithmetic and plain accesses, which do the same for each lane
/// whatever the others do.
bool Predication::takesGuard(uint32_t At) const {
  const Instruction &I = F.Code[At];
  if (I.Guard != None && !Copies.count(I.Guard))
    return false;
  switch (opcodeInfo(I.Op).Fam) {
  case Family::Memory:
    return I.Op == Opcode::Ld || I.Op == Opcode::St || I.Op == Opcode::Atom ||
           I.Op == Opcode::Red;
  case Family::Sync:
  case Family::Warp:
  case Family::Control:
    return false;
  default:
    return true;
  }
}

/// Is \p B, reached from \p Block alone, nothing but what can have a predicate?
bool Predication::isArm(const BasicBlock &B, uint32_t Block) const {
  if (B.Predecessors.size() != 1 || B.Predecessors[0] != Block ||
      B.Successors.size() != 1 || B.Begin == B.End || B.Returns || B.Exits)
    return false;
  uint32_t End = B.End - jumps(B.End - 1);
  for (uint32_t K = B.Begin; K < End; ++K)
    if (!takesGuard(K))
      return false;
  return End > B.Begin;
}

std::optional<Hammock> Predication::hammockAt(const Cfg &Graph,
                                              uint32_t Block) const {
  const BasicBlock &B = Graph.Blocks[Block];
  if (B.Begin == B.End || B.End >= F.Code.size())
    return std::nullopt;
  const Instruction &Last = F.Code[B.End - 1];
  if (Last.Op != Opcode::Bra || Last.Guard == None ||
      F.operands(Last)[0].Kind != OperandKind::Label)
    return std::nullopt;
  uint32_t Stays = Graph.BlockOf[B.End];
  uint32_t Jumps = Graph.BlockOf[F.operands(Last)[0].Index];
  if (Stays == Jumps || Stays == Block || Jumps == Block)
    return std::nullopt;
  const BasicBlock &S = Graph.Blocks[Stays], &J = Graph.Blocks[Jumps];
  bool StaysIsArm = isArm(S, Block), JumpsIsArm = isArm(J, Block);
  Hammock H;
  H.Branch = B.End - 1;
  H.Before = B.Begin;
  auto WithoutJump = [&](const BasicBlock &Arm) {
    return Arm.End - jumps(Arm.End - 1);
  };
  if (StaysIsArm && S.Successors[0] == Jumps) {
    H.Stays = {S.Begin, WithoutJump(S)};
    H.Behind = J.Begin;
  } else if (JumpsIsArm && J.Successors[0] == Stays) {
    H.Jumps = {J.Begin, WithoutJump(J)};
    H.Behind = S.Begin;
  } else if (StaysIsArm && JumpsIsArm && S.Successors[0] == J.Successors[0] &&
             S.Successors[0] < Graph.Blocks.size()) {
    H.Stays = {S.Begin, WithoutJump(S)};
    H.Jumps = {J.Begin, WithoutJump(J)};
    H.Behind = Graph.Blocks[S.Successors[0]].Begin;
  } else {
    return std::nullopt;
  }
  return canNest(H) ? std::optional<Hammock>(H) : std::nullopt;
}

/// Is \p Register a result of the instruction \p At?
bool Predication::writes(uint32_t At, uint32_t Register) const {
  const Instruction &I = F.Code[At];
  if (!I.NumOperands)
    return false;
  const Operand &O = F.operands(I)[0];
  return O.Pair == Register ||
         (O.Kind == OperandKind::Register && O.Index == Register);
}

/// Can all that is in \p H have one more predicate? What has one already must
/// have a copy of its own, to which that of lanes that jump can be added; and
/// where lanes that jump execute something there is no place for a copy.
bool Predication::canNest(const Hammock &H) const {
  const Instruction &Branch = F.Code[H.Branch];
  bool Inner = false;
  for (const auto &Arm : {H.Stays, H.Jumps})
    for (uint32_t K = Arm.Begin; K < Arm.End; ++K) {
      auto It = Copies.find(F.Code[K].Guard);
      Inner |= It != Copies.end();
      if ((It != Copies.end() && !It->second) ||
          (!H.Jumps.empty() && writes(K, Branch.Guard)))
        return false;
    }
  return !Inner || H.Jumps.empty();
}

Instruction Predication::combine(const Instruction &Old, Opcode Op,
                                 const std::vector<Operand> &Operands) {
  Instruction I = Old;
  I.Op = Op;
  I.Guard = None;
  I.GuardNegated = false;
  I.NumOperands = uint8_t(Operands.size());
  I.NumModifiers = 1;
  I.FirstOperand = uint32_t(F.Operands.size());
  I.FirstModifier = uint32_t(F.Modifiers.size());
  F.Operands.insert(F.Operands.end(), Operands.begin(), Operands.end());
  F.Modifiers.push_back(Mod::Pred);
  return I;
}

static Operand registerOperand(uint32_t Register, bool Negated = false) {
  Operand O;
  O.Kind = OperandKind::Register;
  O.Index = Register;
  O.Negated = Negated;
  return O;
}

/// Makes a copy of \p Register of the branch \p At; returns it.
uint32_t Predication::copyAt(uint32_t At, uint32_t Register, bool Negated) {
  uint32_t Copy = uint32_t(F.Registers.size());
  F.Registers.push_back({Mod::Pred});
  F.Code[At] =
      combine(F.Code[At], Opcode::Mov,
              {registerOperand(Copy), registerOperand(Register, Negated)});
  Copies[Copy] = !Negated;
  return Copy;
}

/// Lanes for which \p Outer is true leave out what the copy \p At is for. One
/// that another was added to before has it through that.
void Predication::nest(uint32_t At, uint32_t Outer) {
  const Instruction &I = F.Code[At];
  if (I.Op != Opcode::Mov)
    return;
  Operand To = F.operands(I)[0], Inner = F.operands(I)[1];
  F.Code[At] = combine(I, Opcode::Or, {To, registerOperand(Outer), Inner});
}

void Predication::guard(uint32_t Begin, uint32_t End, uint32_t Register,
                        bool Negated) {
  for (uint32_t K = Begin; K < End; ++K) {
    Instruction &I = F.Code[K];
    if (I.Guard != None)
      continue;
    if (I.NumOperands && F.operands(I)[0].Kind == OperandKind::Register &&
        Copies.count(F.operands(I)[0].Index)) {
      nest(K, Register);
      continue;
    }
    I.Guard = Register;
    I.GuardNegated = Negated;
  }
}

void Predication::convert(const Hammock &H) {
  const Instruction Branch = F.Code[H.Branch];
  if (H.Jumps.empty()) {
    uint32_t Skip = copyAt(H.Branch, Branch.Guard, Branch.GuardNegated);
    return guard(H.Stays.Begin, H.Stays.End, Skip, true);
  }
  // The register itself, as there is no place for a copy.
  guard(H.Jumps.Begin, H.Jumps.End, Branch.Guard, Branch.GuardNegated);
  guard(H.Stays.Begin, H.Stays.End, Branch.Guard, !Branch.GuardNegated);
  auto Lead = [&](uint32_t Jump, uint32_t To) {
    F.Operands[F.Code[Jump].FirstOperand].Index = To;
  };
  bool StaysJumps = !H.Stays.empty() && jumps(H.Stays.End);
  if (StaysJumps) {
    // One way after the other, and the branch is nothing.
    Lead(H.Stays.End, H.Jumps.Begin);
    copyAt(H.Branch, Branch.Guard, false);
    return;
  }
  // Jump to the one, and from there to the other or behind both.
  F.Code[H.Branch].Guard = None;
  F.Code[H.Branch].GuardNegated = false;
  if (!H.Stays.empty())
    Lead(H.Jumps.End, H.Stays.Begin);
}

bool Predication::run() {
  for (uint32_t K = 0; K < F.Code.size(); ++K)
    F.Code[K].Number = K;
  bool Changed = false;
  std::set<uint32_t> Refused; // By number.
  for (bool Again = true; Again;) {
    Again = false;
    Cfg Graph = Cfg::build(F);
    for (uint32_t B = 0; B < Graph.Blocks.size() && !Again; ++B) {
      std::optional<Hammock> H = hammockAt(Graph, B);
      if (!H || Refused.count(F.Code[H->Branch].Number))
        continue;
      if (!Wanted(*H)) {
        Refused.insert(F.Code[H->Branch].Number);
        continue;
      }
      convert(*H);
      straighten(F);
      Again = Changed = true;
    }
  }
  return Changed;
}

} // namespace

bool gevo::gpu::ptx::predicate(
    Function &F, const std::function<bool(const Hammock &)> &Wanted) {
  return Predication(F, Wanted).run();
}
