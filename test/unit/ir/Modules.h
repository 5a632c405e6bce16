//===- Modules.h - Device modules for the unit tests ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small modules that together have what real device code has: loops, shared
// memory, barriers, vectors, calls, atomics, switches, structs.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TEST_UNIT_IR_MODULES_H
#define GEVO_TEST_UNIT_IR_MODULES_H

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace gevo {

/// A loop with a branch in it, and a straight function.
extern const char LoopModule[];
/// Shared memory, barriers and an internal callee.
extern const char SharedModule[];
/// Vectors, atomics, a switch, a struct, inline assembly and indirect calls.
extern const char MixedModule[];

inline llvm::ArrayRef<const char *> allModules() {
  static const char *const All[] = {LoopModule, SharedModule, MixedModule};
  return All;
}

inline std::unique_ptr<llvm::Module> parseModule(const char *Text,
                                                 llvm::LLVMContext &C) {
  llvm::SMDiagnostic Diagnostic;
  std::unique_ptr<llvm::Module> M =
      llvm::parseAssemblyString(Text, Diagnostic, C);
  if (!M)
    Diagnostic.print("Modules.cpp", llvm::errs());
  return M;
}

inline std::string printModule(const llvm::Module &M) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  M.print(OS, nullptr);
  return Text;
}

} // namespace gevo

#endif // GEVO_TEST_UNIT_IR_MODULES_H
