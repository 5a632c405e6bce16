//===- LargerSizes.h - More work than a launch had --------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OtherInputs that knows larger sizes. What holds up to the size of
// the run alone, such as a remainder of what is less than the divisor there, no
// smaller size shows. More work needs more memory: buffers that go with a count
// get it, elsewhere, as there is no room where they are.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_LARGERSIZES_H
#define GEVO_SEARCH_LARGERSIZES_H

#include "search/OtherInputs.h"

namespace gevo {

/// The only launch of \p C with larger numbers in the place of those that are
/// counts: twice as much, and seven times or, of what takes few instructions,
/// 61 times. The dimensions of the grid that cover the count get blocks for it.
/// Buffers whose size and whose use by the original, which ends at \p Ends by
/// buffer, both follow the count or the number of blocks are made larger, with
/// what they held repeated; others stay as they are. An input with which no
/// buffer follows, or which takes too much memory or too many instructions, is
/// left out. What is expected is known.
std::vector<OtherInput> drawLarger(const capture::Case &C,
                                   llvm::ArrayRef<uint64_t> Ends,
                                   RunOriginal Run);

/// The same for numbers that are 1, as a batch of one image has it: 2, and 19
/// or, where that is too much, 11, 7 or 3; and 8 or 4, with larger buffers, and
/// with as many times the blocks along a dimension if the original needs that;
/// without larger ones where no buffer follows. A parameter of less than four
/// bytes is no count.
std::vector<OtherInput> drawManyForOne(const capture::Case &C,
                                       llvm::ArrayRef<uint64_t> Ends,
                                       const KernelTraits &Traits,
                                       RunOriginal Run);

/// Seven times and 61 times what may be the rounds of a loop: counts that
/// \p Larger, which were made of \p C, do not have as large. All else is as it
/// was, and the original must come to numbers that are as finite as they were.
std::vector<OtherInput> drawLonger(const capture::Case &C,
                                   llvm::ArrayRef<OtherInput> Larger,
                                   RunOriginal Run);

/// The next address from \p From on with room for \p Size bytes and some more.
uint64_t freePlace(const capture::Case &C, uint64_t From, uint64_t Size);

/// The warp instructions that an input may take that is made of one that takes
/// \p Steps.
uint64_t mostSteps(uint64_t Steps);

} // namespace gevo

#endif // GEVO_SEARCH_LARGERSIZES_H
