//===- Store.h - A search on disk -------------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder that holds all of a search:
//
//   evaluations.jsonl      what the search is, then one line per evaluation
//   checkpoint.json        the state after the last whole generation, which
//                          the evaluations lead to as well
//   measured-<version>-<id>.jsonl  results by code, for all searches of one
//   scenario; priced-... the same by another clock
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_STORE_H
#define GEVO_SEARCH_STORE_H

#include "search/AppendLog.h"
#include "search/State.h"

namespace gevo {

/// The version of the files' format.
constexpr int StoreVersion = 6;
/// The log of a search; those of earlier ones have names that begin with it.
constexpr llvm::StringLiteral EvaluationsName = "evaluations.jsonl";
/// The budget of a search, if it has another one than it began with.
constexpr llvm::StringLiteral BudgetName = "budget.json";

/// Keeps other searches out of a folder while it lives: what was captured there
/// is of use to one alone, and is made before the log is begun.
class FolderLock {
public:
  /// Makes \p Folder if it is not there.
  static llvm::Expected<std::unique_ptr<FolderLock>>
  take(const std::string &Folder);
  /// Null if it is not there, or was removed meanwhile.
  static llvm::Expected<std::unique_ptr<FolderLock>>
  takeExisting(const std::string &Folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  explicit FolderLock(int FD) : FD(FD) {}
  int FD;
};

class Store {
public:
  /// Begins a search described by \p Setup, in \p Folder, which is made if it
  /// is not there. An earlier search's evaluations are put aside with the
  /// ending .old, under a name of their own if they are of another \p Scenario;
  /// what it measured for the same one is used.
  static llvm::Expected<std::unique_ptr<Store>>
  begin(const std::string &Folder, llvm::json::Object Setup,
        const std::string &Scenario);
  /// Opens the search in \p Folder to go on with it.
  static llvm::Expected<std::unique_ptr<Store>>
  resume(const std::string &Folder);

  /// What begin() was given.
  const llvm::json::Object &setup() const;
  const std::string &scenario() const { return Scenario; }
  /// Where begin() put the evaluations of another scenario; empty if none were
  /// there.
  const std::string &putAside() const { return Aside; }
  AppendLog &evaluations() { return *Evaluations; }
  AppendLog &measurements() { return *Measurements; }
  /// A further log of results by code, for all searches of the same scenario
  /// whose code is measured as \p How tells.
  llvm::Expected<std::unique_ptr<AppendLog>>
  openPrices(const std::string &How) const;

  /// The last checkpoint; nothing if there was none yet, or if it cannot be
  /// read, and then \p Problem says why. The evaluations lead to the same
  /// state.
  std::optional<SearchState> checkpoint(std::string &Problem) const;
  /// What was evaluated until then is on the disk before it.
  llvm::Error save(const SearchState &State);

private:
  Store() = default;
  llvm::Error openMeasurements();
  llvm::Expected<std::unique_ptr<AppendLog>>
  openResults(llvm::StringRef Name, const std::string &Of) const;
  std::string path(llvm::StringRef Name) const;

  std::string Folder;
  std::string Scenario;
  std::string Aside;
  std::unique_ptr<AppendLog> Evaluations;
  std::unique_ptr<AppendLog> Measurements;
};

} // namespace gevo

#endif // GEVO_SEARCH_STORE_H
