//===- NewFolder.cpp - A folder that goes unless it is needed -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keeper takes the lock of the folder before it removes anything that its
// search may have lost to another one.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/NewFolder.h"
#include "search/RunWatch.h"
#include "search/Store.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

// What a signal handler may know.
static volatile sig_atomic_t Keeper = 0;
static volatile sig_atomic_t ToKeeper = -1;

enum Message : char {
  New = 'n',
  Used = 'u',
  Old = 'o',
  Keep = 'k',
  Remove = 'r'
};

static constexpr StringLiteral ScratchName = "scratch";
// Files without content, as these are there or not. The first: the folder is
// there for the search. The second: what has a name of a search is of one.
static constexpr StringLiteral MadeMark = "made-by-gevo-search",
                               UsedMark = "used-by-gevo-search";

std::string gevo::scratchOf(const std::string &Folder, int Rank) {
  return Folder + "/" + ScratchName.str() +
         (Rank ? "-" + std::to_string(Rank) : "");
}

// What is made before a log is.
static bool isOurs(StringRef Name) {
  static const Regex Ours("^(scratch(-[0-9]+)?|capture|guards|others(-[0-9]+)?|"
                          "(guards|others(-[0-9]+)?|original|observed)\\.json"
                          "(\\.[0-9a-f]{8}\\.tmp)?)$");
  return Ours.match(Name);
}

// What a search was about to write when it was killed; see
// writeFileAtomically().
static bool isTorn(StringRef Name) {
  static const Regex Torn("^((guards|others(-[0-9]+)?|original|observed|budget|"
                          "checkpoint)\\.json|best(-[0-9]+)?\\.ptx)"
                          "\\.[0-9a-f]{8}\\.tmp$");
  return Torn.match(Name);
}

static std::string in(const std::string &Folder, StringRef Name) {
  return (Folder + "/" + Name).str();
}

// Nothing if not all of them can be read.
static std::optional<std::vector<std::string>>
namesIn(const std::string &Folder) {
  std::vector<std::string> Names;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; I != End && !EC;
       I.increment(EC))
    Names.push_back(sys::path::filename(I->path()).str());
  // What is told of them does not depend on the file system.
  sort(Names);
  return EC ? std::nullopt : std::optional(std::move(Names));
}

// Half a store, and nothing else.
static bool isLeftBehind(ArrayRef<std::string> Names) {
  return is_contained(Names, MadeMark) && all_of(Names, [](StringRef Name) {
           return Name == MadeMark || isOurs(Name);
         });
}

// Also one that was put aside, when its successor did not come to be.
static bool holdsLog(ArrayRef<std::string> Names) {
  return any_of(
      Names, [](StringRef Name) { return Name.starts_with(EvaluationsName); });
}

// What still runs there may put something into it meanwhile.
static void removeAll(const std::string &Target) {
  constexpr unsigned Tries = 500, Microseconds = 10000;
  for (unsigned Try = 0; Try < Tries && sys::fs::exists(Target); ++Try) {
    if (Try)
      usleep(Microseconds);
    sys::fs::remove_directories(Target);
  }
}

// What the search has put into a folder that was there before it. Once there is
// a log, that can be resumed, but for the folder of runs.
static void removeOurs(const std::string &Folder) {
  std::vector<std::string> Names =
      namesIn(Folder).value_or(std::vector<std::string>());
  bool Begun = holdsLog(Names);
  for (const std::string &Name : Names)
    if (Begun ? Name == ScratchName : isOurs(Name))
      removeAll(in(Folder, Name));
  sys::fs::remove(in(Folder, MadeMark));
  sys::fs::remove(in(Folder, UsedMark));
}

static void removeAs(Message Kind, const std::string &Folder) {
  if (Kind == New)
    removeAll(Folder);
  else if (Kind == Used)
    removeOurs(Folder);
  else if (Kind == Old)
    removeAll(scratchOf(Folder, /*Rank=*/0));
}

// Unless another search has it by now, or had it and left a log.
static void removeUnowned(const std::string &Folder, Message Kind = New) {
  Expected<std::unique_ptr<FolderLock>> Lock = FolderLock::takeExisting(Folder);
  if (!Lock)
    return consumeError(Lock.takeError());
  auto Names = namesIn(Folder);
  if (!*Lock || !Names)
    return;
  if (Kind == Old || (Kind == New && isLeftBehind(*Names)) ||
      (Kind == Used && is_contained(*Names, UsedMark)))
    removeAs(Kind, Folder);
}

static bool anyRuns(ArrayRef<pid_t> All) {
  return any_of(All, [](pid_t Pid) { return residentBytes(Pid) != 0; });
}

