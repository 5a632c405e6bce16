//===- Architecture.h - Which GPU a module is compiled for ---- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device modules are told from host modules, and architectures from each
// other, by what the module itself says: the same answer in clang, in opt and
// in a search that loads bitcode.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_ARCHITECTURE_H
#define GEVO_PASSES_IR_ARCHITECTURE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <memory>
#include <string>

namespace gevo {

/// Is CUDA device code.
bool isDeviceModule(const llvm::Module &M);

/// "sm_70", or empty if no function says.
std::string architectureOf(const llvm::Module &M);

/// A name for files about this module that no other module of the same build
/// has: the source's name, a hash of its path and code, and the architecture.
std::string moduleFileStem(llvm::Module &M);

/// The code generator that clang would use. Null if this LLVM was built
/// without it.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const llvm::Module &M, const llvm::TargetOptions &Options,
                    llvm::CodeGenOptLevel Level);

} // namespace gevo

#endif // GEVO_PASSES_IR_ARCHITECTURE_H
