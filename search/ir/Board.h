//===- Board.h - A copy of a function to draw edits for ---------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each edit is drawn on the function as the edits before it leave it. The
// module around it is copied once, and only the function again and again.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_IR_BOARD_H
#define GEVO_SEARCH_IR_BOARD_H

#include "passes/ir/EditedFunction.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace gevo {

class Board {
public:
  /// Of \p Original, which must outlive it.
  explicit Board(const llvm::Function &Original);

  /// The copy as it was last left.
  EditedFunction &edited() { return *Edited; }
  /// To be called before that is changed.
  void willChange() { Clean = false; }
  /// Makes it equal to the original again.
  void renew();

private:
  const llvm::Function &Original;
  std::unique_ptr<llvm::Module> Copy;
  llvm::Function *Copied;
  std::vector<std::pair<const llvm::Value *, llvm::Value *>> Globals;
  /// What metadata was copied as.
  std::decay_t<decltype(std::declval<llvm::ValueToValueMapTy>().getMDMap())>
      Metadata;
  std::optional<EditedFunction> Edited;
  bool Clean = true;
};

} // namespace gevo

#endif // GEVO_SEARCH_IR_BOARD_H
