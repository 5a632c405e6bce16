//===- ProgramReport.cpp - What a program launched ------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-run/ProgramReport.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <map>

using namespace gevo;
using namespace gevo::run;
using nlohmann::ordered_json;

namespace {

std::string demangled(const std::string &Name) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status);
  std::string Result = Text && !Status ? Text : Name;
  std::free(Text);
  return Result;
}

/// Collects kernels by name while logs are read.
class Merger {
public:
  void take(const driver::LoggedRecord &R) {
    switch (R.Kind) {
    case driver::LogKind::Kernel: {
      KernelRow &Row = kernel(R.Text);
      Row.Launches += R.Count;
      Row.Microseconds += R.Microseconds;
      return;
    }
    case driver::LogKind::Finding:
      takeFinding(R);
      return;
    case driver::LogKind::Note:
      takeNote(R.Text);
      return;
    case driver::LogKind::Line: {
      size_t End = R.Text.find('\n');
      Lines[R.Text.substr(0, End)][R.Text.substr(End + 1)].add(
          gpu::timing::InstructionProfile::of(R.Counters));
      return;
    }
    case driver::LogKind::FromSass:
      kernel(R.Text).FromSass += R.Count;
      return;
    case driver::LogKind::InTextOrder:
      kernel(R.Text).InTextOrder += R.Count;
      return;
    case driver::LogKind::WhyRules: {
      size_t End = R.Text.find('\n');
      KernelRow &Row = kernel(R.Text.substr(0, End));
      Row.RulesCause = std::max(Row.RulesCause, R.Text.at(End + 1) - '0');
      Row.WhyRules.insert(R.Text.substr(End + 2));
      return;
    }
    case driver::LogKind::Silent:
      kernel(R.Text).Silent += R.Count;
      return;
    }
  }

  ProgramReport finish() {
    for (auto &[Name, Row] : Rows) {
      Report.Microseconds += Row.Microseconds;
      Report.Launches += Row.Launches;
      for (const auto &[Place, Cost] : Lines[Name]) {
        Row.Lines.push_back(gpu::timing::lineAt(Place));
        Row.Lines.back().Cost = Cost;
      }
      sortByCost(Row.Lines);
      Report.Kernels.push_back(std::move(Row));
    }
    std::sort(Report.Kernels.begin(), Report.Kernels.end(),
              [](const KernelRow &A, const KernelRow &B) {
                return A.Microseconds != B.Microseconds
                           ? A.Microseconds > B.Microseconds
                           : A.Name < B.Name;
              });
    return std::move(Report);
  }

  ProgramReport Report;

private:
  std::map<std::string, KernelRow> Rows;
  /// By kernel and place.
  std::map<std::string, std::map<std::string, gpu::timing::InstructionProfile>>
      Lines;

  KernelRow &kernel(const std::string &Name) {
    KernelRow &Row = Rows[Name];
    Row.Name = Name;
    return Row;
  }

  void takeFinding(const driver::LoggedRecord &R) {
    ordered_json J = ordered_json::parse(R.Text, nullptr, false);
    if (!J.is_object())
      return;
    J["count"] = R.Count;
    auto &Findings = kernel(J.value("kernel", "")).Findings;
    // Processes of one program find the same; where and what tell.
    auto isSame = [&](const ordered_json &Other) {
      return Other.value("kind", "") == J.value("kind", "") &&
             Other.value("memory", "") == J.value("memory", "") &&
             Other.value("where", ordered_json()) ==
                 J.value("where", ordered_json());
    };
    auto It = std::find_if(Findings.begin(), Findings.end(), isSame);
    if (It == Findings.end())
      Findings.push_back(std::move(J));
    else
      (*It)["count"] = It->value("count", uint64_t(0)) + R.Count;
  }

  void takeNote(const std::string &Text) {
    size_t Line = Text.find('\n');
    std::string Kind = Text.substr(0, Line), Rest = Text.substr(Line + 1);
    if (Kind == "missing")
      Report.Missing.insert(Rest);
    else if (Kind == "problem")
      Report.Problems.insert(Rest);
    else if (Kind == "failed")
      Report.Failed.insert(Rest);
    else if (Kind == "substituted")
      Report.Substituted.insert(
          {Rest.substr(0, Rest.find('\n')), Rest.substr(Rest.find('\n') + 1)});
  }
};

std::string counted(uint64_t Count, const char *One, const char *Many) {
  return std::to_string(Count) + " " + (Count == 1 ? One : Many);
}

void appendList(std::string &Text, const char *Title,
                const std::set<std::string> &Lines) {
  for (const std::string &Line : Lines)
    Text += std::string("gevo-run: ") + Title + ": " + Line + "\n";
}

/// Which kernels were priced by rules although machine code was wanted; each
/// reason once.
void appendRules(std::string &Text, const std::vector<KernelRow> &Kernels) {
  std::map<std::string, std::vector<std::string>> ByReason;
  for (const KernelRow &Row : Kernels)
    for (const std::string &Why : Row.WhyRules)
      ByReason[Why].push_back(demangled(Row.Name));
  for (const auto &[Why, Names] : ByReason)
    Text += "gevo-run: note: " + counted(Names.size(), "kernel", "kernels") +
            " priced by rules about PTX (" + Names[0] +
            (Names.size() > 1 ? ", ..." : "") + "): " + Why + "\n";
}

