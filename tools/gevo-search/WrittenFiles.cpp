//===- WrittenFiles.cpp - Which files a run writes ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/WrittenFiles.h"

using namespace llvm;
using namespace gevo;

ProgramRun gevo::findWritten(const WholeScenario &S, const Settings &Asked,
                             const Command &Words) {
  ProgramRun P;
  P.Words = Words;
  if (!Asked.Outputs.empty()) {
    P.OutputFiles = Asked.Outputs;
    P.Named = true;
    return P;
  }
  runWhole(S, P, {}, RunMode::Untimed);
  P.OutputFiles = ProgramFolder::filesLeft();
  return P;
}
