//===- Writes.cpp - Notes which files a program writes --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to preload: functions of the C library that open files for writing,
// or give them names, do what they do and then append the path, absolute and
// with a zero byte behind it, to the file that GEVO_WRITES names. What they do
// not find goes to the file that GEVO_ABSENT names: a file to read or to look
// at, or the folder of one to write, with a slash; and a folder whose names are
// asked for, with "/.", be it there or not. Processes that the program starts
// inherit it. What a program does by system calls of its own is not seen.
//
// Most of these functions may be called by a handler of a signal or between
// vfork and exec, so nothing here allocates, locks or looks anything up by
// then.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Those that this library stands before.
#define FUNCTIONS(F)                                                           \
  F(open)                                                                      \
  F(open64)                                                                    \
  F(openat)                                                                    \
  F(openat64)                                                                  \
  F(__open_2)                                                                  \
  F(__open64_2)                                                                \
  F(__openat_2)                                                                \
  F(__openat64_2)                                                              \
  F(creat)                                                                     \
  F(creat64)                                                                   \
  F(fopen)                                                                     \
  F(fopen64)                                                                   \
  F(freopen)                                                                   \
  F(freopen64)                                                                 \
  F(mkstemp)                                                                   \
  F(mkstemp64)                                                                 \
  F(mkostemp)                                                                  \
  F(mkostemp64)                                                                \
  F(mkstemps)                                                                  \
  F(mkstemps64)                                                                \
  F(mkostemps)                                                                 \
  F(mkostemps64)                                                               \
  F(truncate)                                                                  \
  F(truncate64)                                                                \
  F(rename)                                                                    \
  F(renameat)                                                                  \
  F(renameat2)                                                                 \
  F(link)                                                                      \
  F(linkat)                                                                    \
  F(symlink)                                                                   \
  F(symlinkat)                                                                 \
  F(access)                                                                    \
  F(stat)                                                                      \
  F(stat64)                                                                    \
  F(opendir)

