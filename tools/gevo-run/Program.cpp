//===- Program.cpp - Runs a whole program ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/Program.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;

namespace {

/// Puts \p First before what the variable \p Name holds.
std::string prepended(const std::string &First, const char *Name) {
  const char *Old = std::getenv(Name);
  return Old && *Old ? First + ":" + Old : First;
}

bool isFile(const std::string &Name) {
  struct stat S;
  return !stat(Name.c_str(), &S) && S_ISREG(S.st_mode);
}

constexpr int Passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// The child that signals are passed on to. A handler can know no more than a
// global tells it.
volatile sig_atomic_t RunningChild = 0;

// The process that this one ends with is gone.
volatile sig_atomic_t StarterIsGone = 0;

void endProgram(int) {
  StarterIsGone = 1;
  if (RunningChild)
    kill(RunningChild, SIGKILL);
}

void passOn(int Signal, siginfo_t *Info, void *) {
  // What the terminal sends has reached the whole group.
  if (RunningChild && Info->si_code != SI_KERNEL)
    kill(RunningChild, Signal);
}

/// While a program runs, what the terminal sends reaches it directly and is
/// ignored here; what processes send is passed on. Made and ended while signals
/// are held.
class SignalRelay {
public:
  explicit SignalRelay(pid_t Child) {
    RunningChild = Child;
    for (int S : Passed)
      set(S);
    // Before there was anybody to tell.
    if (StarterIsGone)
      kill(Child, SIGKILL);
  }
  ~SignalRelay() {
    RunningChild = 0;
    for (auto &[Signal, Action] : Old)
      sigaction(Signal, &Action, nullptr);
  }

private:
  std::vector<std::pair<int, struct sigaction>> Old;

  void set(int Signal) {
    struct sigaction New = {}, Was;
    New.sa_sigaction = passOn;
    New.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(Signal, &New, &Was);
    Old.push_back({Signal, Was});
  }
};

/// Waits until \p Child has ended and leaves it to waitpid: its number is
/// nobody else's until then, so that a signal cannot go astray.
void awaitEnd(pid_t Child) {
  siginfo_t Info;
  while (waitid(P_PID, id_t(Child), &Info, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR)
    ;
}

} // namespace

bool gevo::run::endWith(pid_t Starter) {
  // Nobody else sends this one.
  struct sigaction Action = {};
  Action.sa_handler = endProgram;
  Action.sa_flags = SA_RESTART;
  sigaction(SIGRTMAX, &Action, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGRTMAX);
  return getppid() == Starter;
}

std::optional<Installation> gevo::run::findInstallation() {
  char Self[PATH_MAX];
  ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length < 0)
    return std::nullopt;
  std::string Folder(Self, size_t(Length));
  Folder.erase(Folder.rfind('/'));
  for (const char *Place : {"/../lib", "/../" GEVO_LIBDIR}) {
    char Real[PATH_MAX];
    if (isFile(Folder + Place + "/libgevo-gpu.so") &&
        realpath((Folder + Place).c_str(), Real))
      return Installation{Real};
  }
  return std::nullopt;
}

