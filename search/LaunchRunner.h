//===- LaunchRunner.h - Variants judged by captured launches ----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays launches that were captured from the program, in this process: no
// start of a program, no copy that the kernel does not need. What memory holds
// afterwards is compared with what the original left.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_LAUNCHRUNNER_H
#define GEVO_SEARCH_LAUNCHRUNNER_H

#include "runtime/gpu/capture/CaptureFile.h"
#include "runtime/measure/Replay.h"
#include "search/Program.h"

namespace gevo {

/// What is replayed, and how it is judged.
struct LaunchScenario {
  capture::Capture Captured;
  /// For each case, the number of the module in a payload that it is of.
  std::vector<unsigned> ModuleOf;
  /// Names of kernels that are not the same in all modules.
  std::set<std::string> Namesakes;
  /// What to call a case when it fails a variant; none: nothing.
  std::vector<std::string> Names;
  measure::OutputRules Rules;
  /// What the original has, too, and was accepted, as measure::findingKey().
  std::set<std::string> AcceptedFindings;
  /// Slower than this many times the original is of no use.
  double TimeBound = 1.5;

  /// The kernels that cannot pass unless they write.
  std::set<std::string> writers() const;
  /// For caches: equal for what gives equal results.
  std::string identity() const;
};

/// Reads the capture in \p Folder. Cases whose kernels \p Code does not have
/// are left out; none left is an error.
llvm::Expected<LaunchScenario> readLaunches(const std::string &Folder,
                                            const Payload &Code);

/// What a line of a module of a payload cost.
struct LineCost {
  unsigned Module = 0;
  unsigned Line = 0;
  uint64_t Cycles = 0;
};

/// The stage that a replay ended at, and its error as the search compares it.
Stage stageOf(measure::Outcome O);
double errorOf(const measure::ReplayResult &R,
               const measure::OutputRules &Rules);
/// What a replay comes to, with its time. What the device could not hold does
/// not last. With \p MachineCode its time is that of machine code, or it fails
/// at Stage::Lower: an estimate by rules must not be compared with it.
Fitness fitnessOf(const measure::ReplayResult &R,
                  const measure::OutputRules &Rules, bool MachineCode);

class LaunchRunner : public Runner {
public:
  /// The device is opened with the first run: one process has one. Variants
  /// that are no faster than the original, over all cases, are run with all
  /// checks only if \p CheckAlways. One is stopped as soon as it is past the
  /// bound on time or its error over the tolerance. With \p MachineCode time is
  /// that of what ptxas makes of the variant, which takes a third of a second
  /// to find out, and only bounds are checked; where there is none of the
  /// original, every run ends at Stage::Lower. Otherwise rules about PTX tell
  /// time.
  LaunchRunner(const LaunchScenario &S, std::string Gpu,
               bool CheckAlways = false, bool MachineCode = false)
      : S(S), Gpu(std::move(Gpu)), CheckAlways(CheckAlways),
        MachineCode(MachineCode) {}
  /// What could enter the front must be right on all of \p G as well, with all
  /// checks; its time there does not count. Launches that the original does not
  /// get along with on this device, which is another than that they were made
  /// on, are left out. Null: none.
  void guardWith(const LaunchScenario *G) { Guards = G; }
  Fitness run(const Payload &Code) override;
  /// What each line of \p Code costs over all cases.
  llvm::Expected<std::vector<LineCost>> profile(const Payload &Code);
  /// Runs \p Code, which does what the original does but for rounding in up to
  /// \p Factor times its instructions, on all cases and guards. By module: what
  /// the bytes of its variable \p Variable were, each the largest of all.
  llvm::Expected<std::vector<std::vector<uint8_t>>>
  watch(const Payload &Code, const std::string &Variable, double Factor);

private:
  /// What keeps it from judging anything, or what is valid.
  Fitness open();
  Fitness openCases();
  /// \p CycleLimit may be 0: none. \p Cycles gets what it took.
  Fitness replay(size_t Case, const std::string &Ptx, bool AllChecks,
                 uint64_t CycleLimit, uint64_t *Cycles = nullptr);
  Fitness runAll(const Payload &Code, bool AllChecks);
  Fitness openGuards();
  Fitness guard(size_t Case, const std::string &Ptx);
  /// Does it have the same memory for two pointers that are different in all
  /// launches of its kernel?
  bool isOfPointers(size_t Guard) const;
  /// Stage::Guard or Stage::Pointers and why, or \p F.
  Fitness guarded(const Payload &Code, Fitness F);

  const LaunchScenario &S;
  std::string Gpu;
  bool CheckAlways, MachineCode;
  /// Outlives replays, which give memory back to it.
  std::unique_ptr<measure::Device> Device;
  std::vector<std::unique_ptr<measure::Replay>> Replays;
  const LaunchScenario *Guards = nullptr;
  /// By case of Guards; null: left out.
  std::vector<std::unique_ptr<measure::Replay>> GuardReplays;
  /// What a launch of the original takes, in nanoseconds and in cycles.
  struct Cost {
    double Time = 0;
    uint64_t Cycles = 0;
  };
  std::vector<Cost> Originals;
  /// Of all launches, in nanoseconds.
  double OriginalTime = 0;
};

} // namespace gevo

#endif // GEVO_SEARCH_LAUNCHRUNNER_H