namespace {

enum class Place : unsigned {
#define PLACE(Name) Name,
  FUNCTIONS(PLACE)
#undef PLACE
};

constexpr const char *Names[] = {
#define NAME(Name) #Name,
    FUNCTIONS(NAME)
#undef NAME
};

constexpr size_t NumFunctions = sizeof(Names) / sizeof(Names[0]);
std::atomic<void *> Functions[NumFunctions];
char Writes[PATH_MAX], Absent[PATH_MAX];
std::atomic<bool> Ready;

void takePath(const char *Variable, char (&To)[PATH_MAX]) {
  const char *Named = std::getenv(Variable);
  if (Named && std::strlen(Named) < sizeof(To))
    std::strcpy(To, Named);
}

// The program may change its environment later.
__attribute__((constructor)) void prepare() {
  if (Ready.load(std::memory_order_acquire))
    return;
  for (size_t K = 0; K < NumFunctions; ++K)
    Functions[K].store(dlsym(RTLD_NEXT, Names[K]), std::memory_order_relaxed);
  takePath("GEVO_WRITES", Writes);
  takePath("GEVO_ABSENT", Absent);
  Ready.store(true, std::memory_order_release);
}

/// The function of the C library. A library that is initialised before this one
/// may call it already.
template <typename Function> Function *next(Place P) {
  prepare();
  return reinterpret_cast<Function *>(
      Functions[unsigned(P)].load(std::memory_order_relaxed));
}

#define NEXT(Name) next<decltype(Name)>(Place::Name)

/// Puts the path of \p Folder, an open one, into \p Path, with a slash.
size_t pathOfFolder(int Folder, char *Path, size_t Size) {
  char Link[64] = "/proc/self/cwd";
  if (Folder != AT_FDCWD) {
    char Digits[16], *First = Digits + sizeof(Digits) - 1;
    *First = 0;
    for (unsigned Rest = unsigned(Folder); Rest || !*First; Rest /= 10)
      *--First = char('0' + Rest % 10);
    std::strcpy(Link, "/proc/self/fd/");
    std::strcat(Link, First);
  }
  ssize_t Length = readlink(Link, Path, Size - 1);
  if (Length < 0)
    return 0;
  Path[Length] = '/';
  return size_t(Length) + 1;
}

// By system calls alone, so that nothing of this is noted. Of Name as much as
// Size says.
void append(const char *Log, int Folder, const char *Name, size_t Size) {
  int Before = errno;
  char Path[2 * PATH_MAX];
  size_t Length = Name[0] == '/' ? 0 : pathOfFolder(Folder, Path, PATH_MAX);
  size_t Rest = Size + 1;
  if (Log[0] && Length + Rest <= sizeof(Path)) {
    std::memcpy(Path + Length, Name, Size);
    Path[Length + Size] = 0;
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

void note(int Folder, const char *Name) {
  append(Writes, Folder, Name, std::strlen(Name));
}

void noteAbsent(int Folder, const char *Name, bool Makes) {
  if (errno != ENOENT)
    return;
  const char *Slash = std::strrchr(Name, '/');
  size_t Size = std::strlen(Name);
  while (Size > 1 && Name[Size - 1] == '/')
    --Size;
  if (!Makes)
    append(Absent, Folder, Name, Size);
  else if (Slash)
    append(Absent, Folder, Name, size_t(Slash - Name) + 1);
}

void noteListed(int Folder, const char *Name) {
  char Path[PATH_MAX + 2];
  size_t Size = std::strlen(Name);
  if (Size >= PATH_MAX)
    return;
  std::memcpy(Path, Name, Size);
  std::memcpy(Path + Size, "/.", 2);
  append(Absent, Folder, Path, Size + 2);
}

bool hasNoName(int Flags) { return (Flags & O_TMPFILE) == O_TMPFILE; }

bool writes(int Flags) {
  return !hasNoName(Flags) &&
         ((Flags & O_ACCMODE) != O_RDONLY || Flags & (O_CREAT | O_TRUNC));
}

bool writes(const char *Mode) { return std::strpbrk(Mode, "wa+x"); }
bool makes(const char *Mode) { return std::strpbrk(Mode, "wa"); }

int noted(int File, int Folder, const char *Name, int Flags) {
  if ((Flags & O_DIRECTORY) && !hasNoName(Flags))
    noteListed(Folder, Name);
  else if (File >= 0 && writes(Flags))
    note(Folder, Name);
  else if (File < 0)
    noteAbsent(Folder, Name, Flags & O_CREAT);
  return File;
}

std::FILE *noted(std::FILE *File, const char *Name, const char *Mode) {
  if (File && Name && writes(Mode))
    note(AT_FDCWD, Name);
  else if (!File && Name)
    noteAbsent(AT_FDCWD, Name, makes(Mode));
  return File;
}

/// What gives a name to a file, or changes the file of a name, returns zero.
int named(int Status, int Folder, const char *Name) {
  if (!Status)
    note(Folder, Name);
  return Status;
}

int looked(int Status, const char *Name) {
  if (Status)
    noteAbsent(AT_FDCWD, Name, /*Makes=*/false);
  return Status;
}

mode_t modeOf(int Flags, va_list Arguments) {
  bool Makes = Flags & O_CREAT || hasNoName(Flags);
  return Makes ? va_arg(Arguments, mode_t) : 0;
}

} // namespace

#define OPEN(Name)                                                             \
  EXPORTED int Name(const char *Path, int Flags, ...) {                        \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode = modeOf(Flags, Arguments);                                    \
    va_end(Arguments);                                                         \
    return noted(NEXT(Name)(Path, Flags, Mode), AT_FDCWD, Path, Flags);        \
  }
#define OPENAT(Name)                                                           \
  EXPORTED int Name(int Folder, const char *Path, int Flags, ...) {            \
    va_list Arguments;                                                         \
    va_start(Arguments, Flags);                                                \
    mode_t Mode = modeOf(Flags, Arguments);                                    \
    va_end(Arguments);                                                         \
    return noted(NEXT(Name)(Folder, Path, Flags, Mode), Folder, Path, Flags);  \
  }
#define OPEN_2(Name)                                                           \
  EXPORTED int Name(const char *Path, int Flags) {                             \
    return noted(NEXT(Name)(Path, Flags), AT_FDCWD, Path, Flags);              \
  }
#define OPENAT_2(Name)                                                         \
  EXPORTED int Name(int Folder, const char *Path, int Flags) {                 \
    return noted(NEXT(Name)(Folder, Path, Flags), Folder, Path, Flags);        \
  }
#define CREAT(Name)                                                            \
  EXPORTED int Name(const char *Path, mode_t Mode) {                           \
    return noted(NEXT(Name)(Path, Mode), AT_FDCWD, Path, O_CREAT);             \
  }
#define FOPEN(Name)                                                            \
  EXPORTED std::FILE *Name(const char *Path, const char *Mode) {               \
    return noted(NEXT(Name)(Path, Mode), Path, Mode);                          \
  }
#define FREOPEN(Name)                                                          \
  EXPORTED std::FILE *Name(const char *Path, const char *Mode,                 \
                           std::FILE *Old) {                                   \
    return noted(NEXT(Name)(Path, Mode, Old), Path, Mode);                     \
  }
// These replace the end of the template by what makes the name unique.
#define MKSTEMP(Name)                                                          \
  EXPORTED int Name(char *Path) {                                              \
    return noted(NEXT(Name)(Path), AT_FDCWD, Path, O_CREAT);                   \
  }
#define MKSTEMP_WITH(Name)                                                     \
  EXPORTED int Name(char *Path, int FlagsOrSuffix) {                           \
    return noted(NEXT(Name)(Path, FlagsOrSuffix), AT_FDCWD, Path, O_CREAT);    \
  }
#define MKOSTEMPS(Name)                                                        \
  EXPORTED int Name(char *Path, int Suffix, int Flags) {                       \
    return noted(NEXT(Name)(Path, Suffix, Flags), AT_FDCWD, Path, O_CREAT);    \
  }
#define TRUNCATE(Name, Offset)                                                 \
  EXPORTED int Name(const char *Path, Offset Size) noexcept {                  \
    return named(NEXT(Name)(Path, Size), AT_FDCWD, Path);                      \
  }
#define NAME_AFTER(Name)                                                       \
  EXPORTED int Name(const char *From, const char *To) noexcept {               \
    return named(NEXT(Name)(From, To), AT_FDCWD, To);                          \
  }

#define STAT(Name, Result)                                                     \
  EXPORTED int Name(const char *Path, struct Result *To) noexcept {            \
    return looked(NEXT(Name)(Path, To), Path);                                 \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
// A build with _FORTIFY_SOURCE calls these where there is no mode.
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)
CREAT(creat)
CREAT(creat64)
FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)
MKSTEMP_WITH(mkostemp)
MKSTEMP_WITH(mkostemp64)
MKSTEMP_WITH(mkstemps)
MKSTEMP_WITH(mkstemps64)
MKOSTEMPS(mkostemps)
MKOSTEMPS(mkostemps64)
TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)
NAME_AFTER(rename)
NAME_AFTER(link)
NAME_AFTER(symlink)

