//===- Replay.h - Run a captured launch again -------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Replay holds a case ready on a device and runs any PTX on it: loads it (or
// finds it loaded), launches, times, and compares all memory with what the
// original left. What the original writes without reading is poisoned before,
// so that a kernel that writes nothing cannot pass; what it does not write must
// not change. Between runs only the pages that were written are restored.
//
//   std::string Error;
//   auto D = Device::open({}, Error);
//   auto Captured = capture::readCapture("dir", Error);
//   Replay R(*D, Captured->Cases[0]);
//   ReplayResult Result = R.run(Ptx, {});
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_REPLAY_H
#define GEVO_RUNTIME_MEASURE_REPLAY_H

#include "runtime/gpu/capture/Case.h"
#include "runtime/measure/Device.h"
#include "runtime/measure/OutputRules.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gevo::measure {

/// How a replay ended; Outcomes.def has the rows.
enum class Outcome : uint8_t {
#define OUTCOME(Name, Text, Meaning) Name,
#include "runtime/measure/Outcomes.def"
};
/// "passed", "input-changed", ...
const char *outcomeName(Outcome O);

struct ReplayOptions {
  /// Checks of the embedded GPU: "all", "bounds", "none", or families.
  std::string Checks = "all";
  bool Timing = true; ///< Model time (embedded GPU).
  /// Price machine code where it can be had. Disassembling takes longer than
  /// most replays, which counts where each replay is of other code.
  bool MachineCode = false;
  /// L2 holds the case's memory at the start, as after the program's copies and
  /// earlier launches; otherwise nothing.
  bool WarmCaches = true;
  /// Warp instructions that a launch may take: this many times the original's,
  /// or StepLimit if that is not 0.
  double StepFactor = 20;
  uint64_t StepLimit = 0;
  /// Cycles that the case may take (embedded GPU with timing); 0: no bound. A
  /// run is stopped as soon as it is past it.
  uint64_t CycleLimit = 0;
  /// Runs of which the fastest counts; of use where time is not modelled.
  unsigned Repeats = 1;
  /// Keep what each line of the PTX cost, for Replay::lines.
  bool Lines = false;
  OutputRules Rules; ///< By Replay::bufferName.
  /// Findings that do not fail a run, as findingKey() has them.
  std::set<std::string> AcceptedFindings;
  /// The code is a variant: warnings that the original must have, too, fail it
  /// unless they are accepted.
  bool Variant = false;
};

/// A report of a check.
struct Finding {
  std::string Kind, Message;
  bool IsError = true;
  bool FailsVariant = true; ///< An error in a variant, if it is new there.
  uint32_t PtxLine = 0;
  std::string Kernel, Memory;
  /// Counts those of a launch that are of one kind on one memory of a kernel.
  unsigned Number = 1;

  std::string key() const;
  /// Why a run fails that has it; what comes before it was accepted.
  std::string reason() const;
};

/// What tells findings from others, in whatever code of a kernel they are:
/// "kernel race-global arg1"; without a memory that has no name. The second
/// such finding is "kernel race-global arg1 (2)", and so on: who accepts some
/// accepts no more of them.
std::string findingKey(const std::string &Kernel, const std::string &Kind,
                       const std::string &Memory, unsigned Number = 1);

/// \p Key without its number.
std::string unnumbered(const std::string &Key);
/// How many of \p Keys there are, by the key without its number.
std::map<std::string, unsigned>
countFindings(const std::set<std::string> &Keys);

/// Those of the device since they were last cleared.
std::vector<Finding> findingsOf(const DriverTable &T);

/// How one output buffer compares.
struct OutputResult {
  std::string Name;
  uint64_t Bytes = 0;                   ///< Written by the original.
  ElementType Type = ElementType::None; ///< None: several.
  Difference Diff;
};

struct ReplayResult {
  Outcome Result = Outcome::Passed;
  std::string Reason; ///< One sentence; empty if passed.
  /// What was not written first of what the original writes without reading it
  /// before: "element 3 of arg1 was not written". Also where Reason tells
  /// something that comes before.
  std::string Unwritten;
  double Microseconds = 0;
  /// Processor time from the call of run() to the first launch.
  double StartMicroseconds = 0;
  uint64_t Cycles = 0;   ///< 0 where time is not modelled.
  bool FromSass = false; ///< All are those of machine code.
  /// If not, of the first launch that rules priced: why, if machine code was
  /// wanted, and one of GEVO_GPU_RULES_INPUT and its kin.
  std::string WhyRules;
  int RulesCause = 0;
  uint64_t WarpInstructions = 0; ///< 0 where they are not counted.
  uint64_t RaceWork = 0;         ///< As GevoGpuCounters has it.
  double Error = 0;              ///< The largest MaxError of the outputs.
  std::vector<Finding> Findings;
  std::vector<OutputResult> Outputs;
  /// There was something to compare: the original writes memory, prints, or
  /// calls malloc or free.
  bool Compared = false;

  bool passed() const { return Result == Outcome::Passed; }
  /// What it took, as if all of it were warp instructions.
  uint64_t steps() const {
    // So much of the race check's work takes as long as one.
    constexpr uint64_t RaceWorkOfStep = 8;
    return WarpInstructions + RaceWork / RaceWorkOfStep;
  }
};

/// See the file comment. The device and the case must outlive it.
class Replay {
public:
  Replay(Device &D, const capture::Case &C);
  ~Replay();
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;

  /// Never fails otherwise than by its result.
  ReplayResult run(const std::string &Ptx, const ReplayOptions &O);

  /// Lines of the PTX that the last run with Lines executed.
  const std::vector<GevoGpuLine> &lines() const { return Lines; }
  /// What the variable \p Name of \p Ptx holds, of whose runs this was the
  /// last; empty if it has none.
  capture::Bytes variableOf(const std::string &Ptx, const std::string &Name);
  /// Memory after the last run, for the buffers of the case: what the pieces
  /// of \p Buffer hold, one after the other.
  capture::Bytes outputOf(size_t Buffer) const;
  /// What a buffer is called: "arg0" if it is what the first parameter points
  /// to, the name of a variable, "heap" if device code allocated it, else its
  /// address.
  static std::string bufferName(const capture::Case &C, size_t Buffer);
  /// What device code prints, as an output.
  static constexpr const char *PrintfName = "printf";
  /// The names of all that the original of \p C leaves.
  static std::set<std::string> outputNames(const capture::Case &C);
  const capture::Case &original() const { return C; }

private:
  struct Impl;
  Device &D;
  const capture::Case &C;
  std::vector<GevoGpuLine> Lines;
  std::unique_ptr<Impl> P;
};

/// Makes \p C a case with other inputs: runs \p Ptx, the original, on what its
/// buffers now hold Before, and takes the memory afterwards as what is
/// expected. False if the run is not clean; \p Error says why. \p Ends gets, by
/// buffer, where the last byte that the launch touched ends; 0: it touched
/// none. \p Steps gets what it took, as ReplayResult::steps() has it.
bool renewExpected(Device &D, capture::Case &C, const std::string &Ptx,
                   const ReplayOptions &O, std::string &Error,
                   std::vector<uint64_t> *Ends = nullptr,
                   uint64_t *Steps = nullptr);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_REPLAY_H
