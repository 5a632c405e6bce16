//===- RunFolder.h - Where the logs of a run lie ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of temporary files that goes when its run ends. A run that is killed
// cannot see to that, so the next one does: a folder is locked as long as its
// run lives, in whichever container, and nobody touches one that is.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_RUNFOLDER_H
#define GEVO_TOOLS_GEVO_RUN_RUNFOLDER_H

#include <string>

namespace gevo::run {

/// See the file comment. Ends the tool if no folder can be made.
class RunFolder {
public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder &) = delete;
  RunFolder &operator=(const RunFolder &) = delete;

  const std::string &name() const { return Name; }

private:
  bool make(const std::string &Folder);

  std::string Name;
  int Lock = -1;
};

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_RUNFOLDER_H
