//===- Workers.cpp - Who does the work ------------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forked processes, a pair of pipes each. Frames on a pipe are a length and
// that many bytes.
//
//===----------------------------------------------------------------------===//

#include "search/Workers.h"
#include "search/AwakeTime.h"
#include "search/RunWatch.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace gevo;

Workers::~Workers() = default;

Expected<Workers::Reply> Workers::wait() {
  Expected<std::optional<Reply>> R = waitFor(-1);
  if (!R)
    return R.takeError();
  return std::move(**R);
}

static bool writeAll(int FD, const char *Data, size_t Size) {
  while (Size) {
    ssize_t Done = sys::RetryAfterSignal(-1, ::write, FD, Data, Size);
    if (Done <= 0)
      return false;
    Data += Done;
    Size -= Done;
  }
  return true;
}

static bool readAll(int FD, char *Data, size_t Size) {
  while (Size) {
    ssize_t Done = sys::RetryAfterSignal(-1, ::read, FD, Data, Size);
    if (Done <= 0)
      return false;
    Data += Done;
    Size -= Done;
  }
  return true;
}

// In one write: a head of its own would wake the reader only for it to wait
// for the rest.
static bool writeFrame(int FD, StringRef Text) {
  uint32_t Size = Text.size();
  std::string Frame(reinterpret_cast<const char *>(&Size), sizeof(Size));
  Frame += Text;
  return writeAll(FD, Frame.data(), Frame.size());
}

static bool readFrame(int FD, std::string &Text) {
  uint32_t Size;
  char Head[sizeof(Size)];
  if (!readAll(FD, Head, sizeof(Head)))
    return false;
  std::memcpy(&Size, Head, sizeof(Size));
  Text.resize(Size);
  return readAll(FD, Text.data(), Size);
}

// How a worker ends that could not get memory.
static constexpr int NoMemory = 12;

static void limitMemory(uint64_t Bytes) {
  if (!Bytes)
    return;
  std::thread([Most = residentBytes(getpid()) + Bytes] {
    while (residentBytes(getpid()) <= Most)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    _exit(NoMemory);
  }).detach();
}

// A variant needs about what the one before it needed: giving freed memory back
// and taking it again would cost page faults all the time.
static void keepFreedMemory() {
  constexpr int Bytes = 64 << 20;
  mallopt(M_TRIM_THRESHOLD, Bytes);
  mallopt(M_MMAP_THRESHOLD, Bytes / 2);
  mallopt(M_TOP_PAD, 1 << 20);
}

// The parent decides when to stop. What it does about a signal is not for its
// workers to do; what it ignores, as below nohup, they ignore, too.
static void forgetSignals() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);
  struct sigaction Now;
  for (int Signal : {SIGTERM, SIGHUP})
    if (!sigaction(Signal, nullptr, &Now) && Now.sa_handler != SIG_IGN)
      std::signal(Signal, SIG_DFL);
}

[[noreturn]] static void serve(int In, int Out, pid_t Parent,
                               const WorkerLimits &Limits,
                               const std::function<Service()> &Start) {
  forgetSignals();
  // Without the parent there is nobody to work for.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Parent)
    _exit(0);
  limitMemory(Limits.MemoryBytes);
  keepFreedMemory();
  std::set_new_handler([] { _exit(NoMemory); });
  Service Work = Start();
  std::string Message;
  while (readFrame(In, Message))
    if (!writeFrame(Out, Work(Message)))
      break;
  _exit(0);
}

namespace {

// So often the time of workers is looked at.
constexpr std::chrono::milliseconds LookEvery(200);

class ForkedWorkers : public Workers {
public:
  ForkedWorkers(const WorkerLimits &Limits, std::function<Service()> Start)
      : Limits(Limits), Start(std::move(Start)), All(Limits.Count) {}
  ~ForkedWorkers() override {
    for (Process &P : All)
      end(P);
  }

  Error startAll() {
    // A worker that died is told by wait(), not by a signal.
    std::signal(SIGPIPE, SIG_IGN);
    for (Process &P : All)
      if (Error E = start(P))
        return E;
    return Error::success();
  }

