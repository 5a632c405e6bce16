//===- ProgramMain.cpp - gevo-run -- ./app --------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line of a run, wires and reports.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Settings.h"
#include "tools/gevo-run/CommandLine.h"
#include "tools/gevo-run/Program.h"
#include "tools/gevo-run/ProgramReport.h"
#include "tools/gevo-run/RunFolder.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gevo;
using namespace gevo::run;

namespace {

const char *const Known[] = {
    "--gpu",     "--check",      "--profile",    "--time",     "--json",
    "--missing", "--substitute", "--step-limit", "--driver",   "--capture",
    "--kernels", "--launches",   "--costs",      "--keep",     "--compare",
    "--output",  "--number",     "--tolerance",  "--end-with", "--original",
    "--writes",  "--absent"};

/// Of these, the value may be a word of its own.
const std::string Valued[] = {
    "--gpu",      "--json",       "--substitute", "--capture",   "--kernels",
    "--launches", "--step-limit", "--driver",     "--costs",     "--keep",
    "--compare",  "--output",     "--number",     "--tolerance", "--end-with",
    "--original", "--writes",     "--absent"};

bool onOrOff(const std::string &Option, const std::string &Value) {
  if (Value == "on")
    return true;
  if (Value != "off")
    fail("option '" + Option + "' is on or off, not '" + Value + "'");
  return false;
}

std::string knownCosts(const std::string &Name) {
  if (Name != "auto" && Name != "rules" && Name != "text")
    fail("unknown costs '" + Name + "'; a program has auto, rules or text");
  return Name;
}

/// A substitute, which is read later, as seen from any working folder.
std::string readableFile(const std::string &Name) {
  char Real[PATH_MAX];
  if (!realpath(Name.c_str(), Real) || access(Real, R_OK))
    fail("cannot read '" + Name + "': " + std::strerror(errno));
  return Real;
}

/// An empty file, as seen from any working folder.
std::string newFile(const std::string &Name) {
  std::FILE *File = std::fopen(Name.c_str(), "w");
  if (!File)
    fail("cannot write '" + Name + "': " + std::strerror(errno));
  std::fclose(File);
  return readableFile(Name);
}

void endWithStarter(uint64_t Starter) {
  if (!endWith(pid_t(Starter)))
    fail("process " + std::to_string(Starter) +
         " is gone, or did not start this one");
}

void takeOption(ProgramOptions &O, const std::string &Name,
                const std::optional<std::string> &Value) {
  auto needed = [&] {
    if (!Value || Value->empty())
      fail("option '" + Name + "' needs a value: " + Name + "=...");
    return *Value;
  };
  auto none = [&] {
    if (Value)
      fail("option '" + Name + "' takes no value");
  };
  if (Name == "--gpu")
    O.Gpu = needed();
  else if (Name == "--check")
    O.Checks = Value.value_or("all");
  else if (Name == "--time")
    O.Timing = onOrOff(Name, Value.value_or("on"));
  else if (Name == "--costs")
    O.Costs = knownCosts(needed());
  else if (Name == "--profile")
    none(), O.Profile = true;
  else if (Name == "--missing")
    none(), O.Missing = true;
  else if (Name == "--json")
    O.Json = needed();
  else if (Name == "--substitute")
    O.Substitutes.push_back({readableFile(needed()), ""});
  else if (Name == "--original" && O.Substitutes.empty())
    failNoSubstitute();
  else if (Name == "--original")
    O.Substitutes.back().Original = readableFile(needed());
  else if (Name == "--step-limit")
    O.StepLimit = std::to_string(number(Name, needed()));
  else if (Name == "--driver")
    O.Driver = needed();
  else if (Name == "--writes")
    O.Writes = newFile(needed());
  else if (Name == "--absent")
    O.Absent = newFile(needed());
  else if (Name == "--end-with")
    endWithStarter(number(Name, needed()));
  else if (!takeCaptureOption(O.Capture, Name, Value) &&
           !takeCompareOption(O.Compare, Name, Value))
    failUnknown(Name, {std::begin(Known), std::end(Known)});
}

ProgramOptions parse(int Argc, char **Argv) {
  ProgramOptions O;
  int I = 1;
  for (; std::strcmp(Argv[I], "--"); ++I) {
    std::string Name = Argv[I];
    std::optional<std::string> Value;
    if (size_t Equals = Name.find('='); Equals != std::string::npos) {
      Value = Name.substr(Equals + 1);
      Name.resize(Equals);
    } else if (std::find(std::begin(Valued), std::end(Valued), Name) !=
                   std::end(Valued) &&
               std::strcmp(Argv[I + 1], "--")) {
      Value = Argv[++I];
    }
    takeOption(O, Name, Value);
  }
  O.Command.assign(Argv + I + 1, Argv + Argc);
  if (O.Command.empty())
    fail("no program after '--'");
  if (O.Profile)
    O.Timing = true;
  // Another driver may take PTX that the embedded GPU does not.
  if (O.Driver == "embedded")
    for (const SubstituteFile &File : O.Substitutes)
      substitutePtx(File.Name);
  return O;
}

/// The name of the GPU that the options choose; ends the tool if there is no
/// such GPU, before the program would find out.
std::string checkedGpu(const ProgramOptions &O) {
  std::string Error;
  const char *Variable = std::getenv("GEVO_GPU");
  std::string Names = !O.Gpu.empty()          ? O.Gpu
                      : Variable && *Variable ? Variable
                                              : "V100";
  for (size_t Begin = 0; Begin <= Names.size();) {
    size_t End = std::min(Names.find(',', Begin), Names.size());
    if (!driver::gpuModel(Names.substr(Begin, End - Begin), Error))
      fail(Error);
    Begin = End + 1;
  }
  if (!driver::parseChecks(O.Checks))
    fail("unknown checks '" + O.Checks +
         "'; expected all, bounds, none or families of checks");
  return Names;
}

/// Why nothing was seen of a program. One that failed has told its own reason.
std::string unseen(const std::string &Program, int Status) {
  std::string Name = "'" + Program + "'";
  if (WIFSIGNALED(Status))
    return Name + " was ended by signal " + std::to_string(WTERMSIG(Status)) +
           " (" + strsignal(WTERMSIG(Status)) +
           ") before it asked for a device";
  std::string Hint =
      " started in an environment without LD_LIBRARY_PATH and GEVO_ "
      "variables, by which gevo-run reaches them (env -i, sudo, a set-user-ID "
      "program)";
  if (WEXITSTATUS(Status))
    return Name + " ended with status " + std::to_string(WEXITSTATUS(Status)) +
           " before it asked for a device, or was" + Hint;
  return Name +
         " used no CUDA: neither it nor a program it started asked for a "
         "device, or they were" +
         Hint;
}

/// What is wrong with a run, whether or not it ended well.
std::vector<std::string> complaints(const ProgramOptions &O,
                                    const ProgramReport &R, int Status) {
  std::vector<std::string> All(R.Problems.begin(), R.Problems.end());
  if (!R.Processes && All.empty() && O.Driver == "embedded")
    All.push_back(unseen(O.Command[0], Status));
  for (const auto &[File, Original] : O.Substitutes)
    if (std::none_of(R.Substituted.begin(), R.Substituted.end(),
                     [&Name = File](const auto &S) { return S.first == Name; }))
      All.push_back("'" + File +
                    "' took the place of nothing: no module that the program "
                    "loaded has a kernel of a name in it");
  return All;
}

int listMissing(const ProgramOptions &O, const Installation &Place) {
  std::string Program = findProgram(O.Command[0]);
  auto Elf = readElf(Program);
  if (!Elf)
    fail("'" + O.Command[0] + "' is no program that imports functions");
  std::string Path = Place.runtimes() + ":" + Place.driver();
  if (const char *Old = std::getenv("LD_LIBRARY_PATH"); Old && *Old)
    Path += std::string(":") + Old;
  auto Missing = missingFunctions(Program, *Elf, Path);
  for (const std::string &Name : Missing)
    std::puts(Name.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "gevo-run: '%s' needs %zu functions that are missing\n",
               O.Command[0].c_str(), Missing.size());
  return Missing.empty() ? 0 : 2;
}

/// The end of the program as JSON.
nlohmann::ordered_json endJson(const ProgramOptions &O, int Status) {
  nlohmann::ordered_json J;
  J["command"] = O.Command;
  J["exit_status"] = nullptr;
  J["signal"] = nullptr;
  if (WIFEXITED(Status))
    J["exit_status"] = WEXITSTATUS(Status);
  else
    J["signal"] = WTERMSIG(Status);
  return J;
}

/// Ends as the program did.
int endAs(int Status) {
  if (WIFEXITED(Status))
    return WEXITSTATUS(Status);
  // The core, if any, is the program's, not ours.
  rlimit None = {0, 0};
  setrlimit(RLIMIT_CORE, &None);
  signal(WTERMSIG(Status), SIG_DFL);
  raise(WTERMSIG(Status));
  return 128 + WTERMSIG(Status);
}

/// Returns a status of our own if there is something to tell by it.
std::optional<int> reportRun(const ProgramOptions &O, const std::string &Gpu,
                             const RunFolder &Logs, int Status,
                             ProgramOutputs &Outputs) {
  std::string Error;
  ProgramReport R = mergeLogs(driver::readLaunchLogs(Logs.name(), Error));
  if (!Error.empty())
    R.Problems.insert(Error.substr(0, Error.find('\n')));
  std::vector<std::string> Wrong = complaints(O, R, Status);
  bool IsObserved = R.Processes || O.Driver == "embedded";
  if (O.Json.empty() && !IsObserved)
    std::fprintf(
        stderr,
        "gevo-run: no report: only the embedded GPU tells of launches, "
        "and this ran on the driver '%s'\n",
        O.Driver.c_str());
  else if (O.Json.empty())
    std::fputs(reportText(R, Gpu).c_str(), stderr);
  nlohmann::ordered_json J = endJson(O, Status);
  J["gpu"] = IsObserved ? nlohmann::ordered_json(Gpu) : nullptr;
  J["timing"] = O.Timing ? "model" : "bound";
  J.update(reportJson(R));
  if (std::string Why; !Outputs.judge(O.Json.empty() ? nullptr : &J, Why))
    Wrong.push_back(Why);
  if (!O.Json.empty() && !writeReport(O.Json, J, Error))
    Wrong.push_back(Error);
  std::vector<std::string> Ran;
  for (const KernelRow &K : R.Kernels)
    Ran.push_back(K.Name);
  if (std::string Why; !reportCapture(O.Capture, Ran, Why))
    Wrong.push_back(Why);
  for (const std::string &Text : Wrong)
    std::fprintf(stderr, "gevo-run: error: %s\n", Text.c_str());
  bool IsWell = WIFEXITED(Status) && !WEXITSTATUS(Status);
  // How the program ended is compared, too, and so no reason to end alike.
  IsWell |= !O.Compare.Compare.empty();
  if (IsWell && !Wrong.empty())
    return 1;
  if (IsWell && O.Checks != "bounds" && R.hasErrors())
    return 2;
  if (!O.Compare.Compare.empty())
    return Outputs.differs() ? 2 : 0;
  return std::nullopt;
}

} // namespace

