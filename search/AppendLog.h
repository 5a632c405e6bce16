//===- AppendLog.h - A file that only grows ---------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON value a line. Once append() returns, the line outlives the process.
// The machine's power it outlives a moment later: a thread brings lines to the
// disk, those together that come while it waits for that, as a search has
// better things to do. A process that is killed while it writes leaves a torn
// last line, which the next reader cuts off.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_APPENDLOG_H
#define GEVO_SEARCH_APPENDLOG_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gevo {

/// Locks an open file until it is closed, by all that were forked since, too.
/// False if another process holds the lock for longer than a moment; a file
/// system without locks has none to hold.
bool lockFile(int FD);

/// \p Line and, as "sum", the hash of its text: a line that is not the same as
/// what this makes of its other fields is not as it was written.
llvm::json::Object withSum(llvm::json::Object Line);

class AppendLog {
public:
  ~AppendLog();
  AppendLog(const AppendLog &) = delete;
  AppendLog &operator=(const AppendLog &) = delete;

  enum class Sync {
    Promptly, ///< A power cut may cost a few milliseconds.
    Soon      ///< A tenth of a second may be lost: for what can be had again.
  };
  /// Opens the log at \p Path or makes one whose first line is \p Header. One
  /// with another header is an error, unless \p AnyHeader; so is a line that
  /// cannot be read, but for the last one.
  static llvm::Expected<std::unique_ptr<AppendLog>>
  open(const std::string &Path, const llvm::json::Object &Header,
       bool AnyHeader = false, Sync When = Sync::Promptly);
  /// The same for what can be had again: lines that cannot be read are left
  /// out, the header too, and a log with another one is put aside. The header
  /// is written with its sum, which tells a damaged one from another.
  static llvm::Expected<std::unique_ptr<AppendLog>>
  openCache(const std::string &Path, const llvm::json::Object &Header);

  const llvm::json::Object &header() const { return Header; }
  /// What the log held when it was opened.
  std::vector<llvm::json::Value> takeLines() { return std::move(Lines); }
  /// How many lines it held that could not be read.
  size_t unreadable() const { return Unreadable; }
  /// What to say of a line that nothing can be read from, and what to do;
  /// counted from 1, which is the header.
  llvm::Error damaged(size_t Number, llvm::StringRef Why) const;
  /// The error may be of an earlier line, which the disk did not take.
  llvm::Error append(const llvm::json::Value &Line);
  /// Waits until the disk has everything.
  llvm::Error sync();

private:
  AppendLog(std::string Path, int FD, Sync When);
  /// Makes or opens the file and locks it.
  static llvm::Expected<std::unique_ptr<AppendLog>>
  openFile(const std::string &Path, Sync When);
  llvm::Error read(bool LeaveOut);
  /// The first line of an empty log.
  llvm::Error begin(const llvm::json::Object &First);
  /// Until End, in a thread of its own.
  void syncAgainAndAgain();
  llvm::Error syncFailure();

  std::string Path;
  int FD;
  Sync When;
  std::mutex Mutex;
  /// The thread waits for the one, and between syncs for the other, which a
  /// line does not wake it from.
  std::condition_variable Written, Ended;
  bool Waiting = false; ///< A line is not on the disk for sure.
  bool End = false;
  int SyncErrno = 0; ///< Of the thread, not told yet.
  std::thread Syncing;
  llvm::json::Object Header;
  std::vector<llvm::json::Value> Lines;
  size_t Unreadable = 0;
};

} // namespace gevo

#endif // GEVO_SEARCH_APPENDLOG_H
