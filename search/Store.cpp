//===- Store.cpp - A search on disk ---------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of files, and what may be opened with what.
//
//===----------------------------------------------------------------------===//

#include "search/Store.h"
#include "passes/edit/AtomicFile.h"
#include "search/MachineError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static constexpr StringLiteral CheckpointName = "checkpoint.json";

// Who had the lock may have removed the folder: then the one of that name, if
// there is one, is another.
static bool isStill(int FD, const std::string &Folder) {
  struct stat Opened, Named;
  return !fstat(FD, &Opened) && !stat(Folder.c_str(), &Named) &&
         Opened.st_ino == Named.st_ino && Opened.st_dev == Named.st_dev;
}

Expected<std::unique_ptr<FolderLock>>
FolderLock::takeExisting(const std::string &Folder) {
  int FD = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (FD < 0 && errno == ENOENT)
    return nullptr;
  if (FD < 0)
    return createStringError(errnoAsErrorCode(),
                             "cannot open folder '" + Folder + "'");
  std::unique_ptr<FolderLock> Lock(new FolderLock(FD));
  if (lockFile(FD))
    return isStill(FD, Folder) ? std::move(Lock) : nullptr;
  return createStringError(inconvertibleErrorCode(),
                           "another search is at work in '" + Folder +
                               "'; wait for it, or name another folder with "
                               "--store");
}

Expected<std::unique_ptr<FolderLock>>
FolderLock::take(const std::string &Folder) {
  while (true) {
    if (Error E = makeFolder(Folder))
      return E;
    Expected<std::unique_ptr<FolderLock>> Lock = takeExisting(Folder);
    if (!Lock || *Lock)
      return Lock;
  }
}

FolderLock::~FolderLock() { close(FD); }

std::string Store::path(StringRef Name) const {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Name);
  return Path.str().str();
}

const json::Object &Store::setup() const {
  return *Evaluations->header().getObject("setup");
}

Expected<std::unique_ptr<AppendLog>>
Store::openResults(StringRef Name, const std::string &Of) const {
  return AppendLog::openCache(
      path((Name + "-" + Twine(StoreVersion) + "-" + Of + ".jsonl").str()),
      json::Object{{"gevo_search_measurements", StoreVersion},
                   {"scenario", Of}});
}

Error Store::openMeasurements() {
  Expected<std::unique_ptr<AppendLog>> Measured =
      openResults("measured", Scenario);
  if (!Measured)
    return Measured.takeError();
  Measurements = std::move(*Measured);
  return Error::success();
}

Expected<std::unique_ptr<AppendLog>>
Store::openPrices(const std::string &How) const {
  return openResults("priced", utohexstr(xxh3_64bits(Scenario + "\n" + How),
                                         /*LowerCase=*/true, 16));
}

Expected<std::unique_ptr<Store>> Store::begin(const std::string &Folder,
                                              json::Object Setup,
                                              const std::string &Scenario) {
  std::unique_ptr<Store> S(new Store());
  S->Folder = Folder;
  S->Scenario = Scenario;
  if (Error E = makeFolder(Folder))
    return E;
  std::string Path = S->path(EvaluationsName);
  if (sys::fs::exists(Path)) {
    // Another search may be at work there; opening tells.
    auto Old = AppendLog::open(Path, {}, /*AnyHeader=*/true);
    if (!Old)
      return Old.takeError();
    // Of the same scenario one is enough, as all that was measured is kept.
    StringRef Other = (*Old)->header().getString("scenario").value_or("");
    std::string Aside = Path + (Other.empty() || Other == Scenario
                                    ? ".old"
                                    : ("-" + Other + ".old").str());
    if (Other != Scenario)
      S->Aside = Aside;
    if (std::error_code EC = sys::fs::rename(Path, Aside))
      return createStringError(EC,
                               "cannot rename '" + Path + "': " + EC.message());
  }
  // Between the log that they belong to and the next one.
  sys::fs::remove(S->path(CheckpointName));
  sys::fs::remove(S->path(BudgetName));
  auto Log = AppendLog::open(Path, json::Object{{"gevo_search", StoreVersion},
                                                {"scenario", Scenario},
                                                {"setup", std::move(Setup)}});
  if (!Log)
    return Log.takeError();
  S->Evaluations = std::move(*Log);
  if (Error E = S->openMeasurements())
    return E;
  return S;
}

Expected<std::unique_ptr<Store>> Store::resume(const std::string &Folder) {
  std::unique_ptr<Store> S(new Store());
  S->Folder = Folder;
  std::string Path = S->path(EvaluationsName);
  auto Fail = [&](const Twine &What) {
    return createStringError(inconvertibleErrorCode(),
                             "'" + Folder + "' " + What);
  };
  if (!sys::fs::exists(Path))
    return Fail("holds no search to resume");
  auto Log = AppendLog::open(Path, {}, /*AnyHeader=*/true);
  if (!Log)
    return Log.takeError();
  S->Evaluations = std::move(*Log);
  const json::Object &Header = S->Evaluations->header();
  std::optional<int64_t> Version = Header.getInteger("gevo_search");
  std::optional<StringRef> Scenario = Header.getString("scenario");
  if (!Version || !Scenario || !Header.getObject("setup"))
    return Fail("holds no search to resume");
  if (*Version != StoreVersion)
    return Fail("was written by another version of gevo-search");
  S->Scenario = Scenario->str();
  if (Error E = S->openMeasurements())
    return E;
  return S;
}

std::optional<SearchState> Store::checkpoint(std::string &Problem) const {
  std::string Path = path(CheckpointName);
  if (!sys::fs::exists(Path))
    return std::nullopt;
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer) {
    Problem = "cannot read '" + Path + "': " + Buffer.getError().message();
    return std::nullopt;
  }
  Expected<SearchState> State =
      json::parse<SearchState>((*Buffer)->getBuffer());
  if (State)
    return std::move(*State);
  Problem = "'" + Path + "' is damaged: " + toString(State.takeError());
  return std::nullopt;
}

Error Store::save(const SearchState &State) {
  // A checkpoint counts on the lines of what was evaluated before it.
  if (Error E = Evaluations->sync())
    return E;
  Error E = writeFileAtomically(
      path(CheckpointName),
      [&](raw_ostream &OS) { OS << toJSON(State) << '\n'; }, Outlives::Machine);
  // All that was evaluated is in the log.
  return E ? make_error<MachineError>(toString(std::move(E)) + roomLeft(Folder))
           : Error::success();
}
