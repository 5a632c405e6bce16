//===- Unroll.cpp - Unrolls the loop that a branch closes -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   loop: body; br i1 %c, label %loop, label %exit
//
//   =>  loop: body; body; body; body; br ...        unroll i9, count 4
//
// The edit puts the wish on the loop; the clean-up's forced unrolling carries
// it out, remainder loop included, and so it never changes a result.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Operators.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace gevo;

// Beyond this a loop body leaves the instruction cache of every GPU we model.
static constexpr unsigned MaxCount = 32;

static Loop *closedLoop(const LoopInfo &Loops, const Instruction &I) {
  Loop *L = I.isTerminator() ? Loops.getLoopFor(I.getParent()) : nullptr;
  return L && L->getLoopLatch() == I.getParent() ? L : nullptr;
}

bool gevo::chooseUnroll(const EditedFunction &F, Edit &E, Draw &D) {
  LoopInfo Loops(F.dominators());
  Instruction *I = D.pick(
      F, [&](Instruction &I) { return closedLoop(Loops, I) != nullptr; });
  if (!I)
    return false;
  E.At = F.nameOf(*I);
  E.Index = 2u << D.Dice.below(4);
  return true;
}

Error gevo::applyUnroll(EditedFunction &F, Edit &E, Draw *D) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I)
    return I.takeError();
  if (E.Index < 2 || E.Index > MaxCount)
    return refuse("a loop is unrolled 2 to " + Twine(MaxCount) +
                  " times, not " + Twine(E.Index));
  LoopInfo Loops(F.dominators());
  Loop *L = closedLoop(Loops, **I);
  if (!L)
    return refuse(E.At + " does not close a loop");
  LLVMContext &C = F.function().getContext();
  MDNode *Wish = MDNode::get(C, {MDString::get(C, "llvm.loop.unroll.count"),
                                 ConstantAsMetadata::get(ConstantInt::get(
                                     Type::getInt32Ty(C), E.Index))});
  L->setLoopID(makePostTransformationMetadata(C, L->getLoopID(),
                                              {"llvm.loop.unroll."}, {Wish}));
  return Error::success();
}
