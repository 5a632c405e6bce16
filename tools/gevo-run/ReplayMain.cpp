//===- ReplayMain.cpp - gevo-run --replay ---------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays captured launches, with the program's own PTX or another in its
// place, and prints a table or JSON.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/ReplayMain.h"
#include "runtime/gpu/capture/Blob.h"
#include "runtime/gpu/capture/CaptureFile.h"
#include "runtime/gpu/driver/Settings.h"
#include "runtime/gpu/ptx/SameCode.h"
#include "runtime/measure/Replay.h"
#include "tools/gevo-run/CaptureOptions.h"
#include "tools/gevo-run/CommandLine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <regex>
#include <set>
#include <sys/stat.h>

using namespace gevo;
using namespace gevo::measure;
using namespace gevo::run;
using Json = nlohmann::ordered_json;

namespace {

const char *const Known[] = {
    "--replay", "--gpu",        "--driver",  "--check",     "--time",
    "--l2",     "--substitute", "--kernels", "--tolerance", "--step-limit",
    "--repeat", "--json",       "--extract", "--costs",     "--original"};

struct Substitute {
  std::string Name, Ptx;
  std::string Original; ///< The PTX it was made from; empty: not known.
  bool Used = false;
};

struct ReplayLine {
  std::string Folder, Json, Extract;
  std::optional<std::regex> Kernels; ///< None: all.
  DeviceOptions Where;
  ReplayOptions Run;
  ReplayLine() { Run.MachineCode = true; }
  std::vector<Substitute> Substitutes;
};

void takeTolerance(ReplayOptions &O, const std::string &Text) {
  std::string Error;
  if (!O.Rules.add(Text, Error))
    fail(Error);
}

bool choose(const std::string &Option, const std::string &Value,
            const char *Yes, const char *No) {
  if (Value != Yes && Value != No)
    fail("option '" + Option + "' is " + Yes + " or " + No + ", not '" + Value +
         "'");
  return Value == Yes;
}

void takeOption(ReplayLine &L, const std::string &Name,
                const std::string &Value) {
  if (Name == "--replay")
    L.Folder = Value;
  else if (Name == "--gpu")
    L.Where.Model = Value;
  else if (Name == "--driver")
    L.Where.Library = Value == "embedded" ? ""
                      : Value == "nvidia" ? "libcuda.so.1"
                                          : Value;
  else if (Name == "--check")
    L.Run.Checks = Value;
  else if (Name == "--time")
    L.Run.Timing = choose(Name, Value, "on", "off");
  else if (Name == "--costs")
    L.Run.MachineCode = choose(Name, Value, "auto", "rules");
  else if (Name == "--l2")
    L.Run.WarmCaches = choose(Name, Value, "warm", "cold");
  else if (Name == "--tolerance")
    takeTolerance(L.Run, Value);
  else if (Name == "--step-limit")
    L.Run.StepLimit = number(Name, Value);
  else if (Name == "--repeat")
    L.Run.Repeats = unsigned(number(Name, Value, 1));
  else if (Name == "--json")
    L.Json = Value;
  else if (Name == "--extract")
    L.Extract = Value;
  else if (Name == "--substitute") {
    L.Substitutes.push_back({Value, substitutePtx(Value), ""});
  } else if (Name == "--original" && L.Substitutes.empty()) {
    failNoSubstitute();
  } else if (Name == "--original") {
    L.Substitutes.back().Original = substitutePtx(Value);
  } else if (Name == "--kernels") {
    try {
      L.Kernels = std::regex(Value);
    } catch (const std::regex_error &E) {
      fail("'" + Value + "' is no regular expression: " + E.what());
    }
  } else
    failUnknown(Name, {std::begin(Known), std::end(Known)});
}

ReplayLine parse(int Argc, char **Argv) {
  ReplayLine L;
  for (int I = 1; I < Argc; ++I) {
    std::string Name = Argv[I], Value;
    size_t Equals = Name.find('=');
    if (Name[0] != '-')
      fail("'" + Name + "' is unexpected; a replay needs no program");
    if (Equals != Name.npos) {
      Value = Name.substr(Equals + 1);
      Name.resize(Equals);
    } else if (std::none_of(std::begin(Known), std::end(Known),
                            [&](const char *K) { return Name == K; })) {
      failUnknown(Name, {std::begin(Known), std::end(Known)});
    } else if (Name == "--check") {
      Value = "all";
    } else if (I + 1 < Argc) {
      Value = Argv[++I];
    }
    if (Value.empty())
      fail("option '" + Name + "' needs a value: " + Name + "=...");
    takeOption(L, Name, Value);
  }
  return L;
}

/// Does \p Ptx define a kernel of that name?
bool defines(const std::string &Ptx, const std::string &Kernel) {
  auto isWord = [](char C) {
    return std::isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$';
  };
  for (size_t At = Ptx.find(".entry"); At != Ptx.npos;
       At = Ptx.find(".entry", At + 1)) {
    size_t Name = Ptx.find_first_not_of(" \t\r\n", At + 6);
    if (Name != Ptx.npos && Ptx.compare(Name, Kernel.size(), Kernel) == 0 &&
        (Name + Kernel.size() >= Ptx.size() ||
         !isWord(Ptx[Name + Kernel.size()])))
      return true;
  }
  return false;
}

/// Does the command line ask for this kernel?
bool isChosen(const ReplayLine &L, const capture::Case &C) {
  return !L.Kernels || std::regex_search(C.Launches[0].Kernel, *L.Kernels);
}

/// A rule for an output that no launch has would be followed by nobody.
void checkRules(const ReplayLine &L, const capture::Capture &All) {
  if (L.Run.Rules.Named.empty())
    return;
  std::set<std::string> Known;
  for (const capture::Case &C : All.Cases)
    if (isChosen(L, C))
      Known.merge(Replay::outputNames(C));
  std::string List;
  for (const std::string &Name : Known)
    List += (List.empty() ? "" : ", ") + Name;
  if (const std::string *Name = L.Run.Rules.findUnknown(Known))
    fail("option '--tolerance' names the output '" + *Name +
         "', which no captured launch has; " +
         (List.empty() ? "there are none" : "there are " + List));
}

/// One case, replayed.
struct Row {
  const capture::Case *Case = nullptr;
  double Prepared = 0; ///< Microseconds of this process before its replay.
  double Before = 0;   ///< Microseconds of the program's own PTX, if replaced.
  bool Replaced = false;
  ReplayResult Result;

