//===- Screen.cpp - What code tells before it is lowered ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the clean-up every block can be reached, and what is dead is gone.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Screen.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gevo;

// PTX's numbers of address spaces.
static constexpr unsigned Shared = 3, Local = 5;

// Memory that ends with the block or the thread.
static bool isOwn(const Value *Pointer) {
  auto Is = [](const Value *V) {
    unsigned Space = V->getType()->getPointerAddressSpace();
    return Space == Shared || Space == Local || isa<AllocaInst>(V);
  };
  return Is(Pointer) || Is(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
}

static bool writesOutside(const Instruction &I) {
  if (!I.mayWriteToMemory())
    return false;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call) {
    std::optional<MemoryLocation> At = MemoryLocation::getOrNone(&I);
    // A fence, or a volatile load.
    return At && !isa<LoadInst>(I) && !isOwn(At->Ptr);
  }
  // A barrier, for instance, has no pointer to write to.
  return !isa<IntrinsicInst>(Call) || any_of(Call->args(), [](const Use &A) {
    return A->getType()->isPointerTy() && !isOwn(A);
  });
}

// Threads also end in assembly and in calls.
static bool mayEnd(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return isa<ReturnInst>(I) ||
           (Call && (!isa<IntrinsicInst>(Call) ||
                     Call->getIntrinsicID() == Intrinsic::nvvm_exit));
  });
}

// An access that every thread makes, at an address that is next to null.
static const Instruction *findNullAccess(const Function &F) {
  for (const Instruction &I : F.getEntryBlock()) {
    // It may not return.
    if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
      return nullptr;
    if (!isa<LoadInst, StoreInst>(I))
      continue;
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (isa<ConstantPointerNull>(Pointer) && !isOwn(Pointer))
      return &I;
  }
  return nullptr;
}

std::string gevo::hopeless(const Function &F, const Function &Original) {
  if (!mayEnd(F) && mayEnd(Original))
    return "it never ends";
  if (none_of(instructions(F), writesOutside))
    return "it writes nothing";
  if (findNullAccess(F) && !findNullAccess(Original))
    return "every thread accesses address 0";
  return "";
}
