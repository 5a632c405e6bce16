//===- CompareOptions.cpp - gevo-run --keep and --compare -----------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/CompareOptions.h"
#include "runtime/gpu/capture/Blob.h"
#include "tools/gevo-run/CommandLine.h"
#include "tools/gevo-run/KeptRuns.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;
using namespace gevo::measure;
using Kind = OutputSpec::Kind;

namespace {

constexpr const char *StdoutName = OutputSpec::StdoutName;

/// A file without a name for what the program prints.
int makeScratchFile() {
  const char *Temporary = std::getenv("TMPDIR");
  std::string Name = std::string(Temporary && *Temporary ? Temporary : "/tmp") +
                     "/gevo-stdout.XXXXXX";
  int File = mkostemp(Name.data(), O_CLOEXEC | O_APPEND);
  if (File < 0)
    fail("cannot make a file '" + Name + "': " + std::strerror(errno));
  unlink(Name.c_str());
  return File;
}

std::string contentOf(int File) {
  std::string Content;
  char Part[1 << 16];
  ssize_t N;
  while ((N = pread(File, Part, sizeof(Part), off_t(Content.size()))) > 0)
    Content.append(Part, size_t(N));
  return Content;
}

std::string joined(const std::vector<std::string> &Names) {
  std::string All;
  for (const std::string &Name : Names)
    All += (All.empty() ? "" : ", ") + Name;
  return All;
}

/// The names of what \p R has, as options have them.
std::vector<std::string> namesIn(const RunRecord &R) {
  std::vector<std::string> Names;
  if (!R.Stdout.empty())
    Names.push_back(StdoutName);
  for (const auto &[Name, Content] : R.Files)
    Names.push_back(Name);
  return Names;
}

void requireExpression(const std::string &Text) {
  try {
    std::regex Check(Text);
  } catch (const std::regex_error &E) {
    fail("'" + Text + "' is no regular expression: " + E.what());
  }
}

void say(const OutputSpec &Spec, const RunDifference &D) {
  std::string What = Spec.describe();
  if (!Spec.Number.empty())
    What = "the number '" + Spec.Number + "' in " + What;
  if (!D.Passed)
    std::fprintf(stderr, "gevo-run: %s: differs: %s\n", What.c_str(),
                 D.Reason.c_str());
  else if (D.Diff.Differing)
    std::fprintf(stderr, "gevo-run: %s: passed, largest error %.3g\n",
                 What.c_str(), D.Diff.MaxError);
  else
    std::fprintf(stderr, "gevo-run: %s: passed\n", What.c_str());
}

nlohmann::ordered_json rowOf(const OutputSpec &Spec, const RunDifference &D) {
  nlohmann::ordered_json J = {{"name", Spec.name()}};
  if (!Spec.Number.empty())
    J["number"] = Spec.Number;
  J["passed"] = D.Passed;
  J["reason"] = D.Reason;
  if (D.Type != ElementType::None)
    J["type"] = gpu::elementName(D.Type);
  J["max_error"] = std::isfinite(D.Diff.MaxError)
                       ? nlohmann::ordered_json(D.Diff.MaxError)
                       : nlohmann::ordered_json("inf");
  return J;
}

} // namespace

bool gevo::run::takeCompareOption(CompareOptions &O, const std::string &Name,
                                  const std::optional<std::string> &Value) {
  if (Name != "--keep" && Name != "--compare" && Name != "--output" &&
      Name != "--number" && Name != "--tolerance")
    return false;
  if (!Value || Value->empty())
    fail("option '" + Name + "' needs a value: " + Name + "=...");
  if (Name == "--keep") {
    O.Keep = *Value;
  } else if (Name == "--compare") {
    O.Compare = *Value;
  } else if (Name == "--output") {
    O.Outputs.push_back(*Value);
  } else if (Name == "--number") {
    requireExpression(*Value);
    O.Numbers.push_back(*Value);
  } else {
    std::string Error;
    if (!O.Rules.add(*Value, Error))
      fail(Error);
    O.HasRules = true;
  }
  return true;
}

