//===- FoundFiles.h - Files that a program opens where it is ----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of WrittenFiles that knows files which no argument names: a program
// may read "input.txt", or write "out/result.txt", wherever it is run.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_FOUNDFILES_H
#define GEVO_TOOLS_GEVO_SEARCH_FOUNDFILES_H

#include "search/WholeRunner.h"

namespace gevo {

/// Runs \p P until it looks for nothing more in its folder that is in
/// \p Directory, the user's; \p P then has all of that. Returns the last run,
/// or an error if there is a folder that is too large.
llvm::Expected<WholeRun> findFiles(const WholeScenario &S,
                                   llvm::StringRef Directory, ProgramRun &P);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_FOUNDFILES_H
