//===- HeapBlocks.h - Small blocks of the device heap -----------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code may allocate a block for each thread. All small ones are one
// buffer, whose memory is theirs one after the other. Tables of blocks and of
// calls are blobs. A row is a run of those that are alike; rows have the
// differences to the row before, the small ones in few bytes: of a number its
// lowest seven bits, 128 added if more follow, and so on; -1 counts as 1, 1 as
// 2, -2 as 3.
//
//   blocks of 16 bytes at     0x1040 0x10d0 0x1160, 0x2000 0x2090
//   address stride count ...  0x1040   0x90      3,  0xfc0      0 -1
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

/// Adds a block, the next in order of address and of memory.
void addBlock(Table<HeapRun> &Blocks, const HeapRun &One);
/// Adds a call, the next in order of number and thread.
void addCall(Table<HeapCallRun> &Calls, const HeapCallRun &One);

/// Where a block is.
struct HeapBlock {
  uint64_t Address = 0;
  uint64_t Offset = 0; ///< In its buffer.
};
/// The block of \p B whose memory is at \p Offset.
HeapBlock blockAt(const Buffer &B, uint64_t Offset);

/// Are the blocks of \p B in order and apart, and its memory as large as
/// theirs?
bool isInOrder(const Buffer &B);

/// Tables as they are in files, and back; false if it is no such table.
std::string blocksText(const Table<HeapRun> &Blocks);
std::string callsText(const Table<HeapCallRun> &Calls);
bool blocksFrom(std::string_view Text, Table<HeapRun> &Blocks);
bool callsFrom(std::string_view Text, Table<HeapCallRun> &Calls);

} // namespace gevo::capture

#endif // GEVO_RUNTIME_GPU_CAPTURE_HEAPBLOCKS_H
