//===- LoweringKey.h - What tells modules apart before lowering -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variants that come to the same code need lowering only once. To tell them by
// what is lowered takes a fraction of the time of lowering.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_LOWERINGKEY_H
#define GEVO_PASSES_IR_LOWERINGKEY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <cstdint>
#include <utility>

namespace gevo {

/// 128 bits of hash.
using LoweringKey = std::pair<uint64_t, uint64_t>;

/// Equal only for copies of one module, in one context, that lower to the same
/// code. \p Changed are the functions of \p M whose bodies may differ from the
/// original's; of the others it counts that they are there. With \p Names those
/// of values count, too. Good for this process only.
LoweringKey loweringKey(const llvm::Module &M,
                        llvm::ArrayRef<const llvm::Function *> Changed,
                        bool Names);

} // namespace gevo

#endif // GEVO_PASSES_IR_LOWERINGKEY_H
