//===- NewFolder.h - A folder that goes unless it is needed -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ends before a search begins has nothing to resume: the store that was
// made for it goes. One that was there before holds something else, and stays,
// without its folder for runs.
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
  void taken();
  void keep();
  /// For a signal handler: ends what this process has started, and removes the
  /// folder if it is this process's.
  static void removeNow();

private:
  std::string Path;
  bool WasThere;
  /// What goes; empty: nothing.
  std::string Target;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H
