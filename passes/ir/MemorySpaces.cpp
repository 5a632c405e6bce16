//===- MemorySpaces.cpp - Pointers to the wrong kind of memory ------------===//
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

#include "passes/ir/MemorySpaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static constexpr unsigned GenericSpace = 0;
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

static bool comesFromElsewhere(const Value *Pointer, unsigned Space) {
  if (!Pointer->getType()->isPointerTy())
    return false;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(Objects, [&](const Value *Object) {
    unsigned From = Object->getType()->getPointerAddressSpace();
    return From != GenericSpace && From != Space;
  });
}

const Instruction *gevo::findSpaceClash(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    const auto *Cast = dyn_cast<AddrSpaceCastInst>(&I);
    if (Cast && Cast->getDestAddressSpace() != GenericSpace &&
        comesFromElsewhere(Cast->getPointerOperand(),
                           Cast->getDestAddressSpace()))
      return &I;
    // The same as a constant, of a variable.
    for (const Value *Operand : I.operand_values()) {
      const auto *Constant = dyn_cast<ConstantExpr>(Operand);
      if (Constant && Constant->getType()->isPointerTy() &&
          Constant->getType()->getPointerAddressSpace() != GenericSpace &&
          comesFromElsewhere(Constant,
                             Constant->getType()->getPointerAddressSpace()))
        return &I;
    }
  }
  return nullptr;
}
