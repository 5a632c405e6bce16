//===- PlacedHeap.h - A device heap as a replay wants it --------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A captured launch may have tens of thousands of small blocks of the device
// heap, at addresses that pointers in memory know. To make each an allocation
// before every replay would take longer than most launches. So the table of the
// capture serves as it is, and costs next to nothing to put up: a block gets
// what it holds when somebody asks for an address in it or when malloc returns
// it. The memory of all blocks lies packed:
//
//   address 0x1040, 24 bytes    bytes 0 to 23 of the packed memory
//   address 0x10d0, 16 bytes    bytes 32 to 47
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H
#define GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace gevo::gpu {

/// A small block; two of them are apart.
struct HeapBlock {
  enum UseKind : uint32_t {
    Kept = 1, ///< It is there before and after the launch.
    Made,     ///< The launch makes it.
    Freed     ///< The launch frees it; what it held then is of no interest.
  };
  uint64_t Address = 0;
  uint64_t Offset = 0; ///< In packed memory.
  uint32_t Bytes = 0;
  uint32_t Use = Kept;

  uint64_t end() const { return Address + Bytes; }
};

/// See the file comment.
class PlacedHeap {
public:
  /// \p Blocks, in order of address, and \p Start, their packed memory, must
  /// stay as they are while this exists.
  PlacedHeap(const HeapBlock *Blocks, size_t Count, const char *Start);

  /// Of the blocks that are there now.
  uint64_t bytes() const { return Bytes; }
  /// The first block that is there and has a byte in [\p Begin, \p End); null
  /// if there is none. It stays as it is.
  const HeapBlock *peek(uint64_t Begin, uint64_t End) const;
  /// The block that is there and has \p Address, holding what it should; null
  /// if there is none.
  const HeapBlock *find(uint64_t Address);
  /// The blocks next to \p Address; null where there is none.
  std::pair<const HeapBlock *, const HeapBlock *>
  around(uint64_t Address) const;
  /// malloc returns the block at \p Address; false if that is none of those
  /// that the launch makes, or has another size.
  bool make(uint64_t Address, uint64_t Size);
  /// Frees the block at \p Address; false if there is none.
  bool free(uint64_t Address);
  /// Copies what blocks hold that were used, and are there afterwards, to
  /// \p Packed; the others are as they were.
  void read(char *Packed) const;

private:
  enum State : uint8_t { ToCome, Asleep, Awake, Gone };
  State &stateOf(const HeapBlock &B) const { return States[&B - First]; }
  bool isThere(const HeapBlock &B) const {
    return stateOf(B) == Asleep || stateOf(B) == Awake;
  }
  /// The first block that ends after \p Address.
  const HeapBlock *after(uint64_t Address) const;
  void wake(const HeapBlock &B);

  const HeapBlock *const First, *const Last;
  const char *const Start;
  const std::unique_ptr<State[]> States; ///< By block.
  uint64_t Bytes = 0;
};

} // namespace gevo::gpu

#endif // GEVO_RUNTIME_GPU_EXEC_PLACEDHEAP_H
