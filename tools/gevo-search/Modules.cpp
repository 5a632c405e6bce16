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

Expected<std::vector<RecordedModule>>
gevo::chooseModules(std::vector<RecordedModule> All, const std::string &Gpu) {
  std::string Message;
  std::optional<driver::DeviceProperties> Model =
      driver::gpuModel(Gpu, Message);
  if (!Model)
    return failure(Message);
  unsigned Newest = 0;
  auto NumberOf = [](const RecordedModule &R) {
    unsigned Number = 0;
    StringRef(R.Architecture).drop_front(3).consumeInteger(10, Number);
    return Number;
  };
  for (const RecordedModule &R : All)
    if (NumberOf(R) <= Model->Config.SmArch)
      Newest = std::max(Newest, NumberOf(R));
  llvm::erase_if(
      All, [&](const RecordedModule &R) { return NumberOf(R) != Newest; });
  if (All.empty())
    return failure("the program has no code that " + Gpu + " (sm_" +
                   Twine(Model->Config.SmArch) + ") can run");
  return All;
}
