//===- Preparation.h - What a search begins with ----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done before anything is searched, in every rank: reads the recorded
// modules, takes the folder, and runs the original for those who judge.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_PREPARATION_H
#define GEVO_TOOLS_GEVO_SEARCH_PREPARATION_H

#include "search/MemoryLimit.h"
#include "tools/gevo-search/Judges.h"
#include "tools/gevo-search/NewFolder.h"
#include "tools/gevo-search/Pipeline.h"

namespace gevo {

class Preparation {
public:
  /// Both must outlive it.
  Preparation(const PipelineOptions &Options, View &V)
      : Options(Options), Asked(Options.Asked), V(V) {}

  /// Does all of it; if \p Again, with the launches that are in the folder.
  /// \p Made, which may be null, is told when the folder is this search's.
  llvm::Error run(bool Again, NewFolder *Made);
  /// What a worker may take, and who says so.
  MemoryLimit memory() const;
  /// Of the workers of this rank.
  WorkerLimits limits() const;

  /// With what the program and the run of it tell.
  const Settings &asked() const { return Asked; }
  /// Once run() did not fail.
  IrProgram &device() { return *Device; }
  Judges &judges() { return *Judging; }

private:
  llvm::Error readProgram();
  llvm::Error knowMeasuring();
  /// That a process with so much can run a program.
  llvm::Error checkMemory(uint64_t Bytes) const;

  const PipelineOptions &Options;
  Settings Asked;
  View &V;
  std::unique_ptr<IrProgram> Device;
  std::unique_ptr<FolderLock> Alone;
  std::unique_ptr<Judges> Judging;
};

/// That \p Folder is of a search of something else.
llvm::Error otherProgram(llvm::StringRef Folder);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_PREPARATION_H
