//===- Repairs.cpp - Values for operands that lost theirs -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dominance checks, and the choice of substitutes.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Repairs.h"
#include "passes/ir/Legality.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace gevo;

Instruction *Draw::pick(const EditedFunction &F,
                        function_ref<bool(Instruction &)> Eligible) {
  if (Only) {
    if (!F.isReachable(*Only) || !F.isLive(*Only) || !Eligible(*Only))
      return nullptr;
    // The dice go on as with a choice.
    Dice.below(1);
    return Only;
  }
  SmallVector<std::pair<Instruction *, uint64_t>, 64> Choices;
  uint64_t Total = 0;
  for (BasicBlock &BB : F.function()) {
    if (!F.dominators().isReachableFromEntry(&BB))
      continue;
    for (Instruction &I : BB)
      if (F.isLive(I) && Eligible(I)) {
        Total += Weight ? Weight(I) : 1;
        Choices.push_back({&I, Total});
      }
  }
  if (!Total)
    return nullptr;
  uint64_t Ticket = Dice.below(Total);
  return partition_point(Choices,
                         [&](const auto &C) { return C.second <= Ticket; })
      ->first;
}

// What a message calls V: a clone gets its anchor once its edit is through.
static std::string called(const EditedFunction &F, const Value &V) {
  const auto *I = dyn_cast<Instruction>(&V);
  return I && !F.isLive(*I) ? "the clone" : F.nameOf(V);
}

static Error noDefinition(const EditedFunction &F, const Instruction &I,
                          unsigned Index) {
  return refuse("operand " + Twine(Index) + " of " + called(F, I) + " (" +
                called(F, *I.getOperand(Index)) +
                ") is not defined where it stands now");
}

Error gevo::setOperand(EditedFunction &F, Instruction &I, unsigned Index,
                       Value *To) {
  if (!isReplaceable(I, Index, !isa<Constant>(To)))
    return refuse("operand " + Twine(Index) + " of " + called(F, I) +
                  " cannot be replaced");
  // A block that comes to a phi by several edges brings one value on all.
  if (auto *Phi = dyn_cast<PHINode>(&I))
    Phi->setIncomingValueForBlock(Phi->getIncomingBlock(Index), To);
  else
    I.setOperand(Index, To);
  // Only now is there a use to ask about: a phi's must be defined at the end
  // of the block it comes from.
  if (To == &I && !isa<PHINode>(I))
    return refuse(F.nameOf(I) + " would use itself");
  if (!F.dominators().dominates(To, I.getOperandUse(Index)))
    return noDefinition(F, I, Index);
  return Error::success();
}

static void addConstants(Type *T, SmallVectorImpl<Value *> &Choices) {
  Choices.push_back(Constant::getNullValue(T));
  if (T->isIntOrIntVectorTy())
    Choices.push_back(ConstantInt::get(T, 1));
  else if (T->isFPOrFPVectorTy())
    Choices.push_back(ConstantFP::get(T, 1.0));
}

Value *gevo::drawValue(const EditedFunction &F, Draw &D, Type *T,
                       const Instruction &Place, const Value *Except) {
  SmallVector<Value *, 32> Choices;
  for (Argument &A : F.function().args())
    if (A.getType() == T)
      Choices.push_back(&A);
  for (Instruction &I : instructions(F.function()))
    if (I.getType() == T && &I != Except && F.isLive(I) && F.isReachable(I) &&
        F.isAvailable(I, Place))
      Choices.push_back(&I);
  // Constants are few and values may be many; a quarter of the draws keeps
  // them in play.
  constexpr unsigned ConstantShare = 4;
  if (Choices.empty() || D.Dice.below(ConstantShare) == 0) {
    Choices.clear();
    addConstants(T, Choices);
  }
  return D.Dice.pick(Choices);
}

// Asks for each operand whether it is lost where I stands now.
static bool isLost(const EditedFunction &F, const Use &U,
                   const Value *Leaving) {
  return isa<Instruction>(U) &&
         (U == Leaving || !F.dominators().dominates(U.get(), U));
}

