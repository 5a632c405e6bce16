//===- fuzz-fatbin.cpp - Any bytes as a fatbin ----------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader must be safe on anything that a program passes for device code.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Fatbin.h"

#include <cstdlib>
#include <cstring>

using namespace gevo::gpu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Bytes(reinterpret_cast<const char *>(Data), Size);
  // Most bytes are no fatbin; give them the start of one.
  constexpr uint32_t Header[] = {FatbinMagic, 0x00100001};
  if (Bytes.size() >= 16) {
    std::memcpy(&Bytes[0], Header, sizeof(Header));
    uint64_t EntryBytes = Bytes.size() - 16;
    std::memcpy(&Bytes[8], &EntryBytes, sizeof(EntryBytes));
  }
  std::string Error;
  auto Entries = readFatbin(Bytes, Error);
  if (!Entries) {
    // Whoever gets no entries gets a reason.
    if (Error.empty())
      std::abort();
    return 0;
  }
  for (const FatbinEntry &Entry : *Entries) {
    auto Image = Entry.image(Error);
    if (Image && Image->size() > MaxFatbinImage)
      std::abort();
  }
  for (unsigned Arch : {60, 70, 90})
    if (const FatbinEntry *Best = choosePTX(*Entries, Arch))
      if (!Best->isPTX())
        std::abort();
  return 0;
}
