//===- Merge.cpp - Several edit sets as one -------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section by section, function by function.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Merge.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace gevo;

static Error mergeSection(const ArchitectureEdits &From, StringRef Path,
                          ArchitectureEdits &To) {
  for (const FunctionEdits &F : From.Functions) {
    auto Same = find_if(To.Functions, [&](const FunctionEdits &G) {
      return G.Name == F.Name && G.Fingerprint == F.Fingerprint;
    });
    if (Same == To.Functions.end())
      To.Functions.push_back(F);
    else if (Same->Edits != F.Edits)
      return createStringError(
          inconvertibleErrorCode(),
          Path + ":" + Twine(F.Position.Line) + ":" + Twine(F.Position.Column) +
              ": another set has other edits for '" + F.Name + "' on " +
              To.Architecture + "; remove one of the two");
  }
  return Error::success();
}

Error gevo::merge(const EditSet &From, EditSet &To) {
  for (const ArchitectureEdits &A : From.Architectures) {
    if (!To.find(A.Architecture)) {
      To.Architectures.push_back(A);
      continue;
    }
    ArchitectureEdits &Section = To.section(A.Architecture);
    Section.Measured.clear();
    if (Error E = mergeSection(A, From.Path, Section))
      return E;
  }
  return Error::success();
}