// First by asking, which lets gevo-run put the disk in order; the programs that
// do not listen next; and then who is left.
static void endChildren(pid_t Parent) {
  constexpr unsigned Tries = 100, Microseconds = 10000;
  std::vector<pid_t> All = withDescendants(Parent);
  All.erase(All.begin());
  erase(All, getpid());
  std::vector<pid_t> Direct = childrenOf(Parent);
  auto Await = [&] {
    for (unsigned Try = 0; Try < Tries && anyRuns(All); ++Try)
      usleep(Microseconds);
  };
  for (pid_t Pid : Direct)
    if (Pid != getpid())
      kill(Pid, SIGTERM);
  Await();
  for (pid_t Pid : All)
    if (anyRuns(Pid) && !is_contained(Direct, Pid))
      kill(Pid, SIGKILL);
  Await();
  for (pid_t Pid : All)
    if (anyRuns(Pid))
      kill(Pid, SIGKILL);
  Await();
}

// Out of reach of what ends the search, and in nobody's way.
static void leave() {
  setsid();
  for (int Signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE})
    std::signal(Signal, SIG_IGN);
  int Nowhere = open("/dev/null", O_RDWR);
  for (int FD : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(Nowhere, FD);
  [[maybe_unused]] int Gone = chdir("/");
}

static void keepWatch(int From, pid_t Parent, const std::string &Folder,
                      bool WasThere) {
  char Said = 0;
  std::optional<Message> Kind;
  while (sys::RetryAfterSignal(-1, ::read, From, &Said, 1) == 1) {
    if (Said == Keep)
      return;
    if (Said == Remove)
      break;
    Kind = Message(Said);
  }
  if (Said == Remove) {
    endChildren(Parent);
    if (Kind)
      return removeAs(*Kind, Folder);
  }
  removeUnowned(Folder, Kind.value_or(New));
  // It may have come no further than to make it.
  if (!WasThere)
    rmdir(Folder.c_str());
}

static void removeSiblings(const std::string &Prefix) {
  std::error_code EC;
  for (sys::fs::directory_iterator I(sys::path::parent_path(Prefix), EC), End;
       I != End && !EC; I.increment(EC)) {
    StringRef Number = I->path();
    unsigned Process;
    if (Number.consume_front(Prefix) && !Number.getAsInteger(10, Process))
      removeUnowned(I->path());
  }
}

NewFolder::NewFolder(const std::string &Path, const std::string &Siblings)
    : Path(Path), WasThere(sys::fs::exists(Path)) {
  if (!Siblings.empty())
    removeSiblings(Siblings);
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC))
    return;
  pid_t Parent = getpid(), Pid = fork();
  if (!Pid) {
    close(Ends[1]);
    leave();
    keepWatch(Ends[0], Parent, Path, WasThere);
    _exit(0);
  }
  close(Ends[0]);
  if (Pid < 0) {
    close(Ends[1]);
    return;
  }
  ToKeeper = Ends[1];
  Keeper = Pid;
}

static void tell(Message M) {
  char Text = M;
  [[maybe_unused]] ssize_t Told = ::write(ToKeeper, &Text, 1);
}

static void dismiss(Message M) {
  if (!Keeper)
    return;
  tell(M);
  while (waitpid(Keeper, nullptr, 0) < 0 && errno == EINTR)
    ;
  Keeper = 0;
  close(ToKeeper);
}

Error NewFolder::writeMark(StringRef Name) const {
  std::error_code EC;
  raw_fd_ostream OS(in(Path, Name), EC);
  return EC ? createStringError(EC, "cannot write '" + in(Path, Name) +
                                        "': " + EC.message())
            : Error::success();
}

NewFolder::~NewFolder() {
  if (Kind)
    removeAs(Message(Kind), Path);
  dismiss(Keep);
}

// Another search may have made it since, and left its log there.
Error NewFolder::taken() {
  std::optional<std::vector<std::string>> All = namesIn(Path);
  if (!All)
    return createStringError(inconvertibleErrorCode(),
                             "cannot read folder '" + Path + "'");
  std::vector<std::string> &Names = *All;
  auto Own = find_if(Names, isOurs);
  bool Marked = is_contained(Names, MadeMark) || is_contained(Names, UsedMark);
  if (holdsLog(Names))
    Kind = Old;
  else if (isLeftBehind(Names) || (!WasThere && Names.empty()))
    Kind = New;
  else if (Own == Names.end() || Marked)
    Kind = Used;
  else
    return createStringError(
        inconvertibleErrorCode(),
        "'" + Path + "' is not the store of a search, and holds '" + *Own +
            "', which a search there would replace; name another folder with "
            "--store, or remove it if nobody needs it");
  for (const std::string &Name : Names)
    if (isTorn(Name))
      sys::fs::remove(in(Path, Name));
  // Before the mark: who ends this meanwhile knows of the folder.
  if (Keeper)
    tell(Message(Kind));
  return Kind == Old ? Error::success()
                     : writeMark(Kind == New ? MadeMark : UsedMark);
}

void NewFolder::keep() {
  Kind = 0;
  sys::fs::remove(in(Path, MadeMark));
  sys::fs::remove(in(Path, UsedMark));
  dismiss(Keep);
}

void NewFolder::removeNow() { dismiss(Remove); }
