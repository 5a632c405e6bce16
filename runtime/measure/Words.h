//===- Words.h - The words and numbers of a text ----------------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program prints, cut into words, so that RunOutputs can compare its
// numbers under a tolerance and so that numbers that change from run to run can
// be told by their places. A word is made of letters, digits and the signs of
// numbers ('_', '.', '+', '-'); everything else stands between words, and so
// does the point after a number such as 1.5 that ends a sentence.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_WORDS_H
#define GEVO_RUNTIME_MEASURE_WORDS_H

#include "runtime/gpu/ptx/ElementType.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gevo::measure {

struct Word {
  std::string_view Text;
  unsigned Line; ///< From 1.
};

/// The words of \p Text, which must outlive them.
std::vector<Word> wordsOf(std::string_view Text);

/// A number as it was printed. Whole numbers are S64 if they fit, or U64; all
/// else is F64.
struct PrintedNumber {
  gpu::ElementType Type;
  uint64_t Bits; ///< Of the type.

  double value() const;
};

/// The number that \p Word is, if it is one: decimal, "nan" or "inf". What
/// starts with 0x is a hash or an address, and what no double holds (1e400) may
/// be one: these are words.
std::optional<PrintedNumber> numberIn(std::string_view Word);

/// Words of a text by their number, from 0.
using WordSet = std::set<size_t>;

/// The words in which \p Other differs from \p First, if these are numbers, or
/// numbers with a unit, in both. Nothing if more than numbers differs.
std::optional<WordSet> changedNumbers(std::string_view First,
                                      std::string_view Other);
/// \p Chosen and the words in the same place of lines that are the same but for
/// their numbers: one of "step 1 took 0.2 s" and "step 2 took 0.2 s" may
/// change by chance.
WordSet withAlikeLines(std::string_view Text, const WordSet &Chosen);
/// \p Text with a sign in the place of \p Words and of the blanks before them.
std::string withoutWords(std::string_view Text, const WordSet &Words);
/// The line, from 1, in which the word of that number stands.
unsigned lineOfWord(std::string_view Text, size_t Word);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_WORDS_H
