//===- fuzz-ptx.cpp - Any text as PTX -------------------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser must be safe on anything that a program passes for PTX.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/Parser.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Text(reinterpret_cast<const char *>(Data), Size);
  auto Module = gevo::gpu::ptx::parseModule(Text);
  // Whoever gets no module gets a reason.
  if (!Module && Module.error().Message.empty())
    std::abort();
  return 0;
}