  const char *outcome() const {
    return Result.passed() && !Result.Compared ? "nothing-compared"
                                               : outcomeName(Result.Result);
  }
};

Json rowJson(const Row &R) {
  const capture::Launch &L = R.Case->Launches[0];
  Json Findings = Json::array(), Outputs = Json::array();
  for (const Finding &F : R.Result.Findings)
    Findings.push_back({{"kind", F.Kind}, {"message", F.Message}});
  auto finite = [](double V) {
    return std::isfinite(V) ? Json(V) : Json("inf");
  };
  for (const OutputResult &O : R.Result.Outputs)
    Outputs.push_back({{"name", O.Name},
                       {"type", gpu::elementName(O.Type)},
                       {"bytes", O.Bytes},
                       {"elements", O.Diff.Elements},
                       {"failing", O.Diff.Failing},
                       {"max_error", finite(O.Diff.MaxError)}});
  Json J = {{"kernel", L.Kernel},
            {"index", R.Case->Index},
            {"weight", R.Case->Weight},
            {"grid", {L.Grid.X, L.Grid.Y, L.Grid.Z}},
            {"block", {L.Block.X, L.Block.Y, L.Block.Z}},
            {"outcome", R.outcome()},
            {"reason", R.Result.Reason},
            {"time_us", R.Result.Microseconds},
            {"cycles", R.Result.Cycles},
            {"costs", R.Result.FromSass ? "sass" : "ptx-rules"},
            {"captured_us", R.Case->Microseconds},
            {"start_us", R.Result.StartMicroseconds},
            {"error", finite(R.Result.Error)},
            {"findings", std::move(Findings)},
            {"outputs", std::move(Outputs)}};
  if (R.Replaced)
    J["original_us"] = R.Before;
  return J;
}

void printTable(const std::vector<Row> &Rows) {
  size_t Width = 6;
  for (const Row &R : Rows)
    Width = std::max(Width, R.Case->Launches[0].Kernel.size());
  Width = std::min<size_t>(Width, 40);
  std::printf("%-*s %8s %8s %12s %12s %10s  %s\n", int(Width), "kernel",
              "launch", "weight", "time_us", "before_us", "error", "outcome");
  for (const Row &R : Rows) {
    double Before = R.Replaced ? R.Before : R.Case->Microseconds;
    std::printf("%-*s %8llu %8llu %12.3f %12.3f %10.3g  %s\n", int(Width),
                R.Case->Launches[0].Kernel.substr(0, Width).c_str(),
                (unsigned long long)R.Case->Index,
                (unsigned long long)R.Case->Weight, R.Result.Microseconds,
                Before, R.Result.Error, R.outcome());
    if (!R.Result.passed())
      std::printf("  %s\n", R.Result.Reason.c_str());
  }
}

/// What ends the tool with another status is said beside a report, too.
void sayFailures(const std::vector<Row> &Rows) {
  for (const Row &R : Rows)
    if (!R.Result.passed())
      std::fprintf(stderr, "gevo-run: error: launch %llu of %s: %s: %s\n",
                   (unsigned long long)R.Case->Index,
                   R.Case->Launches[0].Kernel.c_str(), R.outcome(),
                   R.Result.Reason.c_str());
}

/// What takes the place of \p Kernel of the module \p Ptx: of those that have
/// it the first that was made from the module, or the first; null if none has.
Substitute *substituteFor(ReplayLine &L, const std::string &Ptx,
                          const std::string &Kernel) {
  Substitute *First = nullptr;
  for (Substitute &S : L.Substitutes) {
    if (!defines(S.Ptx, Kernel))
      continue;
    if (gpu::ptx::isSameCode(S.Original, Ptx))
      return &S;
    First = First ? First : &S;
  }
  return First;
}

std::vector<Row> replayAll(Device &D, const capture::Capture &All,
                           ReplayLine &L) {
  std::vector<Row> Rows;
  for (const capture::Case &C : All.Cases) {
    const std::string &Kernel = C.Launches[0].Kernel;
    if (!isChosen(L, C))
      continue;
    Row R;
    R.Case = &C;
    const std::string *Ptx = &All.Modules[C.Module];
    Replay One(D, C);
    R.Prepared = double(std::clock()) * (1e6 / CLOCKS_PER_SEC);
    if (Substitute *S = substituteFor(L, *Ptx, Kernel)) {
      R.Before = One.run(*Ptx, L.Run).Microseconds;
      Ptx = &S->Ptx;
      R.Replaced = S->Used = true;
    }
    R.Result = One.run(*Ptx, L.Run);
    Rows.push_back(std::move(R));
  }
  return Rows;
}

/// Writes the PTX of the program's modules to \p Folder.
int extract(const capture::Capture &All, const std::string &Folder) {
  std::string Error;
  if (mkdir(Folder.c_str(), 0777) && errno != EEXIST)
    fail("cannot make the folder '" + Folder + "': " + std::strerror(errno));
  for (size_t K = 0; K < All.Modules.size(); ++K) {
    std::string Path = Folder + "/module-" + std::to_string(K) + ".ptx";
    if (!capture::writeAtomically(Path, All.Modules[K], Error))
      fail(Error);
    std::puts(Path.c_str());
  }
  return 0;
}

/// Sums over the launches that the cases stand for.
double weighted(const std::vector<Row> &Rows) {
  double Sum = 0;
  for (const Row &R : Rows)
    Sum += double(R.Case->Weight) * R.Result.Microseconds;
  return Sum;
}

} // namespace

