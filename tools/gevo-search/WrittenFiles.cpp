//===- WrittenFiles.cpp - Which files a run writes ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody says of an argument whether the program reads the file or writes it.
// So the program is run once with copies of all such files, and those that it
// writes stay copies.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/WrittenFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

using namespace llvm;
using namespace gevo;

// Where a run has a file of its own: the way there from the user's folder, as
// the program may show it, or else one that no file of the program has.
static std::string pathInRun(StringRef Directory, StringRef File) {
  SmallString<128> Real, Base;
  if (sys::fs::real_path(File, Real)) {
    sys::fs::real_path(sys::path::parent_path(File), Real);
    sys::path::append(Real, sys::path::filename(File));
  }
  sys::fs::real_path(Directory, Base);
  StringRef Path = Real;
  if (Path.consume_front(Base) && Path.consume_front("/"))
    return Path.str();
  return ("outside" + Real).str();
}

static std::string fromUser(StringRef Directory, StringRef Name) {
  SmallString<128> Full(Name);
  sys::fs::make_absolute(Directory, Full);
  return Full.str().str();
}

// The file of an argument that the program may write outside of its folder.
static std::optional<OwnFile> candidateOf(StringRef Directory,
                                          const std::string &Word) {
  if (Word.empty() || Word[0] == '-')
    return std::nullopt;
  std::string Full = fromUser(Directory, Word);
  bool Absolute = sys::path::is_absolute(Word);
  sys::fs::file_status Status;
  if (!sys::fs::status(Full, Status)) {
    // Root may write what nobody may, and does so by mistake only.
    if (!Absolute || !sys::fs::is_regular_file(Status) ||
        !(Status.permissions() & sys::fs::all_write) ||
        sys::fs::access(Full, sys::fs::AccessMode::Write))
      return std::nullopt;
  } else if (!StringRef(Word).contains('/') ||
             !sys::fs::is_directory(sys::path::parent_path(Full))) {
    return std::nullopt;
  }
  OwnFile File = {Word, pathInRun(Directory, Full)};
  // One that it makes where it is run is its own anyway.
  if (!Absolute && !StringRef(File.Path).contains('/'))
    return std::nullopt;
  return File;
}

static std::vector<OwnFile> candidates(StringRef Directory,
                                       const Command &Words) {
  std::vector<OwnFile> All;
  for (const std::string &Word : std::set(Words.begin() + 1, Words.end()))
    if (std::optional<OwnFile> File = candidateOf(Directory, Word))
      All.push_back(std::move(*File));
  return All;
}

namespace {
/// A file of the user as it was.
class Kept {
public:
  Kept(std::string Path, std::string Copy)
      : Path(std::move(Path)), Copy(std::move(Copy)) {}

  Error keep() {
    There = !sys::fs::status(Path, Before);
    return There ? check(sys::fs::copy_file(Path, Copy)) : Error::success();
  }
  bool changed() const {
    sys::fs::file_status Now;
    bool Is = !sys::fs::status(Path, Now);
    return Is != There || (Is && (Now.getUniqueID() != Before.getUniqueID() ||
                                  Now.getSize() != Before.getSize() ||
                                  Now.getLastModificationTime() !=
                                      Before.getLastModificationTime()));
  }
  Error restore() const {
    return check(There ? sys::fs::copy_file(Copy, Path)
                       : sys::fs::remove(Path));
  }

private:
  Error check(std::error_code EC) const {
    if (!EC)
      return Error::success();
    return createStringError(EC, "the program may write '" + Path +
                                     "', of which '" + Copy +
                                     "' is to be a copy: " + EC.message());
  }

  std::string Path, Copy;
  bool There = false;
  sys::fs::file_status Before;
};
} // namespace

// A program that looks for other files beside an argument does not come to its
// outputs with copies. Then it gets what is there, and the user's files back.
static Error findWrittenInPlace(const WholeScenario &S, StringRef Directory,
                                ArrayRef<OwnFile> All, ProgramRun &P) {
  SmallString<128> Here;
  sys::fs::current_path(Here);
  std::vector<std::pair<const OwnFile *, Kept>> Rest;
  for (const OwnFile &File : All) {
    if (any_of(P.Own, [&](const OwnFile &O) { return O.Path == File.Path; }))
      continue;
    std::string Copy = (Here + "/kept-" + Twine(Rest.size())).str();
    Rest.push_back({&File, Kept(fromUser(Directory, File.Word), Copy)});
    if (Error E = Rest.back().second.keep())
      return E;
  }
  runWhole(S, P, {}, RunMode::Untimed);
  for (auto &[File, Before] : Rest)
    if (Before.changed()) {
      if (Error E = Before.restore())
        return E;
      P.Own.push_back(*File);
    }
  return Error::success();
}

// A name that tells the time or the number of a process is another one in every
// run.
static std::vector<std::string> filesOf(const WholeScenario &S,
                                        const ProgramRun &P, View &V) {
  auto NextSecond = std::chrono::system_clock::now() + std::chrono::seconds(1);
  runWhole(S, P, {}, RunMode::Untimed);
  std::vector<std::string> First = ProgramFolder::filesLeft();
  if (First.empty())
    return First;
  std::this_thread::sleep_until(NextSecond);
  runWhole(S, P, {}, RunMode::Untimed);
  std::vector<std::string> Second = ProgramFolder::filesLeft(), Both, Gone;
  std::set_intersection(First.begin(), First.end(), Second.begin(),
                        Second.end(), std::back_inserter(Both));
  std::set_difference(First.begin(), First.end(), Both.begin(), Both.end(),
                      std::back_inserter(Gone));
  if (!Gone.empty())
    V.say("not compared, as another run has no file of that name: " +
          join(Gone, ", "));
  return Both;
}

static bool leavesFolder(StringRef Name) {
  SmallString<128> Path(Name);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return sys::path::is_absolute(Path) || *sys::path::begin(Path) == "..";
}

// The outputs that the user names, one of which may be the file of an argument.
static Error takeNamed(const Settings &Asked, ProgramRun &P) {
  for (const std::string &Name : Asked.Outputs) {
    std::string Path =
        pathInRun(Asked.Directory, fromUser(Asked.Directory, Name));
    bool Own = any_of(P.Own, [&](const OwnFile &F) { return F.Path == Path; });
    if (!Own && leavesFolder(Name))
      return createStringError(
          inconvertibleErrorCode(),
          "--output=" + Name +
              " is not in the folder in which the program is run, and no "
              "argument that names it is written: runs at the same time would "
              "share it; let the program write it where it is run");
    P.OutputFiles.push_back(Own ? Path : Name);
  }
  return Error::success();
}

Expected<ProgramRun> gevo::findWritten(const WholeScenario &S,
                                       const Settings &Asked,
                                       const Command &Words, View &V) {
  ProgramRun P;
  P.Words = Words;
  std::vector<OwnFile> All = candidates(Asked.Directory, Words);
  if (!All.empty()) {
    P.Own = All;
    WholeRun R = runWhole(S, P, {}, RunMode::Untimed);
    erase_if(P.Own, [](const OwnFile &F) { return !ProgramFolder::wrote(F); });
    if ((!R.Result.valid() || R.ExitStatus) && P.Own.size() != All.size())
      if (Error E = findWrittenInPlace(S, Asked.Directory, All, P))
        return E;
  }
  P.Named = !Asked.Outputs.empty();
  if (Error E = takeNamed(Asked, P))
    return E;
  if (!P.Named)
    P.OutputFiles = filesOf(S, P, V);
  return P;
}
