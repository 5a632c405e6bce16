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
