//===- Pointers.h - Which arguments may meet --------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch may give two pointer arguments of a kernel the same memory, unless
// the source promises that it does not.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_POINTERS_H
#define GEVO_SEARCH_IR_POINTERS_H

#include "search/OtherInputs.h"
#include "llvm/IR/Function.h"

namespace gevo {

/// The pairs of pointer arguments of \p F that may be the same: both are used,
/// one at least to write, for elements of the same type, and neither is
/// __restrict__ or, as that is said otherwise, the only one that is read by
/// loads of what stays as it is (__ldg).
std::vector<PointerPair> pairsThatMayMeet(const llvm::Function &F);

} // namespace gevo

#endif // GEVO_SEARCH_IR_POINTERS_H
