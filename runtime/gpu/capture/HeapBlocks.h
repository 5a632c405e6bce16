//===- HeapBlocks.h - Small blocks of the device heap -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code may allocate a block for each thread. All small ones are one
// buffer, whose memory is theirs one after the other. Tables of blocks and of
// calls are blobs. As one row mostly follows from the row before, a file has
// the differences, the small ones in few bytes: of a number its lowest seven
// bits, 128 added if more follow, and so on; -1 counts as 1, 1 as 2, -2 as 3.
//
//   address bytes use         0x1040 16 2, 0x10d0 16 2, 0x1160 16 2
//   in a file                 0x1040 16 2,   0x90  0 0,   0x90  0 0
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H
#define GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H

#include "runtime/gpu/capture/Case.h"

#include <string_view>

namespace gevo::capture {

/// Larger blocks are buffers of their own, of which only what is touched is
/// kept.
constexpr uint64_t LargestSmallBlock = 64 * 1024;

/// What a block takes of its buffer's memory.
inline uint64_t packedBytes(uint64_t Bytes) { return (Bytes + 15) / 16 * 16; }

/// The block of \p B whose memory is at \p Offset.
const HeapBlock &blockAt(const Buffer &B, uint64_t Offset);

/// Are the blocks of \p B in order and apart, and its memory as large as
/// theirs?
bool isInOrder(const Buffer &B);

/// Tables as they are in files, and back; false if it is no such table.
std::string blocksText(const Table<HeapBlock> &Blocks);
std::string callsText(const Table<HeapCall> &Calls);
bool blocksFrom(std::string_view Text, Table<HeapBlock> &Blocks);
bool callsFrom(std::string_view Text, Table<HeapCall> &Calls);

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H
