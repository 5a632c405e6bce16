//===- ReadOnly.h - Loads that take memory for read-only --------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX's ld.global.nc may only read what nothing writes for as long as the
// kernel runs. The embedded GPU has no cache that would show an old value.
// Whether other pointers lead to the same memory is not known here.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_READONLY_H
#define GEVO_SEARCH_IR_READONLY_H

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace gevo {

/// Does \p Load's function write to an object that it reads from?
bool isWritten(const llvm::LoadInst &Load);

/// A load of \p F that takes for read-only what \p F writes to, or null.
const llvm::LoadInst *findReadOnlyClash(const llvm::Function &F);

} // namespace gevo

#endif // GEVO_SEARCH_IR_READONLY_H
