//===- Board.cpp - A copy of a function to draw edits for -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's cloning, of the module and of the function.
//
//===----------------------------------------------------------------------===//

#include "search/ir/Board.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace gevo;

Board::Board(const Function &Original) : Original(Original) {
  const Module &M = *Original.getParent();
  ValueToValueMapTy Map;
  Copy = CloneModule(M, Map, [&](const GlobalValue *G) {
    return !isa<Function>(G) || G == &Original;
  });
  Copied = cast<Function>(&*Map[&Original]);
  for (const GlobalValue &G : M.global_values())
    Globals.push_back({&G, Map[&G]});
  Metadata = std::move(Map.getMDMap());
  Edited.emplace(*Copied);
}

void Board::renew() {
  if (Clean)
    return;
  Edited.reset();
  Copied->dropAllReferences();
  ValueToValueMapTy Map;
  for (auto [From, To] : Globals)
    Map[From] = To;
  for (const Argument &A : Original.args())
    Map[&A] = Copied->getArg(A.getArgNo());
  Map.getMDMap() = std::move(Metadata);
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copied, &Original, Map,
                    CloneFunctionChangeType::ClonedModule, Returns);
  Metadata = std::move(Map.getMDMap());
  Edited.emplace(*Copied);
  Clean = true;
}
