//===- Observations.h - What the original said about itself -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a search code that observes the original runs once: where its time
// goes, what its inputs come to, which values are always equal. A variant is
// judged by that, and it may fail, as for want of memory or of time. So it is
// kept with the search, also why it failed: whoever resumes the search, and
// every other rank, goes by what was seen when it began.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OBSERVATIONS_H
#define GEVO_SEARCH_OBSERVATIONS_H

#include "search/LaunchRunner.h"
#include <functional>
#include <map>

namespace gevo {

/// The file of a search with what was observed.
constexpr llvm::StringLiteral ObservedName = "observed.json";

/// What \p Work says, or why it died, in a process of its own that may take
/// \p MemoryBytes, or any memory if that is 0. The error is a MachineError.
llvm::Expected<std::string> askOnce(uint64_t MemoryBytes,
                                    std::function<std::string()> Work);

class Observations {
public:
  /// Those of the file \p Path if \p Again and it is there, else none so far. A
  /// process that observes may take \p MemoryBytes.
  static llvm::Expected<Observations> open(std::string Path, bool Again,
                                           uint64_t MemoryBytes);

  /// What is known of \p Code on these launches and guards, which may be null,
  /// under the name \p What; if nothing is, what askOnce() says.
  llvm::Expected<std::string> ask(llvm::StringRef What, const Payload &Code,
                                  const LaunchScenario &Launches,
                                  const LaunchScenario *Guards,
                                  std::function<std::string()> Work);
  /// Writes the file if there is anything new.
  llvm::Error keep();

private:
  Observations(std::string Path, uint64_t MemoryBytes)
      : Path(std::move(Path)), MemoryBytes(MemoryBytes) {}

  std::string Path;
  uint64_t MemoryBytes;
  bool New = false;
  std::map<std::string, std::string> Known;
};

} // namespace gevo

#endif // GEVO_SEARCH_OBSERVATIONS_H
