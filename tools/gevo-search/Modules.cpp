//===- Modules.cpp - Which recorded modules a GPU runs --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The profiles of the embedded GPU know the architectures.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Modules.h"
#include "runtime/gpu/driver/DeviceProperties.h"
#include "search/ShellText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

// "sm_70" is 70.
static unsigned numberOf(const RecordedModule &R) {
  unsigned Number = 0;
  StringRef(R.Architecture).drop_front(3).consumeInteger(10, Number);
  return Number;
}

// What the driver of \p Gpu chooses of \p All.
static Expected<unsigned> newestFor(ArrayRef<RecordedModule> All,
                                    const std::string &Gpu) {
  std::string Message;
  std::optional<driver::DeviceProperties> Model =
      driver::gpuModel(Gpu, Message);
  if (!Model)
    return failure(Message);
  unsigned Newest = 0;
  for (const RecordedModule &R : All)
    if (numberOf(R) <= Model->Config.SmArch)
      Newest = std::max(Newest, numberOf(R));
  if (!Newest)
    return failure("the program has no code that " + Gpu + " (sm_" +
                   Twine(Model->Config.SmArch) +
                   ") can run; build it with --cuda-gpu-arch=sm_" +
                   Twine(Model->Config.SmArch));
  return Newest;
}

Expected<std::vector<RecordedModule>>
gevo::chooseModules(std::vector<RecordedModule> All,
                    ArrayRef<std::string> Gpus) {
  unsigned Chosen = 0;
  for (const std::string &Gpu : Gpus) {
    Expected<unsigned> Newest = newestFor(All, Gpu);
    if (!Newest)
      return Newest.takeError();
    if (Chosen && Chosen != *Newest)
      return failure("the program has code of its own, sm_" + Twine(*Newest) +
                     ", for " + Gpu + ", and sm_" + Twine(Chosen) + " for " +
                     Gpus[0] +
                     "; search for one after the other, or build it "
                     "for sm_" +
                     Twine(std::min(Chosen, *Newest)) + " alone");
    Chosen = *Newest;
  }
  llvm::erase_if(
      All, [&](const RecordedModule &R) { return numberOf(R) != Chosen; });
  return All;
}

// The words of a command that gevo-clang++ kept, with the edits instead of the
// recording; empty if it is no such command.
static std::string withEdits(StringRef Command, StringRef Edits) {
  constexpr StringLiteral Recording = " --gevo-record";
  size_t At = Command.find(Recording);
  if (At == StringRef::npos)
    return "";
  StringRef Rest = Command.drop_front(At + Recording.size());
  return (Command.take_front(At) + " --gevo-edits=" + shellWord(Edits) +
          Rest.drop_until([](char C) { return C == ' '; }))
      .str();
}

std::string gevo::buildCommands(ArrayRef<RecordedModule> Records,
                                StringRef Edits, StringRef Program) {
  SmallVector<StringRef, 4> Commands, Sources;
  bool Links = false;
  for (const RecordedModule &R : Records) {
    if (!is_contained(Commands, R.Options.Command))
      Commands.push_back(R.Options.Command);
    if (!is_contained(Sources, R.Source))
      Sources.push_back(R.Source);
  }
  std::string Text;
  for (StringRef Command : Commands) {
    std::string Line = withEdits(Command, Edits);
    if (Line.empty())
      return ("  gevo-clang++ -O" + Twine(Records[0].Options.OptLevel) +
              " --gevo-edits=" + shellWord(Edits) + " " +
              join(map_range(Sources, shellWord), " ") + " -o " +
              shellWord(sys::path::filename(Program)) +
              "\nand with what else it is made of, if there is more")
          .str();
    Links |= !StringRef(Line + " ").contains(" -c ");
    Text += "  " + Line + "\n";
  }
  Text += Links ? "" : "and link it as before";
  return StringRef(Text).rtrim().str();
}
