//===- ProgramFolder.cpp - Where the program is run -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ProgramFolder.h"
#include "passes/edit/AtomicFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral FolderName = "run";

static Error failure(std::error_code EC, const Twine &What) {
  return createStringError(EC, What + ": " + EC.message());
}

Expected<ProgramFolder> ProgramFolder::enter(const ProgramRun &Run) {
  SmallString<128> Home;
  if (std::error_code EC = sys::fs::current_path(Home))
    return failure(EC, "there is no working directory");
  ProgramFolder Entered(Home.str().str());
  sys::fs::remove_directories(FolderName);
  if (Error E = makeFolder(FolderName))
    return E;
  if (std::error_code EC = sys::fs::set_current_path(FolderName))
    return failure(EC, "cannot enter '" + Entered.beside(FolderName) + "'");
  // Nothing of an earlier run may be taken for this one's, also where the user
  // names a file elsewhere.
  for (const std::string &Name : Run.OutputFiles)
    sys::fs::remove(Name);
  return Entered;
}

ProgramFolder::~ProgramFolder() {
  if (!Home.empty())
    sys::fs::set_current_path(Home);
}

std::string ProgramFolder::beside(StringRef Name) const {
  SmallString<128> Path(Home);
  sys::path::append(Path, Name);
  return Path.str().str();
}

std::vector<std::string> ProgramFolder::filesLeft() {
  std::vector<std::string> Found;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(FolderName, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC))
    if (I->type() == sys::fs::file_type::regular_file)
      Found.push_back(I->path().substr(FolderName.size() + 1));
  llvm::sort(Found);
  return Found;
}
