//===- ProgramFolder.h - Where the program is run ---------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every run of the program begins in a folder with nothing but its files in it.
// What is ours (code, report, standard output) lies beside it, so that no file
// of the program can have its name.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_PROGRAMFOLDER_H
#define GEVO_SEARCH_PROGRAMFOLDER_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gevo {

/// The words of a command line.
using Command = std::vector<std::string>;

/// In the folder of a run, where files are that are not in the user's, by their
/// whole paths.
inline constexpr llvm::StringLiteral OutsideFolder = "outside";

/// A file that an argument names and that the program writes, or a folder in
/// which it does. It is the user's, so each run has its own instead.
struct OwnFile {
  /// What the argument has before the name, such as "--out=".
  std::string Option;
  /// The name; absolute, if the file was there before the search.
  std::string Word;
  /// Where a run has it, as seen from its folder.
  std::string Path;

  std::string argument() const { return Option + Word; }
};

/// A file or folder of the user that the program opens, by a name of its own,
/// where it is run.
struct FoundFile {
  /// The user's, with its whole path; empty: a folder in which the program
  /// makes or finds files, each of which is brought on its own.
  std::string From;
  /// Where a run has a copy, as seen from its folder.
  std::string Path;
  /// A link instead: it is large, and the program does not write it.
  bool Linked = false;
};

/// One way to run the program.
struct ProgramRun {
  /// As the user gave it; names of files are absolute.
  Command Words;
  std::vector<OwnFile> Own;
  std::vector<FoundFile> Found;
  /// Its own files are all in OutsideFolder, among links to the files that the
  /// user has beside them and in the folders above.
  bool Neighbours = false;
  /// Files that it writes in its folder and that are compared.
  std::vector<std::string> OutputFiles;
  /// The user named them.
  bool Named = false;

  /// The words of a run in its folder.
  Command command() const;
  /// What is copied for it.
  uint64_t copiedBytes() const;
};

/// The folder "run" in the working directory, which is the one of the process
/// as long as this lives.
class ProgramFolder {
public:
  /// Makes it anew for \p Run, with copies of its files as the user has them,
  /// and enters it.
  static llvm::Expected<ProgramFolder> enter(const ProgramRun &Run);
  /// Removes what the last run in the working directory left.
  static void clear();
  ProgramFolder(ProgramFolder &&Other) : Home(std::move(Other.Home)) {
    Other.Home.clear();
  }
  ~ProgramFolder();

  /// The path of a file of ours.
  std::string beside(llvm::StringRef Name) const;
  /// The regular files that the last run in the working directory left, those
  /// in folders as well, in order; without copies that it did not write.
  static std::vector<std::string> filesLeft();
  /// Whether that run wrote \p File or something in it, be it what was there
  /// before.
  static bool wrote(const OwnFile &File);
  static bool wrote(const FoundFile &File);
  /// Whether what is at \p Path, as seen from here, is a copy as it was made.
  static bool isUntouched(llvm::StringRef Path);

private:
  explicit ProgramFolder(std::string Home) : Home(std::move(Home)) {}

  /// The working directory before; empty: nothing to go back to.
  std::string Home;
};

} // namespace gevo

#endif // GEVO_SEARCH_PROGRAMFOLDER_H
