//===- Program.h - Runs a whole program -------------------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gevo-run -- ./app: starts the program with our libraries in place of
// NVIDIA's, lets it be, and reads what it left in the launch log.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_PROGRAM_H
#define GEVO_TOOLS_GEVO_RUN_PROGRAM_H

#include "runtime/gpu/driver/SubstituteFiles.h"
#include "tools/gevo-run/CaptureOptions.h"
#include "tools/gevo-run/CompareOptions.h"
#include "tools/gevo-run/Elf.h"

#include <csignal>
#include <utility>

namespace gevo::run {

/// What the command line chooses.
struct ProgramOptions {
  std::vector<std::string> Command;
  std::string Gpu;
  std::string Checks = "bounds";
  std::string StepLimit;
  std::string Json; ///< File for the report; empty: text on standard error.
  std::vector<SubstituteFile> Substitutes;
  std::string Driver = "embedded";
  CaptureOptions Capture;
  CompareOptions Compare;
  bool Timing = true;
  std::string Writes; ///< File to note in what is written; empty: none.
  std::string Absent; ///< File to note in what is not there; empty: none.
  std::string Costs;  ///< Empty: as the environment says.
  bool Profile = false;
  bool Missing = false;
};

/// How the program ended.
struct ProgramEnd {
  int Status = 0;    ///< As waitpid gives it.
  std::string Error; ///< Why it could not be started; otherwise empty.
  int ErrorNumber = 0;
};

/// Where our libraries are.
struct Installation {
  std::string Folder; ///< Of libgevo-gpu.so.
  std::string runtimes() const { return Folder + "/gevo-cudart"; }
  std::string driver() const { return Folder + "/gevo-gpu"; }
  /// What notes which files are written.
  std::string writes() const { return Folder + "/libgevo-writes.so"; }
};

/// The installation or build tree that this tool is part of.
std::optional<Installation> findInstallation();

/// The program that \p Command names, found as a shell finds it; empty if
/// there is none.
std::string findProgram(const std::string &Command);

/// The variables to run \p Options.Command with.
std::vector<std::pair<std::string, std::string>>
environmentFor(const ProgramOptions &Options, const Installation &Place,
               const std::optional<ElfSummary> &Elf,
               const std::string &LogFolder);

/// While there is one, signals that ask to stop wait, so that what is on disk
/// can be put in order; runProgram lets them through to the program.
class HeldSignals {
public:
  HeldSignals();
  /// What waited is delivered.
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  /// Passes what waits on to \p Child.
  void passTo(pid_t Child) const;
  /// Sets the mask of before, as it was for the program that started us.
  void release() const { sigprocmask(SIG_SETMASK, &Before, nullptr); }
  void hold() const { sigprocmask(SIG_BLOCK, &Stops, nullptr); }

private:
  sigset_t Stops, Before;
};

/// Ends the program when the process \p Starter, which started this one, ends,
/// however that comes; this one then puts the disk in order and ends, too.
/// False if it was started by another.
bool endWith(pid_t Starter);

/// Runs \p Command with \p Variables set and waits for its end. Signals that
/// ask gevo-run to stop are passed on. \p StandardOutput is a file; -1: as
/// ours.
ProgramEnd
runProgram(const std::vector<std::string> &Command,
           const std::vector<std::pair<std::string, std::string>> &Variables,
           const HeldSignals &Signals, int StandardOutput);

/// What is wrong with a program that cannot run on the embedded GPU, and what
/// to do; empty if nothing is. \p Runtimes is the folder of our libcudart.
std::string unsuitable(const std::string &Program, const ElfSummary &Elf,
                       const std::string &Runtimes);

/// Why no program can run on the driver library \p Driver, as --driver names
/// it; empty if nothing is known against it.
std::string unusableDriver(const std::string &Driver);

/// The functions of CUDA that \p Program and its libraries import and we lack.
std::vector<std::string> missingFunctions(const std::string &Program,
                                          const ElfSummary &Elf,
                                          const std::string &LibraryPath);

/// gevo-run -- ...: returns the exit status.
int programMain(int Argc, char **Argv);

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_PROGRAM_H
