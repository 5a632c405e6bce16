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
  /// For each case, the number of the module in a payload that has its kernel.
  std::vector<unsigned> ModuleOf;
  std::string Gpu;
  measure::OutputRule Rule;
  /// Kinds of findings that the original has, too, and that were accepted.
  std::set<std::string> AcceptedKinds;
  /// Slower than this many times the original is of no use.
  double TimeBound = 1.5;

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

class LaunchRunner : public Runner {
public:
  /// The device is opened with the first run: one process has one. Variants
  /// that are no faster than the original are run with all checks only if
  /// \p CheckAlways.
  explicit LaunchRunner(const LaunchScenario &S, bool CheckAlways = false)
      : S(S), CheckAlways(CheckAlways) {}
  ~LaunchRunner() override;
  Fitness run(const Payload &Code) override;
  /// What each line of \p Code costs over all cases.
  llvm::Expected<std::vector<LineCost>> profile(const Payload &Code);

private:
  bool open(std::string &Error);
  Fitness replay(size_t Case, const std::string &Ptx, bool AllChecks);

  const LaunchScenario &S;
  bool CheckAlways;
  std::unique_ptr<measure::Device> Device;
  std::vector<std::unique_ptr<measure::Replay>> Replays;
  /// What the original takes, in nanoseconds, by case.
  std::vector<double> Original;
};

} // namespace gevo

#endif // GEVO_SEARCH_LAUNCHRUNNER_H
