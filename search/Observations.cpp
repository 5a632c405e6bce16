//===- Observations.cpp - What the original said about itself -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In processes of their own: a device that this process had opened must not be
// there when the workers start.
//
//===----------------------------------------------------------------------===//

#include "search/Observations.h"
#include "passes/edit/AtomicFile.h"
#include "passes/edit/JsonText.h"
#include "search/MachineError.h"
#include "search/Workers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace gevo;

// What is no doing of the code, and what can be done about it; empty: it is.
static std::string misfortune(Workers::Cause Cause, const Asking &How) {
  std::string Process = "the process that is " + How.What,
              Without = "begin anew with " + How.Without;
  switch (Cause) {
  case Workers::Cause::Itself:
    return "";
  case Workers::Cause::Memory:
    return Process + " lacks memory" +
           (How.Memory.Bytes
                ? formatv(": it may take {0:f1} GiB, by what {1} allows",
                          double(How.Memory.Bytes) / (uint64_t(1) << 30),
                          How.Memory.Who)
                      .str()
                : "") +
           "; " + Without + ", or allow more";
  case Workers::Cause::Killed:
    return Process + " was killed twice, by somebody or for want of memory; " +
           Without + ", or see that there is enough";
  case Workers::Cause::Late:
    return Process + " gave no answer in " + std::to_string(How.Seconds) +
           " s; " + Without + ", or stop what else runs here";
  }
  llvm_unreachable("a cause without words");
}

Expected<std::string> gevo::askOnce(const Asking &How,
                                    std::function<std::string()> Work) {
  WorkerLimits Limits;
  Limits.MemoryBytes = How.Memory.Bytes;
  Limits.Seconds = How.Seconds;
  auto Started = forkWorkers(
      Limits, [&] { return Service([&](StringRef) { return Work(); }); });
  if (!Started)
    return make_error<MachineError>(toString(Started.takeError()));
  (*Started)->send(0, "");
  Expected<Workers::Reply> Reply = (*Started)->wait();
  if (!Reply)
    return make_error<MachineError>(toString(Reply.takeError()));
  if (Reply->Text)
    return *Reply->Text;
  std::string Why = misfortune(Reply->DiedOf, How);
  if (!Why.empty())
    return make_error<MachineError>(Why);
  return Reply->Death;
}

Expected<Observations> Observations::open(std::string Path, bool Again,
                                          MemoryLimit Memory) {
  Observations All(std::move(Path), std::move(Memory));
  if (!Again || !sys::fs::exists(All.Path))
    return All;
  auto Fail = [&](const Twine &Why) {
    return createStringError(inconvertibleErrorCode(),
                             "'" + All.Path + "' is damaged: " + Why +
                                 "; begin anew, without --resume");
  };
  auto Buffer = MemoryBuffer::getFile(All.Path);
  if (!Buffer)
    return Fail(Buffer.getError().message());
  Expected<json::Value> Value = json::parse((*Buffer)->getBuffer());
  if (!Value)
    return Fail(toString(Value.takeError()));
  json::Path::Root Root;
  if (!json::fromJSON(*Value, All.Known, Root))
    return Fail(toString(Root.getError()));
  return All;
}

// A search that was ended before it began may have left what it saw of other
// functions or inputs.
static std::string questionOf(StringRef What, const Payload &Code,
                              const LaunchScenario &Launches,
                              const LaunchScenario *Guards) {
  std::string On = Code.hash() + Launches.identity();
  if (Guards)
    On += Guards->identity();
  return What.str() + " " +
         utohexstr(xxh3_64bits(On), /*LowerCase=*/true, /*Width=*/16);
}

Expected<std::string> Observations::ask(StringRef What, const Payload &Code,
                                        const LaunchScenario &Launches,
                                        const LaunchScenario *Guards,
                                        std::function<std::string()> Work) {
  std::string Key = questionOf(What, Code, Launches, Guards);
  if (auto Found = Known.find(Key); Found != Known.end())
    return Found->second;
  Expected<std::string> Said = askOnce(
      {"observing the original", "--whole-runs", Memory}, std::move(Work));
  if (!Said)
    return Said;
  New = true;
  // As it will be read.
  return Known[Key] = jsonText(*Said);
}

Error Observations::keep() {
  if (!New)
    return Error::success();
  New = false;
  json::Object All;
  for (const auto &[Key, Said] : Known)
    All[Key] = Said;
  return writeFileAtomically(
      Path, [&](raw_ostream &OS) { OS << json::Value(std::move(All)) << '\n'; },
      Outlives::Machine);
}
