//===- Preparation.cpp - What a search begins with ------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder belongs to one search at a time, from before anything is put there.
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-search/Preparation.h"
#include "passes/ir/Lower.h"
#include "tools/gevo-search/Measuring.h"
#include "tools/gevo-search/Modules.h"
#include "tools/gevo-search/Values.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace gevo;

static Error failure(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), What);
}

Error gevo::otherProgram(StringRef Folder) {
  return failure("'" + Folder +
                 "' holds the search of another program or input; the "
                 "program, its arguments or its files have changed");
}

Error Preparation::readProgram() {
  const std::string &Path = Asked.Program.front();
  Expected<std::vector<RecordedModule>> Records = readRecords(Path);
  if (!Records)
    return Records.takeError();
  if (Records->empty())
    return failure("'" + Path +
                   "' carries no device code to edit; build it with "
                   "gevo-clang++ --gevo-record. If it was, the sources that "
                   "were compiled so have no kernel");
  Expected<std::vector<RecordedModule>> Chosen =
      chooseModules(std::move(*Records), Asked.gpus());
  if (!Chosen)
    return Chosen.takeError();
  Regex Wanted(Asked.Kernels.empty() ? ".*" : Asked.Kernels);
  if (Error E = checkKernels(Asked.Kernels))
    return E;
  initializeNVPTX();
  Expected<std::unique_ptr<IrProgram>> P =
      IrProgram::create(std::move(*Chosen), [&](StringRef Name) {
        return Wanted.match(Name) || Wanted.match(demangle(Name));
      });
  if (!P)
    return P.takeError();
  Device = std::move(*P);
  if (!Device->functionCount())
    return failure("no function of '" + Path +
                   "' matches --kernels=" + Asked.Kernels);
  std::string Identity = Device->identity();
  if (Options.Resume && Asked.Identity != Identity)
    return otherProgram(Options.Folder);
  Asked.Identity = Identity;
  return Error::success();
}

// What is known of code holds as long as it is measured in the same way.
Error Preparation::knowMeasuring() {
  Expected<std::string> Now = measuringIdentity(Asked.gpus());
  if (!Now)
    return Now.takeError();
  bool Same = !Options.Resume || Asked.MeasuredBy == *Now;
  Asked.MeasuredBy = *Now;
  if (Same)
    return Error::success();
  if (Options.Ranks && Options.Ranks->rank())
    return failure("it has another version of Gevo, another profile of " +
                   Asked.Gpu +
                   ", or other variables such as GEVO_COSTS than "
                   "rank 0; their times would not compare");
  return failure("'" + Options.Folder +
                 "' was measured by another version of Gevo, with another "
                 "profile of " +
                 Asked.Gpu +
                 ", or with other variables such as GEVO_COSTS; times would "
                 "not compare. Begin anew, without --resume");
}

// Ranks of one machine share its memory.
MemoryLimit Preparation::memory() const {
  unsigned OnMachine = Options.Ranks ? 1 : Options.Jobs;
  if (const char *Text = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE"))
    StringRef(Text).getAsInteger(10, OnMachine);
  return memoryForEach(std::max(1u, OnMachine));
}

WorkerLimits Preparation::limits() const {
  WorkerLimits Limits;
  Limits.Count = Options.Ranks ? 1 : Options.Jobs;
  Limits.MemoryBytes = memory().Bytes;
  Limits.Seconds = 600;
  return Limits;
}

Error Preparation::checkMemory(uint64_t Bytes) const {
  constexpr uint64_t Least = uint64_t(256) << 20;
  if (Bytes >= Least)
    return Error::success();
  uint64_t Enough = memoryForEach(1).Bytes / Asked.gpus().size() / Least;
  return failure(formatv(
      "{0} have {1:f1} MiB of memory each, by what {2} allows, too "
      "little to run a program; {3}",
      counted(Options.Jobs, "worker"), Bytes / double(1 << 20), memory().Who,
      Enough ? formatv("there is enough for --jobs={0}", Enough).str()
             : "allow more"));
}

// Whether somebody has written something there for the program to read. A
// terminal is for Ctrl-C.
static bool inputIsWaiting() {
  struct stat Status;
  int Waiting = 0;
  return !fstat(STDIN_FILENO, &Status) && !S_ISCHR(Status.st_mode) &&
         !ioctl(STDIN_FILENO, FIONREAD, &Waiting) && Waiting != 0;
}

Error Preparation::run(bool Again, NewFolder *Made) {
  if (Error E = readProgram())
    return E;
  if (Error E = knowMeasuring())
    return E;
  int Rank = Options.Ranks ? Options.Ranks->rank() : 0;
  if (!Rank)
    if (Error E = FolderLock::take(Options.Folder).moveInto(Alone))
      return E;
  if (Made)
    if (Error E = Made->taken())
      return E;
  std::string Scratch = scratchOf(Options.Folder, Rank);
  // A worker has a process for each of several GPUs.
  uint64_t Memory = limits().MemoryBytes / Asked.gpus().size();
  if (Error E = checkMemory(Memory))
    return E;
  Judging = std::make_unique<Judges>(Asked, *Device, Options.Folder, Scratch,
                                     Memory, memoryForEach(1), Options.Jobs, V);
  Error E = Judging->prepare(Again, /*Validates=*/!Rank);
  // Who writes there had the time to begin, and it may be why this failed.
  if (inputIsWaiting())
    V.say("standard input is not handed on: the program is run many times, "
          "each time with an empty one");
  return E;
}
