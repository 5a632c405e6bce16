//===- ProofRunner.h - Whole runs' finalists on made inputs -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where whole runs judge, what a kernel leaves in memory may differ, as long as
// what the program prints does not. So a variant is asked first what it makes
// of the launches of that run: a kernel that leaves the same there must do so
// on inputs that were made from them, too. One that does not has to bring no
// finding on them, and to write all that the original writes.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_PROOFRUNNER_H
#define GEVO_SEARCH_PROOFRUNNER_H

#include "search/LaunchRunner.h"

namespace gevo {

/// What tells the time of inputs; none: it is not told.
enum class ProofClock { None, Rules, MachineCode };

class ProofRunner : public Runner {
public:
  /// \p Seen: launches of the run. \p Made: inputs made from them. Both must
  /// outlive it. Where machine code is to tell time and there is none, a run
  /// ends at Stage::Lower.
  ProofRunner(const LaunchScenario &Seen, const LaunchScenario &Made,
              std::string Gpu, ProofClock Clock)
      : Seen(Seen), Made(Made), Gpu(std::move(Gpu)), Clock(Clock) {}
  Fitness run(const Payload &Code) override;

private:
  using Replays = std::vector<std::unique_ptr<measure::Replay>>;
  /// A kernel, by name and by its module in a payload.
  using Kernel = std::pair<std::string, unsigned>;

  Fitness open();
  struct Replayed {
    Fitness Result;
    /// It ended at Stage::Compare, and writes all that the original writes.
    /// What it left out, the run would find there as another kernel left it.
    bool OnlyDiffers = false;
  };
  Replayed replay(const LaunchScenario &S, Replays &All, size_t Case,
                  const Payload &Code, bool Timing);
  static Kernel kernelOf(const LaunchScenario &S, size_t Case);

  const LaunchScenario &Seen, &Made;
  std::string Gpu;
  ProofClock Clock;
  /// Outlives replays, which give memory back to it.
  std::unique_ptr<measure::Device> Device;
  Replays OfSeen, OfMade;
};

} // namespace gevo

#endif // GEVO_SEARCH_PROOFRUNNER_H
