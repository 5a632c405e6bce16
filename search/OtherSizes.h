//===- OtherSizes.h - Sizes that a launch may have --------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OtherInputs that knows sizes: counts among the parameters, blocks
// and threads, and buffers that go with a count. Values are as they were; it is
// for the caller to change them, too.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_OTHERSIZES_H
#define GEVO_SEARCH_OTHERSIZES_H

#include "search/OtherInputs.h"

namespace gevo {

/// A word of the parameters that may be a count.
struct Count {
  size_t Offset = 0;
  uint32_t Value = 0;
  /// "parameter 2", or "parameter 2+4" of a structure.
  std::string Where;
};

/// Numbers up to this may be counts.
constexpr uint32_t MostCount = 1 << 24;

/// Of the only launch of \p C: the first few that may be.
std::vector<Count> countsOf(const capture::Case &C);

/// Those that are 1, as the number of images of a batch may be.
std::vector<Count> onesOf(const capture::Case &C);

/// \p C with \p Now in the place of \p Of.
OtherInput withCount(const capture::Case &C, const Count &Of, uint32_t Now);

/// What a buffer of \p Before bytes would have with the other count: sizes of
/// so many elements or rows for it, its square or its cube, with a border of up
/// to \p MostBorder or without.
std::vector<uint64_t> sizesFor(uint64_t Before, const CountChange &Count,
                               int MostBorder);

/// Lets \p B end after \p Size bytes.
void cutOff(capture::Buffer &B, uint64_t Size);

/// The only launch of \p C with smaller numbers in the place of those that may
/// be counts, up to four for each: somewhat smaller, with three left over after
/// fours, as compilers unroll loops by two or four, and what is left over is
/// then for another loop, which is to have several rounds; 1, and 2 or 3, with
/// which there is nothing but that; and one between these that leaves threads
/// without work.
std::vector<OtherInput> drawCounts(const capture::Case &C, Random &Dice);

/// The same with fewer blocks and threads: a block less with what it stands for
/// off a count; half of them for the same count, or for twice as much; and half
/// of the threads of a block, if any number of them is right (\p AnyBlock).
std::vector<OtherInput> drawBlocks(const capture::Case &C, bool AnyBlock);

/// A program that has fewer elements has smaller buffers: lets those of \p O,
/// whose expected memory is known, end with what its count asks for, so that an
/// access past that is one out of bounds. \p Before and \p Now say where, by
/// buffer, what the original touches ends, with the count as it was and as it
/// is. Only a buffer whose size and whose use both follow the count, as that
/// number of elements, its square or its cube, with a border of a few or
/// without, is made smaller. False if there is none.
bool fitBuffers(OtherInput &O, llvm::ArrayRef<uint64_t> Before,
                llvm::ArrayRef<uint64_t> Now);

} // namespace gevo

#endif // GEVO_SEARCH_OTHERSIZES_H
