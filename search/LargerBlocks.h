//===- LargerBlocks.h - More threads than a block had -----------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of OtherInputs that knows larger blocks. A loop over the threads of
// a block, or a barrier that a single warp does not need, is for blocks that
// the run need not have.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_SEARCH_LARGERBLOCKS_H
#define GEVO_SEARCH_LARGERBLOCKS_H

#include "search/OtherInputs.h"

namespace gevo {

/// Could the only launch of \p C have twice the threads in a block, as far as
/// its kernel tells?
bool takesLargerBlocks(const capture::Case &C, const KernelTraits &Traits);

/// The only launch of \p C with twice and with four times the threads in a
/// block, along dimensions in which the kernel asks how many there are, and
/// with as much more dynamic shared memory if it needs that. Of \p Larger,
/// which are made of \p C and have memory for more work, the first that the
/// original gets along with then gives them something to do; without any there
/// are as many blocks as before, or fewer for as many threads. What is expected
/// is known.
std::vector<OtherInput> drawLargerBlocks(const capture::Case &C,
                                         llvm::ArrayRef<OtherInput> Larger,
                                         const KernelTraits &Traits,
                                         RunOriginal Run);

} // namespace gevo

#endif // GEVO_SEARCH_LARGERBLOCKS_H
