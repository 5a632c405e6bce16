//===- StableName.h - Names that survive another command line - -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -fgpu-rdc clang makes static kernels and variables visible to the host
// under a name that ends in a hash of the whole command line. That end changes
// with every option, so it is no part of what a function is.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_STABLENAME_H
#define GEVO_PASSES_IR_STABLENAME_H

#include "llvm/IR/Module.h"

namespace gevo {

/// \p Name without such an end.
llvm::StringRef stableName(llvm::StringRef Name);

/// Whether C++ gives this mangled name to something that other translation
/// units do not see, whatever its linkage: to what is static or in a namespace
/// without a name.
bool isLocalName(llvm::StringRef Name);

/// The function of \p M with the stable name \p Name, or null.
llvm::Function *findFunction(llvm::Module &M, llvm::StringRef Name);

} // namespace gevo

#endif // GEVO_PASSES_IR_STABLENAME_H
