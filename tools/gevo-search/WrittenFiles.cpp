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
#include "tools/gevo-search/FoundFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

using namespace llvm;
using namespace gevo;

std::string gevo::realPath(StringRef File) {
  SmallString<128> Real;
  if (sys::fs::real_path(File, Real)) {
    sys::fs::real_path(sys::path::parent_path(File), Real);
    sys::path::append(Real, sys::path::filename(File));
  }
  return Real.str().str();
}

// Where a run has a file of its own: the way there from the user's folder, as
// the program may show it, or else one that no file of the program has.
static std::string pathInRun(StringRef Directory, StringRef File) {
  std::string Real = realPath(File);
  SmallString<128> Base;
  sys::fs::real_path(Directory, Base);
  StringRef Path = Real;
  if (Path.consume_front(Base) && Path.consume_front("/"))
    return Path.str();
  return OutsideFolder.str() + Real;
}

static std::string fromUser(StringRef Directory, StringRef Name) {
  SmallString<128> Full(Name);
  sys::fs::make_absolute(Directory, Full);
  return Full.str().str();
}

// How much of an argument is before the name of a file: "--out=/a", "-o/a".
static size_t optionLength(StringRef Argument) {
  if (size_t Equal = Argument.find("=/");
      Equal != StringRef::npos && !Argument.starts_with("/"))
    return Equal + 1;
  return Argument.starts_with("-") && Argument.substr(2, 1) == "/" ? 2 : 0;
}

// A folder with a lot in it is one of inputs, and one with the runs in it would
// have itself in each.
bool gevo::canCopy(StringRef Path, const sys::fs::file_status &Status) {
  constexpr uint64_t MostBytes = 256 << 20, MostFiles = 10000;
  if (!sys::fs::is_directory(Status))
    return sys::fs::is_regular_file(Status);
  SmallString<128> Here;
  sys::fs::current_path(Here);
  if (StringRef(Here.str().str() + "/").starts_with(realPath(Path) + "/"))
    return false;
  uint64_t Bytes = 0, Files = 0;
  std::error_code EC;
  for (sys::fs::recursive_directory_iterator
           I(Path, EC, /*follow_symlinks=*/false),
       End;
       I != End && !EC; I.increment(EC)) {
    sys::fs::file_status In;
    if (!sys::fs::status(I->path(), In) && sys::fs::is_regular_file(In))
      Bytes += In.getSize();
    if (++Files > MostFiles || Bytes > MostBytes)
      return false;
  }
  return !EC;
}

// The file of an argument that the program may write outside of its folder.
static std::optional<OwnFile> candidateOf(StringRef Directory,
                                          StringRef Argument) {
  size_t Length = optionLength(Argument);
  std::string Option = Argument.take_front(Length).str(),
              Word = Argument.drop_front(Length).str();
  if (Word.empty() || Word[0] == '-')
    return std::nullopt;
  std::string Full = fromUser(Directory, Word);
  bool Absolute = sys::path::is_absolute(Word);
  sys::fs::file_status Status;
  if (!sys::fs::status(Full, Status)) {
    // Root may write what nobody may, and does so by mistake only.
    if (!Absolute || !canCopy(Full, Status) ||
        !(Status.permissions() & sys::fs::all_write) ||
        sys::fs::access(Full, sys::fs::AccessMode::Write))
      return std::nullopt;
  } else if (!StringRef(Word).contains('/') ||
             !sys::fs::is_directory(sys::path::parent_path(Full))) {
    return std::nullopt;
  }
  OwnFile File = {Option, Word, pathInRun(Directory, Full)};
  // One that it makes where it is run is its own anyway.
  if (!Absolute && !StringRef(File.Path).contains('/'))
    return std::nullopt;
  return File;
}

// The folders of arguments that are too large to copy.
static std::vector<std::string> sharedFolders(const Command &Words) {
  std::vector<std::string> All;
  for (const std::string &Argument : drop_begin(Words)) {
    std::string Word = Argument.substr(optionLength(Argument));
    sys::fs::file_status Status;
    if (sys::path::is_absolute(Word) && !sys::fs::status(Word, Status) &&
        sys::fs::is_directory(Status) && !canCopy(Word, Status))
      All.push_back(Word);
  }
  return All;
}

static std::vector<OwnFile> candidates(StringRef Directory,
                                       const Command &Words) {
  std::vector<OwnFile> All;
  for (const std::string &Word : std::set(Words.begin() + 1, Words.end()))
    if (std::optional<OwnFile> File = candidateOf(Directory, Word))
      All.push_back(std::move(*File));
  return All;
}