/// Where a finding was made: " (block 0,0,0, thread 5,0,0, app.cu:12)".
std::string placeText(const ordered_json &F) {
  if (!F.contains("where"))
    return "";
  const ordered_json &Where = F["where"];
  std::string Text = " (";
  for (const char *Key : {"block", "thread"}) {
    std::string Numbers;
    for (const ordered_json &N : Where.value(Key, ordered_json::array()))
      Numbers += (Numbers.empty() ? "" : ",") + N.dump();
    Text += std::string(Key) + " " + Numbers + ", ";
  }
  if (Where.contains("file"))
    return Text + Where.value("file", "") + ":" +
           std::to_string(Where.value("line", 0)) +
           (Where.contains("caller_file")
                ? ", called near " + Where.value("caller_file", "") + ":" +
                      std::to_string(Where.value("caller_line", 0))
                : "") +
           ")";
  return Text + "PTX line " + std::to_string(Where.value("ptx_line", 0)) + ")";
}

/// The lines of kernels that cost most.
void appendLines(std::string &Text, const std::vector<KernelRow> &Kernels) {
  constexpr size_t Most = 10;
  bool HasPtxOnly = false;
  for (const KernelRow &Row : Kernels) {
    if (Row.Lines.empty())
      continue;
    Text += "gevo-run: lines of " + demangled(Row.Name) + "\n" +
            hotLinesText(Row.Lines, Most);
    HasPtxOnly |= std::all_of(
        Row.Lines.begin(), Row.Lines.end(),
        [](const gpu::timing::HotLine &L) { return L.File.empty(); });
  }
  if (HasPtxOnly)
    Text += "gevo-run: note: where lines are of PTX, the program has none of "
            "its source; build it with -gline-tables-only (nvcc: -lineinfo)\n";
}

/// Errors before warnings; a racy loop can have hundreds of pairs of lines.
void appendFindings(std::string &Text, const KernelRow &Row) {
  constexpr size_t Most = 10;
  size_t Count = 0;
  for (const char *Severity : {"error", "warning"})
    for (const ordered_json &F : Row.Findings)
      if (F.value("severity", "") == Severity && Count++ < Most)
        Text += std::string("gevo-run: ") + Severity + ": " +
                demangled(Row.Name) + ": " + F.value("message", "") +
                placeText(F) + "\n";
  if (Count > Most)
    Text += "gevo-run: " + demangled(Row.Name) + ": " +
            std::to_string(Count - Most) +
            " more findings; --json=FILE keeps all\n";
}

} // namespace

bool ProgramReport::hasErrors() const {
  for (const KernelRow &Row : Kernels)
    for (const ordered_json &F : Row.Findings)
      if (F.value("severity", "") == "error")
        return true;
  return !Failed.empty();
}

ProgramReport
gevo::run::mergeLogs(const std::vector<driver::LoggedProcess> &Logs) {
  Merger M;
  M.Report.Processes = Logs.size();
  for (const driver::LoggedProcess &P : Logs) {
    M.Report.Dropped += P.Dropped;
    for (const driver::LoggedRecord &R : P.Records)
      M.take(R);
  }
  return M.finish();
}

std::string gevo::run::reportText(const ProgramReport &R,
                                  const std::string &Gpu) {
  std::string Text = "gevo-run: " + Gpu + ": " +
                     counted(R.Launches, "launch", "launches") + " of " +
                     counted(R.Kernels.size(), "kernel", "kernels") + " in " +
                     counted(R.Processes, "process", "processes") + "\n";
  if (!R.Kernels.empty())
    Text += "     time us   share  launches  findings  kernel\n";
  for (const KernelRow &Row : R.Kernels) {
    double Share = R.Microseconds ? Row.Microseconds / R.Microseconds : 0;
    char Line[128];
    std::snprintf(Line, sizeof(Line), "%12.2f  %5.1f%%  %8llu  %8zu  ",
                  Row.Microseconds, 100 * Share,
                  static_cast<unsigned long long>(Row.Launches),
                  Row.Findings.size());
    Text += Line + demangled(Row.Name) + "\n";
  }
  appendLines(Text, R.Kernels);
  for (const KernelRow &Row : R.Kernels)
    appendFindings(Text, Row);
  appendRules(Text, R.Kernels);
  appendList(Text, "error", R.Failed);
  appendList(Text, "not supported", R.Missing);
  return Text;
}

ordered_json gevo::run::reportJson(const ProgramReport &R) {
  ordered_json J;
  J["processes"] = R.Processes;
  J["launches"] = R.Launches;
  J["time_us"] = R.Microseconds;
  ordered_json &Kernels = J["kernels"] = ordered_json::array();
  for (const KernelRow &Row : R.Kernels) {
    ordered_json K;
    K["name"] = Row.Name;
    K["function"] = demangled(Row.Name);
    K["launches"] = Row.Launches;
    K["silent_launches"] = Row.Silent;
    K["time_us"] = Row.Microseconds;
    K["costs"] = Row.FromSass == Row.Launches      ? "sass"
                 : Row.InTextOrder == Row.Launches ? "ptx-text"
                 : Row.FromSass || Row.InTextOrder ? "mixed"
                                                   : "ptx-rules";
    if (!Row.WhyRules.empty()) {
      constexpr const char *Causes[] = {"input", "tool", "machine"};
      K["costs_reasons"] = Row.WhyRules;
      K["costs_cause"] = Causes[Row.RulesCause];
    }
    K["share"] = R.Microseconds ? Row.Microseconds / R.Microseconds : 0;
    K["findings"] = Row.Findings;
    if (!Row.Lines.empty())
      K["lines"] = ordered_json::parse(hotLinesJson(Row.Lines));
    Kernels.push_back(std::move(K));
  }
  J["failed"] = R.Failed;
  J["missing"] = R.Missing;
  J["problems"] = R.Problems;
  ordered_json &Substituted = J["substituted"] = ordered_json::array();
  for (const auto &[File, Kernel] : R.Substituted)
    Substituted.push_back({{"file", File}, {"kernel", Kernel}});
  if (R.Dropped)
    J["dropped_records"] = R.Dropped;
  return J;
}
