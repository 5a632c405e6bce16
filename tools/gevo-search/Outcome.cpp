//===- Outcome.cpp - What a search leaves behind --------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that clang replays, and what to type now.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Outcome.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "search/ShellText.h"
#include "tools/gevo-search/Modules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

std::set<std::string> Outcome::editedIn(const Finalist &Best) const {
  std::set<std::string> Edited;
  for (const ArchitectureEdits &Arch :
       Device.describeSet(Best.Kept.Edits, {}).Architectures)
    for (const auto &F : Arch.Functions)
      Edited.insert(F.Name);
  return Edited;
}

Error Outcome::write(const Search &S, const Finalist &Best) const {
  // What was measured, to compare with what a compiler makes of the edit set.
  std::vector<std::string> Code = Device.build(Best.Kept.Edits).Code.Modules;
  for (size_t I = 0; I < Code.size(); ++I) {
    std::string Name = "/best" + (I ? "-" + std::to_string(I + 1) : "");
    if (Error E = writeFileAtomically(Folder + Name + ".ptx",
                                      [&](raw_ostream &OS) { OS << Code[I]; }))
      return E;
  }
  json::Object Measured = measuredOf(S, Best, Asked);
  if (std::vector<std::string> Guards = Judging.guardNames(); !Guards.empty())
    Measured["guards"] = json::Array(Guards);
  Unvaried Not = Judging.unvaried(editedIn(Best));
  if (!Not.Sizes.empty())
    Measured["sizes_not_varied"] = json::Array(Not.Sizes);
  if (!Not.Blocks.empty())
    Measured["blocks_not_enlarged"] = json::Array(Not.Blocks);
  if (!Not.Values.empty())
    Measured["values_not_varied"] = json::Array(Not.Values);
  if (!Not.Pointers.empty())
    Measured["pointers_not_varied"] = json::Array(Not.Pointers);
  if (Asked.DistinctPointers)
    Measured["distinct_pointers"] = true;
  if (!Judging.inputsNotMade().empty())
    Measured["inputs_not_made"] = jsonText(Judging.inputsNotMade());
  EditSet Set = Device.describeSet(Best.Kept.Edits, std::move(Measured));
  return writeEditSet(Set, Asked.Out);
}

void Outcome::tellNext(const Finalist *Best) const {
  if (!Best) {
    V.say("nothing better was found; no edit set was written. More time may "
          "help: --budget=20m" +
          Twine(Asked.Tolerance.largestError() > 0
                    ? ""
                    : "; so may --tolerance=1e-4, where "
                      "results need not be the same to "
                      "the bit"));
    return;
  }
  if (Asked.HeldOut.empty())
    V.say("no held-out run was given: --held-out=" +
          shellWord(shellWord(Asked.Program.front()) + " OTHER INPUT") +
          " shows whether the edits hold for " +
          (Judging.hasHeldOut() ? "whole runs on " : "") + "other inputs");
  std::set<std::string> Edited = editedIn(*Best);
  if (Asked.HeldOut.empty())
    tellUnvaried(Judging.unvaried(Edited), V);
  for (const std::string &Run : Judging.runsWithout(Edited))
    V.say("the held-out run " + Run +
          " launches none of the kernels that were edited, so it shows nothing "
          "about them");
  for (const Finalist::Check &C : Best->Checks)
    if (constexpr double Loss = 1.05;
        C.HeldOut && C.Result.valid() && C.Result.Time > Loss * C.Original)
      V.say("slower on held-out inputs: " + C.Name +
            formatv(": {0:f2}x; search on inputs like the ones that count",
                    C.Original / C.Result.Time));
  auto HeldOut = make_filter_range(
      Best->Checks, [](const Finalist::Check &C) { return C.HeldOut; });
  if (!HeldOut.empty() &&
      all_of(HeldOut, [](const Finalist::Check &C) { return C.Steered; }))
    V.say("every held-out run has refused others before, and so helped to "
          "choose this one; a further --held-out run would prove more");
  bool Here = all_of(Device.records(), [&](const RecordedModule &R) {
    SmallString<128> Source(R.Source);
    sys::fs::make_absolute(Asked.Directory, Source);
    return sys::fs::exists(Source);
  });
  V.say("wrote " + Asked.Out + "; build with it" +
        (Here ? "" : ", in the folder in which it was built") + ":\n" +
        buildCommands(Device.records(), Asked.Out, Asked.Program.front()));
}
