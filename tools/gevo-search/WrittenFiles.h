//===- WrittenFiles.h - Which files a run writes ----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seen before the original is observed, by running it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_WRITTENFILES_H
#define GEVO_TOOLS_GEVO_SEARCH_WRITTENFILES_H

#include "search/WholeRunner.h"
#include "tools/gevo-search/View.h"
#include "llvm/Support/FileSystem.h"

namespace gevo {

/// The path without links of \p File, which may not be there yet.
std::string realPath(llvm::StringRef File);

/// Whether runs can have copies of what is at \p Path, of which \p Status is.
bool canCopy(llvm::StringRef Path, const llvm::sys::fs::file_status &Status);

/// The run \p Words of the program with the files of arguments that it writes,
/// and with the files that are compared after it: those that \p Asked names, or
/// all that it leaves in its folder. It is run as \p S says, in the working
/// directory. Files of the user are as before afterwards. Tells which files are
/// not compared.
llvm::Expected<ProgramRun> findWritten(const WholeScenario &S,
                                       const Settings &Asked,
                                       const Command &Words, View &V);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_WRITTENFILES_H
