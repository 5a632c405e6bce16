//===- Capturing.h - Launches to search on ----------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has gevo-run capture launches of the program, profiles them, and makes others
// like them.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_CAPTURING_H
#define GEVO_TOOLS_GEVO_SEARCH_CAPTURING_H

#include "search/LaunchRunner.h"
#include "search/Observations.h"
#include "search/WholeRunner.h"
#include "search/ir/IrProgram.h"

namespace gevo {

/// Captures launches of \p Program to \p Folder or, if \p Again, takes those
/// that are there: a resumed search has the same launches, whatever the program
/// does today.
llvm::Expected<LaunchScenario>
captureLaunches(const WholeScenario &S, const ProgramRun &Program,
                IrProgram &Device, const std::string &Folder, bool Again);

/// What each instruction of \p Device costs in \p Launches.
llvm::Expected<HeatMap> profileLaunches(const LaunchScenario &Launches,
                                        const std::string &Gpu,
                                        IrProgram &Device, Observations &Seen);

/// Has \p Device know which of its values are always equal in \p Launches and
/// in \p Guards.
llvm::Error observeTwins(const LaunchScenario &Launches,
                         const LaunchScenario &Guards, const std::string &Gpu,
                         IrProgram &Device, Observations &Seen);

/// Has \p Device know which of its code \p Launches and \p Guards, which may be
/// null, come to.
llvm::Error observeReach(const LaunchScenario &Launches,
                         const LaunchScenario *Guards, const std::string &Gpu,
                         IrProgram &Device, Observations &Seen);

/// The pointer arguments that may be the same, of a kernel of a module.
using PairsOfKernel = std::function<std::vector<PointerPair>(
    unsigned Module, llvm::StringRef Kernel)>;

/// Which inputs to make.
struct MakeInputs {
  /// Of the random stream.
  uint64_t Seed = 1;
  /// Launches of each kernel to make them of, those with most time first.
  unsigned PerKernel = 2;
  /// What it may take to try out which the original gets along with, in warp
  /// instructions of it: the same on every machine.
  uint64_t MostSteps = uint64_t(1) << 28;
  /// Which arguments may be the same.
  PairsOfKernel Pairs = nullptr;
  /// What the process that does so may take; 0 bytes: any.
  MemoryLimit Memory = {};
};

/// Launches with inputs made from those of \p From, and with what the original
/// makes of them; nothing if it got along with none. They are kept in \p Folder
/// and, if \p Again, taken from there. \p GivenUp gets the kernels for which
/// there would have been more but for the bound of \p Which.
llvm::Expected<std::optional<LaunchScenario>>
otherInputs(const LaunchScenario &From, const std::string &Gpu,
            const MakeInputs &Which, const Payload &Original,
            const std::string &Folder, bool Again,
            std::vector<std::string> &GivenUp);

/// "smooth" of "smooth(float*, int)", as the compiler has it.
std::string shortName(const std::string &Kernel);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_CAPTURING_H
