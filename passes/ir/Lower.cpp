//===- Lower.cpp - From a module to PTX -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One legacy pass manager, as code generation still wants it.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Lower.h"
#include "passes/ir/Architecture.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

void gevo::initializeNVPTX() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

// clang keeps no names of values, and the names that passes make up would show
// in the comments of our PTX but not of clang's.
static void dropNames(Module &M) {
  for (Function &F : M) {
    for (Argument &A : F.args())
      A.setName("");
    for (BasicBlock &BB : F)
      BB.setName("");
    for (Instruction &I : instructions(F))
      I.setName("");
  }
}

// What clang's pipeline has after the place where plugins record and replay.
static void runLastPasses(Module &M) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  ModulePassManager MPM;
  MPM.addPass(GlobalDCEPass());
  MPM.addPass(ConstantMergePass());
  MPM.run(M, MAM);
}

Expected<std::string> gevo::lowerToPTX(Module &M, const LowerOptions &Options) {
  constexpr CodeGenOptLevel Levels[] = {
      CodeGenOptLevel::None, CodeGenOptLevel::Less, CodeGenOptLevel::Default,
      CodeGenOptLevel::Aggressive};
  TargetOptions TO;
  TO.AllowFPOpFusion = Options.Fuse ? FPOpFusion::Fast : FPOpFusion::Standard;
  TO.MCOptions.AsmVerbose = true;
  std::unique_ptr<TargetMachine> TM =
      createTargetMachine(M, TO, Levels[std::min(Options.OptLevel, 3u)]);
  if (!TM)
    return createStringError(inconvertibleErrorCode(),
                             "this LLVM has no code generator for " +
                                 M.getTargetTriple());
  LLVMContext &C = M.getContext();
  auto Restore = make_scope_exit([&C, Discard = C.shouldDiscardValueNames()] {
    C.setDiscardValueNames(Discard);
  });
  if (!Options.Names) {
    dropNames(M);
    C.setDiscardValueNames(true);
  }
  if (Options.OptLevel > 0)
    runLastPasses(M);
  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(Triple(M.getTargetTriple())));
  if (TM->addPassesToEmitFile(Passes, OS, nullptr,
                              CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(),
                             "this LLVM cannot write PTX");
  Passes.run(M);
  return PTX.str().str();
}
