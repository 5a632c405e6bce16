//===- LaunchLog.cpp - What a process launched, in a file -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/LaunchLog.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::driver;

namespace {

/// Room for records. Only what is used takes up memory or disk.
constexpr size_t MapBytes = size_t(64) << 20;
/// What is taken from the disk at a time, before it is written to: a page that
/// a full disk has no room for would be a fault.
constexpr size_t StepBytes = size_t(256) << 10;

constexpr size_t padded(size_t Bytes) { return (Bytes + 7) / 8 * 8; }

LogHeader &headerOf(char *Map) { return *reinterpret_cast<LogHeader *>(Map); }

/// Reads the log \p Bytes, or says in \p Error what is wrong with it.
bool parseLog(const std::string &Bytes, LoggedProcess &P, std::string &Error) {
  LogHeader Header;
  if (Bytes.size() < sizeof(Header)) {
    Error = "is cut off";
    return false;
  }
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (!Header.Magic) {
    Error = "was begun and could not be written; make room on its disk, or "
            "name another folder by TMPDIR";
    return false;
  }
  if (Header.Magic != LogHeader::ThisMagic || Header.Bytes > Bytes.size()) {
    Error = "is no launch log";
    return false;
  }
  P.Process = Header.Process;
  P.Dropped = Header.Dropped;
  size_t At = sizeof(Header);
  while (At + sizeof(LogRecord) <= Header.Bytes) {
    LogRecord R;
    std::memcpy(&R, Bytes.data() + At, sizeof(R));
    At += sizeof(R);
    size_t Left = Header.Bytes - At;
    if (R.Counters > Left / sizeof(uint64_t) ||
        R.TextBytes > Left - R.Counters * sizeof(uint64_t)) {
      Error = "is cut off";
      return false;
    }
    std::vector<uint64_t> Counters(R.Counters);
    std::memcpy(Counters.data(), Bytes.data() + At,
                Counters.size() * sizeof(uint64_t));
    At += Counters.size() * sizeof(uint64_t);
    P.Records.push_back({R.Kind, R.Count, R.Microseconds,
                         Bytes.substr(At, R.TextBytes), std::move(Counters)});
    At += padded(R.TextBytes);
  }
  return true;
}

/// \p File under a number that is no standard stream's: a program may run with
/// these closed, and what it reads and writes is not for the log.
int aboveStreams(int File) {
  if (File < 0 || File > STDERR_FILENO)
    return File;
  int Above = fcntl(File, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int Why = errno;
  close(File);
  errno = Why;
  return Above;
}

} // namespace

LaunchLog::LaunchLog(const std::string &Folder, std::string &Error)
    : Folder(Folder) {
  open(Error);
}

LaunchLog::~LaunchLog() { release(); }

void LaunchLog::release() {
  if (Map)
    munmap(Map, MapBytes);
  if (File >= 0)
    close(File);
  Map = nullptr;
  File = -1;
  Reserved = 0;
  Records.clear();
}

bool LaunchLog::reserve(size_t Bytes) {
  while (Reserved < Bytes) {
    errno = posix_fallocate(File, off_t(Reserved), off_t(StepBytes));
    if (errno)
      return false;
    Reserved += StepBytes;
  }
  return true;
}

bool LaunchLog::open(std::string &Error) {
  // A process id comes back when a program executes another in its place.
  std::string Name;
  for (int Turn = 0; Turn < 1000 && File < 0; ++Turn) {
    Name = Folder + '/' + std::to_string(getpid()) + '.' +
           std::to_string(Turn) + ".log";
    File = aboveStreams(
        ::open(Name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (File < 0 && errno != EEXIST)
      break;
  }
  void *At = MAP_FAILED;
  if (File >= 0 && !ftruncate(File, MapBytes) && reserve(sizeof(LogHeader)))
    At = mmap(nullptr, MapBytes, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  if (At == MAP_FAILED) {
    Error = "cannot make '" + Name + "': " + std::strerror(errno);
    release();
    return false;
  }
  Map = static_cast<char *>(At);
  LogHeader Header;
  Header.Process = getpid();
  std::memcpy(Map, &Header, sizeof(Header));
  return true;
}

void LaunchLog::restart() {
  // A thread that is not here may have held it.
  new (&Lock) std::mutex;
  release();
  IsForked = true;
}

LogRecord *LaunchLog::append(LogKind Kind, const std::string &Text,
                             size_t Counters) {
  LogHeader &Header = headerOf(Map);
  size_t CounterBytes = Counters * sizeof(uint64_t);
  size_t Bytes = sizeof(LogRecord) + CounterBytes + padded(Text.size());
  if (Bytes > MapBytes - Header.Bytes || !reserve(Header.Bytes + Bytes)) {
    ++Header.Dropped;
    return nullptr;
  }
  auto *R = reinterpret_cast<LogRecord *>(Map + Header.Bytes);
  *R = {Kind, uint32_t(Text.size()), Counters, 0, 0};
  // The file begins with zeros.
  std::memcpy(reinterpret_cast<char *>(R + 1) + CounterBytes, Text.data(),
              Text.size());
  __atomic_store_n(&Header.Bytes, Header.Bytes + Bytes, __ATOMIC_RELEASE);
  return R;
}

LogRecord *LaunchLog::find(LogKind Kind, const std::string &Text,
                           const std::string &Key, size_t Counters) {
  if (IsForked) {
    std::string Error;
    IsForked = false;
    open(Error);
  }
  if (!Map)
    return nullptr;
  auto [It, IsNew] = Records.try_emplace({Kind, Key}, nullptr);
  if (IsNew)
    It->second = append(Kind, Text, Counters);
  return It->second;
}

void LaunchLog::add(LogKind Kind, const std::string &Text, uint64_t Count,
                    double Microseconds, const std::string &Key) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (LogRecord *R = find(Kind, Text, Key.empty() ? Text : Key, 0)) {
    R->Count += Count;
    R->Microseconds += Microseconds;
  }
}

void LaunchLog::addCounters(LogKind Kind, const std::string &Text,
                            const std::vector<uint64_t> &Counters) {
  std::lock_guard<std::mutex> Guard(Lock);
  LogRecord *R = find(Kind, Text, Text, Counters.size());
  if (!R)
    return;
  assert(R->Counters == Counters.size() && "a record keeps its counters");
  auto *Sums = reinterpret_cast<uint64_t *>(R + 1);
  for (size_t I = 0; I < Counters.size(); ++I)
    Sums[I] += Counters[I];
}

std::vector<std::string>
gevo::driver::launchLogFiles(const std::string &Folder) {
  std::vector<std::string> Names;
  if (DIR *D = opendir(Folder.c_str())) {
    while (dirent *E = readdir(D)) {
      std::string Name = E->d_name;
      if (Name.size() > 4 && !Name.compare(Name.size() - 4, 4, ".log"))
        Names.push_back(Name);
    }
    closedir(D);
  }
  std::sort(Names.begin(), Names.end());
  return Names;
}

std::vector<LoggedProcess>
gevo::driver::readLaunchLogs(const std::string &Folder, std::string &Error) {
  std::vector<LoggedProcess> All;
  if (access(Folder.c_str(), R_OK))
    Error = "the folder '" + Folder +
            "', where the run keeps what it launches, " +
            "is gone: " + std::strerror(errno) + '\n';
  for (const std::string &Name : launchLogFiles(Folder)) {
    std::ifstream In(Folder + '/' + Name, std::ios::binary);
    // The file is as large as its map; what is used of it, the header says.
    std::string Bytes(sizeof(LogHeader), 0);
    In.read(Bytes.data(), std::streamsize(Bytes.size()));
    LogHeader Header;
    std::memcpy(&Header, Bytes.data(), sizeof(Header));
    Bytes.resize(size_t(In.gcount()));
    if (In && Header.Bytes > Bytes.size() && Header.Bytes <= MapBytes) {
      size_t Had = Bytes.size();
      Bytes.resize(Header.Bytes);
      In.read(Bytes.data() + Had, std::streamsize(Header.Bytes - Had));
      Bytes.resize(Had + size_t(In.gcount()));
    }
    LoggedProcess P;
    std::string Why;
    if (parseLog(Bytes, P, Why))
      All.push_back(std::move(P));
    else
      Error += "'" + Folder + '/' + Name + "' " + Why + '\n';
  }
  return All;
}
