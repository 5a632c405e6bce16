//===- Fingerprint.h - What a function is, by any name ----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edit set's anchors mean something only in the function that they were
// numbered on. The fingerprint tells whether this is that function. It covers
// all that decides what the code does, and leaves out what differs between
// builds of the same source: value and type names, debug information, metadata
// and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_FINGERPRINT_H
#define GEVO_PASSES_IR_FINGERPRINT_H

#include "llvm/IR/Function.h"
#include <string>

namespace gevo {

/// 32 hexadecimal digits.
std::string fingerprint(llvm::Function &F);

} // namespace gevo

#endif // GEVO_PASSES_IR_FINGERPRINT_H
