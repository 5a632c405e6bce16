//===- Marks.h - Bytes that code sets where it comes by ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search asks of the original (Reach, Twins) its code answers in a
// variable of its module, which is read after the launches:
//
//   @name = addrspace(1) global [N x i8] zeroinitializer
//   store volatile i8 1, ptr addrspace(1) %slot
//
// All threads store the same, so their order does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_MARKS_H
#define GEVO_SEARCH_IR_MARKS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace gevo {

class Marks {
public:
  /// Adds a variable \p Name of \p Count bytes, which are 0, to \p M.
  Marks(llvm::Module &M, llvm::StringRef Name, size_t Count);

  /// Code at \p At that sets byte \p Number.
  void set(llvm::IRBuilder<> &At, size_t Number) const;
  /// Code at \p At that sets byte \p IfTrue or byte \p IfFalse.
  void setOne(llvm::IRBuilder<> &At, llvm::Value *Condition, size_t IfTrue,
              size_t IfFalse) const;

private:
  llvm::Value *slot(llvm::IRBuilder<> &At, size_t Number) const;

  llvm::GlobalVariable *Bytes;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_MARKS_H
