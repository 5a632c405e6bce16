//===- Record.h - Device modules kept with a program ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recording keeps the device module as it is at the end of clang's pipeline:
// in a folder, or inside the program. For the latter the device compilation
// leaves its module in an exchange folder of the clang invocation, and the
// host compilation, which runs after it, takes it into a section of the object
// file. The linker puts the sections of all objects one after the other, so
// each entry says how long it is.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_IR_RECORD_H
#define GEVO_PASSES_IR_RECORD_H

#include "passes/ir/Lower.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace gevo {

/// The section of a program that holds the entries.
constexpr llvm::StringLiteral RecordSection = ".gevo.module";

/// How the module was being compiled: what lowering it needs to know, of which
/// Names is what recording sees for itself.
struct CompileOptions : LowerOptions {
  /// The whole command, as one would type it; empty if nobody told it.
  std::string Command;
};

/// One recorded device module.
struct RecordedModule {
  std::string Source;
  std::string Architecture;
  CompileOptions Options;
  /// Bitcode.
  std::string Bitcode;
};

/// \p M as bitcode, with all that decides how it is compiled further.
RecordedModule recordModule(const llvm::Module &M,
                            const CompileOptions &Options);

/// One entry of the section.
std::string packRecord(const RecordedModule &Record);
/// All entries of a section's content.
llvm::Expected<std::vector<RecordedModule>>
unpackRecords(llvm::StringRef Content);
/// All entries of the object file or program at \p Path.
llvm::Expected<std::vector<RecordedModule>> readRecords(llvm::StringRef Path);

/// Writes \p M to \p Folder, which is made if it is not there: the bitcode as
/// <moduleFileStem>.bc, and the entry's header beside it as .json.
llvm::Error recordToFolder(llvm::Module &M, llvm::StringRef Folder,
                           const CompileOptions &Options);

/// Device side of embedding: leaves the entry for the host compilation, if
/// one follows.
llvm::Error leaveForHost(const llvm::Module &M, const CompileOptions &Options);
/// Host side: embeds the entries left for \p M's source in \p M. Returns how
/// many there were.
llvm::Expected<unsigned> takeFromDevice(llvm::Module &M);

} // namespace gevo

#endif // GEVO_PASSES_IR_RECORD_H