ProgramOutputs::ProgramOutputs(const CompareOptions &O) : O(O) {
  if (!O.isUsed() && !O.Outputs.empty())
    fail("option '--output' goes with '--keep=FOLDER' or '--compare=FOLDER'");
  if (O.Compare.empty() && (O.HasRules || !O.Numbers.empty()))
    fail("options '--tolerance' and '--number' go with '--compare=FOLDER'");
  if (!O.isUsed())
    return;
  std::vector<std::string> Files = O.Outputs;
  if (!O.Compare.empty()) {
    std::string Error;
    References = readKeptRuns(O.Compare, Error);
    if (References.empty())
      fail(Error);
    std::vector<std::string> Known = namesIn(References[0]);
    auto require = [&](const std::string &Option, const std::string &Name) {
      if (std::find(Known.begin(), Known.end(), Name) == Known.end())
        fail("option '" + Option + "' names the output '" + Name +
             "', which '" + O.Compare + "' does not have; it has " +
             joined(Known));
    };
    for (const std::string &Name : O.Outputs)
      require("--output", Name);
    for (const auto &[Name, Rule] : O.Rules.Named)
      require("--tolerance", Name);
    for (const auto &[Name, Content] : References[0].Files)
      Files.push_back(Name);
  }
  for (const std::string &Name : Files)
    if (struct stat S; Name != StdoutName && !stat(Name.c_str(), &S))
      Before[Name] = S;
  Stdout = makeScratchFile();
}

ProgramOutputs::~ProgramOutputs() {
  if (Stdout >= 0)
    close(Stdout);
}

void ProgramOutputs::collect(int Status) {
  if (Stdout < 0)
    return;
  Run.ExitCode =
      WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
  Run.Stdout = contentOf(Stdout);
  std::fwrite(Run.Stdout.data(), 1, Run.Stdout.size(), stdout);
  std::fflush(stdout);
  std::vector<std::string> Names = O.Outputs;
  if (!References.empty())
    for (const auto &[Name, Content] : References[0].Files)
      Names.push_back(Name);
  for (const std::string &Name : Names) {
    struct stat Now;
    if (Name == StdoutName || stat(Name.c_str(), &Now))
      continue;
    // A file that the run did not touch is another run's.
    auto Old = Before.find(Name);
    if (Old != Before.end() && Old->second.st_ino == Now.st_ino &&
        !std::memcmp(&Old->second.st_ctim, &Now.st_ctim, sizeof(Now.st_ctim)))
      continue;
    std::string Error;
    if (std::optional<std::string> Content = capture::readWhole(Name, Error))
      Run.Files[Name] = std::move(*Content);
  }
}

std::vector<OutputSpec> ProgramOutputs::specs() const {
  auto wanted = [&](const std::string &Name) {
    return O.Outputs.empty() || std::find(O.Outputs.begin(), O.Outputs.end(),
                                          Name) != O.Outputs.end();
  };
  std::vector<OutputSpec> All(1);
  All[0].What = Kind::ExitCode;
  OutputSpec Printed;
  Printed.Rule = O.Rules.of(Printed.name());
  for (const std::string &Number : O.Numbers) {
    Printed.Number = Number;
    All.push_back(Printed);
  }
  // Who prints nothing in the reference must not do so now.
  if (O.Numbers.empty() && wanted(StdoutName) &&
      !(References[0].Stdout.empty() && Run.Stdout.empty()))
    All.push_back(Printed);
  for (const auto &[Name, Content] : References[0].Files)
    if (wanted(Name)) {
      OutputSpec File;
      File.What = Kind::File;
      File.File = Name;
      File.Rule = O.Rules.of(Name);
      All.push_back(File);
    }
  return All;
}

/// Is the run fit to be a reference?
bool ProgramOutputs::checkKept(std::string &Error) const {
  for (const std::string &Name : O.Outputs) {
    if (Name == StdoutName)
      continue;
    auto It = Run.Files.find(Name);
    if (It == Run.Files.end())
      Error = "the run did not write the output '" + Name + "'";
    else if (It->second.empty())
      Error = "the output '" + Name + "' is empty";
  }
  if (Run.Stdout.empty() && O.Outputs.empty())
    Error = "the program printed nothing and '--output' names no file, so that "
            "there is nothing to keep";
  if (!Error.empty())
    Error += "; nothing is kept";
  return Error.empty();
}

bool ProgramOutputs::judge(nlohmann::ordered_json *Report, std::string &Error) {
  if (!O.Keep.empty() && (!checkKept(Error) || !keepRun(O.Keep, Run, Error)))
    return false;
  if (O.Compare.empty())
    return true;
  if (Report)
    (*Report)["compared"] = nlohmann::ordered_json::array();
  for (const OutputSpec &Spec : specs()) {
    RunDifference D = compareRuns(Spec, References, Run);
    Differs |= !D.Passed;
    if (Report)
      (*Report)["compared"].push_back(rowOf(Spec, D));
    // What ends the tool with another status is said in any case.
    if (!Report || !D.Passed)
      say(Spec, D);
  }
  return true;
}
