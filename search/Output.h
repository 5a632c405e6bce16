//===- Output.h - Is this what the program should print? --------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares texts: words must be equal, numbers may differ as much as a
// tolerance allows. An error is relative to the magnitude of the expected
// number, or to a small share of the largest one where that is more.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OUTPUT_H
#define GEVO_SEARCH_OUTPUT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <string>

namespace gevo {

/// What a comparison found.
struct TextDifference {
  /// The largest relative error of a number.
  double Error = 0;
  /// Why no number describes the difference; empty if one does.
  std::string Mismatch;
};

/// Compares \p Actual with \p Expected. Without \p Numbers the texts must be
/// equal to the byte.
TextDifference compareTexts(llvm::StringRef Expected, llvm::StringRef Actual,
                            bool Numbers);

/// The same for a file that is no text: with \p Numbers, and if \p Expected is
/// floats of four or of eight bytes, all of it, by their values.
TextDifference compareBinary(llvm::StringRef Expected, llvm::StringRef Actual,
                             bool Numbers);
bool isBinary(llvm::StringRef Content);

/// Words of a text by their number, from 0.
using WordSet = std::set<size_t>;

/// The words in which \p Other differs from \p First, if these are numbers, or
/// numbers with a unit, in both. Nothing if more than numbers differs.
std::optional<WordSet> changedNumbers(llvm::StringRef First,
                                      llvm::StringRef Other);
/// \p Chosen and the words in the same place of lines that are the same but for
/// their numbers: one of "step 1 took 0.2 s" and "step 2 took 0.2 s" may
/// change by chance.
WordSet withAlikeLines(llvm::StringRef Text, const WordSet &Chosen);
/// \p Text with a sign in the place of \p Words and of the blanks before them.
std::string withoutWords(llvm::StringRef Text, const WordSet &Words);
/// The line, from 1, in which the word of that number stands.
unsigned lineOfWord(llvm::StringRef Text, size_t Word);

} // namespace gevo

#endif // GEVO_SEARCH_OUTPUT_H
