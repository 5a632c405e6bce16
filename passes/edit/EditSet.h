//===- EditSet.h - Edits of one program, per architecture -------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edit set is what a search finds and a compiler replays: per architecture
// and function an ordered list of edits, with the fingerprint of the function
// that the anchors were numbered on. docs/edit-set-format.md is its manual.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_PASSES_EDIT_EDITSET_H
#define GEVO_PASSES_EDIT_EDITSET_H

#include "passes/edit/Edit.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace gevo {

/// The version of the file format that this build reads and writes.
constexpr int EditSetSchema = 1;

/// Where something stands in the edit-set file, for messages. Line 0: nowhere,
/// as in an edit set that was made in memory.
struct FilePosition {
  unsigned Line = 0;
  unsigned Column = 0;
};

/// What remapping knows of an anchor once the function has changed: its local
/// structure and where it came from.
struct AnchorTrace {
  std::string Anchor;
  /// Opcode and type, for people and as the first thing that must be equal.
  std::string Shape;
  /// Hash of the instruction with its operands' and users' opcodes.
  std::string Structure;
  /// Hash of the neighbours in the block.
  std::string Context;
  /// Line and column in the function's file; 0: unknown.
  unsigned Line = 0;
  unsigned Column = 0;
};

/// The edits of one function.
struct FunctionEdits {
  std::string Name;
  /// The source file as the compiler was given it.
  std::string Source;
  std::string Fingerprint;
  /// How many instructions the function had.
  unsigned Instructions = 0;
  /// All of it in short, for remapping; may be empty.
  std::string Outline;
  std::vector<AnchorTrace> Anchors;
  std::vector<Edit> Edits;

  /// Filled by the reader: where the function and each edit stand.
  FilePosition Position;
  std::vector<FilePosition> EditPositions;
};

/// The edits for one architecture, such as sm_70.
struct ArchitectureEdits {
  std::string Architecture;
  std::vector<FunctionEdits> Functions;
  /// What was measured, by whoever measured it. Kept, never interpreted here.
  llvm::json::Object Measured;

  size_t editCount() const;
};

/// A whole file.
struct EditSet {
  std::string Producer;
  std::vector<ArchitectureEdits> Architectures;
  /// Where it was read from, for messages.
  std::string Path;

  const ArchitectureEdits *find(llvm::StringRef Architecture) const;
  /// The section for \p Architecture, made if it is not there.
  ArchitectureEdits &section(llvm::StringRef Architecture);
};

/// Parses \p Text. The error reads "path:line:column: what is wrong; what to
/// do". Never yields a part of a file.
llvm::Expected<EditSet> parseEditSet(llvm::StringRef Text,
                                     llvm::StringRef Path);

/// Reads and parses the file at \p Path.
llvm::Expected<EditSet> readEditSet(llvm::StringRef Path);

/// Writes \p Set; what this printed parses and prints back byte for byte.
void printEditSet(const EditSet &Set, llvm::raw_ostream &OS);

/// Writes to a temporary file beside \p Path and renames it, so that a reader
/// sees the old file or the new one.
llvm::Error writeEditSet(const EditSet &Set, llvm::StringRef Path);

} // namespace gevo

#endif // GEVO_PASSES_EDIT_EDITSET_H
