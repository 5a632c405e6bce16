//===- CleanUp.cpp - What edits made dead goes away -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's own passes, and what they do not see.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/CleanUp.h"
#include "passes/ir/Analyses.h"
#include "passes/ir/Architecture.h"
#include "passes/ir/DeadMemory.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

using namespace llvm;
using namespace gevo;

// Without optimisation all variables are in memory, and nothing is dead to
// see: hence sroa. Read by LLVM's own parser; unrolling, which takes only loops
// that ask for it, stands between the two and has no such name.
static constexpr StringLiteral BeforeUnrolling =
    "sroa,instsimplify,simplifycfg,early-cse<memssa>,adce,dse";
static constexpr StringLiteral AfterUnrolling =
    "instsimplify,early-cse<memssa>,simplifycfg,dse,loop-mssa(loop-deletion),"
    "adce,simplifycfg,instsimplify,adce";

// Before all else, in functions that ask for it: what is known not to change is
// read once, and what only the last store decides is stored once.
static constexpr StringLiteral OfRestricted =
    "early-cse<memssa>,loop-mssa(licm),gvn,loop-mssa(licm),dse";
static constexpr StringLiteral RestrictWish = "gevo-restrict";

struct CleanUpPasses::Pipeline {
  // With the target's cost model and alias analysis, but none of the
  // compilation's options: the result depends on the module alone.
  explicit Pipeline(const Module &M)
      : TM(createTargetMachine(M, TargetOptions(), CodeGenOptLevel::Default)),
        Of(TM.get()) {
    cantFail(Of.PB.parsePassPipeline(Restricted, OfRestricted));
    cantFail(Of.PB.parsePassPipeline(Passes, BeforeUnrolling));
    Passes.addPass(LoopUnrollPass(LoopUnrollOptions(
        /*OptLevel=*/2, /*OnlyWhenForced=*/true)));
    cantFail(Of.PB.parsePassPipeline(Passes, AfterUnrolling));
  }

  void run(FunctionPassManager &What, Function &F) {
    What.run(F, Of.OfFunctions);
    Of.clear();
  }

  std::unique_ptr<TargetMachine> TM;
  Analyses Of;
  FunctionPassManager Restricted, Passes;
};

CleanUpPasses::CleanUpPasses() = default;
CleanUpPasses::~CleanUpPasses() = default;

void CleanUpPasses::run(Module &M, ArrayRef<Function *> Changed) {
  if (!Current)
    Current = std::make_unique<Pipeline>(M);
  for (Function *F : Changed) {
    if (F->hasFnAttribute(RestrictWish)) {
      F->removeFnAttr(RestrictWish);
      Current->run(Current->Restricted, *F);
    }
    Current->run(Current->Passes, *F);
  }
}

void gevo::wantRestricted(Function &F) { F.addFnAttr(RestrictWish); }

// Some passes visit the uses of a value in the order of its use list, which
// tells how the module came about: compiled, read or cloned. The order of the
// text, in which replay finds the same function everywhere, takes its place.
static void orderUses(Function &F) {
  DenseMap<const User *, unsigned> Numbers;
  for (Instruction &I : instructions(F))
    Numbers[&I] = Numbers.size();
  auto Earlier = [&](const Use &A, const Use &B) {
    unsigned NumberA = Numbers.lookup(A.getUser());
    unsigned NumberB = Numbers.lookup(B.getUser());
    return NumberA != NumberB ? NumberA < NumberB
                              : A.getOperandNo() < B.getOperandNo();
  };
  for (Argument &A : F.args())
    A.sortUseList(Earlier);
  for (BasicBlock &BB : F) {
    BB.sortUseList(Earlier);
    for (Instruction &I : BB)
      I.sortUseList(Earlier);
  }
}

CleanUp::CleanUp(Module &M, CleanUpPasses &Passes) : M(M), Passes(Passes) {
  for (GlobalObject &G : M.global_objects())
    if (G.hasLocalLinkage() && !isa<GlobalIFunc>(G) && !G.use_empty())
      Used.insert(&G);
}

void CleanUp::run(ArrayRef<Function *> Changed) {
  for (Function *F : Changed)
    orderUses(*F);
  // What was computed for dead memory is dead, too, and so may be branches that
  // kept other memory alive.
  SmallVector<Function *, 4> Unfinished(Changed);
  do {
    Passes.run(M, Unfinished);
    erase_if(Unfinished, [](Function *F) { return !removeDeadMemory(*F); });
  } while (!Unfinished.empty());
  // The code generator has such passes, too.
  for (Function *F : Changed)
    orderUses(*F);
  // Removing one can take the last use of another.
  for (bool Again = true; Again;) {
    Again = false;
    for (GlobalValue *G : Used.takeVector()) {
      G->removeDeadConstantUsers();
      if (!G->use_empty()) {
        Used.insert(G);
        continue;
      }
      G->eraseFromParent();
      Again = true;
    }
  }
}
