//===- gevo-run.cpp - Runs kernels on the embedded GPU --------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line and the launch file, runs and reports.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Settings.h"
#include "tools/gevo-run/CommandLine.h"
#include "tools/gevo-run/Program.h"
#include "tools/gevo-run/ReplayMain.h"
#include "tools/gevo-run/Runner.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace gevo;
using namespace gevo::run;

namespace {

const char Help[] =
    "usage: gevo-run [options] -- PROGRAM [arguments]\n"
    "       gevo-run [options] --replay=DIR\n"
    "       gevo-run [options] --ptx FILE LAUNCH.json\n"
    "\n"
    "Runs a CUDA program on the embedded GPU, as it is, and reports what its\n"
    "kernels cost on standard error:\n"
    "\n"
    "  --gpu=NAME        the GPU to be, a name or a profile file (default: "
    "V100);\n"
    "                    several separated by commas are several devices\n"
    "  --check[=CHECKS]  report mistakes of kernels: all, or as below\n"
    "  --profile         show the lines on which kernels spend their time\n"
    "  --time=off        do not model time; faster\n"
    "  --costs=SOURCE    auto (default), rules or text, as below\n"
    "  --json=FILE       write the report to FILE, - for standard output\n"
    "  --substitute=FILE take kernels of the same names from this PTX file\n"
    "  --original=FILE   the PTX that the substitute before it was made from: "
    "of\n"
    "                    several with a kernel, a module takes its own\n"
    "  --step-limit=N    end a launch after N warp instructions\n"
    "  --writes=FILE     list in FILE which files the program writes\n"
    "  --absent=FILE     list in FILE what the program opens and does not "
    "find\n"
    "  --end-with=PID    end when the process PID, which starts this one, "
    "ends\n"
    "  --capture=DIR     keep launches that differ, with their memory, in DIR\n"
    "  --kernels=REGEX   of these kernels only\n"
    "  --launches=N      at most N of each kernel (default: 4)\n"
    "  --driver=NAME     embedded (default), nvidia, or a driver library\n"
    "  --keep=DIR        keep what the run leaves as a reference (again: one "
    "more run)\n"
    "  --compare=DIR     compare it with that: exit code, standard output, "
    "files\n"
    "  --output=FILE     a file that the program writes; with --compare only "
    "these\n"
    "                    are compared (standard output is called stdout)\n"
    "  --number=REGEX    of standard output compare the number that this "
    "finds\n"
    "  --tolerance=RULE  exact (default), abs:X, rel:X, ulp:X, sd:X; "
    "NAME=RULE for\n"
    "                    one output\n"
    "  --missing         list the CUDA functions that PROGRAM needs and that "
    "are\n"
    "                    missing; do not run it\n"
    "\n"
    "The exit status is the program's; 1 if it ended well but could not use "
    "the\n"
    "GPU, 2 if it ended well but --check found an error. With --compare it is "
    "0 if\n"
    "what was compared is the same, and 2 if not.\n"
    "\n"
    "With --replay, runs captured launches again, times them and compares "
    "what\n"
    "they write with what the program's launches wrote:\n"
    "\n"
    "  --substitute=FILE with this PTX in place of the program's\n"
    "  --original=FILE   as above\n"
    "  --tolerance=RULE  exact (default), abs:X, rel:X, ulp:X, sd:X, and after "
    "a\n"
    "                    comma floor:X or type:T; NAME=RULE for one output\n"
    "  --kernels=REGEX   these kernels only\n"
    "  --check=CHECKS    all (default), bounds, none, or families\n"
    "  --l2=cold         with an empty L2; otherwise it holds the inputs\n"
    "  --extract=FOLDER  only write the program's PTX to FOLDER\n"
    "  --repeat=N        run each N times and take the least time\n"
    "  --gpu, --driver, --time, --costs, --json, --step-limit as above\n"
    "\n"
    "With --ptx, runs kernels of a PTX file on the embedded GPU, with the "
    "buffers, "
    "launches\n"
    "and arguments that LAUNCH.json describes, and prints a report as one "
    "JSON\n"
    "object. See docs/reference/gevo-run.md for the format.\n"
    "\n"
    "  --ptx FILE        the PTX text\n"
    "  --out DIR         write dumped buffers as DIR/NAME.bin; without it "
    "they\n"
    "                    are part of the report\n"
    "  --gpu NAME        the GPU to be, a name or a profile file (default: "
    "V100)\n"
    "  --check CHECKS    all (default), bounds, none, or families of checks\n"
    "                    separated by commas: bounds, align, race, uninit,\n"
    "                    barrier, shuffle, atomic\n"
    "  --costs SOURCE    what instructions cost: sass (the machine code that\n"
    "                    ptxas makes), rules (about PTX), text (the same, in\n"
    "                    the order of the text), or auto (default: sass where\n"
    "                    it can be had)\n"
    "  --l2 STATE        warm (default: L2 holds what was copied to the GPU, "
    "then\n"
    "                    what earlier launches left) or cold (empty before "
    "every\n"
    "                    launch)\n"
    "  --profile         print the hot lines on standard error\n"
    "  --profile-json    put profiles by line into the report\n"
    "  --exact           time every block; otherwise blocks of large grids "
    "that\n"
    "                    behave alike are sampled\n"
    "  --no-timing       do not model time\n"
    "  --step-limit N    end a launch after N warp instructions (default: "
    "2^34;\n"
    "                    0: never)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 if all launches were clean, 2 if one failed or a check\n"
    "found an error, 1 if the request makes no sense.\n";

/// Options that take a value, then those that do not.
const char *const ValueOptions[] = {
    "--ptx", "--out", "--gpu", "--check", "--step-limit", "--costs", "--l2"};
const char *const Flags[] = {"--no-timing",    "--exact", "--profile",
                             "--profile-json", "--help",  "--version"};

const std::vector<std::string> KnownOptions = [] {
  std::vector<std::string> All(std::begin(ValueOptions),
                               std::end(ValueOptions));
  All.insert(All.end(), std::begin(Flags), std::end(Flags));
  return All;
}();

struct CommandLine {
  std::string Ptx, Launch, Gpu = "V100", Checks = "all";
  std::string StepLimit = std::to_string(driver::DefaultStepLimit);
  RunOptions Run;
};

/// Splits "--name=value" and takes the next argument for "--name value".
class ArgumentReader {
public:
  ArgumentReader(int Count, char **Values) : Args(Values + 1, Values + Count) {}
  bool next() {
    if (At == Args.size())
      return false;
    Name = Args[At++];
    size_t Equals = Name.find('=');
    HasValue = Name[0] == '-' && Equals != std::string::npos;
    if (HasValue) {
      Given = Name.substr(Equals + 1);
      Name.resize(Equals);
    }
    return true;
  }
  std::string value() {
    if (HasValue)
      return Given;
    if (At == Args.size())
      fail("option '" + Name + "' needs a value");
    return Args[At++];
  }
  std::string Name;
  bool HasValue = false;

private:
  std::vector<std::string> Args;
  size_t At = 0;
  std::string Given;
};

gpu::timing::CostChoice costChoice(const std::string &Name) {
  if (auto Choice = gpu::timing::costChoiceByName(Name))
    return *Choice;
  fail("unknown costs '" + Name + "'; expected auto, rules, text or sass");
}

bool coldL2(const std::string &State) {
  if (State != "warm" && State != "cold")
    fail("unknown state of L2 '" + State + "'; expected warm or cold");
  return State == "cold";
}

CommandLine parseCommandLine(int Argc, char **Argv) {
  CommandLine Line;
  ArgumentReader Reader(Argc, Argv);
  while (Reader.next()) {
    const std::string &Name = Reader.Name;
    auto isOption = [&](const char *Known) { return Name == Known; };
    bool IsFlag = std::any_of(std::begin(Flags), std::end(Flags), isOption);
    if (IsFlag && Reader.HasValue)
      fail("option '" + Name + "' takes no value");
    if (Name == "--help") {
      std::fputs(Help, stdout);
      std::exit(0);
    } else if (Name == "--version") {
      std::puts("gevo-run " GEVO_VERSION);
      std::exit(0);
    } else if (Name == "--ptx")
      Line.Ptx = Reader.value();
    else if (Name == "--out")
      Line.Run.OutFolder = Reader.value();
    else if (Name == "--gpu")
      Line.Gpu = Reader.value();
    else if (Name == "--check")
      Line.Checks = Reader.value();
    else if (Name == "--step-limit")
      Line.StepLimit = Reader.value();
    else if (Name == "--exact")
      Line.Run.Exact = true;
    else if (Name == "--no-timing")
      Line.Run.Timing = false;
    else if (Name == "--costs")
      Line.Run.Costs = costChoice(Reader.value());
    else if (Name == "--l2")
      Line.Run.ColdL2 = coldL2(Reader.value());
    else if (Name == "--profile")
      Line.Run.Profile = true;
    else if (Name == "--profile-json")
      Line.Run.ProfileJson = true;
    else if (Name.size() > 1 && Name[0] == '-')
      failUnknown(Name, KnownOptions);
    else if (!Line.Launch.empty())
      fail("there are two launch files, '" + Line.Launch + "' and '" + Name +
           "'; a program and its arguments stand after '--'");
    else
      Line.Launch = Name;
  }
  if (Line.Ptx.empty())
    fail("nothing to run; give a program after '--', or --ptx FILE and a "
         "launch file");
  if (Line.Launch.empty())
    fail("no launch file; see --help");
  return Line;
}

/// Turns the words of the command line into options.
void resolveOptions(CommandLine &Line) {
  std::string Error;
  auto Gpu = driver::gpuModel(Line.Gpu, Error);
  if (!Gpu)
    fail(Error);
  Line.Run.Gpu = *Gpu;
  auto Checks = driver::parseChecks(Line.Checks);
  if (!Checks)
    fail("unknown checks '" + Line.Checks +
         "'; expected all, bounds, none or families of checks");
  Line.Run.Checks = *Checks;
  auto Limit = parseValue(*findType("u64"), Line.StepLimit);
  if (!Limit)
    fail("'" + Line.StepLimit + "' is no number of steps");
  Line.Run.StepLimit = *Limit;
}

} // namespace

int main(int Argc, char **Argv) {
  if (asksForReplay(Argc, Argv))
    return replayMain(Argc, Argv);
  // What follows "--" is a program and its arguments.
  for (int I = 1; I < Argc; ++I)
    if (!std::strcmp(Argv[I], "--"))
      return programMain(Argc, Argv);
  CommandLine Line = parseCommandLine(Argc, Argv);
  resolveOptions(Line);
  std::string Error;
  std::optional<std::string> Ptx = readFile(Line.Ptx, Error);
  if (!Ptx)
    fail(Error);
  std::optional<LaunchFile> File = readLaunchFile(Line.Launch, Error);
  if (!File)
    fail(Error);
  std::optional<RunReport> Report =
      runLaunches(*File, Line.Ptx, *Ptx, Line.Run, Error);
  if (!Report)
    fail(Error);
  std::puts(Report->Json.dump(2).c_str());
  return Report->Clean ? 0 : 2;
}
