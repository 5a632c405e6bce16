//===- FoundFiles.cpp - Files that a program opens where it is ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that does not find one file may end before it looks for the next,
// so it is run as long as something is found.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/FoundFiles.h"
#include "tools/gevo-search/WrittenFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

// What \p Absent is in the user's folder; nothing if it is not there, or not in
// the folder of the run.
static std::optional<OwnFile> userHas(StringRef Directory, StringRef Absent) {
  SmallString<128> Run, Path(Absent), Users(Directory);
  sys::fs::current_path(Run);
  Run = realPath(Run);
  Run += "/run/";
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Name = Path;
  if (!Name.consume_front(Run) || Name.empty())
    return std::nullopt;
  sys::path::append(Users, Name);
  // What it reads in a folder is looked for on its own.
  if (sys::fs::is_directory(Users))
    return OwnFile{"", "", (Name + "/").str()};
  if (!sys::fs::is_regular_file(Users))
    return std::nullopt;
  return OwnFile{"", Users.str().str(), Name.str()};
}

WholeRun gevo::findFiles(const WholeScenario &S, StringRef Directory,
                         ProgramRun &P) {
  WholeScenario Noting = S;
  Noting.NoteWrites = true;
  while (true) {
    WholeRun R = runWhole(Noting, P, {}, RunMode::Untimed);
    size_t Before = P.Found.size();
    for (const std::string &Absent : R.Absent)
      if (std::optional<OwnFile> File = userHas(Directory, Absent);
          File && none_of(P.Found, [&](const OwnFile &F) {
            return F.Path == File->Path;
          }))
        P.Found.push_back(std::move(*File));
    if (P.Found.size() == Before)
      return R;
  }
}
