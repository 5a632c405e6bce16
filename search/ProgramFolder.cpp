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
#include <set>

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

static Error copyFile(const std::string &From, const std::string &To) {
  int Descriptor;
  std::error_code EC = sys::fs::copy_file(From, To);
  if (!EC)
    EC = sys::fs::openFileForWrite(To, Descriptor, sys::fs::CD_OpenExisting);
  if (EC)
    return failure(EC, "cannot copy '" + From + "' for a run");
  sys::fs::setLastAccessAndModificationTime(Descriptor, LongAgo);
  sys::fs::closeFile(Descriptor);
  if (ErrorOr<sys::fs::perms> Rights = sys::fs::getPermissions(From))
    sys::fs::setPermissions(To, *Rights);
  return Error::success();
}

// Links in it are followed to files, and those to folders stay links.
static Error copyFolder(const std::string &From, const std::string &To) {
  if (Error E = makeFolder(To))
    return E;
  std::error_code EC;
  for (sys::fs::directory_iterator I(From, EC, /*follow_symlinks=*/false), End;
       I != End && !EC; I.increment(EC)) {
    std::string Into = (To + "/" + sys::path::filename(I->path())).str();
    Error E = Error::success();
    if (I->type() == sys::fs::file_type::directory_file)
      E = copyFolder(I->path(), Into);
    else if (sys::fs::is_regular_file(I->path()))
      E = copyFile(I->path(), Into);
    else
      sys::fs::create_link(I->path(), Into);
    if (E)
      return E;
  }
  return EC ? failure(EC, "cannot copy '" + From + "' for a run")
            : Error::success();
}

static Error makeFolderFor(StringRef Path) {
  StringRef Into = sys::path::parent_path(Path);
  return Into.empty() ? Error::success() : makeFolder(Into);
}

// As the user has it, if it is there.
static Error copyAny(const std::string &From, const std::string &To) {
  if (sys::fs::is_directory(From))
    return copyFolder(From, To);
  return sys::fs::is_regular_file(From) ? copyFile(From, To) : Error::success();
}

static Error copyOwn(const OwnFile &File) {
  if (Error E = makeFolderFor(File.Path))
    return E;
  return sys::path::is_absolute(File.Word) ? copyAny(File.Word, File.Path)
                                           : Error::success();
}

static Error bringFound(const FoundFile &File) {
  if (Error E = makeFolderFor(File.Path))
    return E;
  if (File.From.empty())
    return makeFolder(File.Path);
  if (!File.Linked)
    return copyAny(File.From, File.Path);
  std::error_code EC = sys::fs::create_link(File.From, File.Path);
  return EC ? failure(EC, "cannot link '" + File.From + "' for a run")
            : Error::success();
}

static uint64_t bytesOf(const std::string &Path) {
  uint64_t Bytes = 0;
  std::error_code EC;
  if (!sys::fs::is_directory(Path))
    return sys::fs::file_size(Path, Bytes) ? 0 : Bytes;
  for (sys::fs::recursive_directory_iterator
           I(Path, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC)) {
    sys::fs::file_status In;
    if (!sys::fs::status(I->path(), In) && sys::fs::is_regular_file(In))
      Bytes += In.getSize();
  }
  return Bytes;
}

uint64_t ProgramRun::copiedBytes() const {
  uint64_t Bytes = 0;
  for (const OwnFile &File : Own)
    if (sys::path::is_absolute(File.Word))
      Bytes += bytesOf(File.Word);
  for (const FoundFile &File : Found)
    if (!File.From.empty() && !File.Linked)
      Bytes += bytesOf(File.From);
  return Bytes;
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

// Paths from \p Folder of what is in it and in folders there.
static std::set<std::string> namesIn(StringRef Folder) {
  std::set<std::string> Found;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(Folder, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC))
    Found.insert(StringRef(I->path()).substr(Folder.size() + 1).str());
  return Found;
}

// The regular files among them, but for untouched copies.
static std::vector<std::string> writtenIn(StringRef Folder) {
  std::vector<std::string> Found;
  for (const std::string &Name : namesIn(Folder)) {
    sys::fs::file_status Status;
    if (!sys::fs::status(Folder + "/" + Name, Status, /*follow=*/false) &&
        sys::fs::is_regular_file(Status) &&
        Status.getLastModificationTime() != LongAgo)
      Found.push_back(Name);
  }
  return Found;
}

// \p Users is what the copy at \p Name is of, if it is of anything.
static bool wroteCopy(StringRef Name, StringRef Users) {
  SmallString<128> Path(FolderName);
  sys::path::append(Path, Name);
  sys::fs::file_status Now;
  if (sys::fs::status(Path, Now))
    // It was there and is not, or never was.
    return !Users.empty() && sys::fs::exists(Users);
  if (!sys::fs::is_directory(Now) || Users.empty() ||
      !sys::fs::is_directory(Users))
    return Now.getLastModificationTime() != LongAgo;
  return !writtenIn(Path).empty() || namesIn(Path) != namesIn(Users);
}

bool ProgramFolder::wrote(const OwnFile &File) {
  return wroteCopy(File.Path,
                   sys::path::is_absolute(File.Word) ? File.Word : "");
}

bool ProgramFolder::wrote(const FoundFile &File) {
  return !File.From.empty() && wroteCopy(File.Path, File.From);
}

bool ProgramFolder::isUntouched(StringRef Path) {
  sys::fs::file_status Status;
  return !sys::fs::status(Path, Status) &&
         Status.getLastModificationTime() == LongAgo;
}

Expected<ProgramFolder> ProgramFolder::enter(const ProgramRun &Run) {
  SmallString<128> Home;
  if (std::error_code EC = sys::fs::current_path(Home))
    return failure(EC, "there is no working directory");
  ProgramFolder Entered(Home.str().str());
  clear();
  if (Error E = makeFolder(FolderName))
    return E;
  if (std::error_code EC = sys::fs::set_current_path(FolderName))
    return failure(EC, "cannot enter '" + Entered.beside(FolderName) + "'");
  for (const OwnFile &File : Run.Own)
    if (Error E = copyOwn(File))
      return E;
  for (const FoundFile &File : Run.Found)
    if (Error E = bringFound(File))
      return E;
  if (Run.Neighbours)
    for (const OwnFile &File : Run.Own)
      linkNeighbours(File);
  return Entered;
}

void ProgramFolder::clear() { sys::fs::remove_directories(FolderName); }

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
  return writtenIn(FolderName);
}
