//===- CompilerArguments.cpp - What the running compiler was told ---------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the kernel: a pass plugin is not given the arguments. A compilation
// that is clang's only one runs in the driver, whose arguments may be in files.
//
//===----------------------------------------------------------------------===//

#include "plugin/CompilerArguments.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

using Arguments = SmallVector<const char *, 256>;

// What a --config of the driver contains; clang has complained about a file
// that cannot be read.
static void addConfiguration(StringRef Name, cl::ExpansionContext &Expansion,
                             Arguments &To) {
  SmallString<128> Path;
  Arguments Content;
  if (!Expansion.findConfigFile(Name, Path))
    return;
  consumeError(Expansion.readConfigFile(Path, Content));
  To.append(Content);
}

// All arguments in the order in which clang takes them: configuration first.
static Arguments expand(StringRef CommandLine, BumpPtrAllocator &Memory) {
  SmallVector<StringRef, 256> Raw;
  CommandLine.split(Raw, '\0');
  StringSaver Saver(Memory);
  Arguments Own, All;
  for (StringRef Argument : Raw)
    Own.push_back(Saver.save(Argument).data());
  cl::ExpansionContext Expansion(Memory, cl::TokenizeGNUCommandLine);
  consumeError(Expansion.expandResponseFiles(Own));
  for (size_t I = 0; I < Own.size(); ++I) {
    StringRef Argument = Own[I];
    if (Argument.consume_front("--config="))
      addConfiguration(Argument, Expansion, All);
    else if (Argument == "--config" && I + 1 < Own.size())
      addConfiguration(Own[I + 1], Expansion, All);
  }
  All.append(Own);
  return All;
}

bool gevo::compilerFuses() {
  auto CommandLine = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  if (!CommandLine)
    return true;
  BumpPtrAllocator Memory;
  bool Fuses = true;
  // The last one wins, as in clang.
  for (StringRef Argument : expand((*CommandLine)->getBuffer(), Memory)) {
    if (Argument.consume_front("-ffp-contract="))
      Fuses = Argument == "fast" || Argument == "fast-honor-pragmas";
    else if (Argument.consume_front("-ffp-model="))
      Fuses = Argument == "fast" || Argument == "aggressive";
    else if (Argument == "-ffast-math" || Argument == "-Ofast" ||
             Argument == "-funsafe-math-optimizations")
      Fuses = true;
  }
  return Fuses;
}
