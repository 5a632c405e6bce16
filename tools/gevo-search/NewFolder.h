//===- NewFolder.h - A folder that goes unless it is needed -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ends before a search begins has nothing to resume: the store that was
// made for it goes. A store that was there before stays, without its folder for
// runs; of another folder that was there goes what the search put into it.
// Until there is a log, a mark in the folder tells the two apart, for who finds
// it.
//
// A process that may be killed at any moment cannot promise that. So another
// one waits for its end and removes what is left:
//
//   gevo-search --pipe--> keeper     its end without a word: remove
//                                    "remove": the same, and then be waited for
//                                    "keep": go
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H
#define GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>

namespace gevo {

/// The folder for runs in the one of a search, of the rank of that number.
std::string scratchOf(const std::string &Folder, int Rank);

/// One at a time.
class NewFolder {
public:
  /// The folder may be there: as that of another search, or as one that was
  /// left when a process and its keeper were killed. Folders that have the name
  /// \p Siblings with a number and were left in this way are removed; empty:
  /// none.
  NewFolder(const std::string &Path, const std::string &Siblings);
  NewFolder(const NewFolder &) = delete;
  NewFolder &operator=(const NewFolder &) = delete;
  ~NewFolder();

  /// This process has the lock of the folder, and has put nothing there yet.
  /// An error if there is something that is not of a search, under a name that
  /// a search uses.
  llvm::Error taken();
  void keep();
  /// For a signal handler: ends what this process has started, and removes the
  /// folder if it is this process's.
  static void removeNow();

private:
  llvm::Error writeMark(llvm::StringRef Name) const;

  std::string Path;
  bool WasThere;
  /// What goes, as the keeper is told; 0: nothing.
  char Kind = 0;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H
