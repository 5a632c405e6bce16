//===- View.h - What a user sees --------------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a terminal one line that changes; in a pipe plain lines now and then. The
// result is a table, or JSON.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_VIEW_H
#define GEVO_TOOLS_GEVO_SEARCH_VIEW_H

#include "search/Objective.h"
#include "search/Search.h"
#include "tools/gevo-search/Settings.h"
#include <mutex>

namespace gevo {

/// A finalist after minimisation and validation.
struct Finalist {
  /// "best without error".
  std::string Title;
  Individual Kept;
  /// What the original takes where Kept's time was measured; 0: what the search
  /// began with.
  double Baseline = 0;
  /// How many edits it had before.
  size_t Before = 0;
  /// How many of those it has were not tried without.
  size_t Untried = 0;
  /// The time for it ended before all was tried that may make it faster.
  bool PolishedInPart = false;

  struct Check {
    std::string Name;
    std::string Gpu;
    bool HeldOut = false;
    /// It refused others before, so that what was written was chosen with its
    /// help.
    bool Steered = false;
    /// How often it was run: without checks, for its time, and with all.
    unsigned Times = 2;
    /// Made for the purpose, by name; empty: it is a run of the program.
    std::vector<std::string> Inputs;
    Fitness Result;
    /// Of the original, in nanoseconds.
    double Original = 0;
  };
  std::vector<Check> Checks;
  bool passed() const;
  /// What was measured, with the largest error of the checks that it passed;
  /// without any, of the search.
  Fitness result() const;
  double baseline(const Search &S) const;
};

class View {
public:
  View(bool Quiet, bool Json);

  /// What progress is told in; time unless this was called.
  void setGoal(const Objective &To) { Goal = To; }
  /// A line of its own. Any thread may, while no progress is shown.
  void say(const llvm::Twine &Text);
  /// Shows what is going on after the search, if it is time to.
  void step(const Search &S, const llvm::Twine &Text);
  /// Shows how far the search is, if it is time to.
  void progress(const Search &S, bool Last = false);
  /// With --json: what came of judging the edit set in \p File, whose checks
  /// \p Seen has.
  void verdict(llvm::StringRef File, const Fitness &F, const Finalist &Seen);
  /// The result as a table, or as JSON. \p Baseline is by the clock of the
  /// finalists. The search itself, without what came before and after, took
  /// \p ProcessorSeconds on this machine.
  void result(const Search &S, llvm::ArrayRef<Finalist> Finalists,
              const Settings &Asked, double Baseline, uint64_t Runs,
              double ProcessorSeconds, llvm::StringRef Written);

private:
  bool isTime(const Search &S);
  void table(const Search &S, llvm::ArrayRef<Finalist> Finalists,
             const Settings &Asked, double Time);
  void show(llvm::ArrayRef<std::string> Texts, bool Last);
  void clearLine();

  bool Quiet, Json, Terminal, LineOpen = false;
  Objective Goal;
  double LastShown = 0;
  std::mutex OneLine;
};

/// "1 edit", "2 edits", "2 launches".
std::string counted(uint64_t Count, llvm::StringRef What);

/// "1m5s".
std::string duration(double Seconds);

/// What was measured and checked, for the edit-set file.
llvm::json::Object measuredOf(const Search &S, const Finalist &F,
                              const Settings &Asked);

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_VIEW_H