EXPORTED DIR *opendir(const char *Path) {
  DIR *Folder = NEXT(opendir)(Path);
  noteListed(AT_FDCWD, Path);
  return Folder;
}

// A program may look for a file before it opens it.
STAT(stat, stat)
STAT(stat64, stat64)
EXPORTED int access(const char *Path, int Mode) noexcept {
  return looked(NEXT(access)(Path, Mode), Path);
}

EXPORTED int symlinkat(const char *From, int Folder, const char *To) noexcept {
  return named(NEXT(symlinkat)(From, Folder, To), Folder, To);
}

EXPORTED int linkat(int FromFolder, const char *From, int ToFolder,
                    const char *To, int Flags) noexcept {
  return named(NEXT(linkat)(FromFolder, From, ToFolder, To, Flags), ToFolder,
               To);
}

EXPORTED int renameat(int FromFolder, const char *From, int ToFolder,
                      const char *To) noexcept {
  return named(NEXT(renameat)(FromFolder, From, ToFolder, To), ToFolder, To);
}

EXPORTED int renameat2(int FromFolder, const char *From, int ToFolder,
                       const char *To, unsigned Flags) noexcept {
  int Status = NEXT(renameat2)(FromFolder, From, ToFolder, To, Flags);
  if (Flags & RENAME_EXCHANGE)
    named(Status, FromFolder, From);
  return named(Status, ToFolder, To);
}
