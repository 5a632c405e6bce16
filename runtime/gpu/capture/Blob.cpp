//===- Blob.cpp - Compressed bytes named after what they are --------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/capture/Blob.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace gevo::capture;

namespace {

/// Captures are written while a program waits, and read before a kernel can
/// start. Fast levels find what repeats; what does not, such as numbers drawn
/// at random, is left as it is, while level 1 saves a tenth of it and then
/// takes eight times as long to read.
constexpr int CompressionLevel = -1;

/// Closes itself.
struct Descriptor {
  explicit Descriptor(int Number) : Number(Number) {}
  ~Descriptor() {
    if (Number >= 0)
      close(Number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  /// Some file systems tell only here that the disk is full.
  bool finish() { return close(std::exchange(Number, -1)) == 0; }
  int Number;
};

bool writeAll(int File, std::string_view Content) {
  while (!Content.empty()) {
    ssize_t Done = write(File, Content.data(), Content.size());
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0) {
      errno = Done == 0 ? ENOSPC : errno;
      return false;
    }
    Content.remove_prefix(size_t(Done));
  }
  return true;
}

} // namespace

std::string gevo::capture::contentHash(std::string_view Content) {
  XXH128_hash_t H = XXH3_128bits(Content.data(), Content.size());
  char Text[33];
  std::snprintf(Text, sizeof(Text), "%016llx%016llx",
                (unsigned long long)H.high64, (unsigned long long)H.low64);
  return Text;
}

bool gevo::capture::writeAtomically(const std::string &Name,
                                    std::string_view Content,
                                    std::string &Error) {
  // What a link leads to is meant, not the link. What is no file (a device, a
  // pipe) is written to and not replaced.
  char Real[PATH_MAX];
  std::string Path = realpath(Name.c_str(), Real) ? Real : Name;
  struct stat Info;
  bool Direct = stat(Path.c_str(), &Info) == 0 && !S_ISREG(Info.st_mode);
  std::string Part =
      Direct ? Path : Path + "." + std::to_string(getpid()) + ".part";
  int Flags = O_WRONLY | O_CLOEXEC | (Direct ? 0 : O_CREAT | O_TRUNC);
  bool Ok;
  {
    Descriptor File(open(Part.c_str(), Flags, 0666));
    Ok = File.Number >= 0 && writeAll(File.Number, Content) && File.finish();
  }
  if (Ok && (Direct || std::rename(Part.c_str(), Path.c_str()) == 0))
    return true;
  Error = "cannot write '" + Path + "': " + std::strerror(errno);
  if (!Direct)
    unlink(Part.c_str());
  return false;
}

std::optional<std::string> gevo::capture::readWhole(const std::string &Path,
                                                    std::string &Error) {
  Descriptor File(open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat Info;
  if (File.Number < 0 || fstat(File.Number, &Info) != 0) {
    Error = "cannot read '" + Path + "': " + std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(Info.st_mode)) {
    Error = "cannot read '" + Path + "': not a file";
    return std::nullopt;
  }
  std::string Content(size_t(Info.st_size), 0);
  size_t Have = 0;
  while (Have < Content.size()) {
    ssize_t Done = read(File.Number, &Content[Have], Content.size() - Have);
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      break;
    Have += size_t(Done);
  }
  Content.resize(Have);
  return Content;
}

std::string gevo::capture::compress(std::string_view Content) {
  std::string Packed(ZSTD_compressBound(Content.size()), 0);
  Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Content.data(),
                              Content.size(), CompressionLevel));
  return Packed;
}

std::optional<Bytes> gevo::capture::decompress(std::string_view Packed,
                                               uint64_t Size) {
  if (ZSTD_getFrameContentSize(Packed.data(), Packed.size()) != Size)
    return std::nullopt;
  Bytes Content(Size);
  size_t Got = ZSTD_decompress(Content.data(), Content.size(), Packed.data(),
                               Packed.size());
  if (ZSTD_isError(Got) || Got != Size)
    return std::nullopt;
  return Content;
}

std::optional<Bytes> gevo::capture::mapBytes(const FilePart &File,
                                             std::string &Error) {
  struct stat Info;
  if (stat(File.Path.c_str(), &Info) != 0) {
    Error = "cannot read '" + File.Path + "': " + std::strerror(errno);
    return std::nullopt;
  }
  // Beyond the end of a file its memory cannot be touched.
  if (!S_ISREG(Info.st_mode) ||
      uint64_t(Info.st_size) != uint64_t(File.Skip) + File.Bytes)
    return std::nullopt;
  return Bytes(File.Bytes, LargePages<uint8_t>(File));
}

MappedFile::MappedFile(const std::string &Path, std::string &Error) {
  Descriptor File(open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat Info;
  if (File.Number < 0 || fstat(File.Number, &Info) != 0) {
    Error = "cannot read '" + Path + "': " + std::strerror(errno);
    return;
  }
  if (!S_ISREG(Info.st_mode) || !Info.st_size) {
    Error = "cannot read '" + Path +
            "': " + (Info.st_size ? "not a file" : "it is empty");
    return;
  }
  void *P = mmap(nullptr, size_t(Info.st_size), PROT_READ,
                 MAP_PRIVATE | MAP_POPULATE, File.Number, 0);
  if (P == MAP_FAILED)
    Error = "cannot read '" + Path + "': " + std::strerror(errno);
  else
    Content = {static_cast<const char *>(P), size_t(Info.st_size)};
}

MappedFile::~MappedFile() {
  if (!Content.empty())
    munmap(const_cast<char *>(Content.data()), Content.size());
}
