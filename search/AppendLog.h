//===- AppendLog.h - A file that only grows ---------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON value a line. Once append() returns, the line outlives the process.
// The machine's power it outlives a moment later: lines that come soon after
// each other go to the disk together, with the next one, with sync() or with
// the log's end. A process that is killed while it writes leaves a torn last
// line, which the next reader cuts off.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_APPENDLOG_H
#define GEVO_SEARCH_APPENDLOG_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gevo {

class AppendLog {
public:
  ~AppendLog();
  AppendLog(const AppendLog &) = delete;
  AppendLog &operator=(const AppendLog &) = delete;

  enum class Sync {
    Promptly, ///< At most a few lines, of the last hundredth of a second, wait.
    Soon      ///< For what can be had again.
  };
  /// Opens the log at \p Path or makes one whose first line is \p Header. One
  /// with another header is an error, unless \p AnyHeader.
  static llvm::Expected<std::unique_ptr<AppendLog>>
  open(const std::string &Path, const llvm::json::Object &Header,
       bool AnyHeader = false, Sync When = Sync::Promptly);

  const llvm::json::Object &header() const { return Header; }
  /// What the log held when it was opened.
  std::vector<llvm::json::Value> takeLines() { return std::move(Lines); }
  llvm::Error append(const llvm::json::Value &Line);
  /// Waits until the disk has everything.
  llvm::Error sync();

private:
  AppendLog(std::string Path, int FD, Sync When)
      : Path(std::move(Path)), FD(FD), When(When) {}
  llvm::Error read();

  std::string Path;
  int FD;
  Sync When;
  bool Waiting = false; ///< A line is not on the disk for sure.
  std::chrono::steady_clock::time_point LastSync;
  llvm::json::Object Header;
  std::vector<llvm::json::Value> Lines;
};

} // namespace gevo

#endif // GEVO_SEARCH_APPENDLOG_H
