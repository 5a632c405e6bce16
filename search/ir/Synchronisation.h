//===- Synchronisation.h - What keeps threads in order ----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The embedded GPU executes what a thread writes in order, and lets some block
// go first. So no run shows that a fence is gone, or the loop around a lock
// that nobody else held at that moment:
//
//   store volatile i32 %sum, ptr %mine
//   call void @llvm.nvvm.membar.gl()
//   %n = call i32 @llvm.nvvm.atomic.load.inc.32.p0(ptr @count, i32 %last)
//
//   retry: %pair = cmpxchg ptr @lock, i32 0, i32 1 seq_cst seq_cst
//          %mine = extractvalue { i32, i1 } %pair, 1
//          br i1 %mine, label %enter, label %retry
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_SYNCHRONISATION_H
#define GEVO_SEARCH_IR_SYNCHRONISATION_H

#include "search/ir/Reach.h"
#include <tuple>

namespace gevo {

/// The fences of \p F, and the exchanges whose result decides something, with
/// what it decides and what comes in between. Effects are all that must stay.
Unreached findSynchronising(llvm::Function &F);

/// On which side of the fences of a function its accesses are, for two copies:
/// one that is cleaned up, and one that is edited and cleaned up, too.
class FenceOrder {
public:
  /// Notes what \p F has before it is changed.
  explicit FenceOrder(llvm::Function &F);

  /// An access, a fence, and whether the access comes first; by anchor number.
  using Order = std::tuple<unsigned, unsigned, bool>;
  /// Those that hold in the function as it is now.
  std::vector<Order> orders() const;
  /// The access of the first one of \p Wanted that does not, unless the access
  /// or the fence is gone.
  std::optional<unsigned> firstBroken(llvm::ArrayRef<Order> Wanted) const;

private:
  using Numbered = std::vector<std::pair<unsigned, llvm::WeakTrackingVH>>;
  llvm::Function &F;
  Numbered Accesses, Fences;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_SYNCHRONISATION_H
