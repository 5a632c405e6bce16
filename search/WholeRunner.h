//===- WholeRunner.h - Variants judged by whole runs ------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the program itself, with a variant's code in the place of its kernels,
// and compares what it prints and writes with what the original does. gevo-run,
// beside this program, does the running: on the embedded GPU, with all checks.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_WHOLERUNNER_H
#define GEVO_SEARCH_WHOLERUNNER_H

#include "runtime/measure/OutputRules.h"
#include "runtime/measure/RunOutputs.h"
#include "search/Objective.h"
#include "search/ProgramFolder.h"
#include <map>
#include <set>

namespace gevo {

/// What a run of the program came to.
struct WholeRun {
  /// Stage::Done, or where and why it failed.
  Fitness Result;
  /// Standard output, then the output files.
  std::vector<std::string> Outputs;
  int ExitStatus = 0;

  struct Kernel {
    std::string Name;
    uint64_t Launches = 0;
    /// Of these, how many wrote nothing.
    uint64_t Silent = 0;
    double Microseconds = 0;
    /// Why some were not timed as machine code where that was wanted; empty:
    /// all were. And whether another time they may be.
    std::string WhyRules = "";
    bool Passing = false;
  };
  std::vector<Kernel> Kernels;
  /// What of this machine kept one from being timed as machine code, if
  /// anything did.
  std::string WhyNoCode;
  /// What the checks found, as measure::findingKey().
  std::set<std::string> Findings;
  /// The same of what is an error only in a variant of a program without it.
  std::set<std::string> Doubts;
  double WallSeconds = 0;
  /// Paths of files that it opened for writing, in order, if that was asked
  /// for.
  std::vector<std::string> Written;
  /// Of those that it looked for and did not find, and of folders that it would
  /// have made one in.
  std::vector<std::string> Absent;
};

/// How variants are run and judged.
struct WholeScenario {
  std::string GevoRun;
  std::string Gpu;
  Objective Goal;
  /// How far numbers may be off, by OutputSpec::name().
  measure::OutputRules Rules;
  /// Findings of the first run of the original that were accepted, as
  /// measure::findingKey().
  std::set<std::string> AcceptedFindings;
  /// Warp instructions of a launch; 0: any.
  uint64_t StepLimit = 0;
  /// Of one run of the program; 0: any.
  unsigned Seconds = 0;
  /// Of one run of the program, gevo-run included; 0: any.
  uint64_t MemoryBytes = 0;
  /// Longer than this many times the original's time is of no use; 0: any.
  double TimeBound = 0;
  /// Of wall time: how often original and variant are run in turn, and whether
  /// one that does not show to be faster then is refused.
  unsigned Pairs = 5;
  bool MustGain = false;
  /// Find out which files a run writes, wherever they are, or does not find.
  bool NoteWrites = false;
  /// The modules of the original, where there are several: kernels of one name
  /// may be in more than one of them.
  std::vector<std::string> Originals;

  /// For caches: equal for what gives equal results.
  std::string identity() const;
  /// The first of these findings of a variant that \p Original, the same run of
  /// the original, does not have, and that was not accepted; null: there is
  /// none.
  const std::string *findRefused(const std::set<std::string> &Found,
                                 const WholeRun &Original) const;
  /// The same of a run of the original, which may have more findings of a kind
  /// that was accepted.
  const std::string *findRefused(const std::set<std::string> &Found) const;
  /// How the output of that number of \p Run is compared (WholeRun::Outputs).
  measure::OutputSpec output(const ProgramRun &Run, size_t Number) const;
};

/// A module of a variant, and the file of the one that it was made from; none
/// if there is only one.
struct VariantFile {
  std::string Name, Original;
};

enum class RunMode {
  Checked, ///< With all checks.
  Plain,   ///< Only with those that keep a variant from harm.
  Untimed, ///< The same, and time is not modelled.
  Verdict  ///< With all checks, and time is not modelled.
};

/// Runs \p P with the code in \p PtxFiles, in its folder in the working
/// directory.
WholeRun runWhole(const WholeScenario &S, const ProgramRun &P,
                  llvm::ArrayRef<VariantFile> PtxFiles,
                  RunMode Mode = RunMode::Checked);

/// A MachineError if a run of \p P that leaves what \p Original left may not
/// have had the room for that and its copies: in the working directory, from
/// which it removes what the last run left, or in the folder of temporary
/// files. What such a run came to means nothing.
llvm::Error checkRoomForRun(const ProgramRun &P, const WholeRun &Original);

/// What a variant is compared with.
struct WholeCase {
  ProgramRun Run;
  WholeRun Original;
  double Time = 0;
  /// Of a time on the wall, as a share of it; 0 if it was not measured now.
  double Noise = 0;
  /// Without a model of time the original gives the same answer.
  bool SameUntimed = false;
  /// How outputs are compared. Numbers that change from run to run or with the
  /// time that kernels take are not.
  std::vector<measure::OutputSpec> Outputs;
  measure::OutputRules Rules;
  /// The outputs of further runs of the original, if some output is compared in
  /// standard deviations of them.
  std::vector<std::vector<std::string>> Repeated;

  /// How the outputs of \p R compare: the error, or the stage that fails.
  Fitness compare(const WholeRun &R) const;
  /// The same for one output.
  measure::RunDifference compareOutput(size_t Number, const WholeRun &R) const;
};

/// Runs the original: twice, to see that it gives the same answer, or more
/// often to see how its answers spread, where that is asked for; then without a
/// model of time, to see what it prints of it, and to find limits of
/// steps and seconds: \p S, which comes without, gets those of this run. The
/// error says what makes the program unfit.
llvm::Expected<WholeCase> observeOriginal(WholeScenario &S,
                                          const ProgramRun &P);

class WholeRunner : public Runner {
public:
  /// Runs happen in the folder \p Scratch, which is made. Variants that are no
  /// faster than the original are run with all checks only if \p CheckAlways.
  WholeRunner(const WholeScenario &S, llvm::ArrayRef<WholeCase> Cases,
              std::string Scratch, bool CheckAlways = false)
      : S(S), Cases(Cases), Scratch(std::move(Scratch)),
        CheckAlways(CheckAlways) {}
  Fitness run(const Payload &Code) override;
  /// Whether \p Code is right, with all checks; says nothing of its time.
  Fitness verdict(const Payload &Code);

private:
  /// Writes modules to files in the folder of runs, which it enters.
  llvm::Expected<std::vector<VariantFile>> install(const Payload &Code) const;
  Fitness judge(const WholeCase &Case, const WholeRun &R) const;
  Fitness runAll(llvm::ArrayRef<VariantFile> Files, RunMode Mode) const;
  Fitness runOne(const WholeCase &Case, llvm::ArrayRef<VariantFile> Files,
                 RunMode Mode) const;
  /// In turn with the original: its time is the original's at first, times what
  /// it took of the original's now.
  Fitness runPaired(const WholeCase &Case,
                    llvm::ArrayRef<VariantFile> Files) const;

  const WholeScenario &S;
  llvm::ArrayRef<WholeCase> Cases;
  std::string Scratch;
  bool CheckAlways;
};

} // namespace gevo

#endif // GEVO_SEARCH_WHOLERUNNER_H