Error gevo::repairOperands(EditedFunction &F, Instruction &I,
                           std::vector<OperandRepair> &Repairs, Draw *D,
                           const Value *Leaving) {
  if (D)
    for (Use &U : I.operands())
      if (isLost(F, U, Leaving)) {
        Value *V = drawValue(F, *D, U->getType(), I, Leaving);
        Repairs.push_back({U.getOperandNo(), F.nameOf(*V)});
      }
  for (const OperandRepair &R : Repairs) {
    if (R.Operand >= I.getNumOperands())
      return refuse("there is no operand " + Twine(R.Operand) + " to repair");
    Expected<Value *> V = F.value(R.Value, I.getOperand(R.Operand)->getType());
    if (!V)
      return V.takeError();
    if (Error E = setOperand(F, I, R.Operand, *V))
      return E;
  }
  for (Use &U : I.operands())
    if (isLost(F, U, Leaving))
      return noDefinition(F, I, U.getOperandNo());
  return Error::success();
}

Error gevo::repairUses(EditedFunction &F, Instruction &I, std::string &Repair,
                       Draw *D, bool All) {
  SmallVector<Use *, 8> Lost;
  for (Use &U : I.uses())
    if (All || !F.dominators().dominates(&I, U))
      Lost.push_back(&U);
  if (Lost.empty())
    return Error::success();
  if (D) {
    if (!isRepairable(I.getType()))
      return refuse("its value has no substitute");
    // What is available at the nearest common dominator of the uses is so at
    // each of them; for a deletion that is the place of the deleted.
    Instruction *Place = &I;
    if (!All) {
      const BasicBlock *Common = nullptr;
      for (Use *U : Lost) {
        auto *User = cast<Instruction>(U->getUser());
        const BasicBlock *BB = User->getParent();
        if (auto *Phi = dyn_cast<PHINode>(User))
          BB = Phi->getIncomingBlock(*U);
        Common =
            Common ? F.dominators().findNearestCommonDominator(Common, BB) : BB;
      }
      Place = const_cast<Instruction *>(&*Common->getFirstNonPHIIt());
    }
    Repair = F.nameOf(*drawValue(F, *D, I.getType(), *Place, &I));
  }
  if (Repair.empty())
    return refuse(F.nameOf(I) +
                  " has uses that lose their value, and the edit names no "
                  "substitute: give it \"uses\" (\"with_uses\" for the partner "
                  "of a swap)");
  Expected<Value *> V = F.value(Repair, I.getType());
  if (!V)
    return V.takeError();
  if (*V == &I)
    return refuse(Repair + " cannot take its own place");
  for (Use *U : Lost)
    if (Error E = setOperand(F, *cast<Instruction>(U->getUser()),
                             U->getOperandNo(), *V))
      return E;
  return Error::success();
}

// An operand that could take the clone's value, chosen at random.
static std::optional<UseSite> drawSite(EditedFunction &F, Instruction &Clone,
                                       Draw &D) {
  auto Fits = [&](const Use &U) {
    auto *User = cast<Instruction>(U.getUser());
    return U->getType() == Clone.getType() && User != &Clone &&
           isReplaceable(*User, U.getOperandNo(), /*Variable=*/true) &&
           F.dominators().dominates(&Clone, U);
  };
  Instruction *User = D.pick(F, [&](Instruction &I) {
    return any_of(I.operands(), [&](const Use &U) { return Fits(U); });
  });
  if (!User)
    return std::nullopt;
  SmallVector<unsigned, 4> Operands;
  for (const Use &U : User->operands())
    if (Fits(U))
      Operands.push_back(U.getOperandNo());
  return UseSite{F.nameOf(*User), D.Dice.pick(Operands)};
}

Error gevo::wireClone(EditedFunction &F, Instruction &Clone,
                      std::optional<UseSite> &Into, Draw *D) {
  if (D && !Clone.getType()->isVoidTy() && Clone.use_empty()) {
    Into = drawSite(F, Clone, *D);
    if (!Into && !Clone.mayHaveSideEffects())
      return refuse("nothing could use the clone");
  }
  if (!Into)
    return Error::success();
  Expected<Instruction *> User = F.instruction(Into->At);
  if (!User)
    return User.takeError();
  if (Into->Operand >= (*User)->getNumOperands() ||
      (*User)->getOperand(Into->Operand)->getType() != Clone.getType())
    return refuse("operand " + Twine(Into->Operand) + " of " + Into->At +
                  " cannot take the clone's value");
  return setOperand(F, **User, Into->Operand, &Clone);
}
