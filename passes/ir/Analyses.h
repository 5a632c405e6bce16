//===- Analyses.h - LLVM analyses of our own ------------------ -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that the library runs itself do not use the compiler's managers: those
// may have been told to skip functions (optnone) or to print and time each
// pass.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_ANALYSES_H
#define GEVO_PASSES_IR_ANALYSES_H

#include "llvm/Passes/PassBuilder.h"

namespace gevo {

/// The analyses of runs over modules, for \p TM's target if there is one.
struct Analyses {
  explicit Analyses(llvm::TargetMachine *TM = nullptr) : PB(TM) {
    PB.registerModuleAnalyses(OfModule);
    PB.registerCGSCCAnalyses(OfComponents);
    PB.registerFunctionAnalyses(OfFunctions);
    PB.registerLoopAnalyses(OfLoops);
    PB.crossRegisterProxies(OfLoops, OfFunctions, OfComponents, OfModule);
  }

  /// Forgets all results: what they are about may go away, and another module
  /// may come in its place.
  void clear() {
    OfModule.clear();
    OfComponents.clear();
    OfFunctions.clear();
    OfLoops.clear();
  }

  llvm::PassBuilder PB;
  // Each may hold results that refer to those before it.
  llvm::LoopAnalysisManager OfLoops;
  llvm::FunctionAnalysisManager OfFunctions;
  llvm::CGSCCAnalysisManager OfComponents;
  llvm::ModuleAnalysisManager OfModule;
};

} // namespace gevo

#endif // GEVO_PASSES_IR_ANALYSES_H
