//===- Replay.h - An edit set applied to a module ------------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All or nothing per function. The edits are tried on a copy first, clean-up
// and verifier included; only a function whose whole list applies there is
// changed in the module itself. So a function that is refused is not restored:
// it was never touched.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_REPLAY_H
#define GEVO_PASSES_IR_REPLAY_H

#include "passes/edit/EditSet.h"
#include "passes/ir/CleanUp.h"
#include "passes/ir/Remap.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <optional>

namespace gevo {

/// Why a list of edits does not apply.
struct Refusal {
  /// Which edit; none if all applied and the result did not verify.
  std::optional<size_t> Edit;
  std::string Reason;
};

/// Called before each edit with its index and the instruction it is about.
using BeforeEdit = std::function<void(size_t, const llvm::Instruction &)>;

/// Applies \p Edits to \p F in order, without clean-up. After a refusal the
/// function is half changed and good for nothing.
std::optional<Refusal> applyEdits(llvm::Function &F, llvm::ArrayRef<Edit> Edits,
                                  const BeforeEdit &Before = nullptr);

/// A function, and the edits for it.
struct FunctionTask {
  llvm::Function *F = nullptr;
  std::vector<Edit> Edits;
};

/// Applies all of \p Tasks, cleans up and verifies, with the result that replay
/// has when all of them apply. It works on \p M itself, which is good for
/// nothing after a refusal: pass a copy. \p Passes may be used for many.
std::optional<Refusal> replayOnCopy(llvm::Module &M,
                                    llvm::ArrayRef<FunctionTask> Tasks,
                                    CleanUpPasses &Passes);

/// What became of the edits of one function.
enum class ReplayStatus { Applied, Stale, Refused };
llvm::StringRef name(ReplayStatus Status);

struct FunctionReplay {
  const FunctionEdits *Edits = nullptr;
  ReplayStatus Status = ReplayStatus::Applied;
  Refusal Why;
  std::string Fingerprint;
  /// The anchors' new names, if they were remapped.
  std::vector<RemappedAnchor> Remapped;
};

/// What became of the part of an edit set that is for one module.
struct ReplayReport {
  std::string Source;
  std::string Architecture;
  std::vector<FunctionReplay> Functions;
  /// If the set has no section for the architecture: those for which it has
  /// edits of this module's functions.
  std::string Elsewhere;

  size_t applied() const;
  size_t total() const;
};

struct ReplayOptions {
  bool Remap = false;
  /// Called for every applied edit just before it changes the module.
  std::function<void(llvm::Function &, const FunctionEdits &, size_t,
                     const llvm::Instruction &)>
      OnApply;
};

/// Applies what \p Set has for \p M. Functions of other modules are passed
/// over; \p Set must outlive the report.
ReplayReport replay(llvm::Module &M, const EditSet &Set,
                    const ReplayOptions &Options);

/// Writes the report as JSON.
void printReport(const ReplayReport &Report, const EditSet &Set,
                 llvm::raw_ostream &OS);

} // namespace gevo

#endif // GEVO_PASSES_IR_REPLAY_H
