//===- CompilerArguments.cpp - What the running compiler was told ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the kernel: a pass plugin is not given the arguments.
//
//===----------------------------------------------------------------------===//

#include "plugin/CompilerArguments.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

bool gevo::compilerFuses() {
  auto Buffer = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  if (!Buffer)
    return true;
  SmallVector<StringRef, 256> Arguments;
  (*Buffer)->getBuffer().split(Arguments, '\0');
  bool Fuses = true;
  // The last one wins, as in clang.
  for (StringRef Argument : Arguments) {
    if (Argument.consume_front("-ffp-contract="))
      Fuses = Argument == "fast" || Argument == "fast-honor-pragmas";
    else if (Argument.consume_front("-ffp-model="))
      Fuses = Argument == "fast" || Argument == "aggressive";
  }
  return Fuses;
}
