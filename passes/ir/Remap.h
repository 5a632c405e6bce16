//===- Remap.h - Anchors found again in a changed function ---- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When a source change moved things, the anchors of an edit set mean nothing
// any more. Remapping aligns the function as it was with the function as it is,
// takes for each anchor its counterpart, and says how sure it is. It is asked
// for, never done silently.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_REMAP_H
#define GEVO_PASSES_IR_REMAP_H

#include "passes/edit/EditSet.h"
#include "llvm/IR/Function.h"

namespace gevo {

/// Below this, in per cent, an anchor counts as lost.
constexpr unsigned RemapThreshold = 70;

/// One anchor's new name.
struct RemappedAnchor {
  std::string From;
  std::string To;
  /// In per cent.
  unsigned Sureness = 0;
};

/// The edits of a function with new anchors.
struct RemappedEdits {
  std::vector<Edit> Edits;
  std::vector<RemappedAnchor> Anchors;
  /// The least sure of them.
  unsigned Sureness = 100;
};

/// Finds the anchors of \p Edits in \p F, or says which is lost.
llvm::Expected<RemappedEdits> remap(const FunctionEdits &Edits,
                                    llvm::Function &F);

} // namespace gevo

#endif // GEVO_PASSES_IR_REMAP_H
