//===- EditedFunction.h - A function while edits are applied -- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Anchors are numbered once, on the original: arguments a0, a1, ... and
// instructions i0, i1, ... in order. Clones enter under the name their edit
// gives them. A removed instruction leaves a mark at its place until finish(),
// so that later edits can still say "before i12".
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_EDITEDFUNCTION_H
#define GEVO_PASSES_IR_EDITEDFUNCTION_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace gevo {

/// The reason why an edit does not apply.
llvm::Error refuse(const llvm::Twine &Reason);

class EditedFunction {
public:
  /// Numbers the anchors of \p F, which must outlive this.
  explicit EditedFunction(llvm::Function &F);

  llvm::Function &function() const { return F; }
  const llvm::DominatorTree &dominators() const { return Dominators; }

  /// The live instruction with this anchor, or why there is none.
  llvm::Expected<llvm::Instruction *> instruction(llvm::StringRef Anchor) const;
  /// The same, or the mark that a removed one left: something to insert
  /// before.
  llvm::Expected<llvm::Instruction *> place(llvm::StringRef Anchor) const;
  /// The value that \p Text names, an anchor or a typed constant, which must
  /// have the type \p T.
  llvm::Expected<llvm::Value *> value(llvm::StringRef Text,
                                      llvm::Type *T) const;

  /// The text that value() would read back as \p V.
  std::string nameOf(const llvm::Value &V) const;
  /// Has an anchor and was not removed.
  bool isLive(const llvm::Instruction &I) const {
    return Names.count(&I) && !Marks.count(&I);
  }
  bool isReachable(const llvm::Instruction &I) const {
    return Dominators.isReachableFromEntry(I.getParent());
  }
  /// \p V may be used by an instruction that stands before \p Place.
  bool isAvailable(const llvm::Value &V, const llvm::Instruction &Place) const;

  /// Enters a new instruction. Fails if the anchor is taken.
  llvm::Error define(llvm::StringRef Anchor, llvm::Instruction &I);
  /// Puts \p New, already in the function, under the anchor of \p Old, moves
  /// the uses over, and erases \p Old.
  void substitute(llvm::Instruction &Old, llvm::Instruction &New);
  /// Erases \p I, which has no uses left, and leaves a mark at its place.
  void remove(llvm::Instruction &I);
  /// To be called after an edit changed the control flow.
  void controlFlowChanged() { Dominators.recalculate(F); }
  /// Removes the marks. Anchors of removed instructions are unknown after it.
  void finish();

private:
  llvm::Function &F;
  llvm::DominatorTree Dominators;
  llvm::StringMap<llvm::Value *> Values;
  llvm::DenseMap<const llvm::Value *, llvm::StringRef> Names;
  llvm::DenseSet<const llvm::Instruction *> Marks;
};

/// Calls \p Visit(Instruction &, Number) for every instruction that gets an
/// anchor, in order. Debug intrinsics get none, so that -g changes no anchor.
template <typename Fn> void forEachAnchored(llvm::Function &F, Fn Visit) {
  unsigned Number = 0;
  for (llvm::BasicBlock &BB : F)
    for (llvm::Instruction &I : BB)
      if (!I.isDebugOrPseudoInst())
        Visit(I, Number++);
}

} // namespace gevo

#endif // GEVO_PASSES_IR_EDITEDFUNCTION_H
