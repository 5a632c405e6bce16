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
// Of copies, so that every write shows.
static constexpr sys::TimePoint<> LongAgo = {};

static Error failure(std::error_code EC, const Twine &What) {
  return createStringError(EC, What + ": " + EC.message());
}

Command ProgramRun::command() const {
  Command All = Words;
  for (std::string &Word : drop_begin(All))
    for (const OwnFile &File : Own)
      if (Word == File.argument()) {
        Word = File.Option + File.Path;
        break;
      }
  return All;
}

// As the user has it, if it is there.
static Error copyOwn(const OwnFile &File) {
  if (StringRef Into = sys::path::parent_path(File.Path); !Into.empty())
    if (Error E = makeFolder(Into))
      return E;
  if (!sys::path::is_absolute(File.Word) ||
      !sys::fs::is_regular_file(File.Word))
    return Error::success();
  int Descriptor;
  std::error_code EC = sys::fs::copy_file(File.Word, File.Path);
  ErrorOr<sys::fs::perms> Rights = sys::fs::getPermissions(File.Word);
  if (!EC && Rights)
    EC = sys::fs::setPermissions(File.Path, *Rights);
  if (!EC)
    EC = sys::fs::openFileForWrite(File.Path, Descriptor,
                                   sys::fs::CD_OpenExisting);
  if (EC)
    return failure(EC, "cannot copy '" + File.Word + "' for a run");
  sys::fs::setLastAccessAndModificationTime(Descriptor, LongAgo);
  sys::fs::closeFile(Descriptor);
  return Error::success();
}

// What is there already stays: copies and the folders on the way to them.
static void linkNeighbours(const OwnFile &File) {
  for (StringRef Ours = sys::path::parent_path(File.Path);
       Ours != OutsideFolder && !Ours.empty();
       Ours = sys::path::parent_path(Ours)) {
    std::error_code EC;
    for (sys::fs::directory_iterator I(Ours.substr(OutsideFolder.size()), EC,
                                       /*follow_symlinks=*/false),
         End;
         I != End && !EC; I.increment(EC)) {
      SmallString<128> Link(Ours);
      sys::path::append(Link, sys::path::filename(I->path()));
      sys::fs::create_link(I->path(), Link);
    }
  }
}

bool ProgramFolder::wrote(const OwnFile &File) {
  SmallString<128> Path(FolderName);
  sys::path::append(Path, File.Path);
  sys::fs::file_status Now;
  if (sys::fs::status(Path, Now))
    // It was there and is not, or never was.
    return sys::path::is_absolute(File.Word) && sys::fs::exists(File.Word);
  return Now.getLastModificationTime() != LongAgo;
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
  for (const OwnFile &File : Run.Own)
    if (Error E = copyOwn(File))
      return E;
  if (Run.Neighbours)
    for (const OwnFile &File : Run.Own)
      linkNeighbours(File);
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
