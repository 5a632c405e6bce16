//===- Observations.h - What the original said about itself -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a search code that observes the original runs once: where its time
// goes, what its inputs come to, which values are always equal. A variant is
// judged by that, and it may fail. So it is kept with the search, also why it
// failed: whoever resumes the search, and every other rank, goes by what was
// seen when it began. What somebody else or a full machine made of it is none
// of that, and ends the search.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OBSERVATIONS_H
#define GEVO_SEARCH_OBSERVATIONS_H

#include "search/LaunchRunner.h"
#include "search/MemoryLimit.h"
#include <functional>
#include <map>

namespace gevo {

/// The file of a search with what was observed.
constexpr llvm::StringLiteral ObservedName = "observed.json";

/// A process that is asked once, and by itself.
struct Asking {
  /// What it does, as "making inputs", and the option of a search without.
  std::string What, Without;
  /// What it may take; 0 bytes: any.
  MemoryLimit Memory = {};
  unsigned Seconds = 600;
};

/// What \p Work says in a process of its own, or how that crashed or ended. If
/// it was killed, or had too little memory or time, a MachineError says what to
/// do about it, as for all else that goes wrong.
llvm::Expected<std::string> askOnce(const Asking &How,
                                    std::function<std::string()> Work);

class Observations {
public:
  /// Those of the file \p Path if \p Again and it is there, else none so far. A
  /// process that observes may take \p Memory.
  static llvm::Expected<Observations> open(std::string Path, bool Again,
                                           MemoryLimit Memory);

  /// What is known of \p Code on these launches and guards, which may be null,
  /// under the name \p What; if nothing is, what askOnce() says.
  llvm::Expected<std::string> ask(llvm::StringRef What, const Payload &Code,
                                  const LaunchScenario &Launches,
                                  const LaunchScenario *Guards,
                                  std::function<std::string()> Work);
  /// Writes the file if there is anything new.
  llvm::Error keep();

private:
  Observations(std::string Path, MemoryLimit Memory)
      : Path(std::move(Path)), Memory(std::move(Memory)) {}

  std::string Path;
  MemoryLimit Memory;
  bool New = false;
  std::map<std::string, std::string> Known;
};

} // namespace gevo

#endif // GEVO_SEARCH_OBSERVATIONS_H
