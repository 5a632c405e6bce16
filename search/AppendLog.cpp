//===- AppendLog.cpp - A file that only grows -----------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain system calls: a line is one write.
//
//===----------------------------------------------------------------------===//

#include "search/AppendLog.h"
#include "search/MachineError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace gevo;

// Those that come in between go to the disk together.
static std::chrono::milliseconds pauseBetweenSyncs(AppendLog::Sync When) {
  return std::chrono::milliseconds(When == AppendLog::Sync::Soon ? 100 : 5);
}

AppendLog::AppendLog(std::string Path, int FD, Sync When)
    : Path(std::move(Path)), FD(FD), When(When) {
  // Signals are for the search to take.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Syncing = std::thread([this] { syncAgainAndAgain(); });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

AppendLog::~AppendLog() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    End = true;
  }
  Written.notify_one();
  Ended.notify_one();
  Syncing.join();
  consumeError(sync());
  close(FD);
}

void AppendLog::syncAgainAndAgain() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (true) {
    Written.wait(Lock, [&] { return End || (Waiting && !SyncErrno); });
    if (End)
      return;
    Waiting = false;
    Lock.unlock();
    int Failed = fdatasync(FD) ? errno : 0;
    Lock.lock();
    SyncErrno = Failed;
    Ended.wait_for(Lock, pauseBetweenSyncs(When), [&] { return End; });
  }
}

static Error failed(StringRef What, StringRef Path) {
  std::error_code EC = errnoAsErrorCode();
  return createStringError(EC, What + " '" + Path + "': " + EC.message());
}

// A full disk is nothing that a search must start over for.
static Error unwritten(StringRef Path) {
  bool Full = isFullDisk(errno);
  Error E = failed("cannot write", Path);
  return Full ? make_error<MachineError>(toString(std::move(E)) +
                                         roomLeft(sys::path::parent_path(Path)))
              : std::move(E);
}

// The workers of a search that was killed hold its lock for a moment longer.
bool gevo::lockFile(int FD) {
  constexpr unsigned Tries = 100, Microseconds = 10000;
  for (unsigned Try = 0; flock(FD, LOCK_EX | LOCK_NB); ++Try) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return true;
    if (Try == Tries)
      return false;
    usleep(Microseconds);
  }
  return true;
}

Error AppendLog::damaged(size_t Number, StringRef Why) const {
  return createStringError(
      inconvertibleErrorCode(),
      "'" + Path + "', line " + Twine(Number) + ", is damaged: " + Why +
          "; put back a copy of the file, or keep the lines before it (head "
          "-n " +
          Twine(Number - 1) +
          ") and remove checkpoint.json beside it: what comes after them is "
          "evaluated again");
}

Error AppendLog::read(bool LeaveOut) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read '" + Path +
                                 "': " + Buffer.getError().message());
  StringRef Rest = (*Buffer)->getBuffer();
  size_t Whole = 0, Number = 0;
  while (size_t Length = Rest.find('\n') + 1) {
    ++Number;
    Expected<json::Value> Line = json::parse(Rest.take_front(Length));
    if (Line) {
      Lines.push_back(std::move(*Line));
    } else if (LeaveOut) {
      consumeError(Line.takeError());
      ++Unreadable;
    } else {
      // Only the last line can be torn; anything else is not ours to mend.
      if (Rest.drop_front(Length).empty()) {
        consumeError(Line.takeError());
        break;
      }
      return damaged(Number, toString(Line.takeError()));
    }
    Rest = Rest.drop_front(Length);
    Whole += Length;
  }
  if (Whole != (*Buffer)->getBufferSize() && ftruncate(FD, Whole))
    return failed("cannot write", Path);
  return Error::success();
}

