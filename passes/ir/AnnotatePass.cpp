//===- AnnotatePass.cpp - gevo-annotate -----------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %p = fmul float %a, %b    ; i0
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Diagnostics.h"
#include "passes/ir/EditedFunction.h"
#include "passes/ir/Fingerprint.h"
#include "passes/ir/Passes.h"
#include "llvm/IR/AssemblyAnnotationWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gevo;

namespace {

class Writer : public AssemblyAnnotationWriter {
public:
  explicit Writer(Function &F) {
    forEachAnchored(F, [&](Instruction &I, unsigned N) { Numbers[&I] = N; });
    Fingerprint = fingerprint(F);
  }

  void emitFunctionAnnot(const Function *F,
                         formatted_raw_ostream &OS) override {
    OS << "; fingerprint " << Fingerprint << '\n';
    for (const Argument &A : F->args()) {
      OS << "; a" << A.getArgNo() << " = ";
      A.printAsOperand(OS);
      OS << '\n';
    }
  }

  void printInfoComment(const Value &V, formatted_raw_ostream &OS) override {
    auto It = Numbers.find(&V);
    if (It == Numbers.end())
      return;
    OS.PadToColumn(72);
    OS << "; i" << It->second;
  }

private:
  DenseMap<const Value *, unsigned> Numbers;
  std::string Fingerprint;
};

} // namespace

PreservedAnalyses AnnotatePass::run(Module &M, ModuleAnalysisManager &) {
  const Function *Wanted = M.getFunction(O.Function);
  if (!O.Function.empty() && (!Wanted || Wanted->isDeclaration()))
    report(M.getContext(), DS_Error,
           "gevo-annotate: " + M.getSourceFileName() +
               " defines no function '" + O.Function +
               "'; names are as in the module");
  for (Function &F : M) {
    if (F.isDeclaration() || (!O.Function.empty() && O.Function != F.getName()))
      continue;
    Writer Annotations(F);
    F.print(outs(), &Annotations);
  }
  return PreservedAnalyses::all();
}
