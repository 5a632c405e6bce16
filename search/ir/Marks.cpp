//===- Marks.cpp - Bytes that code sets where it comes by -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Marks.h"

using namespace llvm;
using namespace gevo;

// An empty variable would be none, so it has a byte more than is asked for.
Marks::Marks(Module &M, StringRef Name, size_t Count) {
  constexpr unsigned GlobalSpace = 1;
  ArrayType *T = ArrayType::get(Type::getInt8Ty(M.getContext()), Count + 1);
  Bytes = new GlobalVariable(M, T, /*isConstant=*/false,
                             GlobalValue::ExternalLinkage,
                             Constant::getNullValue(T), Name, nullptr,
                             GlobalValue::NotThreadLocal, GlobalSpace);
}

Value *Marks::slot(IRBuilder<> &At, size_t Number) const {
  return At.CreateConstInBoundsGEP1_64(At.getInt8Ty(), Bytes, Number);
}

// What nothing reads must stay, too.
void Marks::set(IRBuilder<> &At, size_t Number) const {
  At.CreateStore(At.getInt8(1), slot(At, Number), /*isVolatile=*/true);
}

void Marks::setOne(IRBuilder<> &At, Value *Condition, size_t IfTrue,
                   size_t IfFalse) const {
  Value *Slot = At.CreateSelect(Condition, slot(At, IfTrue), slot(At, IfFalse));
  At.CreateStore(At.getInt8(1), Slot, /*isVolatile=*/true);
}
