//===- LaunchLog.h - What a process launched, in a file ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process writes what it launches into a file that it has mapped, so the file
// is complete however the process ends: by exit, _exit, a signal or a fork that
// goes on alone. gevo-run makes the folder, lets the program run and merges the
// files of all its processes.
//
// The file is a header and records one after the other. A record is finished
// before the header's size includes it; counters in it grow in place.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_DRIVER_LAUNCHLOG_H
#define GEVO_RUNTIME_GPU_DRIVER_LAUNCHLOG_H

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace gevo::driver {

enum class LogKind : uint32_t {
  Kernel = 1, ///< A kernel; its name.
  Finding,    ///< A finding; its JSON.
  Note,       ///< What a note is about, a line feed, and the note.
  Line,       ///< A kernel's name, a line feed, and a place in its code; with
              ///< counters.
  FromSass,   ///< A kernel; how many of its launches machine code priced.
  Silent,     ///< A kernel; how many of its launches wrote nothing.
  WhyRules,   ///< A kernel, a line feed, the digit of the cause, and why rules
              ///< priced it.
  InTextOrder ///< A kernel; how many of its launches rules priced so.
};

/// The start of the file.
struct LogHeader {
  static constexpr uint64_t ThisMagic = 0x32474f4c4f564547; // "GEVOLOG2"
  uint64_t Magic = ThisMagic;
  uint64_t Bytes = sizeof(LogHeader); ///< Of header and finished records.
  uint64_t Dropped = 0;               ///< Records that did not fit.
  int64_t Process = 0;
};

/// The start of a record; its counters follow, and then its text, padded to
/// eight bytes.
struct LogRecord {
  LogKind Kind;
  uint32_t TextBytes;
  uint64_t Counters;   ///< How many there are.
  uint64_t Count;      ///< Launches, or times it was found.
  double Microseconds; ///< Of all launches of a kernel.
};

/// The log of this process.
class LaunchLog {
public:
  /// Makes a file in \p Folder. On failure says why in \p Error and logs
  /// nothing.
  LaunchLog(const std::string &Folder, std::string &Error);
  LaunchLog(const LaunchLog &) = delete;
  LaunchLog &operator=(const LaunchLog &) = delete;
  ~LaunchLog();

  /// Adds to the record of \p Kind with \p Text, which is made by the first
  /// call. \p Key tells records apart whose texts differ; it is the text if
  /// empty.
  void add(LogKind Kind, const std::string &Text, uint64_t Count,
           double Microseconds = 0, const std::string &Key = "");

  /// Adds \p Counters to those of the record of \p Kind with \p Text, which has
  /// as many from the first call on.
  void addCounters(LogKind Kind, const std::string &Text,
                   const std::vector<uint64_t> &Counters);

  /// In a process that was forked: what it adds goes to a file of its own.
  void restart();

private:
  bool open(std::string &Error);
  void release();
  /// Makes sure that the first \p Bytes of the file have room on the disk.
  bool reserve(size_t Bytes);
  LogRecord *append(LogKind Kind, const std::string &Text, size_t Counters);
  /// The record of \p Key, made of \p Text if it is new; null without room.
  LogRecord *find(LogKind Kind, const std::string &Text, const std::string &Key,
                  size_t Counters);

  std::string Folder;
  std::mutex Lock;
  int File = -1;
  size_t Reserved = 0;
  bool IsForked = false; ///< And has no file yet.
  char *Map = nullptr;
  std::map<std::pair<LogKind, std::string>, LogRecord *> Records;
};

/// A record as it was read.
struct LoggedRecord {
  LogKind Kind;
  uint64_t Count;
  double Microseconds;
  std::string Text;
  std::vector<uint64_t> Counters;
};

/// What one process logged.
struct LoggedProcess {
  int64_t Process = 0;
  uint64_t Dropped = 0;
  std::vector<LoggedRecord> Records;
};

/// The names of the logs in \p Folder, in order.
std::vector<std::string> launchLogFiles(const std::string &Folder);

/// Reads the logs in \p Folder in the order of their names. What is no log, or
/// was cut off, is told in \p Error and left out.
std::vector<LoggedProcess> readLaunchLogs(const std::string &Folder,
                                          std::string &Error);

} // namespace gevo::driver

#endif // GEVO_RUNTIME_GPU_DRIVER_LAUNCHLOG_H