Expected<std::unique_ptr<AppendLog>>
AppendLog::openFile(const std::string &Path, Sync When) {
  int FD = ::open(Path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (FD < 0)
    return failed("cannot open", Path);
  std::unique_ptr<AppendLog> Log(new AppendLog(Path, FD, When));
  if (!lockFile(FD))
    return createStringError(inconvertibleErrorCode(),
                             "another search is writing to '" + Path +
                                 "'; wait until it has ended");
  return Log;
}

Error AppendLog::begin(const json::Object &First) {
  Header = First;
  return append(json::Object(First));
}

json::Object gevo::withSum(json::Object Line) {
  std::string Text = formatv("{0}", json::Value(json::Object(Line)));
  Line["sum"] = utohexstr(xxh3_64bits(Text), /*LowerCase=*/true, 16);
  return Line;
}

// A header that was written like that, and not damaged since; those of earlier
// logs have no sum to tell it by.
static bool isHeaderOfAnother(const json::Object &First,
                              const json::Object &Header) {
  // An object still prints a field that was erased.
  json::Object Fields;
  for (const json::Object::value_type &Field : First)
    if (StringRef(Field.first) != "sum")
      Fields[Field.first] = Field.second;
  bool HasSum = First.get("sum");
  bool IsHeader = Fields.size() == Header.size() &&
                  all_of(Header, [&](const json::Object::value_type &Field) {
                    return Fields.get(Field.first);
                  });
  return IsHeader && Fields != Header && (!HasSum || withSum(Fields) == First);
}

Expected<std::unique_ptr<AppendLog>>
AppendLog::openCache(const std::string &Path, const json::Object &Header) {
  Expected<std::unique_ptr<AppendLog>> Opened = openFile(Path, Sync::Soon);
  if (!Opened)
    return Opened;
  AppendLog &Log = **Opened;
  if (Error E = Log.read(/*LeaveOut=*/true))
    return E;
  const json::Object *First =
      Log.Lines.empty() ? nullptr : Log.Lines.front().getAsObject();
  if (First && isHeaderOfAnother(*First, Header)) {
    if (std::error_code EC = sys::fs::rename(Path, Path + ".old"))
      return createStringError(EC,
                               "cannot rename '" + Path + "': " + EC.message());
    Opened->reset();
    return openCache(Path, Header);
  }
  const json::Object Sealed = withSum(Header);
  if (Log.Lines.empty())
    if (Error E = Log.begin(Sealed))
      return E;
  Log.Header = Header;
  erase_if(Log.Lines, [&](const json::Value &Line) {
    const json::Object *O = Line.getAsObject();
    return O && (*O == Header || *O == Sealed);
  });
  return Opened;
}

Expected<std::unique_ptr<AppendLog>> AppendLog::open(const std::string &Path,
                                                     const json::Object &Header,
                                                     bool AnyHeader,
                                                     Sync When) {
  Expected<std::unique_ptr<AppendLog>> Opened = openFile(Path, When);
  if (!Opened)
    return Opened;
  std::unique_ptr<AppendLog> Log = std::move(*Opened);
  if (Error E = Log->read(/*LeaveOut=*/false))
    return E;
  if (Log->Lines.empty()) {
    if (Error E = Log->begin(Header))
      return E;
    return Log;
  }
  const json::Object *Found = Log->Lines.front().getAsObject();
  if (!Found || (!AnyHeader && *Found != Header))
    return createStringError(
        inconvertibleErrorCode(),
        "'" + Path +
            "' is of another program, version or scenario; remove it or name "
            "another folder");
  Log->Header = *Found;
  Log->Lines.erase(Log->Lines.begin());
  return Log;
}

Error AppendLog::append(const json::Value &Line) {
  std::string Text;
  raw_string_ostream(Text) << Line << '\n';
  off_t Before = lseek(FD, 0, SEEK_END);
  ssize_t Done =
      sys::RetryAfterSignal(-1, ::write, FD, Text.data(), Text.size());
  if (Done == static_cast<ssize_t>(Text.size())) {
    bool First;
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      First = !std::exchange(Waiting, true);
    }
    if (First)
      Written.notify_one();
    return syncFailure();
  }
  if (Done >= 0)
    errno = ENOSPC;
  Error E = unwritten(Path);
  // What is there stays readable.
  if (Done > 0 && Before >= 0 && ftruncate(FD, Before))
    return E;
  return E;
}

Error AppendLog::syncFailure() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!SyncErrno)
    return Error::success();
  errno = std::exchange(SyncErrno, 0);
  Written.notify_one();
  return unwritten(Path);
}

Error AppendLog::sync() {
  if (fdatasync(FD))
    return unwritten(Path);
  return syncFailure();
}
