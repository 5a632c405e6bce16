//===- Settings.h - What a user asks for ------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line as data: kept in the store, so that a resumed search is the
// same search.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_SETTINGS_H
#define GEVO_TOOLS_GEVO_SEARCH_SETTINGS_H

#include "search/WholeRunner.h"
#include "llvm/Support/JSON.h"

namespace gevo {

struct Settings {
  Command Program;
  std::vector<Command> HeldOut;
  std::vector<std::string> Outputs;
  std::string Out;
  /// One or several, separated by commas.
  std::string Gpu = "V100";
  /// The only one of them whose time counts in the search; empty: all.
  std::string BestOn;
  std::string Objective = "time";
  std::string Kernels;
  std::string Algorithm = "default";
  uint64_t Seed = 1;
  uint64_t Population = 0;
  uint64_t Evaluations = 0;
  double Seconds = 0;
  measure::OutputRules Tolerance;
  bool AcceptFindings = false;
  /// All runs may write in one folder where it is too large to copy.
  bool ShareFolder = false;
  /// Judge variants by whole runs, not by captured launches.
  bool WholeRuns = false;
  /// Without held-out runs, validate with inputs made from the captured ones.
  bool OtherInputs = true;
  /// No launch has the same memory for two pointers, the user promises.
  bool DistinctPointers = false;
  /// Where the program is run from.
  std::string Directory;
  /// Of the device code.
  std::string Identity;
  /// Of what measures: the GPUs' profiles and Gevo itself.
  std::string MeasuredBy;

  std::vector<std::string> gpus() const;
};

llvm::json::Value toJSON(const Settings &S);
bool fromJSON(const llvm::json::Value &Value, Settings &S, llvm::json::Path P);

/// An error if JSON cannot hold the names in \p S as they are: a resumed search
/// must get the same bytes.
llvm::Error checkText(const Settings &S);

/// Makes the budget of \p S the one of the search in \p Folder, for who resumes
/// it next.
llvm::Error keepBudget(llvm::StringRef Folder, const Settings &S);

/// The settings of the search in \p Folder, with the budget that it was given
/// last.
llvm::Expected<Settings> settingsOf(const std::string &Folder);

/// Reads "90", "90s", "10m" or "1.5h" as seconds.
llvm::Expected<double> parseDuration(llvm::StringRef Text);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_SETTINGS_H