std::string gevo::run::findProgram(const std::string &Command) {
  if (Command.find('/') != std::string::npos)
    return isFile(Command) ? Command : "";
  const char *Path = std::getenv("PATH");
  std::string Rest = Path ? Path : "/usr/bin:/bin";
  while (!Rest.empty()) {
    size_t Colon = Rest.find(':');
    std::string File = Rest.substr(0, Colon) + "/" + Command;
    if (isFile(File) && !access(File.c_str(), X_OK))
      return File;
    Rest.erase(0, Colon == std::string::npos ? Colon : Colon + 1);
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> gevo::run::environmentFor(
    const ProgramOptions &Options, const Installation &Place,
    const std::optional<ElfSummary> &Elf, const std::string &LogFolder) {
  std::vector<std::pair<std::string, std::string>> V;
  bool IsEmbedded = Options.Driver == "embedded";
  std::string Folders = Place.runtimes();
  if (IsEmbedded)
    Folders += ":" + Place.driver();
  V.push_back({"LD_LIBRARY_PATH", prepended(Folders, "LD_LIBRARY_PATH")});
  // A DT_RPATH comes before LD_LIBRARY_PATH, but not before what is loaded.
  std::string Preloaded;
  if (Elf && Elf->HasRpath)
    for (const std::string &Name : Elf->Needed)
      for (const std::string &Folder : {Place.runtimes(), Place.driver()}) {
        std::string File = Folder + "/" + Name;
        if ((IsEmbedded || Folder != Place.driver()) && isFile(File))
          Preloaded += (Preloaded.empty() ? "" : ":") + File;
      }
  if (!Options.Writes.empty() || !Options.Absent.empty()) {
    Preloaded = Place.writes() + (Preloaded.empty() ? "" : ":" + Preloaded);
    V.push_back({"GEVO_WRITES", Options.Writes});
    V.push_back({"GEVO_ABSENT", Options.Absent});
  }
  if (!Preloaded.empty())
    V.push_back({"LD_PRELOAD", prepended(Preloaded, "LD_PRELOAD")});
  V.push_back({"GEVO_DRIVER", Options.Driver});
  V.push_back({"GEVO_LAUNCH_LOG", LogFolder});
  V.push_back({"GEVO_FINDINGS", "none"});
  V.push_back({"GEVO_ON_FINDING", "continue"});
  V.push_back({"GEVO_CHECK", Options.Checks});
  V.push_back({"GEVO_TIMING", Options.Timing ? "on" : "off"});
  V.push_back({"GEVO_PROFILE", Options.Profile ? "on" : "off"});
  if (!Options.Costs.empty())
    V.push_back({"GEVO_COSTS", Options.Costs});
  if (!Options.Gpu.empty())
    V.push_back({"GEVO_GPU", Options.Gpu});
  if (!Options.StepLimit.empty())
    V.push_back({"GEVO_STEP_LIMIT", Options.StepLimit});
  if (!Options.Substitutes.empty())
    V.push_back({"GEVO_SUBSTITUTE", substituteList(Options.Substitutes)});
  for (auto &Variable : captureEnvironment(Options.Capture))
    V.push_back(std::move(Variable));
  return V;
}

HeldSignals::HeldSignals() {
  sigemptyset(&Stops);
  for (int S : Passed)
    sigaddset(&Stops, S);
  sigprocmask(SIG_BLOCK, &Stops, &Before);
}

HeldSignals::~HeldSignals() { release(); }

void HeldSignals::passTo(pid_t Child) const {
  timespec Now = {0, 0};
  siginfo_t Info;
  for (int S; (S = sigtimedwait(&Stops, &Info, &Now)) > 0;)
    kill(Child, S);
}

ProgramEnd gevo::run::runProgram(
    const std::vector<std::string> &Command,
    const std::vector<std::pair<std::string, std::string>> &Variables,
    const HeldSignals &Signals, int StandardOutput) {
  ProgramEnd End;
  std::vector<char *> Argv;
  for (const std::string &A : Command)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);
  // The child says through the pipe if it could not become the program.
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC)) {
    End.Error = std::strerror(End.ErrorNumber = errno);
    return End;
  }
  pid_t Self = getpid(), Child = fork();
  if (!Child) {
    // Who ends us by force, as a time limit does, means the program as well.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != Self)
      _exit(126);
    Signals.release();
    for (auto &[Name, Value] : Variables)
      setenv(Name.c_str(), Value.c_str(), 1);
    if (StandardOutput >= 0)
      dup2(StandardOutput, STDOUT_FILENO);
    execvp(Argv[0], Argv.data());
    int Why = errno;
    ssize_t Written = write(Pipe[1], &Why, sizeof(Why));
    _exit(Written == sizeof(Why) ? 127 : 126);
  }
  close(Pipe[1]);
  if (Child < 0) {
    End.Error = std::strerror(End.ErrorNumber = errno);
    close(Pipe[0]);
    return End;
  }
  {
    SignalRelay Relay(Child);
    // What came before the child was there, also from the terminal.
    Signals.passTo(Child);
    Signals.release();
    if (read(Pipe[0], &End.ErrorNumber, sizeof(int)) == sizeof(int))
      End.Error = std::strerror(End.ErrorNumber);
    awaitEnd(Child);
    Signals.hold();
  }
  close(Pipe[0]);
  waitpid(Child, &End.Status, 0);
  return End;
}
