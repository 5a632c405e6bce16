//===- NewFolder.h - A folder that goes unless it is needed -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fails before a search begins has nothing to resume: the store that was
// made for it goes. One that was there before holds something else, and stays.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H
#define GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H

#include "llvm/Support/FileSystem.h"
#include <string>

namespace gevo {

class NewFolder {
public:
  explicit NewFolder(std::string Path)
      : Path(std::move(Path)), Remove(!llvm::sys::fs::exists(this->Path)) {}
  NewFolder(const NewFolder &) = delete;
  NewFolder &operator=(const NewFolder &) = delete;
  ~NewFolder() {
    if (Remove)
      llvm::sys::fs::remove_directories(Path);
  }
  void keep() { Remove = false; }

private:
  std::string Path;
  bool Remove;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_NEWFOLDER_H
