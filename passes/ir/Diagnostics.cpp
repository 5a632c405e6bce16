//===- Diagnostics.cpp - Messages through the compiler --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no ready diagnostic for a plugin's plain message; ours is a kind of
// its own, as the interface intends.
//
//===----------------------------------------------------------------------===//

#include "passes/ir/Diagnostics.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;
using namespace gevo;

namespace {

class Message : public DiagnosticInfo {
public:
  Message(DiagnosticSeverity Severity, const Twine &Text)
      : DiagnosticInfo(kind(), Severity), Text(Text) {}
  void print(DiagnosticPrinter &DP) const override { DP << "gevo: " << Text; }

private:
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
  const Twine &Text;
};

} // namespace

void gevo::report(LLVMContext &C, DiagnosticSeverity Severity,
                  const Twine &Text) {
  C.diagnose(Message(Severity, Text));
}

template <typename Remark>
static void emit(const Function &F, const DebugLoc &Location, StringRef Name,
                 const Twine &Text) {
  // A declaration has no block for the remark to be about.
  if (F.isDeclaration())
    return;
  DiagnosticLocation Where = Location ? DiagnosticLocation(Location)
                                      : DiagnosticLocation(F.getSubprogram());
  Remark R(RemarkName, Name, Where, &F.getEntryBlock());
  R << Text.str();
  F.getContext().diagnose(R);
}

void gevo::remarkApplied(const Function &F, const DebugLoc &Location,
                         const Twine &Text) {
  emit<OptimizationRemark>(F, Location, "Applied", Text);
}

void gevo::remarkMissed(const Function &F, const Twine &Text) {
  emit<OptimizationRemarkMissed>(F, DebugLoc(), "NotApplied", Text);
}
