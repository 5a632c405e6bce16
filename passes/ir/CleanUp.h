//===- CleanUp.h - What edits made dead goes away ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one pipeline that runs on every changed function, in search and in
// replay alike, so that what was measured is what ships. It removes what the
// edits made dead: instructions, blocks, stores, and whole loops left without
// effect; and it carries out the unrolling that an edit asked for.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_CLEANUP_H
#define GEVO_PASSES_IR_CLEANUP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace gevo {

/// The passes, set up once for any number of modules of one architecture. Not
/// for several threads.
class CleanUpPasses {
public:
  CleanUpPasses();
  ~CleanUpPasses();
  void run(llvm::Module &M, llvm::ArrayRef<llvm::Function *> Changed);

private:
  struct Pipeline;
  /// Made for the first module.
  std::unique_ptr<Pipeline> Current;
};

/// Asks the clean-up of \p F to make use of arguments that an edit took for the
/// only way to their memory.
void wantRestricted(llvm::Function &F);

class CleanUp {
public:
  /// To be made before the edits: notes what is in use.
  CleanUp(llvm::Module &M, CleanUpPasses &Passes);

  /// Cleans up \p Changed, functions of the module, and then removes the local
  /// functions and variables that lost their last use.
  void run(llvm::ArrayRef<llvm::Function *> Changed);

private:
  llvm::Module &M;
  CleanUpPasses &Passes;
  llvm::SetVector<llvm::GlobalValue *> Used;
};

} // namespace gevo

#endif // GEVO_PASSES_IR_CLEANUP_H
