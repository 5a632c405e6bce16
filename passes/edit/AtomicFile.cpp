//===- AtomicFile.cpp - Files that appear whole or not at all -------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Write, close, rename; the temporary file is removed on any failure.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/AtomicFile.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

static Error failed(StringRef Path, std::error_code EC) {
  return createStringError(EC, "cannot write '%s': %s", Path.str().c_str(),
                           EC.message().c_str());
}

Error gevo::writeFileAtomically(StringRef Path,
                                function_ref<void(raw_ostream &)> Write) {
  int FD;
  SmallString<128> Temporary;
  if (std::error_code EC = sys::fs::createUniqueFile(
          Path + ".%%%%%%%%.tmp", FD, Temporary, sys::fs::OF_None,
          sys::fs::all_read | sys::fs::owner_write))
    return failed(Path, EC);
  raw_fd_ostream OS(FD, /*shouldClose=*/true);
  Write(OS);
  OS.close();
  std::error_code EC = OS.error();
  OS.clear_error();
  if (!EC)
    EC = sys::fs::rename(Temporary, Path);
  if (!EC)
    return Error::success();
  sys::fs::remove(Temporary);
  return failed(Path, EC);
}
