//===- MachineError.h - What this machine lacks -----------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A full disk makes programs fail and files end early. That says nothing about
// a variant: it ends the search, which goes on once there is room again.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_MACHINEERROR_H
#define GEVO_SEARCH_MACHINEERROR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace gevo {

/// Something that the search cannot do without and that a user can mend. What
/// was evaluated before is kept, and a search that is resumed comes to the same
/// result.
class MachineError : public llvm::ErrorInfo<MachineError> {
public:
  static char ID;
  explicit MachineError(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string Text;
};

/// What this machine may have had a part in: a result that does not last.
class PassingError : public llvm::ErrorInfo<PassingError> {
public:
  static char ID;
  explicit PassingError(std::string Text) : Text(std::move(Text)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string Text;
};

/// Whether a call failed because there is no room for what it writes.
bool isFullDisk(int Errno);

/// What is told with that: how much of the disk of \p Folder is left, and what
/// to do about it.
std::string roomLeft(llvm::StringRef Folder);

/// Where programs put their temporary files.
std::string temporaryFolder();

/// A MachineError if \p Bytes cannot be written in one of \p Folders, which
/// says where, why and how full it is. Leaves nothing there.
llvm::Error checkRoom(llvm::ArrayRef<std::string> Folders, uint64_t Bytes);

} // namespace gevo

#endif // GEVO_SEARCH_MACHINEERROR_H
