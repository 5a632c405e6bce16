//===- RunFolder.cpp - Where the logs of a run lie ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/RunFolder.h"
#include "runtime/gpu/driver/LaunchLog.h"
#include "tools/gevo-run/CommandLine.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace gevo;
using namespace gevo::run;

namespace {

// Not "gevo-run.": such folders, of versions that held no lock, would look left
// behind while their runs go on.
constexpr const char Prefix[] = "gevo-run-", Drawn[] = "XXXXXX";

int openFolder(const std::string &Name) {
  return open(Name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void removeFolder(const std::string &Name) {
  for (const std::string &File : driver::launchLogFiles(Name))
    unlink((Name + "/" + File).c_str());
  rmdir(Name.c_str());
}

/// Removes our folders in \p Folder whose runs are gone.
void removeLeftBehind(const std::string &Folder) {
  std::vector<std::string> Names;
  if (DIR *D = opendir(Folder.c_str())) {
    while (const dirent *E = readdir(D))
      if (!std::strncmp(E->d_name, Prefix, std::strlen(Prefix)) &&
          std::strlen(E->d_name) == std::strlen(Prefix) + std::strlen(Drawn))
        Names.push_back(Folder + "/" + E->d_name);
    closedir(D);
  }
  for (const std::string &Name : Names) {
    int File = openFolder(Name);
    struct stat Info;
    if (File >= 0 && !fstat(File, &Info) && Info.st_uid == geteuid() &&
        !flock(File, LOCK_EX | LOCK_NB))
      removeFolder(Name);
    if (File >= 0)
      close(File);
  }
}

} // namespace

/// False if another run took it for one that was left behind.
bool RunFolder::make(const std::string &Folder) {
  Name = Folder + "/" + Prefix + Drawn;
  if (!mkdtemp(Name.data()))
    fail("cannot make a folder '" + Name + "': " + std::strerror(errno));
  Lock = openFolder(Name);
  bool Taken =
      Lock >= 0 && flock(Lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
  // Where there are no locks, nobody gets one to remove it.
  if (!Taken && !access(Name.c_str(), F_OK))
    return true;
  if (Lock >= 0)
    close(Lock);
  return false;
}

RunFolder::RunFolder() {
  const char *Temporary = std::getenv("TMPDIR");
  std::string Folder = Temporary && *Temporary ? Temporary : "/tmp";
  removeLeftBehind(Folder);
  while (!make(Folder))
    ;
}

RunFolder::~RunFolder() {
  removeFolder(Name);
  if (Lock >= 0)
    close(Lock);
}
