//===- PrintedText.h - Texts that are compared by their numbers -*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of RunOutputs that is about texts: words and signs must be the same,
// numbers may differ as much as a tolerance allows. A number's magnitude says
// something about numbers like it alone: those of the same row, and of the same
// place in lines that are the same but for their numbers. Otherwise a seed or a
// checksum in the same output would hide all errors below a millionth of it.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_PRINTEDTEXT_H
#define GEVO_RUNTIME_MEASURE_PRINTEDTEXT_H

#include "runtime/measure/RunOutputs.h"

#include <map>

namespace gevo::measure {

/// References and, last, what is compared with them.
using Texts = std::vector<std::string_view>;

/// Numbers in the same places of several texts, the actual one last. They come
/// in groups, of one type each; the floor of an error is that of its group.
class NumberTable {
public:
  /// \p Row has one number for each text.
  void addPlace(std::vector<PrintedNumber> Row, unsigned Group = 0);
  /// Indices are those of places.
  Difference compare(const Tolerance &Limits) const;

private:
  using Row = std::vector<PrintedNumber>;
  struct GroupOfRows {
    std::vector<Row> Rows;
    std::vector<size_t> Places;
  };
  std::map<unsigned, GroupOfRows> Groups;
  size_t NumPlaces = 0;

  static Difference compareGroup(const GroupOfRows &G, const Tolerance &Limits);
};

/// Compares texts by their words and numbers.
RunDifference compareTexts(const OutputSpec &Spec, const Texts &All);

/// Those of the words \p Which that are no numbers in one of two texts, or that
/// are further apart than \p Spec allows. The texts have as many words.
WordSet beyondTolerance(const OutputSpec &Spec, const Texts &Both,
                        const WordSet &Which);

/// Says which line is the first in which \p Got is not \p Want.
RunDifference lineDiffers(const OutputSpec &Spec, std::string_view Want,
                          std::string_view Got);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_PRINTEDTEXT_H
