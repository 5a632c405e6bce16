//===- Outcome.h - What a search leaves behind ------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The edit set in its file, with what was measured, and what a user does next.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_OUTCOME_H
#define GEVO_TOOLS_GEVO_SEARCH_OUTCOME_H

#include "tools/gevo-search/Judges.h"

namespace gevo {

class Outcome {
public:
  /// All of these must outlive it. \p Folder is the store's.
  Outcome(const Settings &Asked, IrProgram &Device, Judges &Judging,
          llvm::StringRef Folder, View &V)
      : Asked(Asked), Device(Device), Judging(Judging), Folder(Folder), V(V) {}

  /// Writes \p Best as the edit set that was asked for, and its PTX.
  llvm::Error write(const Search &S, const Finalist &Best) const;
  /// Says what to type now; \p Best is null if nothing was found.
  void tellNext(const Finalist *Best) const;

private:
  /// The functions that it edits.
  std::set<std::string> editedIn(const Finalist &Best) const;

  const Settings &Asked;
  IrProgram &Device;
  Judges &Judging;
  std::string Folder;
  View &V;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_OUTCOME_H
