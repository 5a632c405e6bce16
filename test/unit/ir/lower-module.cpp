//===- lower-module.cpp - Replays and lowers a recorded module ------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   lower-module MODULE.bc [EDITS] > PTX
//
// What a search does with a recorded module, as a command for lit tests that
// compare it with clang: MODULE.json beside the bitcode says how to lower.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/EditSet.h"
#include "passes/ir/Lower.h"
#include "passes/ir/Replay.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gevo;

static int fail(const Twine &Why) {
  errs() << "lower-module: " << Why << '\n';
  return 1;
}

static Expected<LowerOptions> readHeader(StringRef Bitcode) {
  SmallString<128> Path(Bitcode);
  sys::path::replace_extension(Path, "json");
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Buffer.getError(), "cannot read %s", Path.c_str());
  Expected<json::Value> Header = json::parse((*Buffer)->getBuffer());
  if (!Header)
    return Header.takeError();
  const json::Object &O = *Header->getAsObject();
  return LowerOptions{unsigned(*O.getInteger("opt_level")),
                      *O.getBoolean("fuse"), *O.getBoolean("names")};
}

int main(int Count, char **Arguments) {
  if (Count < 2 || Count > 3)
    return fail("usage: lower-module MODULE.bc [EDITS]");
  initializeNVPTX();
  LLVMContext Context;
  SMDiagnostic Diagnostic;
  std::unique_ptr<Module> M = parseIRFile(Arguments[1], Diagnostic, Context);
  if (!M)
    return fail(Diagnostic.getMessage());
  Expected<LowerOptions> Options = readHeader(Arguments[1]);
  if (!Options)
    return fail(toString(Options.takeError()));
  if (Count == 3) {
    Expected<EditSet> Set = readEditSet(Arguments[2]);
    if (!Set)
      return fail(toString(Set.takeError()));
    ReplayReport Report = replay(*M, *Set, {});
    if (!Report.total() || Report.applied() != Report.total())
      return fail("not all edits applied");
  }
  Expected<std::string> PTX = lowerToPTX(*M, *Options);
  if (!PTX)
    return fail(toString(PTX.takeError()));
  outs() << *PTX;
  return 0;
}
