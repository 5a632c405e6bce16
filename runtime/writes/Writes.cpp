//===- Writes.cpp - Notes which files a program writes --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to preload: functions of the C library that open files for writing,
// or give them names, do what they do and then append the path, absolute and
// with a zero byte behind it, to the file that GEVO_WRITES names. Processes
// that the program starts inherit it. What a program does by system calls of
// its own is not seen.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

/// The function of the C library that has this name.
template <typename Function> Function *next(const char *Name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
}

/// Puts the path of \p Folder, an open one, into \p Path, with a slash.
size_t pathOfFolder(int Folder, char *Path, size_t Size) {
  char Link[64];
  std::snprintf(Link, sizeof(Link),
                Folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
                Folder);
  ssize_t Length = readlink(Link, Path, Size - 1);
  if (Length < 0)
    return 0;
  Path[Length] = '/';
  return size_t(Length) + 1;
}

// By system calls alone, so that nothing of this is noted.
void note(int Folder, const char *Name) {
  int Before = errno;
  const char *Log = std::getenv("GEVO_WRITES");
  char Path[2 * PATH_MAX];
  size_t Length = Name[0] == '/' ? 0 : pathOfFolder(Folder, Path, PATH_MAX);
  size_t Rest = std::strlen(Name) + 1;
  if (Log && Length + Rest <= sizeof(Path)) {
    std::memcpy(Path + Length, Name, Rest);
    int File = int(syscall(SYS_openat, AT_FDCWD, Log,
                           O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (File >= 0) {
      [[maybe_unused]] long Written =
          syscall(SYS_write, File, Path, Length + Rest);
      syscall(SYS_close, File);
    }
  }
  errno = Before;
}

bool writes(int Flags) {
  return (Flags & O_ACCMODE) != O_RDONLY || Flags & (O_CREAT | O_TRUNC);
}

bool writes(const char *Mode) { return std::strpbrk(Mode, "wa+x"); }

int noted(int File, int Folder, const char *Name, int Flags) {
  if (File >= 0 && writes(Flags))
    note(Folder, Name);
  return File;
}

std::FILE *noted(std::FILE *File, const char *Name, const char *Mode) {
  if (File && Name && writes(Mode))
    note(AT_FDCWD, Name);
  return File;
}

int renamed(int Status, int Folder, const char *Name) {
  if (!Status)
    note(Folder, Name);
  return Status;
}

mode_t modeOf(int Flags, va_list Arguments) {
  bool Makes = Flags & O_CREAT || (Flags & O_TMPFILE) == O_TMPFILE;
  return Makes ? va_arg(Arguments, mode_t) : 0;
}

} // namespace

#define OPEN(Name)                                                             \
  EXPORTED int Name(const char *Path, int Flags, ...) {                        \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode = modeOf(Flags, Arguments);                                    \
    va_end(Arguments);                                                         \
    return noted(next<int(const char *, int, ...)>(#Name)(Path, Flags, Mode),  \
                 AT_FDCWD, Path, Flags);                                       \
  }
#define OPENAT(Name)                                                           \
  EXPORTED int Name(int Folder, const char *Path, int Flags, ...) {            \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode = modeOf(Flags, Arguments);                                    \
    va_end(Arguments);                                                         \
    return noted(next<int(int, const char *, int, ...)>(#Name)(Folder, Path,   \
                                                               Flags, Mode),   \
                 Folder, Path, Flags);                                         \
  }
#define CREAT(Name)                                                            \
  EXPORTED int Name(const char *Path, mode_t Mode) {                           \
    return noted(next<int(const char *, mode_t)>(#Name)(Path, Mode), AT_FDCWD, \
                 Path, O_CREAT);                                               \
  }
#define FOPEN(Name)                                                            \
  EXPORTED std::FILE *Name(const char *Path, const char *Mode) {               \
    return noted(                                                              \
        next<std::FILE *(const char *, const char *)>(#Name)(Path, Mode),      \
        Path, Mode);                                                           \
  }
#define FREOPEN(Name)                                                          \
  EXPORTED std::FILE *Name(const char *Path, const char *Mode,                 \
                           std::FILE *Old) {                                   \
    return noted(next<std::FILE *(const char *, const char *, std::FILE *)>(   \
                     #Name)(Path, Mode, Old),                                  \
                 Path, Mode);                                                  \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
CREAT(creat)
CREAT(creat64)
FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)

EXPORTED int rename(const char *From, const char *To) noexcept {
  return renamed(next<int(const char *, const char *)>("rename")(From, To),
                 AT_FDCWD, To);
}

EXPORTED int renameat(int FromFolder, const char *From, int ToFolder,
                      const char *To) noexcept {
  return renamed(next<int(int, const char *, int, const char *)>("renameat")(
                     FromFolder, From, ToFolder, To),
                 ToFolder, To);
}

// A build with _FORTIFY_SOURCE calls these where there is no mode.
EXPORTED int __open_2(const char *Path, int Flags) {
  return noted(next<int(const char *, int)>("__open_2")(Path, Flags), AT_FDCWD,
               Path, Flags);
}

EXPORTED int __open64_2(const char *Path, int Flags) {
  return noted(next<int(const char *, int)>("__open64_2")(Path, Flags),
               AT_FDCWD, Path, Flags);
}
