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
#include "passes/ir/Analyses.h"
#include "passes/ir/Architecture.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include <map>

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
  ModulePassManager MPM;
  MPM.addPass(GlobalDCEPass());
  MPM.addPass(ConstantMergePass());
  gevo::Analyses A;
  MPM.run(M, A.OfModule);
}

// The number of a call in a line of PTX, or nothing. The code generator counts
// calls over the whole life of a process, and writes the count into comments
// and into the labels of indirect calls' prototypes.
static StringRef callNumber(StringRef Line) {
  constexpr StringLiteral Comment = "// callseq ", Label = "prototype_";
  StringRef Start;
  size_t At = Line.find(Comment);
  if (At != StringRef::npos)
    Start = Line.drop_front(At + Comment.size());
  else if (Line.contains(" : .callprototype") || Line.ends_with(";"))
    Start = Line.ltrim(", \t");
  if (At == StringRef::npos && !Start.consume_front(Label))
    return StringRef();
  return Start.take_while(isDigit);
}

// Numbers the calls from 0, as in a compiler that lowers one module only.
static std::string renumberCalls(StringRef PTX) {
  SmallVector<StringRef, 0> Lines;
  PTX.split(Lines, '\n');
  std::map<unsigned, unsigned> Numbers;
  unsigned N;
  for (StringRef Line : Lines)
    if (!callNumber(Line).getAsInteger(10, N))
      Numbers[N] = 0;
  unsigned Next = 0;
  for (auto &Entry : Numbers)
    Entry.second = Next++;
  std::string Text;
  Text.reserve(PTX.size());
  for (StringRef Line : Lines) {
    StringRef Old = callNumber(Line);
    if (!Old.getAsInteger(10, N)) {
      Text.append(Line.begin(), Old.begin());
      Text += std::to_string(Numbers[N]);
      Line = StringRef(Old.end(), Line.end() - Old.end());
    }
    Text += Line;
    Text += '\n';
  }
  Text.pop_back();
  return Text;
}

namespace {
/// The first error that the code generator reports.
struct Errors {
  std::string First;

  struct Handler : DiagnosticHandler {
    explicit Handler(Errors &To) : To(To) {}
    bool handleDiagnostics(const DiagnosticInfo &Info) override {
      if (Info.getSeverity() == DS_Error && To.First.empty()) {
        raw_string_ostream OS(To.First);
        DiagnosticPrinterRawOStream Printer(OS);
        Info.print(Printer);
      }
      return true;
    }
    Errors &To;
  };
};
} // namespace

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
  // Without a handler of ours LLVM would end the process on an error.
  Errors Found;
  auto Handler = C.getDiagnosticHandler();
  C.setDiagnosticHandler(std::make_unique<Errors::Handler>(Found));
  auto PutBack = make_scope_exit(
      [&C, &Handler] { C.setDiagnosticHandler(std::move(Handler)); });
  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager Passes;
  Passes.add(new TargetLibraryInfoWrapperPass(Triple(M.getTargetTriple())));
  if (TM->addPassesToEmitFile(Passes, OS, nullptr,
                              CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(),
                             "this LLVM cannot write PTX");
  Passes.run(M);
  if (!Found.First.empty())
    return createStringError(inconvertibleErrorCode(), Found.First);
  return renumberCalls(PTX);
}
