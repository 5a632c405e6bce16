//===- ReadOnly.cpp - Loads that take memory for read-only ----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/ReadOnly.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gevo;

using Objects = SmallPtrSet<const Value *, 8>;

static void addObjects(const Value *Pointer, Objects &To) {
  SmallVector<const Value *, 4> All;
  getUnderlyingObjects(Pointer, All, /*LI=*/nullptr, /*MaxLookup=*/0);
  To.insert(All.begin(), All.end());
}

static Objects writtenIn(const Function &F) {
  Objects All;
  for (const Instruction &I : instructions(F)) {
    if (!I.mayWriteToMemory() || isa<LoadInst>(I))
      continue;
    if (const auto *Call = dyn_cast<CallBase>(&I)) {
      for (const Use &A : Call->args())
        if (A->getType()->isPointerTy() &&
            !Call->onlyReadsMemory(Call->getArgOperandNo(&A)))
          addObjects(A, All);
    } else if (std::optional<MemoryLocation> At =
                   MemoryLocation::getOrNone(&I)) {
      addObjects(At->Ptr, All);
    }
  }
  return All;
}

static bool reads(const LoadInst &Load, const Objects &Written) {
  Objects Read;
  addObjects(Load.getPointerOperand(), Read);
  return any_of(Read, [&](const Value *V) { return Written.contains(V); });
}

bool gevo::isWritten(const LoadInst &Load) {
  return reads(Load, writtenIn(*Load.getFunction()));
}

const LoadInst *gevo::findReadOnlyClash(const Function &F) {
  std::optional<Objects> Written;
  for (const Instruction &I : instructions(F)) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !Load->hasMetadata(LLVMContext::MD_invariant_load))
      continue;
    if (!Written)
      Written = writtenIn(F);
    if (reads(*Load, *Written))
      return Load;
  }
  return nullptr;
}
