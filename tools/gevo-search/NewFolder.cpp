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
#include "search/AppendLog.h"
#include "search/RunWatch.h"
#include "search/Store.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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

enum Message : char { New = 'n', Old = 'o', Keep = 'k', Remove = 'r' };

static constexpr StringLiteral ScratchName = "scratch";

std::string gevo::scratchOf(const std::string &Folder, int Rank) {
  return Folder + "/" + ScratchName.str() +
         (Rank ? "-" + std::to_string(Rank) : "");
}

// Half a store: what is made before a log is, and nothing else.
static bool isLeftBehind(const std::string &Folder) {
  constexpr StringLiteral Ours[] = {ScratchName, "capture", "guards", "others",
                                    "original.json"};
  bool Run = false;
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; I != End && !EC;
       I.increment(EC)) {
    StringRef Name = sys::path::filename(I->path());
    Run |= Name == ScratchName;
    if (none_of(Ours, [&](StringRef Our) { return Name.starts_with(Our); }))
      return false;
  }
  return Run && !EC;
}

static bool isEmpty(const std::string &Folder) {
  std::error_code EC;
  return sys::fs::directory_iterator(Folder, EC) ==
         sys::fs::directory_iterator();
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

// Unless another search has it by now, or had it and left a log.
static void removeUnowned(const std::string &Folder) {
  Expected<std::unique_ptr<FolderLock>> Lock = FolderLock::takeExisting(Folder);
  if (!Lock)
    return consumeError(Lock.takeError());
  if (!*Lock)
    return;
  if (isLeftBehind(Folder))
    removeAll(Folder);
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
  std::string Scratch = scratchOf(Folder, /*Rank=*/0), Owned;
  char Said = 0;
  while (sys::RetryAfterSignal(-1, ::read, From, &Said, 1) == 1) {
    if (Said == Keep)
      return;
    if (Said == New)
      Owned = Folder;
    else if (Said == Old)
      Owned = Scratch;
    else if (Said == Remove)
      break;
  }
  if (Said == Remove) {
    endChildren(Parent);
    if (!Owned.empty())
      return removeAll(Owned);
  }
  if (Owned == Scratch) {
    auto Lock = FolderLock::takeExisting(Folder);
    if (Lock && *Lock)
      removeAll(Scratch);
    return consumeError(Lock.takeError());
  }
  removeUnowned(Folder);
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

NewFolder::~NewFolder() {
  if (!Target.empty())
    removeAll(Target);
  dismiss(Keep);
}

// Another search may have made it since, and left its log there.
void NewFolder::taken() {
  bool Ours = isLeftBehind(Path) || (!WasThere && isEmpty(Path));
  Target = Ours ? Path : scratchOf(Path, /*Rank=*/0);
  if (Keeper)
    tell(Ours ? New : Old);
}

void NewFolder::keep() {
  Target.clear();
  dismiss(Keep);
}

void NewFolder::removeNow() { dismiss(Remove); }
