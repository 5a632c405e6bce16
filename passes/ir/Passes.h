//===- Passes.h - The passes that opt and clang see ----------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin: each takes a struct of options, calls the library and reports through
// the context's diagnostics and remarks. Passes.def names them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_PASSES_H
#define GEVO_PASSES_IR_PASSES_H

#include "passes/ir/Record.h"
#include "llvm/IR/PassManager.h"

namespace gevo {

struct RecordPassOptions {
  /// "embed", or a folder.
  std::string To;
  CompileOptions Compile;
};

struct ReplayPassOptions {
  std::string Edits;
  bool Strict = false;
  /// A set that cannot be read is an error, too.
  bool MustRead = false;
  bool Remap = false;
  /// A folder for the JSON report; none if empty.
  std::string Report;
};

struct AnnotatePassOptions {
  /// Only this function; all if empty.
  std::string Function;
};

struct MutatePassOptions {
  uint64_t Seed = 1;
  unsigned Count = 1;
  std::string Edits;
};

/// What the passes share: options that a pipeline's text gives and shows, and
/// that they run on functions that are not to be optimised, too.
template <typename Pass, typename PassOptions>
class PassWithOptions : public llvm::PassInfoMixin<Pass> {
public:
  using Options = PassOptions;
  explicit PassWithOptions(Options O) : O(std::move(O)) {}
  void printPipeline(llvm::raw_ostream &OS,
                     llvm::function_ref<llvm::StringRef(llvm::StringRef)>);
  static bool isRequired() { return true; }

protected:
  Options O;
};

/// Keeps the device module in a folder or for embedding; on the host side of
/// embedding, takes it in. Never changes a device module.
class RecordPass : public PassWithOptions<RecordPass, RecordPassOptions> {
public:
  using PassWithOptions::PassWithOptions;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Applies what the edit set has for this module; host modules pass through.
class ReplayPass : public PassWithOptions<ReplayPass, ReplayPassOptions> {
public:
  using PassWithOptions::PassWithOptions;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Prints the module with every anchor beside its instruction.
class AnnotatePass : public PassWithOptions<AnnotatePass, AnnotatePassOptions> {
public:
  using PassWithOptions::PassWithOptions;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Draws random edits, applies them, and writes the edit set.
class MutatePass : public PassWithOptions<MutatePass, MutatePassOptions> {
public:
  using PassWithOptions::PassWithOptions;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// Adds the pass that \p Element, such as "gevo-replay<edits=f.json;strict>",
/// names. False if it names none of ours; an error if its parameters are wrong.
llvm::Expected<bool> parsePass(llvm::StringRef Element,
                               llvm::ModulePassManager &MPM);

} // namespace gevo

#endif // GEVO_PASSES_IR_PASSES_H
