//===- CompareOptions.h - gevo-run --keep and --compare ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run leaves, its exit code, standard output and files, is kept as a
// reference or compared with one.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_RUN_COMPAREOPTIONS_H
#define GEVO_TOOLS_GEVO_RUN_COMPAREOPTIONS_H

#include "runtime/measure/OutputRules.h"
#include "runtime/measure/RunOutputs.h"

#include <nlohmann/json_fwd.hpp>

#include <sys/stat.h>

namespace gevo::run {

/// What the command line says about the outputs of a run.
struct CompareOptions {
  std::string Keep;    ///< Folder; empty: nothing is kept.
  std::string Compare; ///< Folder; empty: nothing is compared.
  std::vector<std::string> Outputs;
  std::vector<std::string> Numbers;
  measure::OutputRules Rules;
  bool HasRules = false;

  bool isUsed() const { return !Keep.empty() || !Compare.empty(); }
};

/// Takes --keep, --compare, --output, --number and --tolerance; false if
/// \p Name is another.
bool takeCompareOption(CompareOptions &O, const std::string &Name,
                       const std::optional<std::string> &Value);

/// The outputs of one run, from before its start until they are judged.
class ProgramOutputs {
public:
  /// Reads the reference and takes note of the files that are there; ends the
  /// tool if the options make no sense.
  explicit ProgramOutputs(const CompareOptions &O);
  ~ProgramOutputs();
  ProgramOutputs(const ProgramOutputs &) = delete;
  ProgramOutputs &operator=(const ProgramOutputs &) = delete;

  /// The file that standard output is to go to; -1: it stays what it is.
  int standardOutput() const { return Stdout; }
  /// Once the program has ended: takes what it left and hands on what it
  /// printed. \p Status is as waitpid gives it.
  void collect(int Status);
  /// Keeps the run and compares it; says on standard error how that went unless
  /// \p Report is there, which gets it. The reason is in \p Error, and false
  /// returned, if it could not be done.
  bool judge(nlohmann::ordered_json *Report, std::string &Error);
  /// Is it compared, and did something differ?
  bool differs() const { return Differs; }

private:
  std::vector<measure::OutputSpec> specs() const;
  bool checkKept(std::string &Error) const;

  const CompareOptions &O;
  int Stdout = -1;
  std::vector<measure::RunRecord> References;
  measure::RunRecord Run;
  std::map<std::string, struct stat> Before; ///< Of files that were there.
  bool Differs = false;
};

} // namespace gevo::run

#endif // GEVO_TOOLS_GEVO_RUN_COMPAREOPTIONS_H