  unsigned count() const override { return All.size(); }
  void send(unsigned Worker, StringRef Message) override;
  Expected<std::optional<Reply>> waitFor(int Milliseconds) override;
  double processorSeconds() const override;

private:
  struct Process {
    pid_t Pid = 0;
    int To = -1;
    int From = -1;
    bool Busy = false;
    AwakeTime::Clock::duration Deadline = {};
    /// What it works on, and whether another worker was killed over it.
    std::string Message;
    bool Again = false;
  };

  Error start(Process &P);
  int end(Process &P);
  int millisecondsLeft();
  bool wasKilled(const Process &P) const;
  /// Says how it died; nothing if another one tries again.
  Expected<std::optional<Reply>> bury(unsigned Worker, bool Late);

  WorkerLimits Limits;
  std::function<Service()> Start;
  std::vector<Process> All;
  AwakeTime Time{LookEvery};
};

} // namespace

static constexpr StringLiteral NeedLess = "; fewer --jobs need less";

static Error failed(const Twine &What) {
  std::error_code EC = errnoAsErrorCode();
  return createStringError(EC, What + ": " + EC.message() + NeedLess);
}

Error ForkedWorkers::start(Process &P) {
  int Down[2] = {-1, -1}, Up[2] = {-1, -1};
  auto Fail = [&](const Twine &What) {
    Error E = failed(What);
    for (int FD : {Down[0], Down[1], Up[0], Up[1]})
      if (FD >= 0)
        close(FD);
    return E;
  };
  if (pipe2(Down, O_CLOEXEC) || pipe2(Up, O_CLOEXEC))
    return Fail("cannot make a pipe to a worker");
  std::fflush(nullptr);
  pid_t Parent = getpid();
  pid_t Pid = fork();
  if (Pid < 0)
    return Fail("cannot start a worker");
  if (Pid == 0) {
    for (const Process &Other : All)
      for (int FD : {Other.To, Other.From})
        if (FD >= 0)
          close(FD);
    close(Down[1]);
    close(Up[0]);
    serve(Down[0], Up[1], Parent, Limits, Start);
  }
  close(Down[0]);
  close(Up[1]);
  P = {Pid, Down[1], Up[0], false, {}, "", false};
  return Error::success();
}

// Its status; what still runs is killed.
int ForkedWorkers::end(Process &P) {
  if (P.Pid <= 0)
    return 0;
  close(P.To);
  close(P.From);
  kill(P.Pid, SIGKILL);
  int Status = 0;
  sys::RetryAfterSignal(-1, waitpid, P.Pid, &Status, 0);
  P.Pid = 0;
  P.To = P.From = -1;
  return Status;
}

static std::string deathOf(int Status) {
  if (WIFSIGNALED(Status) && WTERMSIG(Status) != SIGKILL)
    return std::string("signal ") + strsignal(WTERMSIG(Status));
  return "it ended";
}

void ForkedWorkers::send(unsigned Worker, StringRef Message) {
  Process &P = All[Worker];
  assert(!P.Busy && "a worker does one thing at a time");
  P.Busy = true;
  P.Message = Message.str();
  P.Deadline = Time.soFar() + std::chrono::seconds(Limits.Seconds);
  // If it is dead, poll() tells.
  writeFrame(P.To, Message);
}

// To the next look at least.
int ForkedWorkers::millisecondsLeft() {
  if (!Limits.Seconds)
    return -1;
  auto First = AwakeTime::Clock::duration::max();
  for (const Process &P : All)
    if (P.Busy)
      First = std::min(First, P.Deadline);
  auto Left =
      std::chrono::ceil<std::chrono::milliseconds>(First - Time.soFar());
  return std::clamp<long>(Left.count(), 0, LookEvery.count());
}

// Waits for the end of one whose pipe is closed, which happens before it can be
// waited for, and says if somebody else ended it: what it does itself ends in
// other signals.
bool ForkedWorkers::wasKilled(const Process &P) const {
  siginfo_t Info = {};
  for (unsigned Try = 0; Try < 100; ++Try) {
    if (waitid(P_PID, P.Pid, &Info, WEXITED | WNOHANG | WNOWAIT) || Info.si_pid)
      break;
    usleep(1000);
  }
  return Info.si_pid && Info.si_code == CLD_KILLED && Info.si_status == SIGKILL;
}

