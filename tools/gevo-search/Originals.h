//===- Originals.h - What the original does, and did ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program need not give the same answer twice: numbers within a tolerance,
// times, the spread of repeated runs. So it is observed when a search begins,
// and a resumed search, or another rank, compares with what was seen then.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_ORIGINALS_H
#define GEVO_TOOLS_GEVO_SEARCH_ORIGINALS_H

#include "search/WholeRunner.h"

namespace gevo {

/// One GPU, and what the original does on it.
struct Target {
  WholeScenario Scenario;
  std::vector<WholeCase> Cases, HeldOut;

  /// For caches of what whole runs say: equal for what gives equal results.
  std::string identity() const;
};

/// Writes what was observed to the file \p Path.
llvm::Error writeOriginals(llvm::StringRef Path, llvm::ArrayRef<Target> All);

/// Gives the last of \p All, whose scenario is set but for what observing
/// finds, what the file \p Path has of it. False if there is no such file.
llvm::Expected<bool> readOriginal(llvm::StringRef Path,
                                  std::vector<Target> &All);

/// Runs the program once for each case of \p T, in the working directory. The
/// error says what it does now that it did not do then.
llvm::Error compareWithEarlier(const Target &T);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_ORIGINALS_H