int gevo::run::programMain(int Argc, char **Argv) {
  ProgramOptions O = parse(Argc, Argv);
  std::string Gpu = checkedGpu(O);
  std::optional<Installation> Place = findInstallation();
  if (!Place)
    fail("libgevo-gpu.so is not where it belongs; build or install Gevo again");
  if (O.Missing)
    return listMissing(O, *Place);
  std::string Program = findProgram(O.Command[0]);
  auto Elf = readElf(Program);
  std::string Why;
  if (O.Driver != "embedded")
    Why = unusableDriver(O.Driver);
  else if (Elf)
    Why = unsuitable(O.Command[0], *Elf, Place->runtimes());
  if (!Why.empty())
    fail(Why);
  std::optional<HeldSignals> Signals(std::in_place);
  prepareCapture(O.Capture);
  ProgramOutputs Outputs(O.Compare);
  // Gone before we end as the program did, which may be by a signal.
  std::optional<RunFolder> Logs(std::in_place);
  ProgramEnd End =
      runProgram(O.Command, environmentFor(O, *Place, Elf, Logs->name()),
                 *Signals, Outputs.standardOutput());
  if (!End.Error.empty()) {
    std::fprintf(stderr, "gevo-run: error: cannot run '%s': %s\n",
                 O.Command[0].c_str(), End.Error.c_str());
    dropCapture(O.Capture);
    return End.ErrorNumber == ENOENT ? 127 : 126;
  }
  Outputs.collect(End.Status);
  std::optional<int> Own = reportRun(O, Gpu, *Logs, End.Status, Outputs);
  Logs.reset();
  Signals.reset();
  return Own ? *Own : endAs(End.Status);
}