// One that was killed tells nothing about what it worked on; a second one that
// is killed over the same may have taken all memory.
Expected<std::optional<Workers::Reply>> ForkedWorkers::bury(unsigned Worker,
                                                            bool Late) {
  Process &P = All[Worker];
  bool Killed = !Late && wasKilled(P), Again = Killed && !P.Again;
  std::string Message = std::move(P.Message);
  Reply R;
  R.Worker = Worker;
  int Status = end(P);
  if (Late) {
    R.DiedOf = Cause::Late;
    R.Death = "no answer in " + std::to_string(Limits.Seconds) + " s";
  } else if (WIFEXITED(Status) && WEXITSTATUS(Status) == NoMemory) {
    R.DiedOf = Cause::Memory;
    R.Death = ("out of memory" + NeedLess).str();
  } else {
    R.DiedOf = Killed ? Cause::Killed : Cause::Itself;
    R.Death = deathOf(Status);
  }
  if (Error E = start(P))
    return E;
  if (!Again)
    return R;
  send(Worker, Message);
  P.Again = true;
  return std::nullopt;
}

Expected<std::optional<Workers::Reply>>
ForkedWorkers::waitFor(int Milliseconds) {
  using namespace std::chrono;
  auto Until = steady_clock::now() + milliseconds(Milliseconds);
  while (true) {
    std::vector<pollfd> Polled;
    std::vector<unsigned> Indices;
    for (unsigned I = 0; I < All.size(); ++I)
      if (All[I].Busy) {
        Polled.push_back({All[I].From, POLLIN, 0});
        Indices.push_back(I);
      }
    assert(!Polled.empty() && "nothing to wait for");
    int Left = millisecondsLeft();
    if (Milliseconds >= 0) {
      long Rest = std::max<long>(
          0, ceil<milliseconds>(Until - steady_clock::now()).count());
      Left = Left < 0 ? int(Rest) : int(std::min<long>(Left, Rest));
    }
    int Ready = poll(Polled.data(), Polled.size(), Left);
    if (Ready < 0 && errno != EINTR)
      return failed("cannot wait for workers");
    for (size_t I = 0; Ready > 0 && I < Polled.size(); ++I)
      if (Polled[I].revents) {
        Reply R;
        R.Worker = Indices[I];
        All[R.Worker].Busy = false;
        std::string Text;
        if (!readFrame(All[R.Worker].From, Text)) {
          Expected<std::optional<Reply>> Dead = bury(R.Worker, /*Late=*/false);
          if (!Dead || *Dead)
            return Dead;
          break;
        }
        All[R.Worker].Again = false;
        R.Text = std::move(Text);
        return R;
      }
    for (unsigned I : Indices)
      if (Limits.Seconds && Time.soFar() >= All[I].Deadline) {
        All[I].Busy = false;
        return bury(I, /*Late=*/true);
      }
    if (Milliseconds >= 0 && !Ready && steady_clock::now() >= Until)
      return std::nullopt;
  }
}

// Of a living process: what it took, and what its children that ended took.
static double processorSecondsOf(pid_t Pid) {
  auto File = MemoryBuffer::getFileAsStream("/proc/" + Twine(Pid) + "/stat");
  if (!File)
    return 0;
  // The name, in brackets, may have spaces; eleven fields are between it and
  // utime, stime, cutime and cstime.
  SmallVector<StringRef, 0> Fields;
  (*File)->getBuffer().rsplit(')').second.split(Fields, ' ', -1, false);
  constexpr size_t First = 11, Count = 4;
  uint64_t Ticks = 0, One = 0;
  for (size_t I = First; I < First + Count && I < Fields.size(); ++I)
    if (!Fields[I].getAsInteger(10, One))
      Ticks += One;
  return double(Ticks) / sysconf(_SC_CLK_TCK);
}

double ForkedWorkers::processorSeconds() const {
  rusage Ended = {};
  getrusage(RUSAGE_CHILDREN, &Ended);
  double Sum = Ended.ru_utime.tv_sec + Ended.ru_stime.tv_sec +
               (Ended.ru_utime.tv_usec + Ended.ru_stime.tv_usec) * 1e-6;
  for (const Process &P : All)
    Sum += processorSecondsOf(P.Pid);
  return Sum;
}

Expected<std::unique_ptr<Workers>>
gevo::forkWorkers(const WorkerLimits &Limits, std::function<Service()> Start) {
  auto W = std::make_unique<ForkedWorkers>(Limits, std::move(Start));
  if (Error E = W->startAll())
    return E;
  return W;
}