// A program that looks for other files beside an argument does not come to its
// outputs with copies alone.
static void findAmongNeighbours(const WholeScenario &S, StringRef Directory,
                                ArrayRef<OwnFile> All, ProgramRun &P) {
  ProgramRun Linked;
  Linked.Words = P.Words;
  Linked.Found = P.Found;
  Linked.Neighbours = true;
  for (OwnFile File : All) {
    File.Path = OutsideFolder.str() + realPath(fromUser(Directory, File.Word));
    Linked.Own.push_back(std::move(File));
  }
  runWhole(S, Linked, {}, RunMode::Untimed);
  for (auto [File, Copy] : zip(All, Linked.Own))
    if (ProgramFolder::wrote(Copy) && none_of(P.Own, [&](const OwnFile &O) {
          return O.argument() == File.argument();
        }))
      P.Own.push_back(File);
}

// The last run was one of P. A name that tells the time or the number of a
// process is another one in every run.
static std::vector<std::string> filesOf(const WholeScenario &S,
                                        const ProgramRun &P, View &V) {
  auto NextSecond = std::chrono::system_clock::now() + std::chrono::seconds(1);
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

// Those that a run leaves elsewhere: nothing is known of them beforehand, so
// all runs share them.
static std::vector<std::string> leftElsewhere(const WholeRun &Noted) {
  SmallString<128> Home;
  sys::fs::current_path(Home);
  std::string Base = realPath(Home) + "/", Own = Base + "run/";
  std::set<std::string> Found;
  for (const std::string &Path : Noted.Written) {
    std::string Real = realPath(Path);
    StringRef Seen = Real;
    sys::fs::file_status Status;
    if (Seen.starts_with(Own) || Seen.starts_with("/dev/") ||
        Seen.starts_with("/proc/") || sys::fs::status(Real, Status) ||
        !sys::fs::is_regular_file(Status))
      continue;
    Found.insert(Seen.consume_front(Base) ? ("../" + Seen).str() : Real);
  }
  return std::vector<std::string>(Found.begin(), Found.end());
}

// A variant that writes nothing would find there what another run wrote.
static Error checkShared(const Settings &Asked, StringRef Folder,
                         StringRef File, View &V) {
  if (!Asked.ShareFolder)
    return createStringError(
        inconvertibleErrorCode(),
        "the program writes " + File + ", and the folder " + Folder +
            " is too large to be copied for every run, or has the search's own "
            "in it: runs would share it, and a wrong variant could pass by "
            "what another one left. Let the program write elsewhere, or accept "
            "that with --share-folder");
  V.say("all runs share the folder " + Folder +
        ": what the program writes there is not compared, and stays");
  return Error::success();
}

static Error tellElsewhere(const WholeRun &Noted, const Settings &Asked,
                           const ProgramRun &P, View &V) {
  constexpr size_t Most = 5;
  std::vector<std::string> All = leftElsewhere(Noted);
  for (const std::string &Folder : sharedFolders(P.Words)) {
    auto In = [&](const std::string &File) {
      return StringRef(File).starts_with(realPath(Folder) + "/");
    };
    if (auto First = find_if(All, In); First != All.end())
      if (Error E = checkShared(Asked, Folder, *First, V))
        return E;
    erase_if(All, In);
  }
  for (const std::string &File : ArrayRef(All).take_front(Most))
    V.say("the program writes " + File +
          ", which no argument names: it is not compared, and every run, also "
          "of wrong variants, writes the same file. Let an argument name it, "
          "or let the program write where it is run");
  if (All.size() > Most)
    V.say("the program writes " + counted(All.size() - Most, "more such file"));
  return Error::success();
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
  P.Own = All;
  WholeRun R;
  if (Error E = findFiles(S, Asked.Directory, P).moveInto(R))
    return E;
  if (!All.empty()) {
    erase_if(P.Own, [](const OwnFile &F) { return !ProgramFolder::wrote(F); });
    if ((!R.Result.valid() || R.ExitStatus) && P.Own.size() != All.size())
      findAmongNeighbours(S, Asked.Directory, All, P);
    // What lies beside a file is looked for where the argument says that is.
    P.Found.clear();
    if (Error E = findFiles(S, Asked.Directory, P).moveInto(R))
      return E;
  }
  P.Named = !Asked.Outputs.empty();
  if (Error E = takeNamed(Asked, P))
    return E;
  if (!P.Named)
    P.OutputFiles = filesOf(S, P, V);
  if (Error E = tellElsewhere(R, Asked, P, V))
    return E;
  return P;
}
