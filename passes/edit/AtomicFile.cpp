//===- AtomicFile.cpp - Files that appear whole or not at all -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Write, close, rename; the temporary file is removed on any failure.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <fcntl.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

static Error failed(StringRef Path, std::error_code EC) {
  return createStringError(EC, "cannot write '%s': %s", Path.str().c_str(),
                           EC.message().c_str());
}

// A pipe, a terminal or /dev/null is written to, not replaced by a file.
static Error writeInPlace(StringRef Path,
                          function_ref<void(raw_ostream &)> Write) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                    sys::fs::OF_None);
  if (EC)
    return failed(Path, EC);
  Write(OS);
  OS.close();
  EC = OS.error();
  OS.clear_error();
  return EC ? failed(Path, EC) : Error::success();
}

// Some file systems cannot, and then need not.
static std::error_code syncPath(const Twine &Path, int Flags) {
  int FD = open(Path.str().c_str(), O_RDONLY | O_CLOEXEC | Flags);
  if (FD < 0)
    return errnoAsErrorCode();
  bool Failed = fsync(FD) && errno != EINVAL && errno != EROFS;
  std::error_code EC = Failed ? errnoAsErrorCode() : std::error_code();
  close(FD);
  return EC;
}

// A new name is on the disk when its folder is.
static std::error_code syncFolderOf(StringRef Path) {
  StringRef Folder = sys::path::parent_path(Path);
  return syncPath(Folder.empty() ? "." : Folder, O_DIRECTORY);
}

Error gevo::writeFileAtomically(StringRef Name,
                                function_ref<void(raw_ostream &)> Write,
                                Outlives What) {
  // What a link leads to is meant, not the link.
  SmallString<128> Path(Name);
  if (sys::fs::real_path(Name, Path))
    Path = Name;
  if (sys::fs::exists(Path) && !sys::fs::is_regular_file(Path))
    return writeInPlace(Path, Write);
  int FD;
  SmallString<128> Temporary;
  if (std::error_code EC = sys::fs::createUniqueFile(
          Twine(Path) + ".%%%%%%%%.tmp", FD, Temporary, sys::fs::OF_None,
          sys::fs::all_read | sys::fs::owner_write))
    return failed(Path, EC);
  sys::RemoveFileOnSignal(Temporary);
  raw_fd_ostream OS(FD, /*shouldClose=*/true);
  Write(OS);
  OS.flush();
  // The content comes first: a name without it is worse than none.
  bool Unsynced = What == Outlives::Machine && !OS.has_error() && fsync(FD);
  std::error_code EC = Unsynced ? errnoAsErrorCode() : std::error_code();
  OS.close();
  if (OS.has_error())
    EC = OS.error();
  OS.clear_error();
  if (!EC)
    EC = sys::fs::rename(Temporary, Path);
  sys::DontRemoveFileOnSignal(Temporary);
  if (!EC && What == Outlives::Machine)
    EC = syncFolderOf(Path);
  if (!EC)
    return Error::success();
  sys::fs::remove(Temporary);
  return failed(Path, EC);
}

Error gevo::syncFilesIn(StringRef Folder) {
  std::error_code EC;
  std::vector<std::string> Folders = {Folder.str()};
  for (sys::fs::recursive_directory_iterator
           I(Folder, EC, /*follow_symlinks=*/false),
       End;
       !EC && I != End; I.increment(EC)) {
    if (I->type() == sys::fs::file_type::directory_file)
      Folders.push_back(I->path());
    else if (I->type() == sys::fs::file_type::regular_file)
      if (std::error_code Bad = syncPath(I->path(), 0))
        return failed(I->path(), Bad);
  }
  // Names come last.
  for (const std::string &Path : Folders)
    if (!EC)
      EC = syncPath(Path, O_DIRECTORY);
  return EC ? failed(Folder, EC) : Error::success();
}

Error gevo::makeFolder(StringRef Folder) {
  std::error_code EC = sys::fs::create_directories(
      Folder, /*IgnoreExisting=*/true, sys::fs::perms::all_all);
  return EC ? createStringError(EC, "cannot make folder '" + Folder +
                                        "': " + EC.message())
            : Error::success();
}
