//===- Decisions.h - What can come out one way or another -------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value of type i1 is a decision. So is arithmetic that may do nothing:
//
//   %h = urem i64 %x, 1000000007           %x, unless it is large
//   %s = call i32 @llvm.smin.i32(i32 %x, i32 32767)
//
// Inputs on which it never did anything do not show what it is for (Reach).
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_DECISIONS_H
#define GEVO_SEARCH_IR_DECISIONS_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"
#include <vector>

namespace gevo {

/// What is asked about an instruction's value: whether it is true, that of an
/// operand, zero, or that of the same arithmetic without saturation.
enum class Answer { True, First, Second, Zero, Plain };

struct Decision {
  llvm::Instruction *Of;
  Answer Asked;
};

/// The decisions of \p F, in order.
std::vector<Decision> decisionsOf(llvm::Function &F);

/// Are there decisions about \p I?
bool decides(const llvm::Instruction &I);

/// Code at \p At, behind the instruction, that tells whether it came out so.
llvm::Value *cameOutSo(const Decision &D, llvm::IRBuilder<> &At);

/// Where \p Asked is so on all inputs, does the operand \p Index still count?
bool isOperandSeen(Answer Asked, unsigned Index);

} // namespace gevo

#endif // GEVO_SEARCH_IR_DECISIONS_H