bool gevo::run::asksForReplay(int Argc, char **Argv) {
  for (int I = 1; I < Argc; ++I)
    if (!std::strcmp(Argv[I], "--replay") ||
        !std::strncmp(Argv[I], "--replay=", 9))
      return true;
  return false;
}

int gevo::run::replayMain(int Argc, char **Argv) {
  ReplayLine L = parse(Argc, Argv);
  std::string Error;
  // Launches need not wait for the checksums, but what they give does.
  capture::UncheckedMemory Memory;
  std::optional<capture::Capture> All =
      capture::readCapture(L.Folder, Memory, Error);
  if (!All)
    fail(Error);
  warnIfCut(*All, L.Folder);
  if (!L.Extract.empty()) {
    if (!Memory.check(Error))
      fail(Error);
    return extract(*All, L.Extract);
  }
  if (L.Where.Model.empty() && L.Where.Library.empty())
    L.Where.Model = All->Gpu;
  std::unique_ptr<Device> D = Device::open(L.Where, Error);
  if (!D) {
    // The models are listed only for this, as that delays the start.
    if (std::string Why; L.Where.Library.empty() && !L.Where.Model.empty() &&
                         !driver::gpuModel(L.Where.Model, Why))
      Error = Why;
    fail(Error);
  }
  if (D->isEmbedded() && D->driver().gevoGpuSetChecks(L.Run.Checks.c_str()))
    fail("unknown checks '" + L.Run.Checks +
         "'; expected all, bounds, none or families of checks");
  checkRules(L, *All);
  std::vector<Row> Rows = replayAll(*D, *All, L);
  if (!Memory.check(Error))
    fail(Error);
  if (Rows.empty())
    fail("no captured kernel has a name that '--kernels' asks for");
  for (const Substitute &S : L.Substitutes)
    if (!S.Used)
      fail("'" + S.Name +
           "' took the place of nothing: no captured kernel has "
           "the name of one in it");
  bool Passed = std::all_of(Rows.begin(), Rows.end(),
                            [](const Row &R) { return R.Result.passed(); });
  bool Compared = std::any_of(Rows.begin(), Rows.end(), [](const Row &R) {
    return !R.Result.passed() || R.Result.Compared;
  });
  if (L.Json.empty()) {
    printTable(Rows);
  } else {
    Json Cases = Json::array();
    for (const Row &R : Rows)
      Cases.push_back(rowJson(R));
    Json J = {{"capture", L.Folder},
              {"program", All->Program},
              {"gpu", D->model()},
              {"passed", Passed && Compared},
              {"start_us", Rows[0].Prepared + Rows[0].Result.StartMicroseconds},
              {"weighted_us", weighted(Rows)},
              {"cases", std::move(Cases)}};
    if (!writeReport(L.Json, J, Error))
      fail(Error);
    sayFailures(Rows);
  }
  if (!Compared)
    std::fprintf(stderr,
                 "gevo-run: error: nothing was compared: the launches leave "
                 "nothing in memory and print nothing\n");
  return Passed && Compared ? 0 : 2;
}
