//===- MachineError.cpp - What this machine lacks -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much is free is only half of an answer where quotas and limits count; so
// a file is made, too. It is small, as others write at the same time.
//
//===----------------------------------------------------------------------===//

#include "search/MachineError.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

char MachineError::ID = 0;
char PassingError::ID = 0;

bool gevo::isFullDisk(int Errno) {
  return Errno == ENOSPC || Errno == EDQUOT || Errno == EFBIG;
}

static double inMiB(uint64_t Bytes) { return double(Bytes) / (1 << 20); }

namespace {
struct Space {
  uint64_t Free, All;
};
} // namespace

// Some of a disk may be kept for root.
static std::optional<Space> spaceIn(const std::string &Folder) {
  struct statvfs Disk;
  if (statvfs(Folder.c_str(), &Disk))
    return std::nullopt;
  uint64_t Free = geteuid() ? Disk.f_bavail : Disk.f_bfree;
  return Space{Free * Disk.f_frsize, Disk.f_blocks * Disk.f_frsize};
}

std::string gevo::roomLeft(StringRef Folder) {
  std::optional<Space> Disk = spaceIn(Folder.str());
  return Disk ? formatv(" ({0:f1} of {1:f1} MiB are free there); make room",
                        inMiB(Disk->Free), inMiB(Disk->All))
                    .str()
              : "; make room";
}

std::string gevo::temporaryFolder() {
  const char *Named = std::getenv("TMPDIR");
  return Named && *Named ? Named : "/tmp";
}

// The error number, or 0. Not every file system has files without names.
static int tryToWrite(const std::string &Folder, uint64_t Bytes) {
  constexpr uint64_t Little = 64 << 10;
  // Some file systems are no disks, and do not tell.
  if (std::optional<Space> Disk = spaceIn(Folder);
      Disk && Disk->All && Disk->Free < Bytes)
    return ENOSPC;
  int FD = open(Folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (FD < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string Name = Folder + "/gevo-room-XXXXXX";
    FD = mkostemp(Name.data(), O_CLOEXEC);
    if (FD >= 0)
      unlink(Name.c_str());
  }
  if (FD < 0)
    return errno;
  int Failed = posix_fallocate(FD, 0, std::min(Bytes, Little));
  close(FD);
  return Failed == EINTR ? 0 : Failed;
}

Error gevo::checkRoom(ArrayRef<std::string> Folders, uint64_t Bytes) {
  for (const std::string &Folder : Folders)
    if (int Failed = tryToWrite(Folder, Bytes))
      return make_error<MachineError>(
          formatv("cannot write {0:f1} MiB in '{1}': {2}{3}", inMiB(Bytes),
                  Folder, std::strerror(Failed),
                  isFullDisk(Failed) ? roomLeft(Folder) : "; mend that")
              .str());
  return Error::success();
}
