//===- RecordPass.cpp - gevo-record ---------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device modules are written, host modules take them in if they are embedded.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Architecture.h"
#include "passes/ir/Diagnostics.h"
#include "passes/ir/Passes.h"

using namespace llvm;
using namespace gevo;

// A mistyped "embed" would make a folder of that name, and a program that
// carries nothing. Folders of such names can be written with a slash.
static bool isMistypedEmbed(StringRef To) {
  std::string Lower = To.lower();
  return To != "embed" && !To.contains('/') &&
         (StringRef(Lower).starts_with("embed") ||
          StringRef(Lower).edit_distance("embed") <= 2);
}

PreservedAnalyses RecordPass::run(Module &M, ModuleAnalysisManager &) {
  bool Embed = O.To == "embed";
  auto Fail = [&](Error E) {
    report(M.getContext(), DS_Error,
           toString(std::move(E)) + "; the device module of " +
               M.getSourceFileName() + " is not recorded");
    return PreservedAnalyses::all();
  };
  if (O.To.empty())
    return Fail(createStringError(inconvertibleErrorCode(),
                                  "gevo-record needs to=embed or to=<folder>"));
  if (isMistypedEmbed(O.To))
    return Fail(createStringError(inconvertibleErrorCode(),
                                  "'" + O.To +
                                      "' is not 'embed'; write embed, or ./" +
                                      O.To + " for a folder of that name"));
  if (isDeviceModule(M)) {
    // A module without a function (architectureOf is empty) has nothing to
    // search.
    if (architectureOf(M).empty())
      return PreservedAnalyses::all();
    Error E =
        Embed ? leaveForHost(M, O.Compile) : recordToFolder(M, O.To, O.Compile);
    return E ? Fail(std::move(E)) : PreservedAnalyses::all();
  }
  if (!Embed)
    return PreservedAnalyses::all();
  Expected<unsigned> Taken = takeFromDevice(M);
  if (!Taken)
    return Fail(Taken.takeError());
  return *Taken ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
