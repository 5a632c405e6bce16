//===- Describe.cpp - What an edit set says beside its edits --------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One place for the search, gevo-mutate and gevo-edits.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Describe.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Legality.h"
#include "passes/ir/SourceLocation.h"
#include "passes/ir/StableName.h"
#include "passes/ir/Trace.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace gevo;

void gevo::describe(const EditedFunction &F, Edit &E) {
  Expected<Instruction *> I = F.instruction(E.At);
  if (!I) {
    consumeError(I.takeError());
    return;
  }
  E.Note = shapeOf(**I);
  if (const DILocation *Loc = sourceLocation(**I))
    E.Location = {Loc->getFilename().str(), Loc->getLine(), Loc->getColumn()};
}

FunctionEdits gevo::describeEdits(Function &F, std::vector<Edit> Edits) {
  FunctionEdits FE;
  FE.Name = stableName(F.getName()).str();
  FE.Source = F.getParent()->getSourceFileName();
  FE.Fingerprint = fingerprint(F);
  std::vector<AnchorTrace> All = traceAll(F);
  FE.Instructions = All.size() - F.arg_size();
  FE.Outline = outlineOf(ArrayRef(All).drop_front(F.arg_size()));
  FE.Anchors = tracesOf(Edits, All);
  FE.Edits = std::move(Edits);
  return FE;
}
