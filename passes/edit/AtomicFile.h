//===- AtomicFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel builds write next to each other, and readers may look at any time.
// Every file we write goes through here.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_ATOMICFILE_H
#define GEVO_PASSES_EDIT_ATOMICFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace gevo {

enum class Outlives {
  Process, ///< Once it is written, it stays if we are killed.
  Machine  ///< Also if the power fails: waits for the disk.
};

/// Writes a temporary file beside \p Path and renames it there. A full disk or
/// a missing folder is an error that names the path, and leaves no file. What
/// is no regular file, such as a pipe, is written to as it is.
llvm::Error
writeFileAtomically(llvm::StringRef Path,
                    llvm::function_ref<void(llvm::raw_ostream &)> Write,
                    Outlives What = Outlives::Process);

/// Waits until all files in \p Folder, and in folders there, are on the disk.
llvm::Error syncFilesIn(llvm::StringRef Folder);

/// Makes \p Folder and those above it, with the rights that mkdir gives.
llvm::Error makeFolder(llvm::StringRef Folder);

} // namespace gevo

#endif // GEVO_PASSES_EDIT_ATOMICFILE_H
