//===- Diagnostics.h - Messages through the compiler ---------- -*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings and errors go through the context, so that clang prints, counts and
// promotes them (-Werror) like its own; remarks answer to -Rpass=gevo and
// -Rpass-missed=gevo.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_DIAGNOSTICS_H
#define GEVO_PASSES_IR_DIAGNOSTICS_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"

namespace gevo {

/// The name that -Rpass= matches.
constexpr const char RemarkName[] = "gevo";

/// Reports "gevo: <Message>".
void report(llvm::LLVMContext &C, llvm::DiagnosticSeverity Severity,
            const llvm::Twine &Message);

/// Remarks about \p F at \p Location, or at the function if there is none.
void remarkApplied(const llvm::Function &F, const llvm::DebugLoc &Location,
                   const llvm::Twine &Message);
void remarkMissed(const llvm::Function &F, const llvm::Twine &Message);

} // namespace gevo

#endif // GEVO_PASSES_IR_DIAGNOSTICS_H
