//===- MemoryLimit.cpp - How much memory there is to take -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc/self/cgroup says in which groups this process is, /proc/self/mountinfo
// where the files of the groups are.
//
//===----------------------------------------------------------------------===//

#include "search/MemoryLimit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// Files of a kernel have no size that could be asked for.
static std::string textOf(const Twine &Path) {
  auto File = MemoryBuffer::getFileAsStream(Path);
  return File ? (*File)->getBuffer().str() : "";
}

static SmallVector<StringRef, 0> parts(StringRef Text, char At) {
  SmallVector<StringRef, 0> Parts;
  Text.split(Parts, At, -1, /*KeepEmpty=*/false);
  return Parts;
}

static bool lists(StringRef Names, StringRef Name) {
  return is_contained(parts(Names, ','), Name);
}

namespace {
/// One of the two versions of control groups.
struct Version {
  /// Of the file system, and among its options; empty: any.
  StringLiteral Type, Controller;
  /// The files with a limit.
  ArrayRef<StringLiteral> Files;
};
} // namespace

static constexpr StringLiteral FilesOf1[] = {"memory.limit_in_bytes"};
// Beyond memory.high a process is slowed down until it hardly moves.
static constexpr StringLiteral FilesOf2[] = {"memory.max", "memory.high"};
static constexpr Version Versions[] = {{"cgroup", "memory", FilesOf1},
                                       {"cgroup2", "", FilesOf2}};

// The group of this process: "4:memory:/job" or, of version 2, "0::/job".
static std::string groupOf(const Version &V, StringRef Groups) {
  for (StringRef Line : parts(Groups, '\n')) {
    auto [Controllers, Path] = Line.split(':').second.split(':');
    if (V.Controller.empty() ? Controllers.empty()
                             : lists(Controllers, V.Controller))
      return Path.str();
  }
  return "";
}

// The paths of blanks and the like have \040 in mountinfo.
static std::string unescaped(StringRef Text) {
  std::string Plain;
  unsigned char Code;
  while (!Text.empty()) {
    bool Escaped = Text[0] == '\\' && !Text.substr(1, 3).getAsInteger(8, Code);
    Plain += Escaped ? char(Code) : Text[0];
    Text = Text.drop_front(Escaped ? 4 : 1);
  }
  return Plain;
}

// Takes the limit in \p File if it is less. "max" is no number, and version 1
// says so by a very large one.
static void takeLeast(const Twine &File, StringRef Group, MemoryLimit &Least) {
  uint64_t Bytes;
  if (StringRef(textOf(File)).trim().getAsInteger(10, Bytes) ||
      Bytes >= Least.Bytes)
    return;
  Least = {Bytes, ("the control group " + Group).str()};
}

// A mount shows the groups below the one that it has as its root: in a
// container that may be the container's own, or one above.
static void takeMounted(const Version &V, StringRef Line, StringRef Group,
                        StringRef Root, MemoryLimit &Least) {
  auto [Mount, Kind] = Line.split(" - ");
  SmallVector<StringRef, 0> Fields = parts(Mount, ' '),
                            Types = parts(Kind, ' ');
  constexpr size_t RootField = 3, PathField = 4, OptionField = 2;
  if (Fields.size() <= PathField || Types.size() <= OptionField ||
      Types[0] != V.Type ||
      (!V.Controller.empty() && !lists(Types[OptionField], V.Controller)))
    return;
  std::string Top = unescaped(Fields[RootField]);
  StringRef Below = Group;
  // Another name space may have other names: then the mount's root is nearest.
  if (Top != "/" && !Below.consume_front(Top))
    Below = "";
  std::string Path = Root.str() + unescaped(Fields[PathField]);
  while (true) {
    StringRef Name = Below.empty() ? StringRef(Top) : Below;
    for (StringRef File : V.Files)
      takeLeast(Path + Below + "/" + File, Name, Least);
    if (Below.empty())
      return;
    Below = Below.rtrim('/');
    Below = Below.take_front(
        Below.rfind('/') == StringRef::npos ? 0 : Below.rfind('/'));
  }
}

MemoryLimit gevo::memoryForAll(uint64_t Physical, StringRef Root) {
  MemoryLimit Least = {Physical, "the machine"};
  std::string Groups = textOf(Root + "/proc/self/cgroup"),
              Mounts = textOf(Root + "/proc/self/mountinfo");
  for (const Version &V : Versions) {
    std::string Group = groupOf(V, Groups);
    if (Group.empty())
      continue;
    for (StringRef Line : parts(Mounts, '\n'))
      takeMounted(V, Line, Group, Root, Least);
  }
  return Least;
}

MemoryLimit gevo::memoryForEach(unsigned Count) {
  constexpr double Share = 0.8;
  MemoryLimit Each =
      memoryForAll(uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
  Each.Bytes = Share * Each.Bytes / Count;
  rlimit Space;
  if (!getrlimit(RLIMIT_AS, &Space) && Space.rlim_cur != RLIM_INFINITY &&
      Share * Space.rlim_cur < Each.Bytes)
    Each = {uint64_t(Share * Space.rlim_cur),
            "the limit of a process's address space (ulimit -v)"};
  return Each;
}
