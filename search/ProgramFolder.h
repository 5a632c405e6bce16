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

/// One way to run the program.
struct ProgramRun {
  /// As the user gave it; names of files are absolute.
  Command Words;
  std::vector<OwnFile> Own;
  /// Files of the user that it opens where it is run, of which it has copies,
  /// or links if they are large, and folders in which it makes some, with a
  /// slash behind them.
  std::vector<OwnFile> Found;
  /// Its own files are all in OutsideFolder, among links to the files that the
  /// user has beside them and in the folders above.
  bool Neighbours = false;
  /// Files that it writes in its folder and that are compared.
  std::vector<std::string> OutputFiles;
  /// The user named them.
  bool Named = false;

  /// The words of a run in its folder.
  Command command() const;
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

private:
  explicit ProgramFolder(std::string Home) : Home(std::move(Home)) {}

  /// The working directory before; empty: nothing to go back to.
  std::string Home;
};

} // namespace gevo

#endif // GEVO_SEARCH_PROGRAMFOLDER_H
