//===- ConstantMemory.cpp - Writes where nothing can be written -----------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows pointers back as the code generator's inference of address spaces
// does: through casts, offsets, phis and selects.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/ConstantMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static constexpr unsigned ConstantSpace = 4;

static const Value *writtenPointer(const Instruction &I) {
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getPointerOperand();
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    return RMW->getPointerOperand();
  if (const auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
    return CAS->getPointerOperand();
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I))
    return Memory->getRawDest();
  return nullptr;
}

static bool isConstantMemory(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  // No limit on the way back: the inference has none.
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return !Objects.empty() && all_of(Objects, [](const Value *Object) {
    return Object->getType()->getPointerAddressSpace() == ConstantSpace;
  });
}

const Instruction *gevo::findConstantWrite(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (const Value *Pointer = writtenPointer(I))
      if (isConstantMemory(Pointer))
        return &I;
  return nullptr;
}
