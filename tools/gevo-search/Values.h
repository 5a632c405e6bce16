//===- Values.h - Values that a user gives, checked -------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be known of a value before anything is run. Those of the command
// line and those of a scenario are held to the same; of the latter the message
// begins with the place in the file.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_VALUES_H
#define GEVO_TOOLS_GEVO_SEARCH_VALUES_H

#include "search/Scenario.h"

namespace gevo {

llvm::Error checkAlgorithm(llvm::StringRef Name);
/// A regular expression; empty: all kernels.
llvm::Error checkKernels(llvm::StringRef Pattern);
/// Each of a list separated by commas, and \p BestOn one of them or empty.
llvm::Error checkGpus(llvm::StringRef List, llvm::StringRef BestOn);
/// Whether an edit set can be written there: told now rather than when all is
/// done.
llvm::Error checkOut(llvm::StringRef Path);
/// Whether the store that was named is free, or of the program at that path;
/// what the program was then does not count.
llvm::Error checkStore(llvm::StringRef Folder, llvm::StringRef Program);
llvm::Error checkEvaluations(uint64_t Count);
/// A command whose quotes are closed and that names a program; \p Option is
/// what it was given with.
llvm::Error checkCommand(llvm::StringRef Option, llvm::StringRef Text);
/// A number of individuals, within bounds.
llvm::Expected<uint64_t> parsePopulation(llvm::StringRef Text);

/// All of these, of \p S. Relative names start at the working directory.
llvm::Error checkValues(const Scenario &S);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_VALUES_H
