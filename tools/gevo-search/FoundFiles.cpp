//===- FoundFiles.cpp - Files that a program opens where it is ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that does not find one file may end before it looks for the next,
// so it is run as long as something is found. Files that have another number in
// their name come together, as there may be hundreds.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/FoundFiles.h"
#include "tools/gevo-search/WrittenFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

namespace {

class Finding {
public:
  Finding(StringRef Directory, std::vector<FoundFile> &Found)
      : Directory(Directory), Found(Found) {
    sys::fs::current_path(Run);
    Run = realPath(Run) + "/run/";
    for (const FoundFile &File : Found)
      Known.insert(File.Path);
  }

  /// \p Sought is as gevo-run --absent tells it.
  Error add(StringRef Sought);
  /// Those that the last run did not write need no copies if there are many.
  void linkLarge();

private:
  void take(StringRef Users, StringRef Name);
  void takeNumbered(StringRef Users, StringRef Name);
  Error takeFolder(StringRef Users, StringRef Name);

  StringRef Directory;
  std::vector<FoundFile> &Found;
  std::set<std::string> Known;
  SmallString<128> Run; ///< The folder, with a slash behind it.
};

} // namespace

static bool canRead(const Twine &Path) {
  return access(Path.str().c_str(), R_OK) == 0;
}

void Finding::take(StringRef Users, StringRef Name) {
  if (sys::fs::is_regular_file(Users) && canRead(Users) &&
      Known.insert(Name.str()).second)
    Found.push_back({Users.str(), Name.str()});
}

// "frame-7.txt" as "frame-#.txt".
static std::string withoutNumbers(StringRef Name) {
  std::string Shape;
  for (char C : Name)
    if (!isDigit(C))
      Shape += C;
    else if (Shape.empty() || Shape.back() != '#')
      Shape += '#';
  return Shape;
}

void Finding::takeNumbered(StringRef Users, StringRef Name) {
  std::string Shape = withoutNumbers(sys::path::filename(Name));
  std::set<std::string> Alike;
  std::error_code EC;
  for (sys::fs::directory_iterator I(sys::path::parent_path(Users), EC), End;
       I != End && !EC; I.increment(EC))
    if (withoutNumbers(sys::path::filename(I->path())) == Shape)
      Alike.insert(I->path());
  for (const std::string &File : Alike)
    take(File, (Name.drop_back(sys::path::filename(Name).size()) +
                sys::path::filename(File))
                   .str());
}

// What it asks the names of it has to have whole.
Error Finding::takeFolder(StringRef Users, StringRef Name) {
  sys::fs::file_status Status;
  auto IsIn = [&](const FoundFile &File) {
    return File.Path == Name ||
           StringRef(File.Path).starts_with((Name + "/").str());
  };
  if (any_of(Found, [&](const FoundFile &File) {
        return !File.From.empty() && sys::fs::is_directory(File.From) &&
               (Name + "/").str().find(File.Path + "/") == 0;
      }))
    return Error::success();
  if (sys::fs::status(Users, Status) || !canRead(Users))
    return Error::success();
  if (!canCopy(Users, Status))
    return createStringError(
        inconvertibleErrorCode(),
        "the program lists the folder " + Name +
            " where it is run, and that is too large to be copied for every "
            "run (256 MiB, 10000 files), or has the search's own in it; let an "
            "argument name it");
  erase_if(Found, IsIn);
  Known.insert(Name.str());
  Found.push_back({Users.str(), Name.str()});
  return Error::success();
}

Error Finding::add(StringRef Sought) {
  bool Lists = Sought.consume_back("/."), Makes = Sought.consume_back("/");
  SmallString<128> Path(Sought), Users(Directory);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Name = Path;
  if (!Name.consume_front(Run) || Name.empty())
    return Error::success();
  sys::path::append(Users, Name);
  if (Lists && sys::fs::is_directory(Users))
    return takeFolder(Users, Name);
  if (sys::fs::is_directory(Users)) {
    if (Known.insert(Name.str()).second)
      Found.push_back({"", Name.str()});
    return Error::success();
  }
  if (Makes || Known.count(Name.str()))
    return Error::success();
  take(Users, Name);
  if (any_of(sys::path::filename(Name), isDigit))
    takeNumbered(Users, Name);
  return Error::success();
}

void Finding::linkLarge() {
  constexpr uint64_t MostBytes = 256 << 20;
  uint64_t Copied = 0;
  for (FoundFile &File : Found) {
    ProgramRun Alone;
    Alone.Found = {File};
    uint64_t Bytes = Alone.copiedBytes();
    File.Linked = Bytes && Copied + Bytes > MostBytes &&
                  sys::fs::is_regular_file(File.From) &&
                  !ProgramFolder::wrote(File);
    if (!File.Linked)
      Copied += Bytes;
  }
}

Expected<WholeRun> gevo::findFiles(const WholeScenario &S, StringRef Directory,
                                   ProgramRun &P) {
  WholeScenario Noting = S;
  Noting.NoteWrites = true;
  while (true) {
    WholeRun R = runWhole(Noting, P, {}, RunMode::Untimed);
    std::vector<std::string> Before;
    for (const FoundFile &File : P.Found)
      Before.push_back(File.From + ":" + File.Path);
    Finding All(Directory, P.Found);
    for (const std::string &Sought : R.Absent)
      if (Error E = All.add(Sought))
        return E;
    bool Same = Before.size() == P.Found.size();
    for (size_t I = 0; Same && I < Before.size(); ++I)
      Same = Before[I] == P.Found[I].From + ":" + P.Found[I].Path;
    if (Same) {
      All.linkLarge();
      return R;
    }
  }
}
