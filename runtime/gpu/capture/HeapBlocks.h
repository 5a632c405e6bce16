//===- HeapBlocks.h - The table of the device heap's blocks -----*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code may allocate a block for each thread, and an object of JSON for
// each would take longer to write and to read than the launch. So they are one
// blob, of 64-bit numbers:
//
//   address, bytes, use, pieces, and for each piece offset, bytes, written
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H
#define GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H

#include "runtime/gpu/capture/Index.h"

#include <functional>
#include <string_view>

namespace gevo::capture {

/// Adds the row of \p Block, a buffer of the heap, to \p Table.
void addBlock(std::string &Table, const Buffer &Block);

/// Calls \p Do with each block of \p Table, without its memory, and what is
/// known of it. False if the table is damaged; \p Do may have been called.
bool forBlocks(
    std::string_view Table,
    const std::function<void(Buffer &&, const std::vector<IndexPiece> &)> &Do);

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H
