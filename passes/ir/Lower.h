//===- Lower.h - From a module to PTX ------------------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code generator as clang sets it up for CUDA, so that a variant's PTX is,
// byte for byte, what clang writes when it replays the same edits.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_LOWER_H
#define GEVO_PASSES_IR_LOWER_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace gevo {

struct LowerOptions {
  /// clang's -O level, 0 to 3.
  unsigned OptLevel = 3;
  /// clang's -ffp-contract=fast, its default for CUDA.
  bool Fuse = true;
  /// clang's -fno-discard-value-names.
  bool Names = false;
};

/// Makes NVPTX available; to be called once by a tool before anything is
/// lowered.
void initializeNVPTX();

/// A code generator that is set up once and lowers module after module: setting
/// it up takes as long as lowering a small kernel. All modules must be for the
/// architecture of the first, and of one context. Not for several threads.
class Lowering {
public:
  explicit Lowering(const LowerOptions &Options);
  ~Lowering();

  /// The PTX of \p M, the same as that of a code generator which lowers
  /// nothing else. Code generation uses the module up: pass a copy.
  llvm::Expected<std::string> run(std::unique_ptr<llvm::Module> M);

  struct Generator;

private:
  LowerOptions Options;
  /// Made when first needed, and made anew after an error or many modules.
  std::unique_ptr<Generator> Current;
};

/// The same for a single module, which code generation changes.
llvm::Expected<std::string> lowerToPTX(llvm::Module &M,
                                       const LowerOptions &Options);

} // namespace gevo

#endif // GEVO_PASSES_IR_LOWER_H
