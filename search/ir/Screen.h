//===- Screen.h - What code tells before it is lowered ----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To lower a variant takes most of the time of its evaluation, and most
// variants fail. Some show it in their code: those are refused without being
// lowered. Only what is certain counts: a variant that the stages after this
// one would pass is never refused here.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_SCREEN_H
#define GEVO_SEARCH_IR_SCREEN_H

#include "llvm/IR/Function.h"
#include <string>

namespace gevo {

/// Why \p F, which was edited and cleaned up, cannot stand for \p Original, a
/// kernel that ends and is judged by what it writes; empty if it may.
std::string hopeless(const llvm::Function &F, const llvm::Function &Original);

} // namespace gevo

#endif // GEVO_SEARCH_IR_SCREEN_H
