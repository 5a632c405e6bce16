//===- Overview.cpp - What a search found before it began -----------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Overview.h"
#include "runtime/measure/Replay.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace llvm;
using namespace gevo;

// ", rel:0.001" if it is not to be the same.
static std::string allowed(const measure::OutputRule &Rule) {
  std::string Text = measure::ruleText(Rule);
  return Text == "exact" ? "" : ", " + Text;
}

static void tellFound(ArrayRef<FoundFile> Found, View &V) {
  constexpr size_t Most = 8;
  for (const FoundFile &File : Found.take_front(Most))
    V.say("the program opens " + File.Path + (File.From.empty() ? "/" : "") +
          " where it is run: every run has " +
          (File.From.empty()
               ? "such a folder"
               : (File.Linked ? "a link to " : "a copy of ") + File.From));
  if (Found.size() > Most)
    V.say("the program opens " +
          counted(Found.size() - Most, "more such file"));
}

void gevo::tellProgram(const Settings &Asked, const IrProgram &Device,
                       const WholeCase &Case, View &V) {
  V.say(Twine(Asked.Gpu) + ", " + Device.architecture() + ": " +
        counted(Device.functionCount(), "function") + " with " +
        counted(Device.instructionCount(), "instruction"));
  double All = 0;
  for (const WholeRun::Kernel &K : Case.Original.Kernels)
    All += K.Microseconds;
  for (const WholeRun::Kernel &K : Case.Original.Kernels) {
    std::string Text;
    raw_string_ostream(Text)
        << format("%10.2f us %5.1f%% %6llu %-8s  ", K.Microseconds,
                  100 * K.Microseconds / All, (unsigned long long)K.Launches,
                  K.Launches == 1 ? "launch" : "launches")
        << demangle(K.Name);
    V.say(Text);
  }
  std::string Compared = "compared after whole runs: standard output";
  for (size_t I = 0; I < Case.Original.Outputs.size(); ++I)
    Compared += (I ? ", " + Case.Run.OutputFiles[I - 1] : "") + " (" +
                std::to_string(Case.Original.Outputs[I].size()) + " bytes" +
                allowed(Case.Outputs[I].Rule) + ")";
  V.say(Compared);
  for (const OwnFile &File : Case.Run.Own)
    V.say("the program writes " + File.Word +
          ": every run has a copy of its own, " + File.Path +
          ", and the file itself stays as it is");
  tellFound(Case.Run.Found, V);
  if (Case.Noise > 0)
    V.say(formatv("the program runs for {0:f1} ms on this machine, and its "
                  "runs differ by {1:f1} %: gains within what they differ by "
                  "do not count",
                  Case.Time / 1e6, 100 * Case.Noise));
  if (!Case.Repeated.empty())
    V.say("standard deviations are those of " +
          Twine(1 + Case.Repeated.size()) + " runs of the program");
  for (const auto &[Key, Count] :
       measure::countFindings(Case.Original.Findings)) {
    auto [Kernel, Kind] = StringRef(Key).split(' ');
    V.say("accepted: '" + Kind + "' in " + demangle(Kernel) +
          (Count > 1 ? ", in " + Twine(Count) + " places" : Twine()) +
          "; variants may have no other findings");
  }
  if (int Status = Case.Original.ExitStatus)
    V.say("the program ends with status " + Twine(Status) +
          "; variants must do so, too");
  bool Left = false, Any = false;
  for (size_t I = 0; I < Case.Outputs.size(); ++I) {
    const std::string &Text = Case.Original.Outputs[I];
    const measure::WordSet &Ignored = Case.Outputs[I].Ignored;
    Any |= !Ignored.empty();
    Left |= any_of(measure::withoutWords(Text, Ignored),
                   [](char C) { return isDigit(C); });
    if (!Ignored.empty())
      V.say("not compared, as they change with time or from run to run: " +
            counted(Ignored.size(), "number") + " in " +
            (I ? Case.Run.OutputFiles[I - 1] : "standard output") +
            ", the first in line " +
            Twine(measure::lineOfWord(Text, *Ignored.begin())));
  }
  if (Any && !Left)
    V.say("no number is left to compare, only words: whole runs prove little. "
          "Give the program a seed that stays, or let it write a file");
}

std::string gevo::outputsOf(const capture::Capture &Captured,
                            const measure::OutputRules &Rules) {
  std::map<std::string, std::set<std::string>> Written;
  for (const capture::Case &C : Captured.Cases) {
    std::string Kernel = demangle(C.Launches[0].Kernel);
    for (size_t B = 0; B < C.Buffers.size(); ++B) {
      std::set<uint8_t> Marks;
      for (const capture::Piece &P : C.Buffers[B].Pieces)
        Marks.insert(P.Marks.begin(), P.Marks.end());
      for (uint8_t Mark : Marks)
        if (std::string Name = measure::Replay::bufferName(C, B);
            capture::isWritten(Mark))
          Written[Kernel.substr(0, Kernel.find('('))].insert(
              Name + " " + gpu::elementName(capture::typeOf(Mark)) +
              allowed(Rules.of(Name)));
    }
  }
  std::string Text;
  for (const auto &[Kernel, Buffers] : Written)
    Text += (Text.empty() ? "" : "; ") + Kernel + ": " + join(Buffers, ", ");
  return Text;
}
